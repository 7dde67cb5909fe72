"""Differences of statistics between two metrics whose scores are swapped unit by unit.

Where units, segments or documents, hold whole groups, all statistics are functions of sums over
units. Where they do not, ratios whose denominator no swap changes are linear in the signs of units,
and others are computed anew.

Differences are functions of Signs of units and of numbers of pairs of metrics, ``some`` of those
in the order of ``np.triu_indices``.
"""

import numpy as np

from sklearn_mteval.metrics.core.agreement import (
    counts_of_groups,
    statistic_of_rows,
    sums_of_units,
)
from sklearn_mteval.metrics.core.aligned import bounds_of_groups
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.statistics import STATISTICS

# Kinds of pairs (as weights of statistics have them) by human (worse, tied, better) and metric.
_KINDS = np.array([0, 2, 1, 3, 4, 3, 1, 2, 0])
_CELLS_AT_ONCE = 1 << 20  # about what the cache holds


def difference_of_signs(statistic, rows, standard, *, average, threshold, epsilons):
    """Return from Signs to differences (n_some, n_permutations), first less second metric, scores
    and standardised scores tying up to ``epsilons`` (n_metrics, 2).
    """
    chosen = STATISTICS[statistic]
    # Only what pools correlations adds scores of two metrics up.
    scores = standard if chosen.of_sums is not None and average == "pairs" else rows.scores
    shared = rows.groups, rows.units, rows.units.max(initial=-1) + 1
    options = {"average": average, "threshold": threshold}
    found = [
        sums_of_units(statistic, rows.human, metric, *shared, epsilon=tie, **options)
        for metric, tie in zip(scores, epsilons[:, 0], strict=True)
    ]
    if found[0] is not None:
        return difference_of_sums(np.stack([sums.T for sums, _ in found]), found[0][1])
    if chosen.fixed_denominator:
        return _fixed(chosen, rows, standard, average, threshold, epsilons)
    return _recomputed(statistic, rows, standard, average, threshold)


def difference_of_sums(sums, of_sums):
    """Return differences of a function of sums (..., k) over units, (n_metrics, k, n_units)."""
    totals, swapped = sums.sum(axis=-1)[..., np.newaxis] / 2, sums / 2
    varies = (sums != sums[0]).any(axis=(0, 2))
    first, second = np.triu_indices(len(sums), 1)

    def difference(signs, some):
        # With a sign u for each unit, sums a and b swap to (a + b) / 2 + u (a - b) / 2.
        moved = np.zeros((*sums.shape[:2], signs.n_permutations))
        moved[:, varies] = signs.sums(swapped[:, varies])
        found = np.empty((len(some), signs.n_permutations))
        at_once = max(1, _CELLS_AT_ONCE // moved[0].size)
        for start in range(0, len(some), at_once):
            a, b = (of_pair[some[start : start + at_once]] for of_pair in (first, second))
            middle, change = totals[a] + totals[b], moved[a] - moved[b]
            one, other = (np.moveaxis(middle + sign * change, 1, -1) for sign in (1, -1))
            found[start : start + at_once] = of_sums(one) - of_sums(other)
        return found

    return difference


def _fixed(statistic, rows, standard, average, threshold, epsilons):
    """Return differences of statistics that divide by what no swap changes: one matrix product."""
    from sklearn_mteval.metrics.significance.swapped_pairs import difference_coefficients

    # Of any metric: the denominator is the same for all.
    first = rows.human, rows.scores[0], rows.groups
    counts = counts_of_groups(*first, statistic.name, threshold=threshold)
    if average == "pairs":
        weights, scale = np.ones(len(counts)), statistic.denominator(counts.sum(axis=0))
    else:
        counted = statistic.denominator(counts)
        weights, scale = ratio(1, counted, 0.0), np.count_nonzero(counted)
    units = rows.units, rows.units.max(initial=-1) + 1
    groups = bounds_of_groups(rows.groups), weights
    pairs = np.triu_indices(len(rows.names), 1)
    added = np.array(statistic.numerator, dtype=float)[_KINDS]
    applied = float(threshold) if statistic.threshold else 0.0
    bounds = applied, np.ascontiguousarray(epsilons[:, 0]), epsilons[:, 1] / 2
    linear = difference_coefficients(
        rows.human, rows.scores, standard, *units, *groups, *pairs, added, bounds
    )
    return lambda signs, some: signs.sums(linear[some]) / scale


def _recomputed(statistic, rows, standard, average, threshold):
    """Return differences computed anew for each permutation: slow, any statistic."""
    options = {"average": average, "threshold": threshold}

    def value(scores):
        return statistic_of_rows(statistic, rows.human, scores, rows.groups, **options)

    def difference(signs, some):
        metrics = np.triu_indices(len(standard), 1)
        pairs = [(standard[metrics[0][k]], standard[metrics[1][k]]) for k in some]
        values = [
            [value(np.where(kept, a, b)) - value(np.where(kept, b, a)) for a, b in pairs]
            for block in signs.blocks()
            for kept in block.of(rows.units, np.int8).T > 0
        ]
        return np.array(values).T

    return difference
