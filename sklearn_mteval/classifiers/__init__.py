"""Classifiers of pairs: each learns to decide which of two translations is better."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
