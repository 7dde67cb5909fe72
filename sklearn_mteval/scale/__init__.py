"""Tables that outgrow memory: partitions of whole segments, and tasks on them, on many machines."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
