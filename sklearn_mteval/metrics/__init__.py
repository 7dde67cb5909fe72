"""Agreement between metrics and human judgements."""

from sklearn_mteval.metrics.accuracy import pairwise_accuracy
from sklearn_mteval.metrics.comparison import MetricComparison
from sklearn_mteval.metrics.correlation import pearson, spearman
from sklearn_mteval.metrics.human_systems import (
    WinCounts,
    bradley_terry_scores,
    expected_wins,
    human_system_scores,
    win_counts,
)
from sklearn_mteval.metrics.intervals import agreement_interval, kendall_tau_interval
from sklearn_mteval.metrics.kendall import TauCounts, kendall_tau, kendall_tau_counts
from sklearn_mteval.metrics.multiple_comparisons import (
    corrected_p_values,
    holm,
    significance_clusters,
)
from sklearn_mteval.metrics.paired_bootstrap import paired_bootstrap
from sklearn_mteval.metrics.permutation import permutation_test
from sklearn_mteval.metrics.score_tables import score_table, system_scores
from sklearn_mteval.metrics.soft_accuracy import pairwise_p_values, soft_pairwise_accuracy
from sklearn_mteval.metrics.system_clusters import system_clusters, trueskill_scores
from sklearn_mteval.metrics.system_intervals import system_agreement_interval
from sklearn_mteval.metrics.system_permutation import system_permutation_test
from sklearn_mteval.metrics.systems import system_agreement
from sklearn_mteval.metrics.ties import TieCalibration, calibrate_ties
from sklearn_mteval.metrics.williams import williams_comparison, williams_test

__all__ = [
    "MetricComparison",
    "TauCounts",
    "TieCalibration",
    "WinCounts",
    "agreement_interval",
    "bradley_terry_scores",
    "calibrate_ties",
    "corrected_p_values",
    "expected_wins",
    "holm",
    "human_system_scores",
    "kendall_tau",
    "kendall_tau_counts",
    "kendall_tau_interval",
    "paired_bootstrap",
    "pairwise_accuracy",
    "pairwise_p_values",
    "pearson",
    "permutation_test",
    "score_table",
    "significance_clusters",
    "soft_pairwise_accuracy",
    "spearman",
    "system_agreement",
    "system_agreement_interval",
    "system_clusters",
    "system_permutation_test",
    "system_scores",
    "trueskill_scores",
    "williams_comparison",
    "williams_test",
    "win_counts",
]
