"""Learn to rank from pairs: split rankings into pairs, decide each, and join the decisions."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
