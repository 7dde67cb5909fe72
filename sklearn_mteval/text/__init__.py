"""Word vectors and n-gram language models, and the tokenisers that features use."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
