"""Plots of agreement, systems, annotators and trees, as ``Display`` classes like scikit-learn's.

Class methods ``from_…`` compute and draw; ``of…`` take a result, and the constructor numbers, that
are there already, and ``plot`` draws these, keeps the artists and sets ``ax_`` and ``figure_``. No
display changes matplotlib's settings.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
