"""One figure of agreement, by name: of the rows as they are, or of segments drawn again.

Everything that compares metrics asks here. A figure of rows is one number. Intervals and
paired tests draw segments with replacement and need the same figure thousands of times: what
it is made of is therefore added up once for each segment, and a draw is a row of weights, how
often each segment was drawn.
"""

from numbers import Real

import numpy as np

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.metrics.core.correlations import (
    add_up,
    check_finite,
    correlations,
    moments,
    pearson_of_sums,
)
from sklearn_mteval.metrics.core.judgements import bounds_of_groups
from sklearn_mteval.metrics.core.ranked_lists import qualities_of_groups
from sklearn_mteval.metrics.core.statistics import COUNTED, STATISTICS, figure_of_counts

__all__ = [
    "AVERAGES",
    "STATISTICS",
    "counts_of_groups",
    "figure_of_rows",
    "figure_of_weights",
]

_CORRELATIONS = ("pearson", "spearman")

AVERAGES = ("pairs", "segments")


def counts_of_groups(human, metric, groups, statistic, *, threshold=25.0, epsilon=0.0):
    """Count the kinds of pairs of each group.

    Parameters
    ----------
    human : ndarray of shape (n_rows,)
        Judgement, lower is better; no NaN.
    metric : ndarray of shape (n_rows,)
        Score, higher is better; no NaN.
    groups : ndarray of shape (n_rows,), int64
        Not decreasing.
    statistic : str
        Only "darr" applies the threshold.
    threshold : float, default=25.0
        Human differences below it count as ties.
    epsilon : float, default=0.0
        Metric differences up to it count as ties.

    Returns
    -------
    ndarray of shape (n_groups, 5), int64
        Columns as in TauCounts.
    """
    for name, value in (("threshold", threshold), ("epsilon", epsilon)):
        if not isinstance(value, Real) or not value >= 0:
            raise ValueError(f"{name} must be a number >= 0, found {value!r}.")
    from sklearn_mteval.metrics.core.pair_counts import count_pairs

    applied = float(threshold) if statistic == "darr" else 0.0
    return count_pairs(human, metric, bounds_of_groups(groups), applied, float(epsilon))


def figure_of_rows(
    statistic, human, metric, groups, *, average="pairs", threshold=25.0, epsilon=0.0
):
    """Compute a figure of agreement.

    Parameters
    ----------
    statistic : str
        One of ``STATISTICS``.
    human, metric, groups : ndarray of shape (n_rows,)
        As :func:`sklearn_mteval.metrics.core.judgements.aligned` returns them.
    average : {"pairs", "segments"}, default="pairs"
        Of counts of pairs: pool all groups, or take the mean over groups. Correlations and
        the quality of rankings are always means over groups.
    threshold, epsilon : float
        See :func:`counts_of_groups`.

    Returns
    -------
    float
        Higher is better; NaN where undefined. Groups for which it is undefined are left out
        of means.
    """
    check_one_of("statistic", statistic, STATISTICS)
    check_one_of("average", average, AVERAGES)
    if statistic not in COUNTED:
        values = _uncounted(statistic, human, metric, groups)
    else:
        counts = counts_of_groups(
            human, metric, groups, statistic, threshold=threshold, epsilon=epsilon
        )
        values = _values_of_groups(statistic, counts, human, metric, groups, average)
    # Sorted, so that not even the last bit of the sum depends on the order of the groups.
    values = np.sort(values[~np.isnan(values)])
    return float(values.mean()) if len(values) else float("nan")


