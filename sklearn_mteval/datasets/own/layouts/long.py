"""One row for each judged translation."""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells, hash_sets
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._columns import (
    JUDGEMENTS,
    TRANSLATIONS,
    Layout,
    column_of,
    is_there,
)
from sklearn_mteval.datasets.own._dialect import decimal_of
from sklearn_mteval.datasets.own._judged_rows import (
    JudgedRows,
    check_judged,
    combined,
    first_rows,
    labels_of,
    numbers_of,
    ranks_of,
    repetitions,
    taken,
)
from sklearn_mteval.datasets.own._tables import texts_of

NAMES = {
    "system": ("system", "model"),
    "judgement": JUDGEMENTS,
    "ranking": ("ranking",),
    "hypothesis": TRANSLATIONS,
}


def _matches(there, asked):
    return all(is_there(there, NAMES[key], asked[key]) for key in ("system", "judgement"))


def _needs(there, asked):
    return [(key, NAMES[key]) for key in ("system", "judgement")]


def _find(table, asked):
    for key in ("system", "hypothesis"):
        if isinstance(asked[key], list | tuple) or (key, asked[key]) == ("system", False):
            raise ValueError(f"{key}={asked[key]!r}: format='long' has one such column.")
    return {key: column_of(table, key, asked[key], names) for key, names in NAMES.items()}


def _read(table, columns, segment, judge, options):
    name = columns.judgement
    values = numbers_of(table, name, decimal_of(table, [name], options["decimal"]))
    rows = check_judged(table, f"column {name!r}", np.isnan(values), options)
    values = values[rows]
    y = ranks_of(table, [name] * len(rows), values, rows, options["better"])
    system = labels_of(table, columns.system)
    named = columns.ranking is not None
    task = labels_of(table, columns.ranking)
    of_task = combined(segment[0][rows], task[0][rows], judge[0][rows])
    key = combined(of_task, system[0][rows])
    turn = _turns(of_task, key, y)
    repeated = np.flatnonzero(turn)
    if len(repeated) and not named:
        unknown = judge[1][judge[0][rows]] == ""
        again = np.flatnonzero(pd.Series(key).duplicated().to_numpy() & unknown)
        if len(again):
            row = again[0]
            first = rows[(key == key[row]).argmax()]
            raise table.error(
                f"segment {segment[1][segment[0][rows[row]]]}: "
                f"{system[1][system[0][rows[row]]]!r} has a second judgement, the first is in "
                f"{table.place(first)}. Name the column that tells annotators apart by judge=, or "
                "the one that tells ranking tasks apart by ranking=.",
                int(rows[row]),
            )
    ranking = combined(of_task, turn)
    first = first_rows(ranking)
    if named:
        labels = [task[1][code] for code in task[0][rows[first]]]
        if len(set(zip(labels, segment[0][rows[first]], strict=True))) < len(labels):
            # Of several annotators, or repeated judgements: the number makes each unlike any other.
            labels = [f"{label}:{number}" for number, label in enumerate(labels, 1)]
        of_label, labels = numbered(labels)  # tasks of two segments may share one
        ranking, labels = of_label[ranking], as_object(labels)
    else:
        labels = np.arange(1, len(first) + 1)
    hypothesis = None
    if columns.hypothesis is not None:
        hypothesis = taken(texts_of(table, columns.hypothesis), rows)
    return JudgedRows(
        place=rows, ranking=(ranking, labels), system=taken(system, rows), y=y,
        hypothesis=hypothesis, **repetitions(key, y),
    )  # fmt: skip


def _turns(of_task, key, y):
    """Number the judgements of one translation in one task 0, 1, …, whatever the order of rows."""
    # By a hash of the task's judgements the better of two is first as often as the worse.
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


LAYOUT = Layout(
    name="long",
    rows="Judged translations",
    header="a judged translation: segment, system, rank or score",
    matches=_matches,
    needs=_needs,
    find=_find,
    read=_read,
    known=tuple(name for names in NAMES.values() for name in names),
)
