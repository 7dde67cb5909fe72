"""Trees of sentences and documents: treebanks, parsers, and what is learnt from their trees."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
