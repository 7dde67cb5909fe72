"""Check that your own transformers and classifiers of pairs keep what this package relies on."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
