"""From ranked candidates to pairs and back: decompose, decide, recompose, score."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "GroupRanker": "group_ranker",
        "PairDifference": "difference",
        "RankRecomposer": "ranker",
        "RankingPipeline": "ranking_pipeline",
        "SegmentKFold": "folds",
        "aggregate_rankings": "aggregation",
        "decompose": "pairs",
        "kendall_tau_scorer": "scorers",
        "make_kendall_tau_scorer": "scorers",
        "make_ranking_pipeline": "ranking_pipeline",
        "pairwise_accuracy_scorer": "scorers",
        "segment_train_test_split": "folds",
    },
)
