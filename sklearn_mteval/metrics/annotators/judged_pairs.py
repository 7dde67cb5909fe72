"""Rankings taken apart into judgements of two translations, to compare what annotators say."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.pairs import pairs_of_rows
from sklearn_mteval.candidates import check_ranks, comparable_groups, group_codes, segment_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import check_index

BETTER, TIED, WORSE = range(3)  # what a judgement says of the first of two


class Rankings(NamedTuple):
    """The rows of a table of rankings, those of a ranking task together; columns (n_rows,)."""

    human: np.ndarray  # lower is better
    tasks: np.ndarray  # number of the ranking task, not decreasing
    segments: np.ndarray
    items: np.ndarray  # what was ranked; different numbers in different segments
    rows: np.ndarray  # position in the table


def rankings(y, texts=None):
    """Check ranks indexed by (segment, …, system); equal ``texts`` of a segment are one item."""
    if not isinstance(y, pd.Series):
        raise CandidateError(
            "y must be a Series of ranks indexed by (segment, ranking, system), as load_wmt "
            f"returns it, found {type(y).__name__}."
        )
    table = y.to_frame()
    tasks = comparable_groups(table)
    human = check_ranks(y, table)
    segments = segment_codes(table)
    if texts is None:
        texts = y.index.get_level_values("system")
    labels = labels_of_rows("texts", texts, y)
    items = np.unique(segments * (labels.max(initial=0) + 1) + labels, return_inverse=True)[1]
    rows = np.argsort(tasks, kind="stable")
    return Rankings(human[rows], tasks[rows], segments[rows], items[rows], rows)


def labels_of_rows(name, labels, y):
    """Number the labels of y's rows, called ``name`` in errors: codes (n_rows,) from 0 on."""
    check_index("y", y, name, labels)
    if isinstance(labels, pd.Series):
        labels = labels.array
    try:
        return group_codes(labels, len(y))
    except CandidateError as error:
        raise CandidateError(str(error).replace("groups", name, 1)) from None


def annotators_of_rows(annotators, y, ranked):
    """Number the annotator of each row of y, after checks."""
    codes = labels_of_rows("annotators", annotators, y)
    if isinstance(annotators, str) or (np.asarray(annotators, dtype=object) == "").any():
        raise CandidateError(
            "annotators has empty labels: the campaign's file does not say who judged, and "
            "judgements of unknown annotators cannot be told apart."
        )
    same_task = ranked.tasks[1:] == ranked.tasks[:-1]
    differ = np.flatnonzero(same_task & (np.diff(codes[ranked.rows]) != 0))
    if len(differ):
        row = int(ranked.rows[differ[0] + 1])
        raise CandidateError(
            f"Row {row} (index {y.index[[row]].tolist()[0]!r}) has another annotator than the "
            "row before it of the same ranking task: give the tasks of each labels of their own."
        )
    return codes


def one_row_each(ranked):
    """Keep one row of those that say the same of one item in one ranking task."""
    keys = np.column_stack([ranked.tasks, ranked.items, ranked.human])
    order = np.lexsort(keys.T[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    return Rankings(*(column[order[new]] for column in ranked))


def outcomes_of_cells(ranked):
    """Return (n_judgements,) rows of two items, their pair's number, what is said of the first."""
    first, second = pairs_of_rows(ranked.tasks)
    exchange = ranked.items[first] > ranked.items[second]
    first, second = np.where(exchange, second, first), np.where(exchange, first, second)
    pairs = ranked.items[first] * (ranked.items.max(initial=0) + 1) + ranked.items[second]
    cells = np.unique(pairs, return_inverse=True)[1]
    ours, theirs = ranked.human[first], ranked.human[second]
    return first, second, cells, TIED + (ours > theirs).astype(np.int64) - (ours < theirs)
