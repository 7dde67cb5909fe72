"""Turn translations into features for a model: one row of numbers for each translation.

What makes a feature of a trained model stands in ``stacking``, above the models; its names are
here, too.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
