"""Learned machine-translation evaluation from human rankings, the scikit-learn way.

The names below are loaded on first use, so that ``import sklearn_mteval`` costs
milliseconds and pulls in neither torch nor nltk nor matplotlib.
"""

from importlib import import_module

from sklearn_mteval._version import __version__

_HOME = {
    "BLEUComp": "features",
    "EmbeddingAverager": "features",
    "KNN": "classifiers",
    "LogReg": "classifiers",
    "NaiveBayes": "classifiers",
    "PairDifference": "pairs",
    "PairwiseNN": "neural",
    "RankRecomposer": "recompose",
    "SegmentKFold": "model_selection",
    "kendall_tau": "metrics",
    "kendall_tau_scorer": "scorers",
    "load_model": "persistence",
    "make_kendall_tau_scorer": "scorers",
    "save_model": "persistence",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name):
    """Load a public name from its module on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    """List the lazy names beside the loaded ones."""
    return sorted({*globals(), *__all__})
