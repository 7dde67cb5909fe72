"""Agreement between metrics and human judgements."""

from sklearn_mteval.metrics.accuracy import pairwise_accuracy
from sklearn_mteval.metrics.comparison import MetricComparison
from sklearn_mteval.metrics.correlation import pearson, spearman
from sklearn_mteval.metrics.intervals import agreement_interval, kendall_tau_interval
from sklearn_mteval.metrics.kendall import TauCounts, kendall_tau, kendall_tau_counts
from sklearn_mteval.metrics.multiple_comparisons import (
    corrected_p_values,
    holm,
    significance_clusters,
)
from sklearn_mteval.metrics.permutation import permutation_test

__all__ = [
    "MetricComparison",
    "TauCounts",
    "agreement_interval",
    "corrected_p_values",
    "holm",
    "kendall_tau",
    "kendall_tau_counts",
    "kendall_tau_interval",
    "pairwise_accuracy",
    "pearson",
    "permutation_test",
    "significance_clusters",
    "spearman",
]
