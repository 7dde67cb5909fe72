"""From candidates to ordered pairs (t1, t2) of comparable candidates (2012 paper, section 3.2).

The first half of the columns of a *pair table* describes t1, the second half t2.
"""

from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells, hash_rows, hash_sets
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.candidates import check_ranks, comparable_groups, content_keys
from sklearn_mteval.exceptions import CandidateError

# Of the hash of a row. Another number would order the pairs, and so the steps of a network that
# learns from them, another way.
_MULTIPLIER = np.uint64(0x100000001B3)
# Rows of a pair table that are copied at a time.
_PAIRS_AT_ONCE = 1 << 16


class GroupOrder(NamedTuple):
    """Row positions, group after group, and where in them each group begins and how long it is."""

    rows: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    content: np.ndarray

    def as_given(self, values):
        """Return values of the sorted rows in the order of X."""
        found = np.empty_like(values)
        found[self.rows] = values
        return found


def group_order(groups, X, y=None):
    """Order rows by group, groups and their rows by the *content* of X, and y where it is given.

    A learner so sees the same pairs in the same order, to the bit, however the table was shuffled
    or its segments and systems were named. ``groups`` are codes from 0, shape (n_rows,).
    """
    content = hash_rows(plain_columns(X), len(X), multiplier=_MULTIPLIER)
    keys = content if y is None else row_keys(content, y)
    of_group = hash_sets(keys, groups)
    return grouped(groups, np.lexsort((keys, groups, of_group[groups])), content)


def grouped(groups, rows=None, content=None):
    """Put rows of one group together, in the order given, or in that of their positions."""
    rows = np.argsort(groups, kind="stable") if rows is None else rows
    ordered = groups[rows]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(rows)])
    return GroupOrder(rows, starts, np.diff(np.append(starts, len(rows))), content)


def row_keys(content, y):
    """Hash rows by their content and their label."""
    return content ^ (hash_cells(y) * MULTIPLIER)


def plain_columns(X):
    """Yield the columns as arrays of numbers or texts; objects become keys of their content."""
    if isinstance(X, pd.DataFrame) and is_of_numbers(X):
        X = X.to_numpy()  # columns of a table take a hundred times as long
    for k in range(X.shape[1]):
        column = X.iloc[:, k].to_numpy() if isinstance(X, pd.DataFrame) else X[:, k]
        if column.dtype == object:
            column = content_keys(column, X.columns[k] if isinstance(X, pd.DataFrame) else k)
        yield column


def pair_table(X, i, j, *, item_level=None):
    """Join the rows of t1 and t2: columns ``t1__NAME``, then ``t2__NAME``; an array for an array.

    ``i`` and ``j`` are row positions, shape (n_pairs,). ``item_level`` tells the items of a
    DataFrame's index apart, see :func:`pair_index`; None numbers the pairs.
    """
    if not isinstance(X, pd.DataFrame):
        return _side_by_side(X, i, j)
    names = [prefix + str(name) for prefix in ("t1__", "t2__") for name in X.columns]
    index = None if item_level is None else pair_index(X.index, i, j, item_level)
    if is_of_numbers(X):
        values = _side_by_side(X.to_numpy(), i, j)
        return pd.DataFrame(values, columns=names, index=index, copy=False)
    table = pd.concat([X.iloc[rows].reset_index(drop=True) for rows in (i, j)], axis=1)
    table.columns = names
    return table if index is None else table.set_index(index)


def decompose(
    X: ArrayLike, y: ArrayLike, *, item_level: str | None = "system"
) -> tuple[Any, np.ndarray]:
    """Turn ranked candidates into labelled pairs (Avramidis 2012, section 3.2).

    All ordered pairs of comparable candidates but those that the human tied, ordered by content.

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
    >>> from sklearn_mteval.pairwise import decompose
    >>> pairs, labels = decompose(np.array([[10.], [20.]]), [1, 2], item_level=None)
    >>> sorted(zip(pairs.tolist(), labels.tolist()))
    [([10.0, 20.0], 1), ([20.0, 10.0], 0)]
    """
    ranks = check_ranks(y, X)
    order = group_order(comparable_groups(X, item_level=item_level), X, ranks)
    i, j, labels, _ = labelled_pairs(ranks, order, item_level=item_level)
    return pair_table(X, i, j, item_level=item_level), labels


