"""How scores of translations are distributed, system by system."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.types import Axes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.score_counts import PROPORTIONS, ScoreCounts
from sklearn_mteval.plots import _base as base


class ScoreDistributionDisplay(base.Display):
    """Quantiles of the scores of each system: a thick line has half of them, a thin one 90 %.

    The dot is the median. Two systems whose means are alike may differ in how often they fail:
    see how far the thin lines reach to the left.

    Parameters
    ----------
    names : sequence of str
        Of the systems, from top to bottom.
    quantiles : array-like of shape (n_systems, 5)
        Below which 5, 25, 50, 75 and 95 % of the scores lie; higher is better. All NaN: the system
        has no scores, and its row is empty.
    label : str, default="score of a translation"
        Of the axis.

    Attributes
    ----------
    points_ : Line2D
        The medians.
    halves_, whiskers_ : LineCollection
        From 25 to 75 %, and from 5 to 95 %.

    References
    ----------
    Tufte 2001, "The Visual Display of Quantitative Information", chapter 6 (the reduced box).

    Examples
    --------
    >>> from sklearn_mteval.plots import ScoreDistributionDisplay
    >>> display = ScoreDistributionDisplay(["A"], [(-0.4, 0.0, 0.2, 0.3, 0.6)])
    >>> display.plot().points_.get_xdata().tolist()
    [0.2]
    """

    def __init__(
        self, names: Sequence[str], quantiles: ArrayLike, *, label: str = "score of a translation"
    ):
        self.names = base.check_names(names)
        shape = (len(self.names), len(PROPORTIONS))
        self.quantiles = base.check_numbers("quantiles", quantiles, shape, allow_nan=True)
        known = ~np.isnan(self.quantiles)
        if (known.any(axis=1) & ~known.all(axis=1)).any():
            raise CandidateError("quantiles of a system must be five numbers, or all NaN.")
        if (np.diff(self.quantiles, axis=1) < 0).any():
            raise CandidateError("quantiles must not decrease from 5 % to 95 %.")
        self.label = label

    def _drawn(self, ax, kwargs):
        """Draw lines and dots."""
        ax = self._axes(ax, 1.2 + 0.22 * len(self.names))
        rows = np.flatnonzero(~np.isnan(self.quantiles[:, 0]))
        outer_low, low, median, high, outer_high = self.quantiles[rows].T
        lines = {"color": base.BLUE, "zorder": 2}
        self.whiskers_ = ax.hlines(rows, outer_low, outer_high, lw=1.4, label="90 %", **lines)
        self.halves_ = ax.hlines(rows, low, high, lw=6, label="50 %", **lines)
        style = {"marker": "o", "linestyle": "none", "markersize": 5.5, "zorder": 3}
        style |= {"markerfacecolor": base.GROUND, "markeredgecolor": base.INK, "label": "median"}
        (self.points_,) = ax.plot(median, rows, **(style | kwargs))
        ax.margins(x=0.04)
        ax.set_xlabel(self.label)
        base.legend_above(ax, 3)
        return self._finished_rows(ax, self.names)

    @classmethod
    def from_scores(cls, scores: pd.Series, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the scores of translations, the system with the highest median on top.

        Parameters
        ----------
        scores : Series of length n_scores
            Higher is better, indexed by segment and system, as
            :func:`~sklearn_mteval.models.score_candidates` returns them; NaN is missing.
        ax, **kwargs : see :meth:`plot`
            The same.

        Returns
        -------
        ScoreDistributionDisplay
            Drawn. Scores count as rounded by 0.2 % at most.

        Raises
        ------
        CandidateError
            For other indices, scores that are infinite or no numbers.
        """
        counts = ScoreCounts()
        counts.add(scores)
        quantiles = counts.quantiles().sort_values(0.5, ascending=False, kind="stable")
        quantiles = quantiles[: base.MOST_NAMES]
        return cls(quantiles.index, quantiles).plot(ax, **kwargs)
