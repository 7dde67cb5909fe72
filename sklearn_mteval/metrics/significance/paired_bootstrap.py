"""Paired bootstrap by segment: intervals of the differences between metrics (Koehn 2004)."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.core.agreement import statistic_of_weights
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import Bootstrap, percentile_interval
from sklearn_mteval.metrics.significance.comparison import (
    MetricComparison,
    compared_rows,
    comparison_of,
)
from sklearn_mteval.metrics.significance.permutation import epsilons_of

_ROUNDING = 1e-10  # values closer than this are equal


def paired_bootstrap(
    y_true: ArrayLike, scores: pd.DataFrame, *, groups: ArrayLike | None,
    segments: ArrayLike | None = None, statistic: str = "wmt12", average: str = "pairs",
    threshold: float = 25.0, epsilon: float = 0.0, missing: str = "error", n_resamples: int = 1000,
    confidence: float = 0.95, random_state: Seed = 0
) -> MetricComparison:  # fmt: skip
    """Compare metrics on the same bootstrap samples of segments.

    A segment that is drawn twice counts as two. Each sample gives every metric a value.

    Parameters
    ----------
    y_true, scores, groups, statistic, average, threshold, missing : see :func:`permutation_test`
        The same.
    segments : array-like or Index of length n_rows, or None
        What is resampled. None takes the groups for segments; with rankings as groups, or groups
        that cross segments, it must be given.
    epsilon : float, sequence of length n_metrics, or mapping of name to float, default=0.0
        Scores of a metric that differ by at most this tie.
    n_resamples, confidence, random_state : see :func:`agreement_interval`
        The same.

    Returns
    -------
    MetricComparison
        With percentile intervals of the differences in ``low`` and ``high``. p [i, j] is the
        proportion of defined samples in which i is not better than j, equal values counting half.
        NaN, with a warning, if none is left, and for one segment. A bootstrap does not simulate the
        null hypothesis: p can be 0, and tests by :func:`permutation_test` have more power (Deutsch,
        Dror and Roth 2021).

    References
    ----------
    Koehn 2004, "Statistical significance tests for machine translation evaluation", section 4.

    Examples
    --------
    >>> from sklearn_mteval.metrics import paired_bootstrap
    >>> scores = {"good": [2, 1] * 9, "bad": [2, 1, 1] * 6}
    >>> found = paired_bootstrap([1, 2] * 9, scores, groups=[k // 2 for k in range(18)])
    >>> bool(0 < found.low[0, 1] < found.differences[0, 1] < found.high[0, 1] < 2)
    True
    """
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    units = groups if segments is None else segments
    if units is None:
        raise ValueError("segments must say what is resampled where all rows are one group.")
    rows = compared_rows(y_true, scores, groups, [units], missing)
    n_segments = rows.units.max(initial=-1) + 1
    shared = rows.groups, rows.units, n_segments
    options = {"average": average, "threshold": threshold}
    statistics = [
        statistic_of_weights(statistic, rows.human, metric, *shared, epsilon=tie, **options)
        for metric, tie in zip(rows.scores, epsilons_of(epsilon, rows.names), strict=True)
    ]
    values = np.array([of_weights(np.ones((1, n_segments)))[0] for of_weights in statistics])
    samples = bootstrap.samples(statistics, n_segments)
    first, second = np.triu_indices(len(values), 1)
    differences = samples[first] - samples[second]
    defined = ~np.isnan(differences)
    equal, less = np.abs(differences) <= _ROUNDING, differences < -_ROUNDING
    n_defined = defined.sum(axis=1)
    forward = ratio(less.sum(axis=1) + equal.sum(axis=1) / 2, n_defined)
    low, high = np.full((2, len(values), len(values)), np.nan)
    bounds = percentile_interval(differences, confidence)
    low[first, second], high[first, second] = bounds.T
    low[second, first], high[second, first] = -bounds.T[::-1]
    return comparison_of(
        rows.names, values, forward, 1 - forward, n_resamples=n_resamples, low=low, high=high
    )
