"""Agreement of metrics with annotators, with confidence intervals: dots and whiskers."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.types import Axes, Seed
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import agreement_interval
from sklearn_mteval.metrics.core.agreement import statistic_of_rows
from sklearn_mteval.metrics.core.aligned import aligned
from sklearn_mteval.plots import _base as base


class AgreementDisplay(base.Display):
    """Agreement of each metric with annotators and its confidence interval, the best on top.

    Intervals of two metrics on the same segments may overlap although the difference is
    significant: for that, test the difference (:class:`SignificanceDisplay`).

    Parameters
    ----------
    names : sequence of str
        Of the metrics.
    values : array-like of shape (n_metrics,)
        Its statistic, higher is better; NaN: undefined, named at the bottom.
    intervals : array-like of shape (n_metrics, 2), optional
        Lower and upper bounds; NaN where there is none.
    statistic : str, default="wmt12"
        Which statistic, for the label of the axis: a registered name, or any other text.

    Attributes
    ----------
    order_ : ndarray of shape (n_metrics,), int64
        Positions of the metrics from top to bottom.
    points_, whiskers_ : Line2D, LineCollection
        Dots and intervals.
    texts_, references_ : list of Annotation, list of Line2D
        Values and intervals in numbers, right of the axes; reference lines.

    Examples
    --------
    >>> from sklearn_mteval.plots import AgreementDisplay
    >>> display = AgreementDisplay(["BLEU", "chrF"], [0.18, 0.26], [(0.16, 0.20), (0.24, 0.28)])
    >>> display.plot(references={"annotators": 0.4}).ax_.get_xlabel()
    "Kendall's tau (wmt12) × 100"
    """

    def __init__(
        self, names: Sequence[str], values: ArrayLike, intervals: ArrayLike | None = None, *,
        statistic: str = "wmt12"
    ):  # fmt: skip
        self.names = base.check_names(names)
        n = len(self.names)
        self.values = base.check_numbers("values", values, (n,), allow_nan=True)
        self.intervals = base.check_interval("intervals", intervals, n)
        self.statistic = statistic

    def plot(
        self, ax: Axes | None = None, *, references: dict | None = None, **kwargs: Any
    ) -> Self:
        """Draw dots, whiskers and reference lines.

        Parameters
        ----------
        ax : Axes, optional
            Where; default: a new figure, higher the more metrics there are.
        references : dict of str to float, optional
            Vertical lines to compare with, in units of ``values``, e.g.
            ``{"chance": 0, "annotators": 0.4}``.
        **kwargs : dict
            For the dots (``Axes.plot``); whiskers share their colour.

        Returns
        -------
        AgreementDisplay
            This display.
        """
        n = len(self.names)
        ax = self._axes(ax, 0.9 + 0.22 * n)
        self.order_ = np.argsort(-self.values, kind="stable")  # NaN last
        values = 100 * self.values[self.order_]
        intervals = np.full((n, 2), np.nan) if self.intervals is None else self.intervals
        bounds, rows = 100 * intervals[self.order_], np.arange(n)
        (self.points_,) = ax.plot(values, rows, **(base.DOTS | kwargs))
        there = ~np.isnan(bounds[:, 0])
        colour = self.points_.get_color()
        self.whiskers_ = ax.hlines(rows[there], *bounds[there].T, color=colour, lw=1.8, zorder=2)
        self.references_ = []
        for name, reference in (references or {}).items():
            line = ax.axvline(100 * reference, color=base.GREY, linestyle="--", lw=1.2, zorder=1)
            self.references_.append(line)
            base.write_outside(ax, name, 100 * reference, 3, base.GREY, above=True)
        self.texts_ = [
            base.write_outside(ax, text, row, 6, base.INK)
            for row, text in enumerate(_in_numbers(values, bounds))
        ]
        ax.set_xlabel(base.axis_label(self.statistic))
        return self._finished_rows(ax, [self.names[k] for k in self.order_])

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, scores: pd.DataFrame, *, groups: ArrayLike | None,
        documents: ArrayLike | None = None, statistic: str = "wmt12", average: str = "pairs",
        threshold: float = 25.0, missing: str = "error", confidence: float = 0.95,
        n_resamples: int = 1000, random_state: Seed = 0, references: dict | None = None,
        ax: Axes | None = None, **kwargs: Any
    ) -> Self:  # fmt: skip
        """Compute a statistic of several metrics, and intervals, and draw them.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Human judgement: lower is better.
        scores : DataFrame of shape (n_rows, n_metrics)
            Higher is better; columns are named after the metrics.
        groups, documents, statistic, average, threshold, missing, confidence, n_resamples, \
random_state : see :func:`sklearn_mteval.metrics.agreement_interval`
            The same.
        references, ax, **kwargs : see :meth:`plot`
            The same.

        Returns
        -------
        AgreementDisplay
            Drawn.
        """
        if not isinstance(scores, pd.DataFrame):
            raise CandidateError(
                "scores must be a DataFrame with a column for each metric, found "
                f"{type(scores).__name__}."
            )
        names = base.check_names(scores.columns, "scores.columns")
        options = {"average": average, "threshold": threshold}
        rows = {"groups": groups, "documents": documents, "missing": missing}
        drawn = {"confidence": confidence, "n_resamples": n_resamples, "random_state": random_state}
        values, intervals = [], []
        for _, score in scores.items():
            human, metric, codes, _ = aligned(y_true, score, groups, missing)
            values.append(statistic_of_rows(statistic, human, metric, codes, **options))
            given = {"statistic": statistic, **rows, **options, **drawn}
            intervals.append(agreement_interval(y_true, score, **given))
        display = cls(names, values, intervals, statistic=statistic)
        return display.plot(ax, references=references, **kwargs)


def _in_numbers(values, bounds):
    """Write values and intervals."""
    for value, (low, high) in zip(values, bounds, strict=True):
        if np.isnan(value):
            yield "undefined"
        elif np.isnan(low):
            yield f"{value:.1f}"
        else:
            yield f"{value:.1f} [{low:.1f}, {high:.1f}]"
