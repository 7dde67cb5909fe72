"""Learned machine-translation evaluation from human rankings, the scikit-learn way.

The names of ``__init__.pyi`` are loaded on first use, so that ``import sklearn_mteval`` costs
milliseconds and pulls in neither torch nor nltk nor matplotlib.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
