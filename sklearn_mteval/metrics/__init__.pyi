from sklearn_mteval.metrics.annotators.ceiling import agreement_ceiling as agreement_ceiling
from sklearn_mteval.metrics.annotators.ceiling import disagreements as disagreements
from sklearn_mteval.metrics.annotators.kappa import annotator_agreement as annotator_agreement
from sklearn_mteval.metrics.annotators.majority import annotator_ceiling as annotator_ceiling
from sklearn_mteval.metrics.marked_errors.error_free import (
    error_free_detection as error_free_detection,
)
from sklearn_mteval.metrics.marked_errors.span_agreement import span_agreement as span_agreement
from sklearn_mteval.metrics.segment.correlation import kendall_tau as kendall_tau
from sklearn_mteval.metrics.segment.correlation import kendall_tau_counts as kendall_tau_counts
from sklearn_mteval.metrics.segment.correlation import pearson as pearson
from sklearn_mteval.metrics.segment.correlation import spearman as spearman
from sklearn_mteval.metrics.segment.ranking_quality import best_system_rate as best_system_rate
from sklearn_mteval.metrics.segment.ranking_quality import err as err
from sklearn_mteval.metrics.segment.ranking_quality import mrr as mrr
from sklearn_mteval.metrics.segment.ranking_quality import ndcg as ndcg
from sklearn_mteval.metrics.segment.ties import calibrate_ties as calibrate_ties
from sklearn_mteval.metrics.segment.ties import pairwise_accuracy as pairwise_accuracy
from sklearn_mteval.metrics.significance.intervals import agreement_interval as agreement_interval
from sklearn_mteval.metrics.significance.multiple_comparisons import (
    corrected_p_values as corrected_p_values,
)
from sklearn_mteval.metrics.significance.multiple_comparisons import holm as holm
from sklearn_mteval.metrics.significance.multiple_comparisons import (
    significance_clusters as significance_clusters,
)
from sklearn_mteval.metrics.significance.paired_bootstrap import (
    paired_bootstrap as paired_bootstrap,
)
from sklearn_mteval.metrics.significance.permutation import permutation_test as permutation_test
from sklearn_mteval.metrics.significance.williams import williams_test as williams_test
from sklearn_mteval.metrics.system.agreement import system_agreement as system_agreement
from sklearn_mteval.metrics.system.agreement import (
    system_agreement_interval as system_agreement_interval,
)
from sklearn_mteval.metrics.system.clusters import system_clusters as system_clusters
from sklearn_mteval.metrics.system.soft_accuracy import (
    soft_pairwise_accuracy as soft_pairwise_accuracy,
)
from sklearn_mteval.metrics.system.tables import system_scores as system_scores
from sklearn_mteval.metrics.system.trueskill import trueskill_scores as trueskill_scores
from sklearn_mteval.metrics.system.wins import human_system_scores as human_system_scores
from sklearn_mteval.metrics.system.wins import win_counts as win_counts
