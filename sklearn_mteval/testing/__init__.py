"""Checks of text transformers, classifiers of pairs and fits, of other packages too."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
