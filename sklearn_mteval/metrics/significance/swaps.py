"""Differences of figures between two metrics whose scores are swapped row by row."""

from itertools import pairwise

import numpy as np

from sklearn_mteval.metrics.core.agreement import counts_of_groups, figure_of_rows
from sklearn_mteval.metrics.core.correlations import near_one
from sklearn_mteval.metrics.core.judgements import bounds_of_groups
from sklearn_mteval.metrics.core.statistics import RATIOS
from sklearn_mteval.metrics.significance.comparison import metric_pairs

__all__ = ["difference_of_signs"]

# Kinds of pairs (as RATIOS has them) by human (worse, tied, better) and metric outcome.
_KINDS = np.array([0, 2, 1, 3, 4, 3, 1, 2, 0])
# Sums over pairs that a figure with a moving denominator is made of: numerator, pairs counted.
_MOVING = {
    "wmt13": RATIOS["wmt13"],
    "tau-b": ((1, -1, 0, 0, 0), (1, 1, 0, 1, 0)),
}
_ROUNDING = 1e-12  # a variance below this share of the squares is that of a constant
_LARGE = 128  # rows of a group from which counting anew beats products of signs


def difference_of_signs(statistic, rows, standard, *, average, threshold, epsilons):
    """Return the differences of all pairs of metrics as a function of swaps.

    Parameters
    ----------
    statistic : str
        One of ``STATISTICS``.
    rows : ComparedRows
        Judgements, scores, groups, units.
    standard : ndarray of shape (n_metrics, n_rows)
        The scores, standardised: what is swapped.
    average : {"pairs", "segments"}
        See :func:`sklearn_mteval.metrics.core.agreement.figure_of_rows`.
    threshold : float
        For "darr".
    epsilons : ndarray of shape (n_metrics, 2)
        Scores, and standardised scores, of each metric that differ by at most this tie; only
        for statistics whose denominator is fixed.

    Returns
    -------
    callable
        From signs, float32 of shape (n_draws, n_units), -1 where a unit's scores are swapped, to
        differences of shape (n_draws, n_pairs), first minus second metric in the order of
        ``metric_pairs``. NaN where a figure is undefined.
    """
    sizes = np.diff(bounds_of_groups(rows.groups))
    if statistic == "pearson":
        return _pearson(rows, standard)
    if statistic in _MOVING and sizes.max(initial=0) < _LARGE:
        return _moving(statistic, rows, standard, average)
    if statistic in RATIOS and statistic not in _MOVING:
        return _fixed(statistic, rows, standard, average, threshold, epsilons)
    return _recomputed(statistic, rows, standard, average)


def _fixed(statistic, rows, standard, average, threshold, epsilons):
    """Return differences of figures that divide by what no swap changes: one matrix product."""
    from sklearn_mteval.metrics.significance.swapped_pairs import difference_coefficients

    counts = counts_of_groups(
        rows.human, rows.scores[0], rows.groups, statistic, threshold=threshold
    )
    numerator, denominator = RATIOS[statistic]
    counted = counts @ np.array(denominator)
    weights, scale = np.ones(len(counted)), counted.sum()
    if average == "segments":
        weights = np.divide(1, counted, where=counted > 0, out=np.zeros(len(counted)))
        scale = np.count_nonzero(counted)
    linear = difference_coefficients(
        rows.human,
        rows.scores,
        standard,
        rows.units,
        rows.units.max(initial=-1) + 1,
        bounds_of_groups(rows.groups),
        weights,
        *metric_pairs(len(rows.names)),
        np.array(numerator, dtype=float)[_KINDS],
        (
            float(threshold) if statistic == "darr" else 0.0,
            np.ascontiguousarray(epsilons[:, 0]),
            epsilons[:, 1] / 2,
        ),
    ).T
    return lambda signs: signs.astype(np.float64) @ linear / scale


