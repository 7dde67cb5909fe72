"""Differences of statistics between two metrics whose scores are swapped unit by unit.

Where units, segments or documents, hold whole groups, all statistics are functions of sums over
units. Where they do not, how derives from the registry: if no swap changes the denominator it is
one matrix product, else a product for each group, and what is no ratio is computed anew.

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
from sklearn_mteval.metrics.core.correlations import correlation_of_differences, near_one
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.statistics import STATISTICS

# Kinds of pairs (as weights of statistics have them) by human (worse, tied, better) and metric.
_KINDS = np.array([0, 2, 1, 3, 4, 3, 1, 2, 0])
_ROUNDING = 1e-12  # a variance below this proportion of the squares is that of a constant
_CELLS_AT_ONCE = 1 << 20  # signs, and products of two: about what the cache holds
_LARGE = 128  # rows of a group from which counting anew beats products of signs


def difference_of_signs(statistic, rows, standard, *, average, threshold, epsilons):
    """Return from Signs to differences (n_some, n_permutations), first minus second metric.

    Scores, and standardised scores, of each metric tie up to ``epsilons`` (n_metrics, 2).
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
    sizes = np.diff(bounds_of_groups(rows.groups))
    if chosen.fixed_denominator:
        return _fixed(chosen, rows, standard, average, threshold, epsilons)
    if chosen.moving_denominators and sizes.max(initial=0) < _LARGE:
        return _moving(chosen, rows, standard, average, threshold)
    if statistic == "pearson":
        return _pearson(rows, standard)
    if statistic == "pdp" and average == "pairs":
        return _differences(rows, standard)
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
    counts = _counts(statistic, rows, threshold)
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


def _moving(statistic, rows, standard, average, threshold):
    """Return differences of statistics whose denominator changes with the metric's ties."""
    from sklearn_mteval.metrics.significance.swapped_pairs import group_coefficients

    moving = np.array([statistic.numerator, *statistic.moving_denominators], dtype=float)
    counts = _counts(statistic, rows, threshold)
    applied = float(threshold) if statistic.threshold else 0.0

    def values(sums, counts):
        return ratio(sums[0], statistic.denominator(counts, moving=sums[1:]))

    def difference(signs, some):
        pairs = _pairs(rows.names, some)
        shape = (len(moving), len(some), signs.n_permutations)
        pooled = np.zeros((2, *shape))
        totals, n_defined = np.zeros((2, 2, *shape[1:]))
        for groups, places in _groups_of_a_size(rows.groups, signs.n_permutations):
            linear, even = group_coefficients(
                rows.human, rows.scores, standard, places, *pairs, moving[:, _KINDS], applied
            )
            i, j = np.triu_indices(places.shape[1], 1)
            units = rows.units[places]
            # To swap all rows is to swap the two metrics, and turns all signs: what is odd in the
            # signs of a pair of rows is opposite for the second metric, what is even the same.
            odd = linear @ signs.of(units, np.float32)
            both = even[..., 1:] @ signs.of_products(units[:, i], units[:, j], np.float32)
            both += even[..., :1]
            for metric, sums in enumerate((both + odd, both - odd)):
                if average == "pairs":
                    pooled[metric] += sums.sum(axis=0, dtype=np.float64).reshape(shape)
                    continue
                by_sum = sums.reshape(len(groups), *shape).swapaxes(0, 1).astype(np.float64)
                found = values(by_sum, counts[groups][:, None, None])
                totals[metric] += np.nansum(found, axis=0)
                n_defined[metric] += (~np.isnan(found)).sum(axis=0)
        if average == "pairs":
            return np.subtract(*(values(sums, counts.sum(axis=0)) for sums in pooled))
        return np.subtract(*ratio(totals, n_defined))

    return difference


def _pairs(names, some):
    """Return the first and the second metric of pairs by number."""
    return tuple(metrics[some] for metrics in np.triu_indices(len(names), 1))


