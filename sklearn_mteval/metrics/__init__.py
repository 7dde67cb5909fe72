"""Statistics of agreement between metrics and annotators, with intervals and significance tests."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
