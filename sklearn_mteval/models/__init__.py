"""The standard experiment as Python functions, and what a trained model is asked for."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
