"""Train the package's parsers on a treebank, or measure them on one.

The treebank is in the layout of GUM: folders dep/ (CoNLL-U), const/ (Penn brackets) and rst/ (RST's
LISP format) with one file for each document, named alike. Equal treebanks give equal bytes.
"""

from sklearn_mteval.cli._options import add
from sklearn_mteval.cli._output import say, show
from sklearn_mteval.linguistic.trees.shipped.kinds import DOCUMENTS

MORE = "linguistic/trees"
EXAMPLES = (
    "sklearn-mteval treebank evaluate gum",
    "sklearn-mteval treebank train gum -o my-parsers",
    "sklearn-mteval treebank evaluate gum --model my-parsers",
)


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("task", choices=("train", "evaluate"))
    parser.add_argument("corpus", metavar="CORPUS", help="folder with dep/, const/ and rst/")
    add(parser, "-o, --output FOLDER", "train: folder of the new model")
    add(parser, "--documents",
        "of GUM: which to train on (default: shipped) or to evaluate on (default: held-out)",
        choices=DOCUMENTS)  # fmt: skip
    add(parser, "--no-classes",
        "train: without classes of English words, for treebanks of other languages")  # fmt: skip
    add(parser, "--model FOLDER", "evaluate: your model (default: the shipped one)")
    add(parser, "--beam BEAM", "evaluate: of the deep parsers (default: 6)", 6)
    add(parser, "--folds K", "evaluate: cross-validate tags, chunks and discourse, without a model",
        type=int)  # fmt: skip


def run(arguments):
    """Train and save a model, or print how good one is."""
    from sklearn_mteval.linguistic.trees.shipped.model import load_model_folder, save_model_folder
    from sklearn_mteval.linguistic.trees.shipped.quality import (
        cross_validate_parsers,
        parser_quality,
    )
    from sklearn_mteval.linguistic.trees.shipped.stages import train_model
    from sklearn_mteval.linguistic.trees.shipped.words import hashed_classes
    from sklearn_mteval.linguistic.trees.treebanks.corpus import chosen_documents, read_document

    train = arguments.task == "train"
    if train != (arguments.output is not None):
        raise ValueError("train needs -o FOLDER for its model." if train else "-o is for train.")
    if arguments.folds is not None and train:
        raise ValueError("--folds is for evaluate.")
    if arguments.folds:
        quality = cross_validate_parsers(arguments.corpus, arguments.folds)
    else:
        choice = arguments.documents or ("shipped" if train else "held-out")
        names = chosen_documents(arguments.corpus, choice)
        say(f"{len(names)} documents: {', '.join(names)}\n")
        documents = [read_document(arguments.corpus, name) for name in names]
        if train:
            classes = {} if arguments.no_classes else hashed_classes()
            model = train_model(documents, classes, log=lambda line: say(f"{line}\n"))
            save_model_folder(model, arguments.output)
            return
        model = load_model_folder(arguments.model)
        quality = parser_quality(model, documents, beam=arguments.beam)
    for name, value in quality.items():
        show(f"{name:28}{value:6.1f}")
