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
from sklearn_mteval.metrics.intervals import agreement_interval, kendall_tau_interval
from sklearn_mteval.metrics.kendall import TauCounts, kendall_tau, kendall_tau_counts
from sklearn_mteval.metrics.ranking_quality import best_system_rate, err, mrr, ndcg
from sklearn_mteval.metrics.ties import TieCalibration, calibrate_ties

__all__ = [
    "AgreementCeiling",
    "AnnotatorAgreement",
    "Contradictions",
    "TauCounts",
    "TieCalibration",
    "agreement_ceiling",
    "agreement_interval",
    "annotator_agreement",
    "best_system_rate",
    "calibrate_ties",
    "contradictions",
    "err",
    "kendall_tau",
    "kendall_tau_counts",
    "kendall_tau_interval",
    "mrr",
    "ndcg",
    "pairwise_accuracy",
    "pearson",
    "spearman",
]