def figure_of_weights(
    statistic,
    human,
    metric,
    groups,
    segments,
    n_segments,
    *,
    average="pairs",
    threshold=25.0,
    epsilon=0.0,
):
    """Return the figure as a function of how often each segment is drawn.

    A segment that is drawn twice counts as two: pairs of its two copies are formed only where
    pairs of different segments are (``groups`` of whole systems, or one group).

    Parameters
    ----------
    statistic, human, metric, groups : see :func:`figure_of_rows`
        The same.
    segments : ndarray of shape (n_rows,), int64
        The segment of each row, from 0 to n_segments - 1.
    n_segments : int
        How many there are; some may have no row.
    average, threshold, epsilon : see :func:`figure_of_rows`
        The same.

    Returns
    -------
    callable
        From weights, an ndarray of shape (n_draws, n_segments) of whole numbers >= 0, to an
        ndarray of shape (n_draws,). Weights of one give the figure of the rows.
    """
    check_one_of("statistic", statistic, STATISTICS)
    check_one_of("average", average, AVERAGES)
    first = bounds_of_groups(groups)[:-1]
    n_groups = len(first)
    numbers = np.repeat(np.arange(n_groups), np.diff(first, append=len(groups)))
    within = bool((segments == segments[first][numbers]).all())
    if within and statistic not in COUNTED:
        values = _uncounted(statistic, human, metric, groups)
        return _mean_of_groups(values, segments[first], n_segments)
    if within:
        counts = counts_of_groups(
            human, metric, groups, statistic, threshold=threshold, epsilon=epsilon
        )
        if average == "pairs" and statistic != "tau-c":
            sums = add_up(counts, segments[first], n_segments)
            return lambda weights: figure_of_counts(weights @ sums, statistic)
        values = _values_of_groups(statistic, counts, human, metric, groups, average)
        return _mean_of_groups(values, segments[first], n_segments)
    if statistic == "pearson":
        check_finite(metric)
        return _pearson_of_weights(human, metric, numbers, n_groups, segments, n_segments)
    options = {"average": average, "threshold": threshold, "epsilon": epsilon}
    return _recomputed(statistic, human, metric, groups, segments, n_segments, options)


def _uncounted(statistic, human, metric, groups):
    """Compute one value for each group, where it is not made of counts of pairs."""
    of_groups = correlations if statistic in _CORRELATIONS else qualities_of_groups
    return of_groups(statistic, human, metric, groups)


def _recomputed(statistic, human, metric, groups, segments, n_segments, options):
    """Return the figure of weights that puts a table together for each draw."""
    by_segment = np.argsort(segments, kind="stable")
    sizes = np.bincount(segments, minlength=n_segments)

    def of_draws(weights):
        values = np.empty(len(weights))
        for k, drawn in enumerate(weights.astype(np.int64)):
            rows = np.repeat(by_segment, np.repeat(drawn, sizes))
            rows = rows[np.argsort(groups[rows], kind="stable")]
            values[k] = figure_of_rows(
                statistic, human[rows], metric[rows], groups[rows], **options
            )
        return values

    return of_draws


def _pearson_of_weights(human, metric, groups, n_groups, segments, n_segments):
    """Return the mean over groups of Pearson's correlation, groups crossing segments."""
    codes = segments * n_groups + groups
    rows = moments(human, metric, groups, n_groups)
    sums = add_up(rows, codes, n_segments * n_groups).reshape(n_segments, -1)

    def mean(weights):
        values = pearson_of_sums((weights @ sums).reshape(len(weights), n_groups, 6))
        defined = ~np.isnan(values)
        total, count = np.where(defined, values, 0).sum(axis=1), defined.sum(axis=1)
        return np.divide(total, count, where=count > 0, out=np.full(len(weights), np.nan))

    return mean


def _values_of_groups(statistic, counts, human, metric, groups, average):
    """Compute a counted figure: one value for the pool, or one for each group."""
    if statistic == "tau-c":
        if average == "pairs" and len(counts) > 1:
            raise ValueError(
                f"tau-c has no pooled form, and there are {len(counts)} groups: pass "
                "average='segments' for the mean over groups, or take all rows as one group."
            )
        return figure_of_counts(counts, statistic, **_sizes(human, metric, groups))
    if average == "pairs":
        counts = counts.sum(axis=0, keepdims=True)
    return figure_of_counts(counts, statistic)


def _sizes(human, metric, groups):
    """Return each group's rows and its fewest different values, for tau-c."""
    bounds = bounds_of_groups(groups)
    classes = []
    for values in (human, metric):
        order = np.lexsort((values, groups))
        new = np.diff(groups, prepend=-1) > 0
        new[1:] |= values[order][1:] != values[order][:-1]
        classes.append(np.add.reduceat(new, bounds[:-1], dtype=np.int64))
    return {"rows": np.diff(bounds), "classes": np.minimum(*classes)}


def _mean_of_groups(values, segments, n_segments):
    """Return the mean over groups as a function of the weights of segments."""
    defined = ~np.isnan(values)
    terms = np.column_stack([np.where(defined, values, 0.0), defined])
    sums = add_up(terms, segments, n_segments)

    def mean(weights):
        total, count = (weights @ sums).T
        return np.divide(total, count, where=count > 0, out=np.full(len(weights), np.nan))

    return mean
