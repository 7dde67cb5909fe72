"""A table of one's own judgements, in any of its layouts."""

from sklearn_mteval.datasets.formats._entry import (
    LINES,
    LINES_BY,
    OF_CAMPAIGNS,
    Format,
    Option,
    given_by_name,
    taken_lines,
)
from sklearn_mteval.datasets.judgements import judgements_of
from sklearn_mteval.datasets.own import LAYOUTS, VERDICTS

_COLUMNS = (
    "segment", "system", "judgement", "judge", "ranking", "source", "reference", "hypothesis",
)  # fmt: skip


def _read(path, *, campaign=None, drop_failed=False, **options):
    """Load a table; the other options are those of ``load_rankings``."""
    from sklearn_mteval.datasets.own.rankings import load_rankings

    if campaign is not None:
        from sklearn_mteval.datasets.annotation.sheet import load_sheet

        found = load_sheet(path, campaign, drop_failed=drop_failed, **options)
        return judgements_of(found, warning=found.note)
    if drop_failed:
        raise ValueError("drop_failed= needs campaign=: the key says what the checks are.")
    own = load_rankings(path, **options)
    return judgements_of(own, warning=own.DESCR if own.n_contradictions else "")


def _from_command(given):
    """Make options of ``load_rankings`` of those of a command."""
    given = given_by_name(given)
    texts = taken_lines(given)
    options = columns_of(given.pop("columns", ()))
    if "verdicts" in given:
        given["verdicts"] = _verdicts(given["verdicts"])
    if given.get("delimiter") == "tab":
        given["delimiter"] = "\t"
    for name, python in (("quotes", "quoted"), ("unjudged", "missing")):
        if name in given:
            options[python] = given.pop(name)
    # What the files hold is not read from the table, unless a column is named.
    return dict.fromkeys(texts, False) | options | given | {"texts": texts or None}


def columns_of(texts, names=_COLUMNS):
    """Read NAME=COLUMN, NAME being one of ``names``."""
    columns = {}
    for text in [texts] if isinstance(texts, str) else texts:
        name, sign, column = text.partition("=")
        if not sign or name not in names:
            raise ValueError(
                f"--columns {text}: expected NAME=COLUMN, NAME being one of {', '.join(names)}."
            )
        if name in columns:
            raise ValueError(f"--columns names {name} twice.")
        several = column.split(",")
        columns[name] = False if not column else several if len(several) > 1 else column
    return columns


def _verdicts(texts):
    """Read how winners are written: one word for all, or WORD=VERDICT."""
    texts = [texts] if isinstance(texts, str) else texts
    if len(texts) == 1 and texts[0] in ("names", "positions"):
        return texts[0]
    verdicts = {}
    for text in texts:
        word, sign, verdict = text.rpartition("=")
        if not sign or verdict not in VERDICTS or word in verdicts:
            raise ValueError(
                f"--verdicts {text}: expected each word once, as WORD={'|'.join(VERDICTS)}, or "
                "'names' or 'positions' alone."
            )
        verdicts[word] = verdict
    return verdicts


FORMAT = Format(
    "own",
    "a table of your own, with a row for each judged translation (long), comparison of two "
    "(pairwise) or task (wide)",
    _read,
    options=(
        Option(
            "better",
            "which judgement is better: lower for ranks, higher for scores; not for comparisons",
            choices=("lower", "higher"),
        ),
        Option(
            "columns",
            "columns that have other names than the usual ones, e.g. segment=id; NAME is one of "
            f"{', '.join(_COLUMNS)}; several columns are separated by commas, system=left,right; "
            "NAME= says that none is to be read",
            "NAME=COLUMN",
            kind="texts",
        ),
        Option(
            "verdicts",
            f"how winners are written: WORD={'|'.join(VERDICTS)}, or 'names' or 'positions'",
            "WORD=VERDICT",
            kind="texts",
        ),
        Option(
            "unjudged",
            "what to do if a row has no judgement (default: error)",
            choices=("error", "skip"),
        ),
        Option(
            "delimiter",
            "what stands between cells: a comma, ';' or tab (default: as the header has it)",
            "CHARACTER",
            choices=(",", ";", "tab"),
            rare=True,
        ),
        Option(
            "decimal",
            "what stands before decimals: a point or a comma (default: as the numbers have it)",
            "CHARACTER",
            choices=(".", ","),
            rare=True,
        ),
        Option("sheet", "of a spreadsheet, the sheet (default: the first)", "NAME"),
        Option(
            "quotes",
            "whether double quotes stand around cells, or are characters like any other",
            kind="switch",
            rare=True,
        ),
        *OF_CAMPAIGNS,
        *LINES,
    ),
    layouts=LAYOUTS,
    texts_by=LINES_BY,
    from_command=_from_command,
)
