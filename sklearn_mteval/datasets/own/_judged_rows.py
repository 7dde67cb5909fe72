"""Judged rows: who judged what in which ranking, and how; and what the readers of layouts share."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.outliers import far_from_others
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.datasets.own._dialect import DELIMITERS
from sklearn_mteval.datasets.own._direction import shown_judgement
from sklearn_mteval.datasets.own._tables import texts_of

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_MISSING = frozenset({"", "none", "na", "n/a", "#n/a", "nan", "null", "-"})
_LARGEST = 2.0**53  # beyond it, different whole numbers are one float


class JudgedRows(NamedTuple):
    """Rows of the candidate table: arrays of shape (n_rows,), or codes of that shape and labels."""

    place: np.ndarray  # the row of the file
    ranking: tuple  # labels may be numbers
    system: tuple
    y: np.ndarray
    n_repeated: int  # judgements that repeat one, alike or not
    n_contradictions: int
    hypothesis: tuple | None = None
    both_bad: np.ndarray | bool = False
    shown_first: np.ndarray | None = None  # bool; None where nothing was shown side by side
    note: str = ""  # what a user should know, a sentence
    segment: tuple | None = None  # of the place, as the judge is
    judge: tuple | None = None


def judged_rows(table, layout, columns, options):
    """Read the judgements of a table of a layout."""
    segment, judge = _segments(table, columns), labels_of(table, columns.judge, empty=True)
    found = layout.read(table, columns, segment, judge, options)
    codes, labels = taken(segment, found.place)
    return found._replace(segment=whole_numbers(codes, labels), judge=taken(judge, found.place))


def whole_numbers(codes, labels):
    """Make numbers of labels, if all that are used are whole ones."""
    used = np.bincount(codes, minlength=len(labels)) > 0
    if labels.dtype != object or not all(map(_WHOLE.fullmatch, labels[used])):
        return codes, labels
    numbers = np.zeros(len(labels), dtype=np.int64)
    numbers[used] = labels[used].astype(np.int64)
    return codes, numbers


def _segments(table, columns):
    """Number and label segments."""
    if columns.segment is not None:
        return labels_of(table, columns.segment)
    codes = np.arange(table.n_rows)
    if columns.source is not None:
        codes, _ = texts_of(table, columns.source)
    return codes, np.arange(1, codes.max(initial=-1) + 2)


def labels_of(table, name, *, empty=False):
    """Read names: codes of shape (n_rows,), and labels; without a column, or ``empty``, ""."""
    if name is None:
        return np.zeros(table.n_rows, dtype=np.int64), as_object([""])
    codes, labels = texts_of(table, name, default="")
    for code, label in enumerate(labels):
        if not (is_name(label) or (empty and not label)):
            raise table.error(
                f"column {name!r}: expected a name without white space around it, found {label!r}.",
                int((codes == code).argmax()),
            )
    return codes, labels


def is_name(label):
    """Tell whether a label can be written anywhere, and told from others."""
    return bool(label) and label == label.strip() and label.isprintable()


def is_missing(text):
    """Tell whether a cell says that there is nothing."""
    return text.strip().casefold() in _MISSING


def numbers_of(table, name, decimal):
    """Read a column of plain numbers; NaN is a missing one."""
    codes, texts = texts_of(table, name, default="")
    values = np.empty(len(texts))
    for code, text in enumerate(texts):
        plain = text if decimal == "." or "." in text else text.replace(",", ".")
        value = np.nan if is_missing(text) else number(plain)
        if value is None or abs(value) > _LARGEST:
            raise table.error(
                f"column {name!r}: expected a number of at most 2^53, found {text[:60]!r}.",
                int((codes == code).argmax()),
            )
        values[code] = value
    return values[codes]


def ranks_of(table, names, values, rows, better):
    """Turn ranks or scores, given with their columns and rows, into ranks, whole if all are."""
    # A rank -1 among ranks from 1 on stands for no judgement in WMT's files.
    unjudged = values == -1
    others = values[~unjudged]
    ranks = len(others) and (others >= 1).all() and (others == np.floor(others)).all()
    if better == "lower" and unjudged.any() and ranks:
        at = int(unjudged.argmax())
        raise table.error(
            f"column {str(names[at])!r}: found the rank -1 among ranks that are higher. If nobody "
            "judged this translation, leave the cell empty or drop the row.",
            int(rows[at]),
        )
    y = 0 - values if better == "higher" else values
    return y.astype(np.int64) if (y == np.floor(y)).all() else y


def check_judged(table, name, absent, options):
    """Return the rows that are judged; raise if some are not, unless these are to be skipped."""
    if absent.any() and options["missing"] == "error":
        raise table.error(
            f"{name}: no judgement here, nor in {int(absent.sum()) - 1} other row(s). Drop such "
            "rows, or pass missing='skip'.",
            int(absent.argmax()),
        )
    return np.flatnonzero(~absent)


def repetitions(key, outcome):
    """Count the judgements that repeat an earlier key, and the keys of more than one outcome."""
    ordered = np.sort(key)  # faster than hashing
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    again = np.isin(key, repeated)
    found = np.unique(np.column_stack([key[again], outcome[again]]), axis=0)[:, 0]
    n_contradictions = int((np.unique(found, return_counts=True)[1] > 1).sum())
    return {"n_repeated": len(repeated), "n_contradictions": n_contradictions}


def joint(*codes):
    """Make one number of each combination of codes."""
    joined, size = codes[0], int(codes[0].max(initial=0)) + 1
    for more in codes[1:]:
        n_more = int(more.max(initial=0)) + 1
        if size * n_more >= 2**63:
            joined = combined(joined)
            size = int(joined.max(initial=0)) + 1
        joined, size = joined * n_more + more, size * n_more
    return joined


def combined(*codes):
    """Number combinations of codes in order of first appearance."""
    return pd.factorize(joint(*codes))[0].astype(np.int64)


def first_rows(codes):
    """Find the first row of each code."""
    return np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())


def taken(labelled, rows):
    """Take rows of codes and labels."""
    return labelled[0][rows], labelled[1]


_SUMMARIES = frozenset({
    "average", "averages", "avg", "mean", "means", "median", "total", "totals",
    "sum", "overall", "std", "stdev", "sd", "durchschnitt", "mittelwert", "summe",
    "gesamt", "moyenne", "somme", "promedio", "suma", "media", "totale", "somma",
    "gemiddelde", "totaal", "průměr", "celkem", "średnia", "razem", "medelvärde", "summa",
    "среднее", "итого", "всего", "平均", "合計", "总计", "总分", "평균",
    "합계",
})  # fmt: skip
_SHOWN = 3


def description(table, layout, columns, judged, better):
    """Say what was read."""
    parts = [f"{layout.rows} of {'a DataFrame' if table.path is None else table.path}."]
    if better is not None:
        more = " and the like" * (columns.names is not None)
        parts.append(f"Of {shown_judgement(table, columns)!r}{more} {better} is better.")
    if table.delimiter == ";":
        parts.append(f"Cells are separated by {DELIMITERS[';']}.")
    taken = _taken(table, columns)
    if taken:
        parts.append(f"Taken as customary: {', '.join(taken)}.")
    parts += [judged.note] if judged.note else []
    if judged.n_repeated:
        parts.append(
            f"{judged.n_repeated} judgement(s) repeat an earlier one of the same annotator, and "
            f"are rankings of their own; {judged.n_contradictions} contradiction(s)."
        )
    return " ".join(parts)


def _taken(table, columns):
    """List the columns that are written otherwise than is customary, and what they were taken for.

    Of columns for each system, two show how all are written.
    """
    found = []
    for role, value in columns._asdict().items():
        names = [value] if isinstance(value, str) else [] if role == "names" else list(value or ())
        for name in names[:2]:
            if name in table.written:
                found.append(f"{table.written[name]!r} as {role}")
    return found


def odd_rows(table, judged):
    """List sentences on rows that are hardly judgements: summaries, and numbers far from others."""
    remarks = []
    for role in ("segment", "judge", "system"):
        codes, labels = getattr(judged, role)
        texts = [label if isinstance(label, str) else "" for label in labels]
        bare = [text.strip(" :.()").casefold() for text in texts]
        summary = np.array([text in _SUMMARIES for text in bare], dtype=bool)[codes]
        if summary.any():
            row = int(summary.argmax())
            remarks.append(
                f"{_place(table, judged, row)}: the {role} is {labels[codes[row]]!r}. Is that row "
                "a summary of others? It was read as a judgement; remove it if it is none."
            )
            break
    far = far_from_others(judged.y)
    if len(far):
        others = np.delete(judged.y, far)
        shown = ", ".join(f"{abs(judged.y[row]):g}" for row in far[:_SHOWN])
        low, high = np.sort(np.abs([others.min(), others.max()]))
        remarks.append(
            f"{_place(table, judged, int(far[0]))}: {len(far)} judgement(s) ({shown}) far from all "
            f"others, which are between {low:g} and {high:g}. Is that a total, or a slip?"
        )
    return remarks


def _place(table, judged, row):
    """Name the row of a judgement at the beginning of a sentence."""
    where = table.place(judged.place[row])
    return where.capitalize() if table.path is None else f"{table.path}, {where}"
