"""One statistic of agreement, by name: of the rows as they are, or of resampled units.

What a statistic is made of is added up once for each unit, a segment or a document: a resample is a
row of weights, how often each unit is in it.
"""

import math
from numbers import Real

import numpy as np

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.metrics.core.aligned import aligned, bounds_of_groups, warn_undefined
from sklearn_mteval.metrics.core.correlations import add_up, check_finite, moments, pearson_of_sums
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.statistics import AVERAGES, STATISTICS


def agreement(statistic, y_true, y_score, groups, missing, **options):
    """Compute a statistic of what a user gave, for a public function, with a warning for NaN."""
    human, metric, codes, _ = aligned(y_true, y_score, groups, missing)
    value = statistic_of_rows(statistic, human, metric, codes, **options)
    if np.isnan(value):
        chosen = STATISTICS[statistic]
        warn_undefined(chosen.label, chosen.undefined, stacklevel=4)
    return value


def counts_of_groups(human, metric, groups, statistic, *, threshold=25.0, epsilon=0.0):
    """Count the kinds of pairs of each group, (n_groups, 5) in the order of TauCounts."""
    for name, value in (("threshold", threshold), ("epsilon", epsilon)):
        if not isinstance(value, Real) or not value >= 0:
            raise ValueError(f"{name} must be a number >= 0, found {value!r}.")
    from sklearn_mteval.metrics.core.pair_counts import count_pairs

    applied = float(threshold) if STATISTICS[statistic].threshold else 0.0
    return count_pairs(human, metric, bounds_of_groups(groups), applied, float(epsilon))


def statistic_of_rows(statistic, human, metric, groups, **options):
    """Compute a statistic, of pooled pairs or as the mean over groups that define it; or NaN."""
    values = _values_of_groups(statistic, human, metric, groups, **options)
    # Sorted, so that not even the last bit of the sum depends on the order of the groups.
    values = np.sort(values[~np.isnan(values)])
    return float(values.mean()) if len(values) else float("nan")


def statistic_of_weights(
    statistic, human, metric, groups, units, n_units, *, average="pairs", **limits
):
    """Return the statistic as a function of how often units are resampled, copies being apart."""
    rows = human, metric, groups, units, n_units
    found = sums_of_units(statistic, *rows, average=average, **limits)
    if found is not None:
        sums, of_sums = found
        return lambda weights: of_sums(weights @ sums)
    if statistic == "pearson":  # of sums, too
        check_finite(metric)
        return _pearson_of_weights(human, metric, groups, units, n_units)
    return _recomputed(statistic, *rows, {"average": average, **limits})


def sums_of_units(
    statistic, human, metric, groups, units, n_units, *, average="pairs", **limits
):  # fmt: skip
    """Return sums of units, and the statistic of sums; None where a group is of several."""
    check_one_of("statistic", statistic, STATISTICS)
    check_one_of("average", average, AVERAGES)
    first = bounds_of_groups(groups)[:-1]
    of_group = units[first]
    if (units != np.repeat(of_group, np.diff(first, append=len(groups)))).any():
        return None
    chosen = STATISTICS[statistic]
    if average == "pairs" and chosen.pooled:
        if chosen.counted:
            added = counts_of_groups(human, metric, groups, statistic, **limits)
            return add_up(added, of_group, n_units), chosen.of_counts
        return add_up(
            chosen.sums_of_groups(human, metric, groups), of_group, n_units
        ), chosen.of_sums
    values = _values_of_groups(statistic, human, metric, groups, average=average, **limits)
    defined = ~np.isnan(values)
    terms = np.column_stack([np.where(defined, values, 0.0), defined])
    return add_up(terms, of_group, n_units), lambda sums: ratio(sums[..., 0], sums[..., 1])


def _values_of_groups(statistic, human, metric, groups, *, average="pairs", **limits):
    """Compute one value for the pool, or one for each group; NaN where undefined."""
    check_one_of("statistic", statistic, STATISTICS)
    check_one_of("average", average, AVERAGES)
    chosen = STATISTICS[statistic]
    if chosen.of_sums is not None:
        sums = chosen.sums_of_groups(human, metric, groups)
        if average == "pairs":  # fsum, so that the order of the groups changes no bit
            sums = np.array([[math.fsum(column) for column in sums.T]])
        return chosen.of_sums(sums)
    if not chosen.counted:
        return chosen.of_groups(human, metric, groups)
    counts = counts_of_groups(human, metric, groups, statistic, **limits)
    if not chosen.pooled:
        if average == "pairs" and len(counts) > 1:
            raise ValueError(
                f"{statistic} has no pooled form, and there are {len(counts)} groups: pass "
                "average='groups' for the mean over groups, or take all rows as one group."
            )
        return chosen.of_counts(counts, *_sizes(human, metric, groups))
    return chosen.of_counts(counts.sum(axis=0, keepdims=True) if average == "pairs" else counts)


def _sizes(human, metric, groups):
    """Return each group's rows and its fewest different values, for tau-c."""
    bounds = bounds_of_groups(groups)
    classes = []
    for values in (human, metric):
        order = np.lexsort((values, groups))
        new = np.diff(groups, prepend=-1) > 0
        new[1:] |= values[order][1:] != values[order][:-1]
        classes.append(np.add.reduceat(new, bounds[:-1], dtype=np.int64))
    return np.diff(bounds), np.minimum(*classes)


def _pearson_of_weights(human, metric, groups, units, n_units):
    """Return the mean over groups of Pearson's correlation, groups crossing units."""
    groups = np.cumsum(np.diff(groups, prepend=groups[:1]) > 0)
    n_groups = groups.max(initial=-1) + 1
    codes = units * n_groups + groups
    rows = moments(human, metric, groups, n_groups)
    sums = add_up(rows, codes, n_units * n_groups).reshape(n_units, -1)

    def mean(weights):
        values = pearson_of_sums((weights @ sums).reshape(len(weights), n_groups, 6))
        defined = ~np.isnan(values)
        return ratio(np.where(defined, values, 0).sum(axis=1), defined.sum(axis=1))

    return mean


def _recomputed(statistic, human, metric, groups, units, n_units, options):
    """Return the statistic of weights that puts a table together for each resample."""
    by_unit = np.argsort(units, kind="stable")
    sizes = np.bincount(units, minlength=n_units)

    def of_weights(weights):
        values = np.empty(len(weights))
        for k, times in enumerate(weights.astype(np.int64)):
            rows = np.repeat(by_unit, np.repeat(times, sizes))
            rows = rows[np.argsort(groups[rows], kind="stable")]
            values[k] = statistic_of_rows(
                statistic, human[rows], metric[rows], groups[rows], **options
            )
        return values

    return of_weights
