"""Tree kernels: compare syntactic trees of translations, and learn rankings from them."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