def _moving(statistic, rows, standard, average):
    """Return differences of figures whose denominator changes with the metric's ties."""
    from sklearn_mteval.metrics.significance.swapped_pairs import group_coefficients

    first, second = metric_pairs(len(rows.names))
    bounds = bounds_of_groups(rows.groups)
    tables = np.array(_MOVING[statistic], dtype=float)[:, _KINDS]
    by_human = counts_of_groups(rows.human, rows.scores[0], rows.groups, statistic)[:, :3]
    by_human = by_human.sum(axis=1)

    def ratio(sums, decided):
        top, bottom = sums
        if statistic == "tau-b":
            bottom = np.sqrt(bottom) * np.sqrt(decided)
        return np.divide(top, bottom, where=bottom > 0, out=np.full(top.shape, np.nan))

    def difference(signs):
        # Draws last: rows of signs are gathered whole.
        signs = np.ascontiguousarray(signs.T)
        shape = (2, len(first), signs.shape[1])
        pooled = np.zeros((2, *shape))
        totals, n_defined = np.zeros((2, *shape))
        for group, (start, end) in enumerate(pairwise(bounds)):
            linear, even = group_coefficients(
                rows.human, rows.scores, standard, start, end, first, second, tables
            )
            own = signs[rows.units[start:end]]
            i, j = np.triu_indices(end - start, 1)
            odd = (linear.T @ own).reshape(shape)
            both = (even[1:].T @ (own[i] * own[j]) + even[0][:, None]).reshape(shape)
            for metric, sums in enumerate((both + odd, both - odd)):
                if average == "pairs":
                    pooled[metric] += sums
                    continue
                values = ratio(sums.astype(np.float64), by_human[group])
                defined = ~np.isnan(values)
                totals[metric] += np.where(defined, values, 0)
                n_defined[metric] += defined
        if average == "pairs":
            return (ratio(pooled[0], by_human.sum()) - ratio(pooled[1], by_human.sum())).T
        return _mean_difference(totals, n_defined).T

    return difference


def _mean_difference(totals, n_defined):
    """Return the difference of the two metrics' means over the groups that define them."""
    means = np.divide(totals, n_defined, where=n_defined > 0, out=np.full(totals.shape, np.nan))
    return means[0] - means[1]


def _pearson(rows, standard):
    """Return differences of Pearson's correlation.

    With s and d half the sum and difference of two metrics, and u the sign, they swap to
    s + u d and s - u d: all their sums are linear in u.
    """
    from sklearn_mteval.metrics.significance.swapped_pairs import add_correlations

    first, second = metric_pairs(len(rows.names))
    bounds = bounds_of_groups(rows.groups)
    judged = [
        (start, end)
        for start, end in pairwise(bounds)
        if (rows.human[start:end] != rows.human[start]).any()
    ]

    def difference(signs):
        totals, n_defined = np.zeros((2, 2, len(signs), len(first)))
        linear = np.empty((3, len(signs), len(first)))
        for start, end in judged:
            own = signs[:, rows.units[start:end]].astype(np.float64)
            x = near_one(rows.human[start:end])
            x = x.mean() - x
            group = standard[:, start:end]
            s, d = (group[first] + group[second]) / 2, (group[first] - group[second]) / 2
            s = s - s[:, :1]  # exactly zero where all are equal
            s = s - s.mean(axis=1, keepdims=True)
            constant = np.stack([s.sum(axis=1), (s * s + d * d).sum(axis=1), s @ x])
            for sums, terms in zip(linear, (d, 2 * s * d, d * x), strict=True):
                np.matmul(own, terms.T, out=sums)  # new memory would cost more than the product
            add_correlations(end - start, x @ x, constant, linear, _ROUNDING, totals, n_defined)
        return _mean_difference(totals, n_defined)

    return difference


def _recomputed(statistic, rows, standard, average):
    """Return differences of figures computed anew for each permutation: slow, any figure."""
    first, second = metric_pairs(len(rows.names))

    def difference(signs):
        values = np.empty((len(signs), len(first)))
        for draw, kept in enumerate(signs[:, rows.units] > 0):
            for pair, (a, b) in enumerate(zip(first, second, strict=True)):
                one, other = (
                    figure_of_rows(
                        statistic,
                        rows.human,
                        np.where(kept, standard[p], standard[q]),
                        rows.groups,
                        average=average,
                    )
                    for p, q in ((a, b), (b, a))
                )
                values[draw, pair] = one - other
        return values

    return difference
