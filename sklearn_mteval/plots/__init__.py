"""Plots of agreement, systems, annotators and trees, as ``Display`` classes like scikit-learn's.

Class methods compute and draw; the constructor takes numbers that are there already; ``plot``
keeps the artists and sets ``ax_`` and ``figure_``. No display changes matplotlib's settings.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