def labelled_pairs(ranks, order, *, item_level, one_direction=False, ties=False):
    """List the pairs that the human decided, and with ``ties`` all, in both directions or in one.

    Returned are positions of t1 and of t2 and labels, each (n_pairs,), 1 where t1 is better and 0
    where t2 is (with ``ties`` 0, 1 where both tie, and 2), and the number of ordered pairs that the
    human tied. One direction is that which makes the labels of decided pairs alternate.
    """
    i, j = (order.rows[k] for k in pairs_within(order.sizes, ordered=not one_direction))
    decided = ranks[i] != ranks[j]
    n_tied = (len(decided) - int(decided.sum())) * (2 if one_direction else 1)
    if not decided.any():
        raise CandidateError(
            f"No pair to learn from: y ranks no two comparable rows differently "
            f"({len(order.sizes)} group(s), {len(ranks)} row(s), {n_tied} tied ordered pair(s)). "
            f"Rows are comparable if they agree on every index level but {item_level!r}. Only one "
            "class of ranks in y is not enough."
        )
    if ties and decided.all():
        raise CandidateError(
            "ties='model' learns from ties, but y ranks no two comparable rows alike: leave it at "
            "ties='drop'."
        )
    tied = i[~decided], j[~decided]
    i, j = i[decided], j[decided]
    if one_direction and len(i) == 1:  # a classifier needs both labels
        i, j = np.append(i, j), np.append(j, i)
    elif one_direction:
        turned = (ranks[i] < ranks[j]) == np.arange(len(i)) % 2
        i, j = np.where(turned, j, i), np.where(turned, i, j)
    if not ties:
        return i, j, (ranks[i] < ranks[j]).astype(np.int64), n_tied
    i, j = np.concatenate([i, tied[0]]), np.concatenate([j, tied[1]])
    return i, j, 1 + (ranks[i] < ranks[j]).astype(np.int64) - (ranks[i] > ranks[j]), n_tied


def is_of_numbers(X):
    """Tell whether a table is an array, or one of columns of numbers of one type."""
    if not isinstance(X, pd.DataFrame):
        return True
    dtypes = set(X.dtypes.tolist())
    return len(dtypes) == 1 and dtypes.pop().kind in "fiub"


def not_of_numbers(X):
    """List the names of the columns of a table that are not of numbers; an array has none."""
    dtypes = X.dtypes.items() if isinstance(X, pd.DataFrame) else ()
    return [name for name, dtype in dtypes if dtype.kind not in "fiub"]


@contextmanager
def columns_explained(X):
    """Say, in what a classifier raises of a table, which columns are not of numbers."""
    try:
        yield
    except (TypeError, ValueError) as error:
        others = not_of_numbers(X)
        if not others or isinstance(error, CandidateError):
            raise
        raise CandidateError(
            f"{error}. X has columns that are not of numbers, {others}: the classifier must be "
            "one that reads them, or a transformer turn them into numbers before the ranker."
        ) from error


def _at_once(n_pairs):
    """Deal pairs into slices."""
    return (slice(k, k + _PAIRS_AT_ONCE) for k in range(0, n_pairs, _PAIRS_AT_ONCE))


def _side_by_side(values, i, j):
    """Join rows of an array, in C order: the last bits of a product depend on the layout."""
    n_features = values.shape[1]
    joined = np.empty((len(i), 2 * n_features), dtype=values.dtype)
    for some in _at_once(len(i)):  # no second copy of the table
        joined[some, :n_features] = values[i[some]]
        joined[some, n_features:] = values[j[some]]
    return joined


def pair_differences(X, i, j):
    """Return t1's features less t2's, as :class:`PairDifference` does of the pair table."""
    values = np.asarray(X)
    if values.dtype != np.float32:
        values = values.astype(np.float64, copy=False)
    differences = np.empty((len(i), values.shape[1]), dtype=values.dtype)
    for some in _at_once(len(i)):
        np.subtract(values[i[some]], values[j[some]], out=differences[some])
    return differences


def pair_index(index, i, j, item_level):
    """Label pairs by the levels that both rows share, then by both items."""
    item = index.names.index(item_level)
    places = [*(level for level in range(index.nlevels) if level != item), item, item]
    rows = [i] * index.nlevels + [j]
    return pd.MultiIndex(
        levels=[index.levels[level] for level in places],
        codes=[index.codes[level][row] for level, row in zip(places, rows, strict=True)],
        names=[*index.droplevel(item).names, f"{item_level}_1", f"{item_level}_2"],
        verify_integrity=False,
    )
