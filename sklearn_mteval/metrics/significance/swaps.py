"""Differences of statistics between two metrics whose scores are swapped row by row.

How they are computed for thousands of permutations derives from the registry: a statistic whose
denominator no swap changes is one matrix product, one that divides by what swaps move is a product
for each group, and what is not a ratio of counts of pairs is computed anew.
"""

from itertools import pairwise

import numpy as np

from sklearn_mteval.metrics.core.agreement import counts_of_groups, statistic_of_rows
from sklearn_mteval.metrics.core.aligned import bounds_of_groups
from sklearn_mteval.metrics.core.correlations import near_one
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.statistics import STATISTICS

__all__ = ["difference_of_signs"]

# Kinds of pairs (as weights of statistics have them) by human (worse, tied, better) and metric.
_KINDS = np.array([0, 2, 1, 3, 4, 3, 1, 2, 0])
_ROUNDING = 1e-12  # a variance below this proportion of the squares is that of a constant
_LARGE = 128  # rows of a group from which counting anew beats products of signs


def difference_of_signs(statistic, rows, standard, *, average, threshold, epsilons):
    """Return the differences of all pairs of metrics as a function of swaps of ``standard``.

    From signs, float32 (n_permutations, n_units), -1 where a unit's scores are swapped, to
    differences (n_permutations, n_pairs), first minus second metric in the order of
    ``np.triu_indices``; NaN where undefined. Scores, and standardised scores, of each metric tie
    up to ``epsilons`` (n_metrics, 2), zeros unless the statistic takes an epsilon.
    """
    sizes = np.diff(bounds_of_groups(rows.groups))
    chosen = STATISTICS[statistic]
    if chosen.fixed_denominator:
        return _fixed(chosen, rows, standard, average, threshold, epsilons)
    if chosen.moving_denominators and sizes.max(initial=0) < _LARGE:
        return _moving(chosen, rows, standard, average, threshold)
    if statistic == "pearson":
        return _pearson(rows, standard)
    return _recomputed(statistic, rows, standard, average, threshold)


def _fixed(statistic, rows, standard, average, threshold, epsilons):
    """Return differences of statistics that divide by what no swap changes: one matrix product."""
    from sklearn_mteval.metrics.significance.swapped_pairs import difference_coefficients

    # Of any metric: the denominator is the same for all.
    counts = _counts(statistic, rows, threshold)
    if average == "pairs":
        weights, scale = np.ones(len(counts)), statistic.denominator(counts.sum(axis=0))
    else:
        counted = statistic.denominator(counts)
        weights, scale = ratio(1, counted, 0.0), np.count_nonzero(counted)
    linear = difference_coefficients(
        rows.human,
        rows.scores,
        standard,
        rows.units,
        rows.units.max(initial=-1) + 1,
        bounds_of_groups(rows.groups),
        weights,
        *np.triu_indices(len(rows.names), 1),
        np.array(statistic.numerator, dtype=float)[_KINDS],
        (
            float(threshold) if statistic.threshold else 0.0,
            np.ascontiguousarray(epsilons[:, 0]),
            epsilons[:, 1] / 2,
        ),
    ).T
    return lambda signs: signs.astype(np.float64) @ linear / scale


def _moving(statistic, rows, standard, average, threshold):
    """Return differences of statistics whose denominator changes with the metric's ties."""
    from sklearn_mteval.metrics.significance.swapped_pairs import group_coefficients

    first, second = np.triu_indices(len(rows.names), 1)
    bounds = bounds_of_groups(rows.groups)
    moving = np.array([statistic.numerator, *statistic.moving_denominators], dtype=float)
    tables = moving[:, _KINDS]
    counts = _counts(statistic, rows, threshold)
    applied = float(threshold) if statistic.threshold else 0.0

    def values(sums, counts):
        return ratio(sums[0], statistic.denominator(counts, moving=sums[1:]))

    def difference(signs):
        # Permutations last: rows of signs are gathered whole.
        signs = np.ascontiguousarray(signs.T)
        shape = (len(tables), len(first), signs.shape[1])
        pooled = np.zeros((2, *shape))
        totals, n_defined = np.zeros((2, 2, *shape[1:]))
        for group, (start, end) in enumerate(pairwise(bounds)):
            linear, even = group_coefficients(
                rows.human, rows.scores, standard, start, end, first, second, tables, applied
            )
            own = signs[rows.units[start:end]]
            i, j = np.triu_indices(end - start, 1)
            # To swap all rows is to swap the two metrics, and turns all signs: what is odd in the
            # signs of a pair of rows is opposite for the second metric, what is even the same.
            odd = (linear.T @ own).reshape(shape)
            both = (even[1:].T @ (own[i] * own[j]) + even[0][:, None]).reshape(shape)
            for metric, sums in enumerate((both + odd, both - odd)):
                if average == "pairs":
                    pooled[metric] += sums
                    continue
                found = values(sums.astype(np.float64), counts[group])
                defined = ~np.isnan(found)
                totals[metric] += np.where(defined, found, 0)
                n_defined[metric] += defined
        if average == "pairs":
            return np.subtract(*(values(sums, counts.sum(axis=0)) for sums in pooled)).T
        return np.subtract(*ratio(totals, n_defined)).T

    return difference


def _counts(statistic, rows, threshold):
    """Count pairs of the first metric: sums that no swap changes are those of all metrics."""
    return counts_of_groups(
        rows.human, rows.scores[0], rows.groups, statistic.name, threshold=threshold
    )


def _pearson(rows, standard):
    """Return differences of Pearson's correlation.

    With s and d half the sum and difference of two metrics, and u the sign, they swap to
    s + u d and s - u d: as u² = 1, all their sums are linear in u.
    """
    from sklearn_mteval.metrics.significance.swapped_pairs import add_correlations

    first, second = np.triu_indices(len(rows.names), 1)
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
        return np.subtract(*ratio(totals, n_defined))

    return difference


def _recomputed(statistic, rows, standard, average, threshold):
    """Return differences computed anew for each permutation: slow, any statistic."""
    first, second = np.triu_indices(len(rows.names), 1)
    options = {"average": average, "threshold": threshold}

    def difference(signs):
        values = np.empty((len(signs), len(first)))
        for k, kept in enumerate(signs[:, rows.units] > 0):
            for pair, (a, b) in enumerate(zip(first, second, strict=True)):
                swapped = (np.where(kept, standard[p], standard[q]) for p, q in ((a, b), (b, a)))
                one, other = (
                    statistic_of_rows(statistic, rows.human, scores, rows.groups, **options)
                    for scores in swapped
                )
                values[k, pair] = one - other
        return values

    return difference
