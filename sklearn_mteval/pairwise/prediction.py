"""Asking a fitted pair classifier about all ordered pairs, in blocks of bounded size."""

from itertools import pairwise

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs

from sklearn_mteval.pairwise.pairs import ordered_pairs, pair_table
from sklearn_mteval.pairwise.recomposition import SUMS, bradley_terry, strengths_from_matrices

__all__ = ["better_than_empty", "over_blocks", "probability"]

# Bytes of the pair table that is decided at a time, in each job: what bounds the memory of
# predict. The rivals of one row are never split, nor a group whose whole matrix a method
# needs. Fixed, so that the result does not depend on n_jobs.
BYTES_PER_BLOCK = 1 << 26


def over_blocks(estimator, X, order, method, *, level=None, n_jobs=None):
    """Decide all ordered pairs and reduce each block to what is asked for.

    Parameters
    ----------
    estimator : fitted classifier
        Of pair tables; label 1 means that t1 is better.
    X : DataFrame or ndarray of shape (n_rows, n_features)
        The candidates.
    order : GroupOrder
        Their groups.
    method : str or callable
        A recomposition, or "compare" for the bare probabilities.
    level : str or None, default=None
        Index level that tells items apart, for the pair table's index.
    n_jobs : int or None, default=None
        Processes.

    Returns
    -------
    ndarray of shape (n_rows,) or, for "compare", (n_pairs,)
        Strengths of ``order.rows``, or P(t1 better than t2) of all pairs in the order of
        :func:`~sklearn_mteval.pairwise.pairs.ordered_pairs`.
    """
    ends = order.starts + order.sizes
    group_of = np.repeat(np.arange(len(order.sizes)), order.sizes)
    bounds = _block_bounds(order.sizes, _pairs_per_block(X), whole_groups=_needs_matrices(method))

    def tasks():
        """Cut the table into jobs, each sent only the rows that it speaks of."""
        for first, last in pairwise(bounds):
            groups = slice(group_of[first], group_of[last - 1] + 1)
            low, high = order.starts[groups][0], ends[groups][-1]
            rows = order.rows[low:high]
            part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
            sizes = order.sizes[groups]
            yield delayed(_decide)(estimator, part, sizes, first - low, last - low, method, level)

    n_jobs = max(1, min(effective_n_jobs(n_jobs), len(bounds) - 1))
    return np.concatenate([np.zeros(0), *Parallel(n_jobs=n_jobs)(tasks())])


def _pairs_per_block(X):
    """Tell how many rows of the pair table fill a block, cells of 8 bytes assumed."""
    return max(1, BYTES_PER_BLOCK // (2 * 8 * X.shape[1]))


def _block_bounds(sizes, pairs_per_block, *, whole_groups):
    """Cut rows into blocks of about so many pairs, at the start of a row or a group."""
    n_rivals = np.repeat(sizes - 1, sizes)
    cuts = np.cumsum(sizes) - sizes if whole_groups else np.arange(len(n_rivals))
    pairs_before = np.cumsum(n_rivals) - n_rivals
    block = pairs_before[cuts] // pairs_per_block
    return np.append(cuts[np.flatnonzero(np.diff(block, prepend=-1))], len(n_rivals))


def _needs_matrices(method):
    """Tell whether a method needs the whole probability matrix of a group."""
    return callable(method) or method == "bradley-terry"


def _decide(estimator, X, sizes, first, last, method, level):
    """Decide the pairs whose t1 lies in rows first to last of some whole groups."""
    if _needs_matrices(method):
        # However large a group is, its pair table is made in parts.
        bounds = _block_bounds(sizes, _pairs_per_block(X), whole_groups=False)
        better = np.concatenate(
            [_decide(estimator, X, sizes, *part, "compare", level) for part in pairwise(bounds)]
        )
        if not callable(method):
            return strengths_from_matrices(better, sizes, bradley_terry)
        return strengths_from_matrices(
            better, sizes, lambda matrices: [_call(method, matrix) for matrix in matrices]
        )
    i, j = ordered_pairs(sizes, first, last)
    if not len(i):
        return np.zeros(0 if method == "compare" else last - first)
    table = pair_table(X, i, j, item_level=level)
    if method == "compare":
        return probability(estimator, table)
    decision = better = None
    if method != "expected":
        decision = np.where(np.asarray(estimator.predict(table)) == 1, 1.0, -1.0)
    if method != "hard":
        better = probability(estimator, table)
    terms = SUMS[method](decision, better)
    return np.bincount(i - first, weights=terms, minlength=last - first)


def _call(recomposition, matrix):
    """Call the user's recomposition and check what it returns."""
    strengths = np.asarray(recomposition(matrix), dtype=np.float64)
    if strengths.shape != (len(matrix),) or not np.isfinite(strengths).all():
        raise ValueError(
            f"The recomposition callable must return {len(matrix)} finite strengths for a "
            f"{matrix.shape} matrix, found {strengths!r}."
        )
    return strengths


def probability(estimator, table):
    """Return P(t1 better than t2) for each row of a pair table.

    Parameters
    ----------
    estimator : fitted classifier
        With ``predict_proba`` and the class 1.
    table : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        The pairs.

    Returns
    -------
    ndarray of shape (n_pairs,), float64
        In [0, 1].
    """
    column = list(estimator.classes_).index(1)
    return np.asarray(estimator.predict_proba(table)[:, column], dtype=np.float64)


def better_than_empty(estimator, X, empty, shared, rows):
    """Compare rows with the empty translation, in both directions (2017 paper, section 6.1).

    Parameters
    ----------
    estimator : fitted classifier
        Of pair tables.
    X : DataFrame or ndarray of shape (n_rows, n_features)
        The candidates.
    empty : ndarray of shape (n_features,)
        The empty translation; in a column of texts it is the empty text.
    shared : ndarray of shape (n_features,), bool
        Columns that describe the segment: there the empty translation has the row's own value,
        because it is compared with the same reference.
    rows : ndarray of shape (n,)
        Row positions.

    Returns
    -------
    ndarray of shape (n,)
        P(row better than empty) − P(empty better than row), in [−1, 1].
    """
    strengths = np.empty(len(rows))
    size = _pairs_per_block(X)
    for start in range(0, len(rows), size):
        some = rows[start : start + size]
        n = len(some)
        both = _beside_empty(
            X.iloc[some] if isinstance(X, pd.DataFrame) else X[some], empty, shared
        )
        first, second = np.arange(n), np.arange(n, 2 * n)
        strengths[start : start + n] = probability(
            estimator, pair_table(both, first, second)
        ) - probability(estimator, pair_table(both, second, first))
    return strengths


def _beside_empty(own, empty, shared):
    """Put the empty translations of some candidates below them."""
    n = len(own)
    if isinstance(own, pd.DataFrame) and any(dtype.kind not in "fiub" for dtype in own.dtypes):
        own = own.reset_index(drop=True)
        others = {}
        for k, name in enumerate(own.columns):
            value = empty[k] if own[name].dtype.kind in "fiub" else ""
            others[name] = own[name] if shared[k] else pd.Series([value] * n)
        return pd.concat([own, pd.DataFrame(others)], ignore_index=True)
    values = np.asarray(own)
    values = np.vstack([values, np.where(shared, values, empty)])
    return pd.DataFrame(values, columns=own.columns) if isinstance(own, pd.DataFrame) else values
