"""Loaders: rankings, penalties, translations and scores in files, as candidate tables."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
