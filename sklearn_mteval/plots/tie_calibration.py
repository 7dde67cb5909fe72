"""Pairwise accuracy as a function of the tie threshold ε (Deutsch et al. 2023)."""

from typing import Any, Self

from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_number
from sklearn_mteval._helpers.types import Axes
from sklearn_mteval.metrics.segment.ties import TieCalibration
from sklearn_mteval.plots import _base as base


class TieCalibrationDisplay(base.Display):
    """Pairwise accuracy with ties against the threshold ε below which a metric ties.

    An open dot stands at ε = 0 (exact ties only), a filled one at the calibrated ε.

    Parameters
    ----------
    epsilons : array-like of shape (n_points,)
        Thresholds on differences of scores, increasing, >= 0, in units of the score.
    accuracies : array-like of shape (n_points,)
        acc_eq for each, in [0, 1], higher is better.
    epsilon, accuracy : float, optional
        The point to mark, e.g. an ε that was found on other data; default: the smallest ε of
        highest accuracy.
    name : str, optional
        Of the metric, for the legend.

    Attributes
    ----------
    line_, best_, start_ : Line2D
        The curve, the calibrated point, and that at the first ε.

    References
    ----------
    Deutsch, Foster and Freitag 2023, "Ties matter".

    Examples
    --------
    >>> from sklearn_mteval.plots import TieCalibrationDisplay
    >>> display = TieCalibrationDisplay([0, 2, 4, 8], [0.5, 0.3, 0.7, 0.5], name="BLEU")
    >>> display.epsilon
    4.0
    >>> display.plot().line_.get_label()
    'BLEU: 70.0 at ε = 4'
    """

    def __init__(
        self, epsilons: ArrayLike, accuracies: ArrayLike, *, epsilon: float | None = None,
        accuracy: float | None = None, name: str | None = None
    ):  # fmt: skip
        self.epsilons = base.check_increasing("epsilons", epsilons, low=0)
        shape = self.epsilons.shape
        self.accuracies = base.check_numbers("accuracies", accuracies, shape, low=0, high=1)
        if (epsilon is None) != (accuracy is None):
            raise ValueError("epsilon and accuracy mark one point: pass both or neither.")
        if epsilon is None:
            best = self.accuracies.argmax()
            epsilon, accuracy = self.epsilons[best], self.accuracies[best]
        self.epsilon = float(base.check_numbers("epsilon", epsilon, (), low=0))
        self.accuracy = float(base.check_numbers("accuracy", accuracy, (), low=0, high=1))
        self.name = name

    def plot(
        self, ax: Axes | None = None, *, linear_until: float | None = None, **kwargs: Any
    ) -> Self:
        """Draw the curve and mark its points.

        Parameters
        ----------
        ax : Axes, optional
            Where, e.g. the ``ax_`` of another metric; default: a new figure.
        linear_until : float, optional
            Where given, the axis of ε is linear up to this threshold and logarithmic beyond, so
            that ε = 0 and metrics of different scales are seen together. Default: linear.
        **kwargs : dict
            For the curve (``Axes.plot``).

        Returns
        -------
        TieCalibrationDisplay
            This display.
        """
        if linear_until is not None:
            check_number("linear_until", linear_until, above=0)
        ax = self._axes(ax, 3)
        label = f"{100 * self.accuracy:.1f} at ε = {self.epsilon:.3g}"
        style = {"drawstyle": "steps-post", "lw": 1.8, "marker": "none"}
        style["label"] = label if self.name is None else f"{self.name}: {label}"
        style = base.next_style(ax, "ties", style | kwargs)
        (self.line_,) = ax.plot(self.epsilons, 100 * self.accuracies, **style)
        dot = {"color": self.line_.get_color(), "marker": "o", "zorder": 3, "clip_on": False}
        (self.start_,) = ax.plot(
            self.epsilons[:1], 100 * self.accuracies[:1], markerfacecolor=base.GROUND, **dot
        )
        (self.best_,) = ax.plot([self.epsilon], [100 * self.accuracy], markersize=8, **dot)
        if linear_until is not None:
            ax.set_xscale("symlog", linthresh=linear_until, subs=range(2, 10))
            ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlim(left=0, auto=None)  # the next metric may have differences that are larger
        ax.set_xlabel("Tie threshold ε, in points of the metric")
        ax.set_ylabel(base.axis_label("acc_eq"))
        return self._finished(ax, grid="both", legend="best")

    @classmethod
    def from_calibration(
        cls, calibration: TieCalibration, *, name: str | None = None, ax: Axes | None = None,
        **kwargs: Any
    ) -> Self:  # fmt: skip
        """Draw what a calibration found.

        Parameters
        ----------
        calibration : TieCalibration
            With ``epsilons``, ``accuracies``, ``epsilon`` and ``accuracy``.
        name, ax, **kwargs : see the class and :meth:`plot`
            The same.

        Returns
        -------
        TieCalibrationDisplay
            Drawn.
        """
        best = {"epsilon": calibration.epsilon, "accuracy": calibration.accuracy}
        curve = calibration.epsilons, calibration.accuracies
        return cls(*curve, **best, name=name).plot(ax, **kwargs)
