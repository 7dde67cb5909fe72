"""From candidates to ordered pairs of comparable candidates (2012 paper, section 3.2).

A *pair table* has one row per ordered pair (t1, t2). Its first half of columns describes
t1, its second half t2, so that any scikit-learn classifier can consume it.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells, hash_rows, hash_sets
from sklearn_mteval.candidates import check_ranks, comparable_groups, content_keys
from sklearn_mteval.exceptions import CandidateError

__all__ = [
    "GroupOrder",
    "decided_pairs",
    "decompose",
    "group_order",
    "ordered_pairs",
    "pair_table",
]

_PREFIXES = ("t1__", "t2__")
# Of the hash of a row. Another number would order the pairs, and so the steps of a network that
# learns from them, another way.
_MULTIPLIER = np.uint64(0x100000001B3)


class GroupOrder(NamedTuple):
    """Rows sorted so that each group's rows are neighbours.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        Row positions, group after group.
    starts : ndarray of shape (n_groups,)
        Where each group begins in ``rows``.
    sizes : ndarray of shape (n_groups,)
        Its number of rows.
    """

    rows: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray


def group_order(groups, X, y=None):
    """Order rows by group, groups and their rows by *content*.

    The order depends on the values of X and y only, never on labels or on the order of
    the rows, so that a learner sees the same pairs in the same order, to the bit, however
    the table was shuffled or its segments and systems were named.

    Parameters
    ----------
    groups : ndarray of shape (n_rows,), int64
        Group of each row, coded from 0.
    X : DataFrame or ndarray of shape (n_rows, n_features)
        The rows' content.
    y : ndarray of shape (n_rows,), optional
        More content.

    Returns
    -------
    GroupOrder
        The rows and the bounds of the groups.
    """
    content = hash_rows(_plain_columns(X), len(X), multiplier=_MULTIPLIER)
    if y is not None:
        content ^= hash_cells(y) * MULTIPLIER
    of_group = hash_sets(content, groups)
    rows = np.lexsort((content, groups, of_group[groups]))
    starts = np.flatnonzero(np.diff(groups[rows], prepend=-1))
    return GroupOrder(rows, starts, np.diff(starts, append=len(rows)))


def _plain_columns(X):
    """Yield the columns as arrays of numbers or texts; objects become keys of their content."""
    for k in range(X.shape[1]):
        column = X.iloc[:, k].to_numpy() if isinstance(X, pd.DataFrame) else X[:, k]
        if column.dtype == object:
            column = content_keys(column, X.columns[k] if isinstance(X, pd.DataFrame) else k)
        yield column


def ordered_pairs(sizes, first=0, last=None):
    """Enumerate all ordered pairs within consecutive groups, n (n − 1) for n rows.

    Parameters
    ----------
    sizes : ndarray of shape (n_groups,)
        Rows of each group.
    first, last : int, default=0 and the number of rows
        Only pairs whose first member lies in this range of positions.

    Returns
    -------
    i : ndarray of shape (n_pairs,), int64
        Positions of t1, not decreasing.
    j : ndarray of shape (n_pairs,), int64
        Positions of t2, increasing for each i.

    Examples
    --------
    >>> from sklearn_mteval.pairwise.pairs import ordered_pairs
    >>> [pair.tolist() for pair in ordered_pairs([2, 1, 2])]
    [[0, 1, 3, 4], [1, 0, 4, 3]]
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)[first:last]
    rivals = np.repeat(sizes - 1, sizes)[first:last]
    i = np.repeat(np.arange(first, first + len(rivals)), rivals)
    nth_rival = np.arange(len(i)) - np.repeat(np.cumsum(rivals) - rivals, rivals)
    j = np.repeat(begins, rivals) + nth_rival
    j += j >= i  # a row is not its own rival
    return i, j


