"""Agreement between metrics and human judgements."""

from sklearn_mteval.metrics.accuracy import pairwise_accuracy
from sklearn_mteval.metrics.annotators import AnnotatorAgreement, annotator_agreement
from sklearn_mteval.metrics.ceiling import (
    AgreementCeiling,
    Contradictions,
    agreement_ceiling,
    contradictions,
)
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
from sklearn_mteval.metrics.ranking_quality import best_system_rate, err, mrr, ndcg
from sklearn_mteval.metrics.score_tables import score_table, system_scores
from sklearn_mteval.metrics.soft_accuracy import pairwise_p_values, soft_pairwise_accuracy
from sklearn_mteval.metrics.system_clusters import system_clusters, trueskill_scores
from sklearn_mteval.metrics.system_intervals import system_agreement_interval
from sklearn_mteval.metrics.systems import system_agreement
from sklearn_mteval.metrics.ties import TieCalibration, calibrate_ties

__all__ = [
    "AgreementCeiling",
    "AnnotatorAgreement",
    "Contradictions",
    "TauCounts",
    "TieCalibration",
    "WinCounts",
    "agreement_ceiling",
    "agreement_interval",
    "annotator_agreement",
    "best_system_rate",
    "bradley_terry_scores",
    "calibrate_ties",
    "contradictions",
    "err",
    "expected_wins",
    "human_system_scores",
    "kendall_tau",
    "kendall_tau_counts",
    "kendall_tau_interval",
    "mrr",
    "ndcg",
    "pairwise_accuracy",
    "pairwise_p_values",
    "pearson",
    "score_table",
    "soft_pairwise_accuracy",
    "spearman",
    "system_agreement",
    "system_agreement_interval",
    "system_clusters",
    "system_scores",
    "trueskill_scores",
    "win_counts",
]
