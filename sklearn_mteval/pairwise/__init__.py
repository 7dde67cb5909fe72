"""From ranked candidates to pairs and back: decompose, decide, recompose, score."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "PairDifference": "difference",
        "RECOMPOSITIONS": "recomposition",
        "RankRecomposer": "ranker",
        "Recomposition": "recomposition",
        "SegmentKFold": "folds",
        "aggregate_rankings": "aggregation",
        "bradley_terry": "recomposition",
        "copeland": "recomposition",
        "decompose": "pairs",
        "kendall_tau_scorer": "scorers",
        "make_kendall_tau_scorer": "scorers",
        "pagerank": "recomposition",
    },
)