def _groups_of_a_size(codes, n_permutations):
    """Yield the numbers of groups of one size, and their rows (n_groups, size), a few at once."""
    bounds = bounds_of_groups(codes)
    sizes = np.diff(bounds)
    for size in np.unique(sizes):
        groups = np.flatnonzero(sizes == size)
        at_once = max(1, _CELLS_AT_ONCE // (n_permutations * size * min(size, _LARGE)))
        for first in range(0, len(groups), at_once):
            some = groups[first : first + at_once]
            yield some, bounds[some][:, None] + np.arange(size)


def _counts(statistic, rows, threshold):
    """Count pairs of the first metric: sums that no swap changes are those of all metrics."""
    return counts_of_groups(
        rows.human, rows.scores[0], rows.groups, statistic.name, threshold=threshold
    )


def _pearson(rows, standard):
    """Return differences of Pearson's correlation."""
    from sklearn_mteval.metrics.significance.swapped_pairs import add_correlations

    def difference(signs, some):
        pairs = _pairs(rows.names, some)
        totals, n_defined = np.zeros((2, 2, len(some), signs.n_permutations))
        for _, places in _groups_of_a_size(rows.groups, signs.n_permutations):
            x = near_one(rows.human[places])
            varied = x.min(axis=1) < x.max(axis=1)
            places, x = places[varied], x[varied]
            if not len(places):
                continue
            x = (x.mean(axis=1, keepdims=True) - x)[:, None]
            sums = _sums_of_swapped(x, standard, pairs, rows.units[places], places, signs)
            xx = (x * x).sum(axis=(1, 2))
            add_correlations(places.shape[1], xx, *sums, _ROUNDING, totals, n_defined)
        return np.subtract(*ratio(totals, n_defined))

    return difference


def _differences(rows, standard):
    """Return differences of the correlation of differences, pooled over groups."""
    # As in _pearson. What n rows add to the sum of (v_i - v_j)² over pairs is n Σ v² - (Σ v)².
    human = near_one(rows.human)

    def difference(signs, some):
        pairs, shape = _pairs(rows.names, some), (2, len(some), signs.n_permutations)
        xx, xy, yy = 0.0, np.zeros(shape), np.zeros(shape)
        for _, places in _groups_of_a_size(rows.groups, signs.n_permutations):
            n, x = places.shape[1], human[places]
            x = x - x[:, :1]
            x = n * (x.mean(axis=1, keepdims=True) - x)[:, None]
            xx += (x * x).sum() / n
            of_places = rows.units[places], places, signs
            constant, linear = _sums_of_swapped(x, standard, pairs, *of_places)
            for metric, sign in enumerate((1, -1)):
                total, squares, product = constant[..., None] + sign * linear
                spread = n * squares - total * total
                spread[spread <= n * _ROUNDING * constant[1][..., None]] = 0
                xy[metric] += product.sum(axis=0)
                yy[metric] += spread.sum(axis=0)
        sums = np.stack([np.full(shape, xx), yy, xy], axis=-1)
        return np.subtract(*correlation_of_differences(sums))

    return difference


def _sums_of_swapped(x, standard, pairs, units, places, signs):
    """Return what swaps leave of the sums of v, v² and x v of groups, and what they change.

    With s and d half the sum and the difference of two metrics, and u the sign, they swap to
    v = s + u d and s - u d: as u² = 1, all these sums are linear in u. Returned are (3, n_groups,
    n_pairs), and (3, n_groups, n_pairs, n_permutations), which is the opposite for the second.
    """
    first, second = pairs
    group = standard[:, places].swapaxes(0, 1)
    s = (group[:, first] + group[:, second]) / 2
    d = (group[:, first] - group[:, second]) / 2
    s = s - s[..., :1]  # exactly zero where all are equal
    s = s - s.mean(axis=-1, keepdims=True)
    constant = np.stack([part.sum(axis=-1) for part in (s, s * s + d * d, s * x)])
    linear = signs.sums(np.concatenate([d, 2 * s * d, d * x], axis=1), units)
    return constant, linear.reshape(len(places), 3, len(first), -1).swapaxes(0, 1)


def _recomputed(statistic, rows, standard, average, threshold):
    """Return differences computed anew for each permutation: slow, any statistic."""
    options = {"average": average, "threshold": threshold}

    def value(scores):
        return statistic_of_rows(statistic, rows.human, scores, rows.groups, **options)

    def difference(signs, some):
        pairs = [standard[list(pair)] for pair in zip(*_pairs(rows.names, some), strict=True)]
        values = [
            [value(np.where(kept, a, b)) - value(np.where(kept, b, a)) for a, b in pairs]
            for block in signs.blocks()
            for kept in block.of(rows.units, np.int8).T > 0
        ]
        return np.array(values).T

    return difference
