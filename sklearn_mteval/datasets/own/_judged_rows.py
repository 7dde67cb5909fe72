"""From the columns of one layout to judged rows: who judged what in which ranking, and how."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells, hash_sets
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.datasets.own._tables import as_object, numbered, texts_of
from sklearn_mteval.datasets.own._verdicts import outcomes
from sklearn_mteval.datasets.own.names import VERDICTS

__all__ = ["JudgedRows", "judged_rows"]

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_MISSING = frozenset({"", "None", "NA", "NaN", "nan"})
_LARGEST = 2.0**53  # beyond it, different whole numbers are one float
_RANK_OF = {"a": (1, 2), "b": (2, 1), "tie": (1, 1), "both_bad": (1, 1)}


class JudgedRows(NamedTuple):
    """Rows of the candidate table: arrays of shape (n_rows,), labels as codes and names."""

    place: np.ndarray  # the row of the file
    segment: tuple  # codes and labels
    ranking: np.ndarray  # codes
    ranking_labels: list  # of each code
    system: tuple
    y: np.ndarray
    judge: tuple
    both_bad: np.ndarray
    hypothesis: np.ndarray | None
    n_contradictions: int
    n_repeated: int  # judgements that repeat one, alike or not


def judged_rows(table, layout, *, better, verdicts, missing):
    """Read the judgements of a table."""
    segment = _segments(table, layout)
    judge = _labels(table, layout.judge, empty=True)
    read = {"long": _long, "pairwise": _pairwise, "wide": _wide}[layout.format]
    options = {"verdicts": verdicts} if layout.format == "pairwise" else {
        "better": better, "missing": missing
    }  # fmt: skip
    found = read(table, layout, segment, judge, **options)
    return found._replace(segment=_whole_numbers(*found.segment))


def _whole_numbers(codes, labels):
    """Make numbers of labels, if all that are used are whole ones."""
    used = np.bincount(codes, minlength=len(labels)) > 0
    if labels.dtype != object or not all(map(_WHOLE.fullmatch, labels[used])):
        return codes, labels
    numbers = np.zeros(len(labels), dtype=np.int64)
    numbers[used] = labels[used].astype(np.int64)
    return codes, numbers


def _labels(table, name, *, empty=False):
    """Read names: codes of shape (n_rows,), and labels; without a column, or ``empty``, ""."""
    if name is None:
        return np.zeros(table.n_rows, dtype=np.int64), as_object([""])
    codes, labels = numbered(texts_of(table, name, default=""))
    for code, label in enumerate(labels):
        if (label or not empty) and (
            label != label.strip() or not label or not label.isprintable()
        ):
            raise table.error(
                f"column {name!r}: expected a name without white space around it, found {label!r}.",
                int((codes == code).argmax()),
            )
    return codes, labels


def _is_name(label):
    """Tell whether a label can be written anywhere, and told from others."""
    return bool(label) and label == label.strip() and label.isprintable()


def _segments(table, layout):
    """Number and label segments."""
    if layout.segment is not None:
        return _labels(table, layout.segment)
    if layout.segment is None and layout.source is not None:
        codes = numbered(texts_of(table, layout.source))[0]
    else:
        codes = np.arange(table.n_rows)
    return codes, np.arange(1, codes.max(initial=-1) + 2)


def _numbers(table, name):
    """Read a column of plain numbers; NaN is a missing one."""
    codes, texts = numbered(texts_of(table, name, default=""))
    values = np.empty(len(texts))
    for code, text in enumerate(texts):
        value = number(text, _MISSING)
        if value is None or abs(value) > _LARGEST:
            raise table.error(
                f"column {name!r}: expected a number of at most 2^53, found {text[:60]!r}.",
                int((codes == code).argmax()),
            )
        values[code] = value
    return values[codes]


def _as_y(values, better):
    """Turn ranks or scores into ranks, whole numbers if all are."""
    y = 0 - values if better == "higher" else values
    return y.astype(np.int64) if (y == np.floor(y)).all() else y


def _check_unjudged(table, names, values, rows, better):
    """Raise for a rank -1 among ranks from 1 on, which stands for no judgement in WMT's files.

    ``names`` and ``rows`` say of each value in which column and row of the table it stands.
    """
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


def _long(table, layout, segment, judge, *, better, missing):
    """Read one row for each judged translation."""
    name = layout.judgement
    values = _numbers(table, name)
    absent = np.isnan(values)
    if absent.any() and missing == "error":
        raise table.error(
            f"column {name!r}: no judgement here, nor in {int(absent.sum()) - 1} other row(s). "
            "Drop such rows, or pass missing='skip'.",
            int(absent.argmax()),
        )
    rows = np.flatnonzero(~absent)
    values = values[rows]
    _check_unjudged(table, [name] * len(rows), values, rows, better)
    y = _as_y(values, better)
    system = _labels(table, layout.system)
    named = layout.ranking is not None
    task = _labels(table, layout.ranking)
    of_task = _combined(segment[0][rows], task[0][rows], judge[0][rows])
    key = _combined(of_task, system[0][rows])
    turn = _turns(of_task, key, y)
    repeated = np.flatnonzero(turn)
    if len(repeated) and not named:
        unknown = judge[1][judge[0][rows]] == ""
        again = np.flatnonzero(pd.Series(key).duplicated().to_numpy() & unknown)
        if len(again):
            row = again[0]
            first = rows[(key == key[row]).argmax()]
            raise table.error(
                f"{_shown(segment, rows[row])}: {system[1][system[0][rows[row]]]!r} has a second "
                f"judgement, the first is in {table.place(first)}. Name the column that tells "
                "annotators apart by judge=, or the one that tells ranking tasks apart by "
                "ranking=.",
                int(rows[row]),
            )
    ranking = _combined(of_task, turn)
    first = _first(ranking)
    if named:
        labels = [task[1][code] for code in task[0][rows[first]]]
        if len(set(zip(labels, segment[0][rows[first]], strict=True))) < len(labels):
            # Of several annotators, or repeated judgements: the number makes each unlike any other.
            labels = [f"{label}:{number}" for number, label in enumerate(labels, 1)]
        of_label, labels = numbered(labels)  # tasks of two segments may share one
        ranking = of_label[ranking]
    else:
        labels = list(map(str, range(1, len(first) + 1)))
    texts = None if layout.hypothesis is None else texts_of(table, layout.hypothesis)[rows]
    return JudgedRows(
        place=rows, segment=_taken(segment, rows), ranking=ranking, ranking_labels=labels,
        system=_taken(system, rows), y=y, judge=_taken(judge, rows),
        both_bad=np.zeros(len(rows), dtype=bool), hypothesis=texts,
        n_contradictions=_n_contradictions(key, y), n_repeated=len(repeated),
    )  # fmt: skip


def _turns(of_task, key, y):
    """Number the judgements of one translation in one task 0, 1, …, whatever the order of rows.

    What comes first is decided by a hash of the task's judgements, so that the better of two is
    not the first more often than the worse.
    """
    turn = np.zeros(len(key), dtype=np.int64)
    again = pd.Series(key).duplicated(keep=False).to_numpy()
    if again.any():
        hashes = hash_cells(y.astype(np.float64))
        mixed = hash_cells(hashes + hash_sets(hashes, of_task)[of_task] * MULTIPLIER)
        rows = np.flatnonzero(again)
        rows = rows[np.lexsort((mixed[rows], key[rows]))]
        starts = np.concatenate([[True], key[rows][1:] != key[rows][:-1]])
        place = np.arange(len(rows))
        turn[rows] = place - place[starts][np.cumsum(starts) - 1]
    return turn


def _wide(table, layout, segment, judge, *, better, missing):
    """Read one row for each task; an empty cell says that the task had no such system."""
    n_systems = len(layout.system)
    for system in layout.system:
        if not _is_name(system):
            raise table.error(
                f"the header names a system {system!r}: expected a name without white space around "
                "it."
            )
    cells = np.column_stack([_numbers(table, name) for name in layout.judgement])
    place, column = np.nonzero(~np.isnan(cells))
    values = cells[place, column]
    _check_unjudged(table, np.array(layout.judgement)[column], values, place, better)
    if missing == "error":
        n_judged = np.bincount(place, minlength=table.n_rows)
        if (n_judged == 0).any():
            raise table.error(
                f"no judgement of any system in {layout.judgement}. Drop such rows, or pass "
                "missing='skip'.",
                int((n_judged == 0).argmax()),
            )
    y = _as_y(values, better)
    texts = None
    if layout.hypothesis is not None:
        texts = _texts_of_columns(table, layout.hypothesis, place, column)
    repeated, contradictions = _repeated_pairs(segment[0], judge[0], place, column, y, n_systems)
    return JudgedRows(
        place=place, segment=_taken(segment, place), ranking=place,
        ranking_labels=_row_labels(table), system=(column, as_object(layout.system)), y=y,
        judge=_taken(judge, place), both_bad=np.zeros(len(place), dtype=bool), hypothesis=texts,
        n_contradictions=contradictions, n_repeated=repeated,
    )  # fmt: skip


def _texts_of_columns(table, names, place, column):
    """Read the translations that were judged; those that were not may be missing."""
    texts = np.empty(len(place), dtype=object)
    for k, name in enumerate(names):
        of_column = column == k
        found = texts_of(table, name, default=_NOTHING)[place[of_column]]
        absent = np.array([text is _NOTHING for text in found], dtype=bool)
        if absent.any():
            raise table.error(
                f"column {name!r}: expected a text, found nothing. An empty text is ''.",
                int(place[of_column][absent.argmax()]),
            )
        texts[of_column] = found
    return texts


class _Nothing(str):
    """Stands for a text that is missing."""

    __slots__ = ()


_NOTHING = _Nothing()


def _pairwise(table, layout, segment, judge, *, verdicts):
    """Read one row for each comparison; it becomes two."""
    texts = None
    if layout.hypothesis is not None:
        texts = [texts_of(table, name) for name in layout.hypothesis]
    if layout.system is None:
        systems, labels = _systems_of_texts(segment[0], texts)
    else:
        systems, labels = _two_labels(table, layout.system)
        same = np.flatnonzero(systems[0] == systems[1])
        if len(same):
            row = int(same[0])
            raise table.error(f"{labels[systems[0][row]]!r} is compared with itself.", row)
    names = None if layout.system is None else (systems, labels)
    outcome = outcomes(table, layout.judgement, names, verdicts)
    ranks = np.array([_RANK_OF[verdict] for verdict in VERDICTS])[outcome]
    place = np.repeat(np.arange(table.n_rows), 2)
    # What a pair was said to be, whichever of the two stands first.
    low, high = np.minimum(*systems), np.maximum(*systems)
    winner = np.where(outcome == 0, systems[0], np.where(outcome == 1, systems[1], -outcome))
    key = _combined(segment[0], judge[0], low, high)
    return JudgedRows(
        place=place, segment=_taken(segment, place), ranking=place,
        ranking_labels=_row_labels(table),
        system=(np.column_stack(systems).ravel(), labels), y=ranks.ravel(),
        judge=_taken(judge, place), both_bad=np.repeat(outcome == VERDICTS.index("both_bad"), 2),
        hypothesis=None if texts is None else np.column_stack(texts).ravel(),
        n_contradictions=_n_contradictions(key, winner),
        n_repeated=_n_repeated(key),
    )  # fmt: skip


def _two_labels(table, names):
    """Read two columns of systems that share their labels."""
    first, second = (_labels(table, name) for name in names)
    codes, labels = numbered([*first[1], *second[1]])
    split = len(first[1])
    return [codes[:split][first[0]], codes[split:][second[0]]], labels


def _systems_of_texts(segments, texts):
    """Label the texts of each segment, where nobody says who wrote them: "17/1", "17/2", ….

    No label is there in two segments, lest it be taken for a system; the two texts of a comparison
    have two labels even if they are equal.
    """
    second = np.repeat([0, 1], len(segments))
    codes, known = numbered(np.concatenate(texts))
    ranked = np.argsort(np.argsort(known))[codes] if len(known) else codes
    equal = np.tile(texts[0] == texts[1], 2) & (second == 1)
    keys = np.column_stack([np.tile(segments, 2), ranked, equal])
    found, codes = np.unique(keys, axis=0, return_inverse=True)
    number = np.arange(len(found)) - np.searchsorted(found[:, 0], found[:, 0])
    labels = [f"{segment + 1}/{k + 1}" for segment, k in zip(found[:, 0], number, strict=True)]
    codes = codes.ravel()
    return [codes[: len(segments)], codes[len(segments) :]], as_object(labels)


def _row_labels(table):
    """Label rankings after the rows that they stand in."""
    numbers = np.arange(table.n_rows) if table.lines is None else table.lines
    return numbers.astype(str).astype(object)


def _repeated_pairs(segment, judge, place, column, y, n_systems):
    """Count pairs of systems that one judge compared again in a segment, and contradictions."""
    task = _combined(segment, judge)
    often = (np.bincount(task) > 1)[task][place] if len(task) else np.zeros(0, dtype=bool)
    place, column, y = place[often], column[often], y[often]
    i, j = pairs_within(np.bincount(place), ordered=False)
    key = task[place[i]] * n_systems**2 + column[i] * n_systems + column[j]
    return _n_repeated(key), _n_contradictions(key, np.sign(y[i] - y[j]))


def _n_repeated(key):
    """Count the judgements that repeat an earlier one."""
    return int(pd.Series(key).duplicated().sum())


def _n_contradictions(key, outcome):
    """Count the keys that have more than one outcome."""
    again = pd.Series(key).duplicated(keep=False).to_numpy()
    found = np.unique(np.column_stack([key[again], outcome[again]]), axis=0)[:, 0]
    return int((np.unique(found, return_counts=True)[1] > 1).sum())


def _combined(*codes):
    """Number combinations of codes in order of first appearance."""
    joined = codes[0]
    for more in codes[1:]:
        # Renumbered each time, so that the product cannot overflow.
        joined = pd.factorize(joined * (int(more.max(initial=0)) + 1) + more)[0].astype(np.int64)
    return joined


def _first(codes):
    """Find the first row of each code."""
    return np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())


def _taken(labelled, rows):
    """Take rows of codes and labels."""
    return labelled[0][rows], labelled[1]


def _shown(segment, row):
    """Name the segment of a row."""
    return f"segment {segment[1][segment[0][row]]}"
