"""From ranked candidates to pairs and back: decompose, decide, recompose, score."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "GroupRanker": "group_ranker",
        "PairDifference": "difference",
        "RECOMPOSITIONS": "recomposition",
        "RankRecomposer": "ranker",
        "RankingPipeline": "ranking_pipeline",
        "Recomposition": "recomposition",
        "SegmentKFold": "folds",
        "aggregate_rankings": "aggregation",
        "bradley_terry": "recomposition",
        "copeland": "recomposition",
        "davidson": "recomposition",
        "decompose": "pairs",
        "kendall_tau_scorer": "scorers",
        "make_kendall_tau_scorer": "scorers",
        "make_ranking_pipeline": "ranking_pipeline",
        "pagerank": "recomposition",
        "pairwise_accuracy_scorer": "scorers",
        "rao_kupper": "recomposition",
        "segment_train_test_split": "folds",
    },
)
