"""Evaluate metrics, systems, annotators and models, and choose what to have judged next."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
