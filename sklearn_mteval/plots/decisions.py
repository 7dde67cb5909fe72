"""How often annotators agree with a metric's difference: a curve, and what was observed."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.evaluation.decisions.table import DecisionTable
from sklearn_mteval.evaluation.option_values import DECISION_LEVELS
from sklearn_mteval.plots import _base as base

_BETWEEN = {"system": "systems", "segment": "translations of a segment"}
_MARGIN = 0.04  # of the range of differences, at the right


class DecisionTableDisplay(base.Display):
    """Agreement of annotators by score difference: a curve with its band, and what was observed.

    Dashed lines show which difference is needed for some proportions of agreement.

    Parameters
    ----------
    differences : array-like of shape (n_points,)
        Of the curve, ascending.
    agreement : array-like of shape (n_points,)
        The curve, 0 to 1.
    band : array-like of shape (n_points, 2), optional
        Bounds of its interval; NaN where there is none.
    observed : array-like of shape (n_bins, 4), optional
        Mean difference of each bin, proportion of agreement and its bounds.
    needed : array-like of shape (n_agreements, 2), optional
        Agreements, and the differences needed; those that are infinite are not drawn.
    metric : str, default="metric"
        For the label of the axis.
    level : {"system", "segment"}, default="system"
        What is compared.

    Attributes
    ----------
    line_, band_ : Line2D, PolyCollection or None
        The curve and its interval.
    points_, whiskers_ : Line2D or None, LineCollection or None
        The observed proportions and their intervals.
    needed_ : list of Line2D
        From each agreement to the difference that it needs.

    Examples
    --------
    >>> from sklearn_mteval.plots import DecisionTableDisplay
    >>> display = DecisionTableDisplay([1, 2], [0.6, 0.8], needed=[(0.8, 2)], metric="chrF").plot()
    >>> display.ax_.get_xlabel()
    'difference of chrF between systems'
    """

    def __init__(
        self, differences: ArrayLike, agreement: ArrayLike, band: ArrayLike | None = None, *,
        observed: ArrayLike | None = None, needed: ArrayLike | None = None, metric: str = "metric",
        level: str = "system"
    ):  # fmt: skip
        differences = np.asarray(differences)
        n, proportion = len(np.atleast_1d(differences)), {"low": 0, "high": 1}
        self.differences = base.check_numbers("differences", differences, (n,), low=0)
        self.agreement = base.check_numbers("agreement", agreement, (n,), **proportion)
        self.band = base.check_interval("band", band, n)
        self.observed = self.needed = None
        if observed is not None:
            shape = (len(np.asarray(observed)), 4)
            self.observed = base.check_numbers("observed", observed, shape, allow_nan=True)
        if needed is not None:
            shape = (len(np.asarray(needed)), 2)
            self.needed = base.check_numbers("needed", needed, shape, allow_infinite=True)
        check_one_of("level", level, DECISION_LEVELS)
        self.metric = metric
        self.level = level

    def _drawn(self, ax, kwargs):
        """Draw curve, band, dots and dashed lines."""
        ax = self._axes(ax, 3.2)
        at = self.differences if self.observed is None else self.observed[:, 0]
        end = max(self.differences.max(), np.nanmax(at)) * (1 + _MARGIN)
        style = {"color": base.BLUE, "lw": 2, "label": "estimated"} | kwargs
        (self.line_,) = ax.plot(self.differences, 100 * self.agreement, **style)
        self.band_ = self.points_ = self.whiskers_ = None
        if self.band is not None and not np.isnan(self.band).any():
            colour = self.line_.get_color()
            bounds = 100 * self.band.T
            self.band_ = ax.fill_between(self.differences, *bounds, color=colour, alpha=0.15, lw=0)
        if self.observed is not None:
            at, proportion, low, high = (self.observed * [1, 100, 100, 100]).T
            style = {**base.DOTS, "color": base.VERMILION, "label": "observed in bins of pairs"}
            (self.points_,) = ax.plot(at, proportion, **style)
            there = ~np.isnan(low)
            bounds = low[there], high[there]
            self.whiskers_ = ax.vlines(at[there], *bounds, color=base.VERMILION, lw=1.2, alpha=0.7)
        self.needed_ = []
        for agreement, difference in [] if self.needed is None else self.needed:
            if difference <= end:
                corner = [0, difference, difference], [100 * agreement, 100 * agreement, 0]
                self.needed_ += ax.plot(*corner, color=base.GREY, lw=0.9, ls="--", zorder=1)
        shown = [100 * self.agreement.min(), 50.0]
        if self.observed is not None:
            shown.append(100 * np.nanmin(self.observed[:, 1]))
        ax.set_xlim(0, end)
        ax.set_ylim(max(0, 10 * np.floor(min(shown) / 10) - 5), 102)
        ax.axhline(50, color=base.GREY, lw=0.6)
        ax.set_xlabel(
            f"difference of {base.shown_name(self.metric)} between {_BETWEEN[self.level]}"
        )
        ax.set_ylabel("annotators agree, % of pairs")
        return self._finished(ax, legend="lower right")

    @classmethod
    def of(cls, found: DecisionTable) -> Self:
        """Take the numbers of a decision table, and draw nothing yet.

        Parameters
        ----------
        found : DecisionTable
            What :func:`~sklearn_mteval.evaluation.decision_table` returned.

        Returns
        -------
        DecisionTableDisplay
            Not drawn: ``plot`` draws it.
        """
        return cls(
            found.band.index, found.band["agreement"], found.band[["low", "high"]],
            observed=found.bins[["difference", "agreement", "low", "high"]],
            needed=found.needed["difference"].reset_index(), metric=found.options["metric"],
            level=found.options["level"]
        )  # fmt: skip
