"""Options of commands that say how a table of one's own judgements is read."""

from sklearn_mteval.datasets.choices import VERDICTS

__all__ = ["OPTIONS", "add_arguments", "given_options", "load_own", "text_files"]

_COLUMNS = (
    "segment", "system", "judgement", "judge", "ranking", "source", "reference", "hypothesis",
)  # fmt: skip
OPTIONS = (
    "better", "columns", "verdicts", "unjudged", "no_quotes", "source", "reference", "translations",
)  # fmt: skip


def add_arguments(parser):
    """Declare how a table of judgements is read. What is not given is None."""
    own = parser.add_argument_group("a table of your own judgements (docs/own_judgements.md)")
    own.add_argument(
        "--better",
        choices=["lower", "higher"],
        help="which judgement is better: lower for ranks, higher for scores; not for comparisons",
    )
    own.add_argument(
        "--columns",
        nargs="+",
        metavar="NAME=COLUMN",
        help=f"columns that are not named as is customary, e.g. segment=id; NAME is one of "
        f"{', '.join(_COLUMNS)}; several columns are separated by commas, system=left,right; NAME= "
        "says that none is to be read",
    )
    own.add_argument(
        "--verdicts",
        nargs="+",
        metavar="WORD=VERDICT",
        help=f"how winners are written: WORD={'|'.join(VERDICTS)}, or 'names' or 'positions'",
    )
    own.add_argument(
        "--unjudged",
        choices=["error", "skip"],
        help="what a row without judgement does (default: error)",
    )
    own.add_argument(
        "--no-quotes",
        action="store_true",
        default=None,
        help="double quotes are characters like any other, not put around cells",
    )
    own.add_argument("-s", "--source", metavar="SRC", help="source sentences, one a line")
    own.add_argument(
        "-r", "--reference", nargs="+", metavar="REF", help="reference translation(s), one a line"
    )
    own.add_argument(
        "-t",
        "--translations",
        nargs="+",
        metavar="SYS",
        help="system outputs, one a line, each named as its system",
    )


def given_options(given):
    """List the options of a table that were given, as they are written."""
    return [f"--{name.replace('_', '-')}" for name in OPTIONS if given[name] is not None]


def text_files(given):
    """List the files of texts that were given."""
    files = [given["source"], *_list(given["reference"]), *_list(given["translations"])]
    return [path for path in files if path is not None]


def _table_options(given):
    """Make the options of ``load_rankings`` of a mapping of those of the command line."""
    options = {"better": given["better"]}
    for text in _list(given["columns"]):
        name, sign, column = text.partition("=")
        if not sign or name not in _COLUMNS:
            raise ValueError(
                f"--columns {text}: expected NAME=COLUMN, NAME being one of {', '.join(_COLUMNS)}."
            )
        if name in options:
            raise ValueError(f"--columns names {name} twice.")
        columns = column.split(",")
        options[name] = False if not column else columns if len(columns) > 1 else column
    words = _list(given["verdicts"])
    if words and words[0] in ("names", "positions") and len(words) == 1:
        options["verdicts"] = words[0]
    elif words:
        options["verdicts"] = verdicts = {}
        for text in words:
            word, sign, verdict = text.rpartition("=")
            if not sign or verdict not in VERDICTS or word in verdicts:
                raise ValueError(
                    f"--verdicts {text}: expected each word once, as WORD={'|'.join(VERDICTS)}, or "
                    "'names' or 'positions' alone."
                )
            verdicts[word] = verdict
    if given["unjudged"] is not None:
        options["missing"] = given["unjudged"]
    if given["no_quotes"]:
        options["quoted"] = False
    files = {
        "source": given["source"],
        "reference": given["reference"],
        "hypothesis": given["translations"],
    }
    texts = {kind: paths for kind, paths in files.items() if paths is not None}
    if len(texts.get("reference", ())) == 1:
        [texts["reference"]] = texts["reference"]
    # What the files hold is not read from the table, unless a column is named.
    options |= {kind: False for kind in texts if kind not in options}
    return options | {"texts": texts or None}


def load_own(path, format, given):
    """Load a table of judgements, and say which layout it was taken for unless that was given.

    ``given`` maps the names of the command line's options to their values, None where not given.
    """
    from sklearn_mteval.cli._output import say
    from sklearn_mteval.datasets import load_rankings

    options = _table_options(given)
    loaded = load_rankings(path, format=None if format == "own" else format, **options)
    if format == "own":
        say(f"{path}: taken for --format {loaded.format}. {loaded.DESCR}\n")
    elif loaded.n_contradictions:
        say(f"{loaded.DESCR}\n")
    return loaded


def _list(texts):
    """Return what may be one text, several or None as a list."""
    return [texts] if isinstance(texts, str) else texts or []
