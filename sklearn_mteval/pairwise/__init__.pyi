from sklearn_mteval.pairwise.aggregation import aggregate_rankings as aggregate_rankings
from sklearn_mteval.pairwise.difference import PairDifference as PairDifference
from sklearn_mteval.pairwise.folds import SegmentKFold as SegmentKFold
from sklearn_mteval.pairwise.folds import segment_train_test_split as segment_train_test_split
from sklearn_mteval.pairwise.group_ranker import GroupRanker as GroupRanker
from sklearn_mteval.pairwise.pairs import decompose as decompose
from sklearn_mteval.pairwise.pairwise_cross_encoder import (
    PairwiseCrossEncoder as PairwiseCrossEncoder,
)
from sklearn_mteval.pairwise.ranker import RankRecomposer as RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline as RankingPipeline
from sklearn_mteval.pairwise.ranking_pipeline import make_ranking_pipeline as make_ranking_pipeline
from sklearn_mteval.pairwise.scorers import kendall_tau_scorer as kendall_tau_scorer
from sklearn_mteval.pairwise.scorers import make_kendall_tau_scorer as make_kendall_tau_scorer
from sklearn_mteval.pairwise.scorers import pairwise_accuracy_scorer as pairwise_accuracy_scorer
from sklearn_mteval.pairwise.windowed import Windowed as Windowed
