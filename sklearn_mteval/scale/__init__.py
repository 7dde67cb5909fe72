"""Rank and score tables that do not fit into memory, in many processes or on many machines."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
