"""Classifiers of pairs: the learners of Avramidis 2012, section 3.5."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
