"""Train a model or open a ready-made one; rank, score, rerank or explain translations with it."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
