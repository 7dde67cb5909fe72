"""Pearson's and Spearman's correlation of groups of rows, as figures of sums."""

import numpy as np

from sklearn_mteval.exceptions import CandidateError

__all__ = [
    "add_up",
    "check_finite",
    "correlations",
    "midranks",
    "moments",
    "near_one",
    "pearson_of_sums",
]

_ROUNDING = 1e-12  # a variance below this share of the squares is that of a constant


def correlations(statistic, human, metric, groups):
    """Compute the correlation of each group, the judgement's sign changed.

    Parameters
    ----------
    statistic : {"pearson", "spearman"}
        Which.
    human, metric, groups : ndarray of shape (n_rows,)
        Judgement (lower is better), score (higher is better), group (not decreasing).

    Returns
    -------
    ndarray of shape (n_groups,)
        In [-1, 1], agreement positive; NaN where either is constant.
    """
    if statistic == "pearson":
        check_finite(metric)
    numbers = np.cumsum(np.diff(groups, prepend=groups[:1]) > 0)
    n_groups = numbers.max(initial=-1) + 1
    if statistic == "spearman":
        human, metric = midranks(human, numbers), midranks(metric, numbers)
    return pearson_of_sums(add_up(moments(human, metric, numbers, n_groups), numbers, n_groups))


def check_finite(metric):
    """Raise unless Pearson's correlation can be computed.

    Parameters
    ----------
    metric : ndarray of shape (n_rows,)
        Scores.
    """
    infinite = np.isinf(metric)
    if infinite.any():
        raise CandidateError(
            f"Pearson's correlation needs finite scores, found infinity in {int(infinite.sum())} "
            "of them. Leave such rows out (NaN and missing='skip'), or use ranks (Spearman, tau)."
        )


def midranks(values, groups):
    """Rank within groups, lowest first; equal values share the mean of their ranks.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        No NaN.
    groups : ndarray of shape (n_rows,), int64
        Not decreasing.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        From 1 on.
    """
    order = np.lexsort((values, groups))
    inside, ordered = groups[order], values[order]
    new_group = np.diff(inside, prepend=-1) > 0
    new = new_group.copy()
    new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(values))
    first_row = np.maximum.accumulate(np.where(new_group, np.arange(len(values)), 0))
    shared = (starts + ends + 1) / 2 - first_row[starts]
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(shared, ends - starts)
    return ranks


def near_one(values):
    """Scale vectors by powers of two, which is exact, so that squares can be added up.

    Parameters
    ----------
    values : ndarray of shape (..., n)
        One or more vectors, of any magnitude.

    Returns
    -------
    ndarray of shape (..., n)
        The largest magnitude of each vector is from 1/2 to 1, or 0. NaN and vectors with it stay.
    """
    return np.ldexp(values, -_exponents(np.abs(values).max(axis=-1, initial=0, keepdims=True)))


def _exponents(largest):
    """Return the exponents of powers of two that are hardly larger; 0 for NaN."""
    return np.where(np.isfinite(largest), np.frexp(largest)[1], 0)


def moments(human, metric, groups, n_groups):
    """Return what a row adds to its group's sums, after shifts that leave constants at zero.

    Parameters
    ----------
    human, metric : ndarray of shape (n_rows,)
        Judgement, whose sign is changed, and score.
    groups : ndarray of shape (n_rows,), int64
        From 0 to n_groups - 1.
    n_groups : int
        How many there are.

    Returns
    -------
    ndarray of shape (n_rows, 6)
        As :func:`pearson_of_sums` takes their sums.
    """
    x, y = (_shifted(values, groups, n_groups) for values in (-human, metric))
    return np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])


def _shifted(values, groups, n_groups):
    """Subtract the group's first value, then its mean: exact zeros where it is constant.

    Scaled by a power of two for each group, so that no square is too large or too small.
    """
    largest = np.zeros(n_groups)
    np.maximum.at(largest, groups, np.abs(values))
    values = np.ldexp(values, -_exponents(largest)[groups])
    first = np.full(n_groups, len(values))
    np.minimum.at(first, groups, np.arange(len(values)))
    shifted = values - values[first[groups]]
    means = np.bincount(groups, weights=shifted, minlength=n_groups) / np.maximum(
        np.bincount(groups, minlength=n_groups), 1
    )
    return shifted - means[groups]


def pearson_of_sums(sums):
    """Compute Pearson's correlation from sums.

    Parameters
    ----------
    sums : ndarray of shape (..., 6)
        Of 1, x, y, x², y², xy; x and y about centred.

    Returns
    -------
    ndarray of shape (...)
        In [-1, 1]; NaN where x or y is constant.
    """
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    n = np.maximum(n, 1)
    spread_x, spread_y = xx - x * x / n, yy - y * y / n
    defined = (spread_x > _ROUNDING * xx) & (spread_y > _ROUNDING * yy)
    scale = np.sqrt(spread_x, where=defined, out=np.ones(n.shape))
    scale *= np.sqrt(spread_y, where=defined, out=np.ones(n.shape))
    return np.where(defined, np.clip((xy - x * y / n) / scale, -1, 1), np.nan)


def add_up(rows, codes, n_codes):
    """Sum rows of equal codes.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, k)
        What to add.
    codes : ndarray of shape (n_rows,), int64
        From 0 to n_codes - 1.
    n_codes : int
        How many sums.

    Returns
    -------
    ndarray of shape (n_codes, k), float64
        Zeros for codes without rows.
    """
    sums = np.empty((n_codes, rows.shape[1]))
    for k, column in enumerate(rows.T):
        sums[:, k] = np.bincount(codes, weights=column, minlength=n_codes)
    return sums
