"""Confidence intervals by bootstrap over segments."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_draws, check_proportion
from sklearn_mteval._helpers.order import content_order
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.metrics.core.agreement import statistic_of_rows, statistic_of_weights
from sklearn_mteval.metrics.core.aligned import aligned, warn_undefined
from sklearn_mteval.metrics.core.statistics import STATISTICS

_RESAMPLES_AT_ONCE = 100


def agreement_interval(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None,
    segments: ArrayLike | None = None, statistic: str = "wmt12", average: str = "pairs",
    threshold: float = 25.0, epsilon: float = 0.0, missing: str = "error", confidence: float = 0.95,
    n_resamples: int = 1000, random_state: Seed = 0
) -> tuple[float, float]:  # fmt: skip
    """Percentile bootstrap interval of any statistic of agreement, resampling whole segments.

    Judgements of one segment are not independent, so segments are resampled, never pairs; one that
    is drawn twice counts as two. Sums are resampled, not texts. Neither the order of the rows
    nor the names of segments change a bit of the result.

    Parameters
    ----------
    y_true, y_score, groups, threshold, missing : see :func:`kendall_tau`
        The same.
    segments : array-like or Index of length n_rows, optional
        The segment of each row; None takes each group as a segment of its own.
    statistic : str, default="wmt12"
        A variant of :func:`kendall_tau`, or "acc_eq", "pearson", "pdp" (pairwise difference
        Pearson), "spearman", "ndcg", "mrr", "err", "best_system_rate"; all are in
        ``sklearn_mteval.metrics.core.statistics.STATISTICS``.
    average : {"pairs", "groups"}, default="pairs"
        Pool the pairs of all groups, or take the mean over groups, as :func:`pairwise_accuracy`
        does by default; correlations but "pdp" and the quality of rankings are always means.
    epsilon : float, default=0.0
        Scores that differ by at most this tie.
    confidence : float, default=0.95
        Coverage, between 0 and 1.
    n_resamples : int, default=1000
        Bootstrap samples.
    random_state : int, RandomState or None, default=0
        Seed.

    Returns
    -------
    tuple of float
        Bounds, the lower one first; NaN, with a warning, if the statistic is undefined or there
        is one segment.

    Examples
    --------
    >>> from sklearn_mteval.metrics import agreement_interval
    >>> low, high = agreement_interval([1, 2] * 50, [2, 1] * 45 + [1, 2] * 5,
    ...                                groups=[i // 2 for i in range(100)])
    >>> 0.5 < low < 0.8 < high <= 1
    True
    """
    if groups is None and segments is None:
        raise ValueError("segments must say what is resampled where all rows are one group.")
    human, metric, codes, rows = aligned(y_true, y_score, groups, missing)
    labels = codes if segments is None else group_codes(segments, len(y_true))[rows]
    options = {"average": average, "threshold": threshold, "epsilon": epsilon}
    drawn = {"confidence": confidence, "n_resamples": n_resamples, "random_state": random_state}
    _, low, high = statistic_and_interval(
        statistic, human, metric, codes, labels, **drawn, **options
    )
    if np.isnan(low):
        one = len(labels) and (labels == labels[0]).all()
        reason = "one segment does not vary" if one else STATISTICS[statistic].undefined
        warn_undefined(f"The interval of {statistic}", reason)
    return low, high


def statistic_and_interval(
    statistic, human, metric, groups, segments, *, confidence, n_resamples, random_state, **options
):
    """Compute a statistic and the bounds of its interval; NaN where undefined.

    ``segments`` (n_rows,) are codes >= 0; options are those of :func:`statistic_of_weights`.
    """
    order, groups, segments = content_order(segments, groups, human, metric)
    rows = human[order], metric[order], groups
    n_segments = segments.max(initial=-1) + 1
    of_weights = statistic_of_weights(statistic, *rows, segments, n_segments, **options)
    drawn = {"confidence": confidence, "n_resamples": n_resamples, "random_state": random_state}
    bounds = bootstrap_interval(of_weights, n_segments, **drawn)
    return statistic_of_rows(statistic, *rows, **options), *bounds


def bootstrap_statistics(statistics, n_segments, *, n_resamples, random_state):
    """Compute statistics of the same bootstrap samples of segments, (n_statistics, n_resamples).

    Each is a function from weights (n_resamples, n_segments) to values (n_resamples,). NaN where a
    sample leaves it undefined, and everywhere for fewer than two segments: one that is drawn again
    and again does not vary, which says nothing of others.
    """
    check_draws("n_resamples", n_resamples)
    if n_segments < 2:
        return np.full((len(statistics), n_resamples), np.nan)
    weights = resamples(n_segments, n_resamples, check_random_state(random_state))
    return np.hstack([[of_weights(block) for of_weights in statistics] for block in weights])


def resamples(n_segments, n_resamples, rng):
    """Yield bootstrap samples in blocks (n_block, n_segments): how often each segment is taken."""
    with working("resampling", n_resamples, "samples") as step:
        for first in range(0, n_resamples, _RESAMPLES_AT_ONCE):
            size = min(_RESAMPLES_AT_ONCE, n_resamples - first)
            weights = rng.multinomial(n_segments, np.full(n_segments, 1 / n_segments), size=size)
            yield weights.astype(np.float64)
            step.advance(size)


def bootstrap_interval(of_weights, n_segments, *, confidence, **options):
    """Return the bounds of one statistic's interval; options of :func:`bootstrap_statistics`."""
    check_proportion("confidence", confidence)
    low, high = percentile_interval(
        bootstrap_statistics([of_weights], n_segments, **options), confidence
    )[0]
    return float(low), float(high)


def interval_of_sums(of_sums, sums, **options):
    """Percentile bootstrap interval of a function of sums over segments (n_segments, k).

    Segments with equal sums can be exchanged, so sorting by them is all that is needed for samples
    that depend on no names. Options of :func:`bootstrap_interval`.
    """
    sums = sums[np.lexsort(sums.T)]
    return bootstrap_interval(lambda weights: of_sums(weights @ sums), len(sums), **options)


def percentile_interval(values, confidence):
    """Return lower and upper bounds (n_statistics, 2) of bootstrap values, NaN left out."""
    tail = (1 - confidence) / 2
    bounds = np.full((len(values), 2), np.nan)
    for k, row in enumerate(values):
        row = row[~np.isnan(row)]
        if len(row):
            bounds[k] = np.quantile(row, [tail, 1 - tail])
    return bounds
