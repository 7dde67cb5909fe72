"""Confidence intervals by bootstrap over documents, or segments."""

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.order import content_order
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.metrics.core.agreement import statistic_of_rows, statistic_of_weights
from sklearn_mteval.metrics.core.aligned import aligned, warn_undefined
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.core.units import Bootstrap


def agreement_interval(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None,
    documents: ArrayLike | None = None, statistic: str = "wmt12", average: str = "pairs",
    threshold: float = 25.0, epsilon: float = 0.0, missing: str = "error", confidence: float = 0.95,
    n_resamples: int = 1000, random_state: Seed = 0
) -> tuple[float, float]:  # fmt: skip
    """Percentile bootstrap interval of any statistic of agreement, resampling whole documents.

    A document that is drawn twice counts as two. Of fewer than ten, the interval is Student's, by
    the jackknife. Neither the order of the rows nor names change a bit of the result.

    Parameters
    ----------
    y_true, y_score, groups, threshold, missing : see :func:`kendall_tau`
        The same.
    documents : array-like or Index of length n_rows, optional
        The document of each row, whose rows vary together; its segment, where documents are not
        known: segments of a document are then taken for independent, and intervals are too narrow
        if they are not. None takes each group as a document of its own.
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
        is one document.

    Examples
    --------
    >>> from sklearn_mteval.metrics import agreement_interval
    >>> low, high = agreement_interval([1, 2] * 50, [2, 1] * 45 + [1, 2] * 5,
    ...                                groups=[i // 2 for i in range(100)])
    >>> 0.5 < low < 0.8 < high <= 1
    True
    """
    if groups is None and documents is None:
        raise ValueError("documents must say what is resampled where all rows are one group.")
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    human, metric, codes, rows = aligned(y_true, y_score, groups, missing)
    labels = codes if documents is None else group_codes(documents, len(y_true))[rows]
    options = {"average": average, "threshold": threshold, "epsilon": epsilon}
    _, low, high = statistic_and_interval(
        statistic, human, metric, codes, labels, bootstrap, **options
    )
    if np.isnan(low):
        one = len(labels) and (labels == labels[0]).all()
        reason = "one document or segment does not vary" if one else STATISTICS[statistic].undefined
        warn_undefined(f"The interval of {statistic}", reason)
    return low, high


def statistic_and_interval(statistic, human, metric, groups, units, bootstrap, **options):
    """Compute a statistic and the bounds of its interval; ``units`` are codes >= 0 of rows."""
    order, groups, units = content_order(units, groups, human, metric)
    rows = human[order], metric[order], groups
    n_units = units.max(initial=-1) + 1
    of_weights = statistic_of_weights(statistic, *rows, units, n_units, **options)
    bounds = bootstrap.intervals([of_weights], n_units)[0]
    bounds = np.clip(bounds, *STATISTICS[statistic].bounds).tolist()
    return statistic_of_rows(statistic, *rows, **options), *bounds
