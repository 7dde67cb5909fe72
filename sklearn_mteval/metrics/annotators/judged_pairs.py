"""Rankings taken apart into comparisons of two translations, for what judges say of each other."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_ranks, comparable_groups, group_codes, segment_labels
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.judgements import bounds_of_groups

__all__ = [
    "BETTER",
    "TIED",
    "WORSE",
    "Rankings",
    "labels_of_rows",
    "one_row_each",
    "outcomes_of_cells",
    "pairs_of_rows",
    "rankings",
]

BETTER, TIED, WORSE = range(3)  # what a judgement says of the first of two


class Rankings(NamedTuple):
    """The rows of a table of rankings, those of a ranking task together.

    Attributes
    ----------
    human : ndarray of shape (n_rows,), float64
        Lower is better.
    tasks, segments, items : ndarray of shape (n_rows,), int64
        Numbers of the ranking task (not decreasing), of the segment, and of the translation that
        was ranked. Translations of different segments have different numbers.
    rows : ndarray of shape (n_rows,), int64
        Positions in the table.
    """

    human: np.ndarray
    tasks: np.ndarray
    segments: np.ndarray
    items: np.ndarray
    rows: np.ndarray


def rankings(y, texts=None):
    """Check judgements and number what they speak of.

    Parameters
    ----------
    y : Series of length n_rows
        Ranks, lower is better, indexed by segment, system, and what tells ranking tasks apart.
    texts : array-like of length n_rows, optional
        The translations; equal texts of a segment are then one item. None: systems are items.

    Returns
    -------
    Rankings
        Sorted by task.

    Raises
    ------
    CandidateError
        For anything but such a Series, ranks that are no numbers, texts of another length or index.
    """
    if not isinstance(y, pd.Series):
        raise CandidateError(
            "y must be a Series of ranks indexed by (segment, ranking, system), as load_wmt "
            f"returns it, found {type(y).__name__}."
        )
    table = y.to_frame()
    tasks = comparable_groups(table)
    human = check_ranks(y, table)
    segments = group_codes(segment_labels(table), len(y))
    if texts is None:
        texts = y.index.get_level_values("system")
    labels = labels_of_rows("texts", texts, y)
    items = np.unique(segments * (labels.max(initial=0) + 1) + labels, return_inverse=True)[1]
    rows = np.argsort(tasks, kind="stable")
    return Rankings(human[rows], tasks[rows], segments[rows], items[rows], rows)


def labels_of_rows(name, labels, y):
    """Number labels that must be there for each row.

    Parameters
    ----------
    name : str
        What they are called.
    labels : array-like of length n_rows
        One each.
    y : Series of length n_rows
        What they belong to. A Series of labels must have its index.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        Codes from 0 on.
    """
    if isinstance(labels, pd.Series):
        if len(labels) == len(y) and not labels.index.equals(y.index):
            raise CandidateError(f"y and {name} have different indices: use {name}.loc[y.index].")
        labels = labels.array
    try:
        return group_codes(labels, len(y))
    except CandidateError as error:
        raise CandidateError(str(error).replace("groups", name, 1)) from None


def one_row_each(ranked):
    """Keep one row of those that say the same of one item in one ranking task.

    Parameters
    ----------
    ranked : Rankings
        Several systems may be one item.

    Returns
    -------
    Rankings
        The same without repetitions; equal translations that were ranked differently stay.
    """
    keys = np.column_stack([ranked.tasks, ranked.items, ranked.human])
    order = np.lexsort(keys.T[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    return Rankings(*(column[order[new]] for column in ranked))


def pairs_of_rows(tasks):
    """List each pair of rows of one ranking task once.

    Parameters
    ----------
    tasks : ndarray of shape (n_rows,), int64
        Not decreasing.

    Returns
    -------
    first : ndarray of shape (n_pairs,), int64
        Position of the one row.
    second : ndarray of shape (n_pairs,), int64
        Position of the other.
    """
    bounds = bounds_of_groups(tasks)
    ends = np.repeat(bounds[1:], np.diff(bounds))
    first, second = [], []
    left, distance = np.arange(len(tasks)), 1
    while len(left := left[left + distance < ends[left]]):
        first.append(left)
        second.append(left + distance)
        distance += 1
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *first]), np.concatenate([empty, *second])


def outcomes_of_cells(ranked):
    """Say for each judgement of a pair which pair it is, and what it says.

    Parameters
    ----------
    ranked : Rankings
        The rankings.

    Returns
    -------
    first : ndarray of shape (n_judgements,), int64
        The row, within ``ranked``, of the item with the lower number.
    second : ndarray of shape (n_judgements,), int64
        The row of the other; two rows may be of one item.
    cells : ndarray of shape (n_judgements,), int64
        Number of the pair of items, from 0 on.
    outcomes : ndarray of shape (n_judgements,), int64
        BETTER, TIED or WORSE: the first item against the second.
    """
    first, second = pairs_of_rows(ranked.tasks)
    exchange = ranked.items[first] > ranked.items[second]
    first, second = np.where(exchange, second, first), np.where(exchange, first, second)
    pairs = ranked.items[first] * (ranked.items.max(initial=0) + 1) + ranked.items[second]
    cells = np.unique(pairs, return_inverse=True)[1]
    drop = np.sign(ranked.human[first] - ranked.human[second]).astype(np.int64)
    return first, second, cells, drop + TIED
