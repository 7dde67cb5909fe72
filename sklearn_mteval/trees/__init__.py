"""Parse sentences and documents into trees, and read and write treebanks."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
