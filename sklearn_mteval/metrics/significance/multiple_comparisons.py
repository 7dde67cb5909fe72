"""Many metrics at once: Holm's correction, and clusters of metrics that cannot be told apart."""

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_number, check_one_of
from sklearn_mteval.metrics.significance.comparison import MetricComparison
from sklearn_mteval.metrics.significance.ranks import RANKS


def holm(p_values: ArrayLike) -> np.ndarray:
    """Correct p-values of several tests for their number, by Holm's step-down method.

    The k-th smallest of m is multiplied by m - k + 1, and none is smaller than the one before.
    The chance of even one false discovery then stays below the level at which they are read.

    Parameters
    ----------
    p_values : array-like of any shape
        In [0, 1], else a ValueError; NaN is no test and stays.

    Returns
    -------
    ndarray of the same shape
        Corrected, in [0, 1].

    References
    ----------
    Holm 1979.

    Examples
    --------
    >>> from sklearn_mteval.metrics import holm
    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    tested = ~np.isnan(p_values)
    p = p_values[tested]
    if ((p < 0) | (p > 1)).any():
        raise ValueError(f"p-values lie between 0 and 1, found {p[(p < 0) | (p > 1)][0]!r}.")
    order = np.argsort(p, kind="stable")
    p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    corrected = np.full(p_values.shape, np.nan)
    corrected[tested] = p
    return corrected


def corrected_p_values(comparison: MetricComparison) -> np.ndarray:
    """Correct the p-values of a comparison of metrics by Holm's method.

    The family has one test for each unordered pair of metrics.

    Parameters
    ----------
    comparison : MetricComparison
        Of n_metrics metrics.

    Returns
    -------
    ndarray of shape (n_metrics, n_metrics)
        Corrected where [i, j] has the higher value first; of equal values, the one given first.
        NaN elsewhere.

    Examples
    --------
    >>> from sklearn_mteval.metrics import corrected_p_values, permutation_test
    >>> found = permutation_test([1, 2, 3], {"A": [3, 2, 1], "B": [1, 3, 2]}, groups=None)
    >>> corrected_p_values(found)
    array([[nan, 0.5],
           [nan, nan]])
    """
    differences = comparison.differences
    earlier = np.triu(np.ones(differences.shape, dtype=bool), 1)
    observed = (differences > 0) | ((differences == 0) & earlier)
    return holm(np.where(observed, comparison.p_values, np.nan))


def significance_clusters(
    comparison: MetricComparison, *, alpha: float = 0.05, correction: str | None = "holm",
    ranks: str = "metrics-task"
) -> list[list[str]]:  # fmt: skip
    """Sort metrics into clusters, numbered as ranks, of those that cannot be told apart.

    Parameters
    ----------
    comparison : MetricComparison
        From a permutation test or a paired bootstrap.
    alpha : float, default=0.05
        Level of significance: p at most this.
    correction : {"holm", None}, default="holm"
        For the number of pairs of metrics; see :func:`corrected_p_values`.
    ranks : {"metrics-task", "clusters"}, default="metrics-task"
        Where a new cluster begins. "metrics-task": at the first metric that any metric of the
        cluster is significantly better than, as the WMT metrics tasks rank metrics since 2022;
        metrics of equal value are in one cluster. "clusters": where every metric above is
        significantly better than every metric below, as the WMT campaigns cluster systems.

    Returns
    -------
    list of list of str
        Names of the metrics of each cluster, best first; a metric whose value is NaN is in none.

    References
    ----------
    Freitag et al. 2022, and mt-metrics-eval's ``AssignRanks``; Bojar et al. 2016, section 3.

    Examples
    --------
    >>> from sklearn_mteval.metrics import permutation_test, significance_clusters
    >>> scores = {"good": [6, 5, 4, 3, 2, 1], "bad": [3, 5, 1, 6, 2, 4]}
    >>> found = permutation_test([1, 2, 3, 4, 5, 6], scores, groups=None)
    >>> significance_clusters(found), significance_clusters(found, alpha=0.2)
    ([['good', 'bad']], [['good'], ['bad']])
    """
    check_number("alpha", alpha, above=0, maximum=1)
    check_one_of("correction", correction, ("holm", None))
    check_one_of("ranks", ranks, RANKS)
    p_values = corrected_p_values(comparison) if correction else comparison.p_values
    order = np.argsort(-comparison.values, kind="stable")
    order = order[~np.isnan(comparison.values[order])]
    better, clusters = p_values[np.ix_(order, order)] <= alpha, []
    numbers = RANKS[ranks].number(better, comparison.values[order])
    for metric, number in zip(order, numbers, strict=True):
        if number > len(clusters):
            clusters.append([])
        clusters[-1].append(comparison.names[metric])
    return clusters
