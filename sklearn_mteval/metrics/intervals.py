"""Confidence intervals by bootstrap over segments."""

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_random_state

from sklearn_mteval.candidates import group_codes
from sklearn_mteval.metrics.kendall import tau_terms

__all__ = ["kendall_tau_interval"]

_RESAMPLES_AT_ONCE = 100


def kendall_tau_interval(
    y_true,
    y_score,
    *,
    groups,
    segments=None,
    variant="wmt12",
    average="pairs",
    threshold=25.0,
    missing="error",
    confidence=0.95,
    n_resamples=2000,
    random_state=0,
):
    """Percentile bootstrap interval of Kendall's tau, resampling whole segments.

    Judgements of one segment are not independent, so segments are drawn, never pairs.
    Counts are resampled, not texts: the cost is that of one matrix product.

    Parameters
    ----------
    y_true, y_score, groups : see :func:`kendall_tau`
        The same.
    segments : array-like or Index of length n_rows, optional
        The segment of each row; None takes each group as a segment of its own.
    variant, average, threshold, missing : see :func:`kendall_tau`
        The same.
    confidence : float, default=0.95
        Coverage, between 0 and 1.
    n_resamples : int, default=2000
        Bootstrap samples.
    random_state : int, RandomState or None, default=0
        Seed of the draws.

    Returns
    -------
    low : float
        Lower bound of tau, in [-1, 1]; NaN, with a warning, if no pair counts.
    high : float
        Upper bound, likewise.

    Examples
    --------
    >>> from sklearn_mteval.metrics import kendall_tau_interval
    >>> low, high = kendall_tau_interval([1, 2] * 50, [2, 1] * 45 + [1, 2] * 5,
    ...                                  groups=[i // 2 for i in range(100)])
    >>> 0.5 < low < 0.8 < high <= 1
    True
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, found {confidence!r}.")
    numerator, denominator, rows = tau_terms(
        y_true,
        y_score,
        groups=groups,
        variant=variant,
        average=average,
        threshold=threshold,
        missing=missing,
    )
    if segments is not None:
        codes = group_codes(segments, len(y_true))[rows]
        numerator = np.bincount(codes, weights=numerator)
        denominator = np.bincount(codes, weights=denominator)
    counts = denominator > 0  # a segment without a pair that counts cannot move tau
    numerator, denominator = numerator[counts], denominator[counts]
    n_segments = len(numerator)
    if n_segments == 0:
        warnings.warn(
            f"Kendall's tau ({variant}) is undefined: no comparable pair counts.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return float("nan"), float("nan")
    rng = check_random_state(random_state)
    taus = np.empty(n_resamples)
    for first in range(0, n_resamples, _RESAMPLES_AT_ONCE):
        size = min(_RESAMPLES_AT_ONCE, n_resamples - first)
        drawn = rng.multinomial(n_segments, np.full(n_segments, 1 / n_segments), size=size)
        taus[first : first + size] = (drawn @ numerator) / (drawn @ denominator)
    tail = (1 - confidence) / 2
    low, high = np.quantile(taus, [tail, 1 - tail])
    return float(low), float(high)
