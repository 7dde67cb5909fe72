"""Read human judgements, translations and metric scores from files, as tables; make corruptions."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