def pair_table(X, i, j, *, item_level=None):
    """Put the rows of t1 and t2 side by side.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_rows, n_features)
        The candidates.
    i, j : ndarray of shape (n_pairs,)
        Row positions of t1 and t2.
    item_level : str or None, default=None
        For a DataFrame with a MultiIndex, the level that tells items apart: the result's
        index has the other levels, then ``<item_level>_1`` and ``<item_level>_2``. None
        numbers the pairs.

    Returns
    -------
    DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        Columns ``t1__NAME``, then ``t2__NAME``; an array for an array.
    """
    if not isinstance(X, pd.DataFrame):
        return _side_by_side(X, i, j)
    names = [prefix + str(name) for prefix in _PREFIXES for name in X.columns]
    index = None if item_level is None else pair_index(X.index, i, j, item_level)
    if len(set(X.dtypes)) == 1 and X.dtypes.iloc[0].kind in "fiub":
        values = _side_by_side(X.to_numpy(), i, j)
        return pd.DataFrame(values, columns=names, index=index, copy=False)
    halves = [X.iloc[rows].reset_index(drop=True) for rows in (i, j)]
    table = pd.concat(halves, axis=1)
    table.columns = names
    if index is not None:
        table.index = index
    return table


def decompose(X, y, *, item_level="system"):
    """Turn ranked candidates into labelled pairs (2012 paper, section 3.2).

    All ordered pairs of comparable candidates, in both directions, without those that the human
    tied, in the order of their content.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_candidates, n_features)
        Features; a DataFrame indexed by segment and system unless ``item_level=None``.
    y : array-like of shape (n_candidates,)
        Rank-like, lower is better.
    item_level : str or None, default="system"
        Index level that tells the items of one ranking apart; None: all rows are one ranking.

    Returns
    -------
    pairs : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        The pair table.
    labels : ndarray of shape (n_pairs,), int64
        1 where t1 is better, 0 where t2 is.

    Raises
    ------
    CandidateError
        If the index is lost, y is misaligned, or no pair is left.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_mteval.pairwise.pairs import decompose
    >>> pairs, labels = decompose(np.array([[10.], [20.]]), [1, 2], item_level=None)
    >>> sorted(zip(pairs.tolist(), labels.tolist()))
    [([10.0, 20.0], 1), ([20.0, 10.0], 0)]
    """
    ranks = check_ranks(y, X)
    order = group_order(comparable_groups(X, item_level=item_level), X, ranks)
    return decided_pairs(X, ranks, order, item_level=item_level)[:2]


def decided_pairs(X, ranks, order, *, item_level):
    """Make the pair table of the pairs that the human decided.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_rows, n_features)
        The candidates.
    ranks : ndarray of shape (n_rows,)
        Lower is better.
    order : GroupOrder
        Their groups.
    item_level : str or None
        Index level that tells items apart.

    Returns
    -------
    pairs : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        The pair table.
    labels : ndarray of shape (n_pairs,), int64
        1 where t1 is better, 0 where t2 is.
    n_tied : int
        Ordered pairs left out because the human tied them.

    Raises
    ------
    CandidateError
        If no pair is left.
    """
    i, j = (order.rows[k] for k in ordered_pairs(order.sizes))
    decided = ranks[i] != ranks[j]
    n_tied = len(decided) - int(decided.sum())
    if n_tied == len(decided):
        raise CandidateError(
            f"No pair to learn from: y ranks no two comparable rows differently "
            f"({len(order.sizes)} group(s), {len(ranks)} row(s), {n_tied} tied ordered pair(s)). "
            f"Rows are comparable if they agree on every index level but {item_level!r}. Only one "
            "class of ranks in y is not enough."
        )
    i, j = i[decided], j[decided]
    labels = (ranks[i] < ranks[j]).astype(np.int64)
    level = item_level if isinstance(X, pd.DataFrame) else None
    return pair_table(X, i, j, item_level=level), labels, n_tied


def _side_by_side(values, i, j):
    """Join rows of an array, in C order: the last bits of a product depend on the layout."""
    return np.ascontiguousarray(np.hstack([values[i], values[j]]))


def pair_index(index, i, j, item_level):
    """Label pairs: the levels that both rows share, then the two items.

    Parameters
    ----------
    index : MultiIndex of length n_rows
        The candidates' labels.
    i, j : ndarray of shape (n_pairs,)
        Row positions of t1 and t2.
    item_level : str
        The level that tells items apart.

    Returns
    -------
    MultiIndex of length n_pairs
        Its last two levels are ``<item_level>_1`` and ``<item_level>_2``.
    """
    item = index.names.index(item_level)
    shared = [level for level in range(index.nlevels) if level != item]
    return pd.MultiIndex(
        levels=[index.levels[level] for level in [*shared, item, item]],
        codes=[index.codes[level][i] for level in shared]
        + [index.codes[item][i], index.codes[item][j]],
        names=[index.names[level] for level in shared] + [f"{item_level}_1", f"{item_level}_2"],
        verify_integrity=False,
    )
