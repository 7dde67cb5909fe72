"""One row for each judged translation."""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells, hash_sets
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._columns import Layout, kind_of, value_of, words_in
from sklearn_mteval.datasets.own._dialect import decimal_of
from sklearn_mteval.datasets.own._judged_rows import (
    NO_SYSTEMS,
    JudgedRows,
    check_judged,
    combined,
    first_rows,
    labels_of,
    numbers_of,
    ranks_of,
    repetitions,
    systems_of_texts,
    taken,
)
from sklearn_mteval.datasets.own._names import is_summary
from sklearn_mteval.datasets.own._tables import texts_of


def _find(search):
    asked, of = search.asked, search.names.of
    for key in ("system", "hypothesis"):
        if isinstance(asked[key], list) or (key, asked[key]) == ("system", False):
            return search.refuse(f"{key}={asked[key]!r}: format='long' has one such column.")
    if search.lacks():
        return None
    system, text = search.one("system"), search.one("hypothesis")
    if system is None and not search.only and (len(of["system"]) > 1 or len(of["hypothesis"]) > 1):
        return None
    annotators = search.annotators()
    judgement = search.one("judgement", "rank", "score")
    if judgement is None:
        judgement = list(annotators.values()) or search.one("judgement", "winner")
    annotators = list(annotators) if isinstance(judgement, list) else None
    if system is None:
        # Several names, some of them more than once.
        words = {name: len(words_in(search.table, name)) for name in search.free("names")}
        names = [name for name, n in words.items() if 1 < n <= search.table.n_rows / 2]
        if names or not (text and isinstance(judgement, str) and search.one("source")):
            search.missing["system"] = names[0] if names else None
    if not judgement:
        search.missing["judgement"] = _judgement_by_content(search)
    return {
        "system": system, "judgement": judgement, "ranking": search.one("ranking"),
        "hypothesis": text, "annotators": annotators,
    }  # fmt: skip


def _judgement_by_content(search):
    """Find columns of numbers: one, several on one scale, as of several annotators, or None."""
    of, table = search.names.of, search.table
    named = [pair for role in ("rank", "score") for pair in of[role].items()]
    named = [name for rest, name in named if not is_summary(rest)]
    numbers = search.numbers(name for name in named if kind_of(table, name) == "numbers")
    return numbers if numbers[1:] and _alike(table, numbers) else next(iter(numbers), None)


def _alike(table, names):
    """Tell whether numbers of columns may be on one scale, as of several annotators."""
    tops = [max(abs(value_of(word)) for word in words_in(table, name)) for name in names]
    return max(tops) <= 2 * min(tops)


def _read(table, columns, segment, judge, options):
    name = columns.judgement
    values = numbers_of(table, name, decimal_of(table, [name], options["decimal"]))
    rows = check_judged(table, f"column {name!r}", np.isnan(values), options)
    values = values[rows]
    y = ranks_of(table, [name] * len(rows), values, rows, options["better"])
    hypothesis = None
    if columns.hypothesis is not None:
        hypothesis = taken(texts_of(table, columns.hypothesis), rows)
    if columns.system is None:
        [codes], labels = systems_of_texts(segment[0][rows], [hypothesis[0]], hypothesis[1])
        system = codes, labels
    else:
        system = taken(labels_of(table, columns.system), rows)
    named = columns.ranking is not None
    task = labels_of(table, columns.ranking)
    of_task = combined(segment[0][rows], task[0][rows], judge[0][rows])
    key = combined(of_task, system[0])
    turn = _turns(of_task, key, y)
    if not named and columns.system is not None:
        unknown = judge[1][judge[0][rows]] == ""
        again = np.flatnonzero(pd.Series(key).duplicated().to_numpy() & unknown)
        if len(again):
            row = again[0]
            first = rows[(key == key[row]).argmax()]
            raise table.error(
                f"segment {segment[1][segment[0][rows[row]]]}: "
                f"{system[1][system[0][row]]!r} has a second judgement, the first is in "
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
    return JudgedRows(
        place=rows, ranking=(ranking, labels), system=system, y=y, hypothesis=hypothesis,
        note=NO_SYSTEMS if columns.system is None else "", **repetitions(key, y),
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
    find=_find,
    read=_read,
)
