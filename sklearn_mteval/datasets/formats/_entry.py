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
    """A format of judgements.

    Attributes
    ----------
    name : str
        As ``--format`` and :func:`load_judgements` take it.
    what : str
        What it is, for ``--help`` and the guide.
    read : callable
        ``read(path, **options)`` returns :class:`Judgements`.
    options : tuple of Option
        Those of the commands.
    layouts : tuple of str
        Names under which it is asked for instead of its own.
    folder : str or None
        What only a folder of this format has; None: it is a file.
    recognised : callable or None
        Tells from a file's first line, of type str, whether it is of this format for certain.
    has_scores : bool
        Whether it brings scores of metrics.
    texts_by : dict
        Which option gives a column of texts that is missing in ``X``.
    from_command : callable
        Makes options of ``read`` of a command's, a dict in which None stands for "not given".
    """

    name: str
    what: str
    read: Callable
    options: tuple = ()
    layouts: tuple = ()
    folder: str | None = None
    recognised: Callable | None = None
    has_scores: bool = False
    texts_by: dict = {}  # noqa: RUF012 - never changed
    from_command: Callable = given_by_name


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
    "which human scores: of mtme such as mqm (default), da-sqm, esa, mqm.rater1; of mlqe post_edit "
    "(default), hter, da_mean, da_z, critical, votes",
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
