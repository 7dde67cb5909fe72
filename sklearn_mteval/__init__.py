"""Learned machine-translation evaluation from human rankings, the scikit-learn way.

The names below are loaded on first use, so that ``import sklearn_mteval`` costs
milliseconds and pulls in neither torch nor nltk nor matplotlib.
"""

from sklearn_mteval._helpers.lazy import lazy_names
from sklearn_mteval._version import __version__

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "BLEUComp": "features",
        "EmbeddingAverager": "features",
        "GroupRanker": "pairwise",
        "KNN": "classifiers",
        "LogReg": "classifiers",
        "NaiveBayes": "classifiers",
        "PairDifference": "pairwise",
        "PairwiseNN": "neural",
        "RankRecomposer": "pairwise",
        "SegmentKFold": "pairwise",
        "aggregate_rankings": "pairwise",
        "kendall_tau": "metrics",
        "kendall_tau_scorer": "pairwise",
        "load_model": "persistence",
        "load_pretrained": "models",
        "make_kendall_tau_scorer": "pairwise",
        "make_ranking_pipeline": "pairwise",
        "save_model": "persistence",
        "segment_train_test_split": "pairwise",
    },
)
__all__ = ["__version__", *__all__]
