"""Meta-evaluation: which metrics agree with annotators, as one table with one signature."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
