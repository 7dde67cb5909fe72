"""What an entry of the registry of formats says."""

from collections.abc import Callable
from typing import NamedTuple


class Option(NamedTuple):
    """An option of a format: ``name`` in Python, ``--name`` (and ``short``) of the commands.

    ``kind``: "text", "texts" (one or several), "flag" (given or not) or "switch" (yes or no).
    ``reads``: None, "file" or "folder", if its value is the path of such. ``rare``: the commands
    show it only where all options are asked for.
    """

    name: str
    help: str
    metavar: str | None = None
    kind: str = "text"
    choices: tuple | None = None
    short: str | None = None
    reads: str | None = None
    required: bool = False
    rare: bool = False

    @property
    def flag(self):
        """As the commands have it."""
        return f"--{self.name.replace('_', '-')}"


def given_by_name(given):
    """Take the options of a command as they are: those of the same names that are given."""
    return {name: value for name, value in given.items() if value not in (None, [])}


class Format(NamedTuple):
    """A format of judgements."""

    name: str  # as ``--format`` and ``load_judgements`` take it
    what: str  # what it is, for ``--help`` and the guide
    read: Callable  # (path, **options) → Judgements
    options: tuple = ()  # of type Option, those of the commands
    layouts: tuple = ()  # names under which it is asked for instead of its own
    folder: str | None = None  # what only a folder of this format has; None: it is a file
    recognised: Callable | None = None  # (first line of a file) → whether it is so for certain
    has_scores: bool = False  # whether it brings scores of metrics
    # Which option gives a column of texts that is missing in X; it is never changed.
    texts_by: dict = {}  # noqa: RUF012
    from_command: Callable = given_by_name  # (options of a command, None: not given) → of ``read``


# Options of several formats.
LANG_PAIR = Option(
    "lang_pair",
    "the language pair, or several, each of which gets a report of its own, e.g. de-en cs-en",
    "SRC-TRG",
    kind="texts",
    required=True,
)
REFERENCE_SYSTEM = Option(
    "reference_system",
    "which systems are references; they are not evaluated. Of mqm default none, of mtme those that "
    "its metrics read, of esa all that nobody judged",
    "NAME",
    kind="texts",
    rare=True,
)
GOLD = Option(
    "gold",
    "which human scores: of mtme such as mqm (default, else esa, else da-sqm), mqm.rater1; of mlqe "
    "post_edit (default), hter, da_mean, da_z, critical, votes",
    "NAME",
    rare=True,
)
HUMAN_SYSTEMS = Option(
    "human_systems",
    "whether other references are evaluated as systems (default: of mtme yes, as the campaigns do)",
    kind="switch",
    rare=True,
)
TEXTS = Option(
    "texts",
    "folder of the texts in mt-metrics-eval's layout; for --metrics, --model",
    "DIR",
    reads="folder",
    rare=True,
)
OF_CAMPAIGNS = (
    Option(
        "campaign",
        "the campaign that 'campaign' wrote, whose key lies next to it: names of systems, "
        "documents, checks, and how likely segments were chosen",
        "FILE",
        reads="file",
    ),
    Option(
        "batches",
        "results of other batches of the campaign, in any order; --campaign is the last batch",
        "FILE",
        kind="texts",
        reads="file",
    ),
    Option("drop_failed", "leave out who failed more than half of the checks", kind="flag"),
)
# Files of texts, a line for each segment.
LINES = (
    Option(
        "source", "source sentences, one a line (with esa, too)", "SRC", short="-s", reads="file"
    ),
    Option(
        "reference",
        "reference translation(s), one a line",
        "REF",
        kind="texts",
        short="-r",
        reads="file",
    ),
    Option(
        "translations",
        "system outputs, one a line, each named as its system",
        "SYS",
        kind="texts",
        short="-t",
        reads="file",
    ),
)
LINES_BY = {"reference": "-r", "source": "-s", "hypothesis": "-t"}


def taken_lines(given):
    """Take the files of lines out of the options of a command: as loaders have them, by column."""
    names = {"source": "source", "reference": "reference", "hypothesis": "translations"}
    texts = {column: given.pop(name) for column, name in names.items() if name in given}
    if len(texts.get("reference", ())) == 1:
        [texts["reference"]] = texts["reference"]
    return texts
