"""Paired bootstrap by document: intervals of the differences between metrics (Koehn 2004)."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.core.agreement import statistic_of_weights
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import (
    FEW_CLUSTERS,
    Bootstrap,
    jackknifed,
    left_out,
    percentile_interval,
    student_interval,
)
from sklearn_mteval.metrics.significance.comparison import (
    MetricComparison,
    compared_rows,
    comparison_of,
)
from sklearn_mteval.metrics.significance.permutation import epsilons_of

_ROUNDING = 1e-10  # values closer than this are equal


def paired_bootstrap(
    y_true: ArrayLike, scores: pd.DataFrame, *, groups: ArrayLike | None,
    documents: ArrayLike | None = None, statistic: str = "wmt12", average: str = "pairs",
    threshold: float = 25.0, epsilon: float = 0.0, missing: str = "error", n_resamples: int = 1000,
    confidence: float = 0.95, random_state: Seed = 0
) -> MetricComparison:  # fmt: skip
    """Compare metrics on the same bootstrap samples of documents.

    A document that is drawn twice counts as two. Each sample gives every metric a value.

    Parameters
    ----------
    y_true, scores, groups, statistic, average, threshold, missing : see :func:`permutation_test`
        The same.
    documents : see :func:`agreement_interval`
        What is resampled; with rankings as groups, or groups that cross segments, it must be given.
    epsilon : float, sequence of length n_metrics, or mapping of name to float, default=0.0
        Scores of a metric that differ by at most this tie.
    n_resamples, confidence, random_state : see :func:`agreement_interval`
        The same.

    Returns
    -------
    MetricComparison
        With percentile intervals of the differences in ``low`` and ``high``. Two-sided p is twice
        the proportion of defined samples in which the metric that is better more often is not,
        equal values counting half. Of fewer than ten documents intervals and p are Student's, by
        the jackknife. NaN, with a warning, if no sample is left, and for one document. A bootstrap
        does not simulate the null hypothesis: p can be 0, and tests by :func:`permutation_test`
        have more power (Deutsch, Dror and Roth 2021).

    References
    ----------
    Koehn 2004, "Statistical significance tests for machine translation evaluation", section 4.

    Examples
    --------
    >>> from sklearn_mteval.metrics import paired_bootstrap
    >>> scores = {"good": [2, 1] * 12, "bad": [2, 1, 1] * 8}
    >>> found = paired_bootstrap([1, 2] * 12, scores, groups=[k // 2 for k in range(24)])
    >>> bool(0 < found.low[0, 1] < found.differences[0, 1] < found.high[0, 1] < 2)
    True
    """
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    units = groups if documents is None else documents
    if units is None:
        raise ValueError("documents must say what is resampled where all rows are one group.")
    rows = compared_rows(y_true, scores, groups, units, missing)
    n_units = rows.units.max(initial=-1) + 1
    shared = rows.groups, rows.units, n_units
    options = {"average": average, "threshold": threshold}
    statistics = [
        statistic_of_weights(statistic, rows.human, metric, *shared, epsilon=tie, **options)
        for metric, tie in zip(rows.scores, epsilons_of(epsilon, rows.names), strict=True)
    ]
    values = left_out(statistics, n_units)[:, 0]
    pairs = np.triu_indices(len(values), 1)
    if 1 < n_units < FEW_CLUSTERS:
        p_values, bounds = _by_jackknife(left_out(statistics, n_units), pairs, confidence)
    else:
        p_values, bounds = _by_bootstrap(bootstrap.samples(statistics, n_units), pairs, confidence)
    low, high = np.full((2, len(values), len(values)), np.nan)
    low[pairs], high[pairs] = bounds.T
    low.T[pairs], high.T[pairs] = -bounds.T[::-1]
    given = {"n_resamples": n_resamples, "low": low, "high": high}
    return comparison_of(rows.names, values, p_values, p_values, **given)


def _by_bootstrap(samples, pairs, confidence):
    """Return two-sided p and percentiles of differences in samples (n_metrics, n_resamples)."""
    differences = samples[pairs[0]] - samples[pairs[1]]
    equal, less = np.abs(differences) <= _ROUNDING, differences < -_ROUNDING
    n_defined = (~np.isnan(differences)).sum(axis=1)
    worse = ratio(less.sum(axis=1) + equal.sum(axis=1) / 2, n_defined)
    return 2 * np.minimum(worse, 1 - worse), percentile_interval(differences, confidence)


def _by_jackknife(values, pairs, confidence):
    """Return two-sided p and Student's intervals of differences, of ``left_out``."""
    from scipy import stats  # slow to load

    degrees = values.shape[1] - 2
    differences, errors = jackknifed(values[pairs[0]] - values[pairs[1]])
    t = np.abs(differences) / np.maximum(errors, _ROUNDING)
    # As few units have so many exchanges, of which the observed one and its opposite are two.
    p_values = np.maximum(2 * stats.t.sf(t, degrees), 2.0**-degrees)
    p_values = np.where(np.abs(differences) <= _ROUNDING, 1.0, p_values)
    return p_values, student_interval(differences, errors, degrees, confidence)
