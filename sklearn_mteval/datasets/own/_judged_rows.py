"""Judged rows: who judged what in which ranking, and how; and what the readers of layouts share."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.outliers import far_from_others
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.datasets.own._dialect import DELIMITERS
from sklearn_mteval.datasets.own._names import JUDGEMENTS, customary, is_summary, listed
from sklearn_mteval.datasets.own._tables import texts_of

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_MISSING = frozenset({"", "none", "na", "n/a", "#n/a", "nan", "null", "-"})
_WRITTEN = {
    *customary("segment", "judge", "source", "reference", "system", "hypothesis", *JUDGEMENTS)
}
_ROUNDED = 0.051  # how far an average may be from what one decimal says
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


NO_SYSTEMS = "No columns of systems: each text of a segment is a system of its own."


def systems_of_texts(segments, texts, known):
    """Label the texts of each segment, where nobody says who wrote them: "17/1", "17/2", …."""
    # No label is there in two segments, lest it be taken for a system; equal texts have two.
    ranked = np.argsort(np.argsort(known)) if len(known) else np.zeros(0, dtype=np.int64)
    equal = [sum((other == own).astype(int) for other in texts[:k]) for k, own in enumerate(texts)]
    keys = [np.tile(segments, len(texts)), ranked[np.concatenate(texts)]]
    keys.append(np.concatenate([np.zeros(len(segments), dtype=int) + each for each in equal]))
    found, codes = np.unique(np.column_stack(keys), axis=0, return_inverse=True)
    number = np.arange(len(found)) - np.searchsorted(found[:, 0], found[:, 0])
    labels = [f"{segment + 1}/{k + 1}" for segment, k in zip(found[:, 0], number, strict=True)]
    return np.split(codes.ravel(), len(texts)), as_object(labels)


def taken(labelled, rows):
    """Take rows of codes and labels."""
    return labelled[0][rows], labelled[1]


_SHOWN = 3


def description(table, layout, columns, judged, better):
    """Say what was read."""
    parts = [f"{layout.rows} of {'a DataFrame' if table.path is None else table.path}."]
    if better is not None:
        first, *more = listed(columns.judgement)
        parts.append(f"Of {first!r}{' and the like' * bool(more)} {better} is better.")
    if table.header > 1:
        parts.append(f"The header is in line {table.header}; nothing above it is read.")
    if table.delimiter == ";":
        parts.append(f"Cells are separated by {DELIMITERS[';']}.")
    taken = [
        f"{name!r} as {role}"
        for role in ("segment", "judge", "source", "reference", "judgement", "system", "hypothesis")
        for name in listed(getattr(columns, role))[:2]  # of each system, two show how all are
        if name in table.columns and not {name, name.partition("_")[0]} & _WRITTEN
    ]
    if taken:
        parts.append(f"Taken as customary: {', '.join(taken)}.")
    if columns.annotators is not None:
        parts.append(f"Each of {', '.join(map(repr, columns.annotators))} is an annotator.")
    parts += [judged.note] if judged.note else []
    if judged.n_repeated:
        parts.append(
            f"{judged.n_repeated} judgement(s) repeat an earlier one of the same annotator, and "
            f"are rankings of their own; {judged.n_contradictions} contradiction(s)."
        )
    return " ".join(parts)


def without_summaries(table, judged, remarks):
    """Leave out what is called an average or a total, and is one of all others in its task."""
    codes, labels = judged.system
    named = [k for k, label in enumerate(labels) if isinstance(label, str) and is_summary(label)]
    keep = np.ones(len(codes), dtype=bool)
    for code in (code for code in named if (codes == code).any()):
        own, others = codes == code, ~np.isin(codes, named)
        tasks = pd.Series(judged.y[others]).groupby(judged.ranking[0][others])
        told = [getattr(tasks, name)() for name in ("mean", "median", "sum", "size")]
        *sums, size = (each.reindex(judged.ranking[0][own]) for each in told)
        where = f"{table.begin(judged.place[own.argmax()])}: {str(labels[code])!r}"
        if (size > 1).any() and any((abs(judged.y[own] - s) < _ROUNDED).all() for s in sums):
            remarks.append(f"{where} is what sums up all others in each task, and was left out.")
            keep &= ~own
        else:
            remarks.append(
                f"{where} is read as a system: it is no average or total of the others. If it sums "
                "up anything, leave it out."
            )
    if keep.all():
        return judged
    fields = judged._asdict()
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            fields[name] = value[keep]
        elif isinstance(value, tuple):
            fields[name] = value[0][keep], value[1]
    return judged._replace(**fields)


def odd_rows(table, judged):
    """List the sentence on numbers that are far from all others."""
    far = far_from_others(judged.y)
    if not len(far):
        return []
    others = np.delete(judged.y, far)
    shown = ", ".join(f"{abs(judged.y[row]):g}" for row in far[:_SHOWN])
    low, high = np.sort(np.abs([others.min(), others.max()]))
    return [
        f"{table.begin(judged.place[int(far[0])])}: {len(far)} judgement(s) ({shown}) far from all "
        f"others, which are between {low:g} and {high:g}. Is that a total, or a slip?"
    ]
