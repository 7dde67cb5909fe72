"""Kernels of trees, and what learns from rankings with them (Guzmán et al. 2014)."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
