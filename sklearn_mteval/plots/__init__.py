"""Plots of agreement, systems, annotators and trees, as ``Display`` classes like scikit-learn's.

``from_predictions`` or ``from_estimator`` compute and draw; the constructor takes numbers that are
there already; ``plot`` draws, keeps the artists and sets ``ax_`` and ``figure_``. Matplotlib is
loaded when something is drawn (``pip install 'sklearn-mteval[plots]'``). No display shows a window
or changes matplotlib's settings.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
