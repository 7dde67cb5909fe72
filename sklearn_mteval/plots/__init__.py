"""Plots of agreement and of trees, as ``Display`` classes in scikit-learn's manner.

``from_predictions`` or ``from_estimator`` compute and draw; the constructor takes numbers that are
there already; ``plot`` draws, keeps the artists and sets ``ax_`` and ``figure_``. Matplotlib is
loaded when something is drawn (``pip install 'sklearn-mteval[plots]'``). No display shows a window
or changes matplotlib's settings.
"""

from sklearn_mteval.plots.agreement import AgreementDisplay
from sklearn_mteval.plots.fragments import FragmentDisplay
from sklearn_mteval.plots.leaderboard import LeaderboardDisplay
from sklearn_mteval.plots.pair_calibration import PairCalibrationDisplay
from sklearn_mteval.plots.significance import SignificanceDisplay
from sklearn_mteval.plots.system_scatter import SystemScatterDisplay
from sklearn_mteval.plots.tie_calibration import TieCalibrationDisplay
from sklearn_mteval.plots.tree import TreeDisplay

__all__ = [
    "AgreementDisplay",
    "FragmentDisplay",
    "LeaderboardDisplay",
    "PairCalibrationDisplay",
    "SignificanceDisplay",
    "SystemScatterDisplay",
    "TieCalibrationDisplay",
    "TreeDisplay",
]
