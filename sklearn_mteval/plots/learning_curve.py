"""What more judgements to train on would bring."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval.models.training_result import NEW, TrainingResult
from sklearn_mteval.plots import _base as base


class LearningCurveDisplay(base.Display):
    """Agreement with annotators on segments held out, by how many segments were trained on.

    Unlike scikit-learn's class of this name it has one set of segments held out, and intervals by
    bootstrap over these, which may overlap although a gain is significant: the report of ``train``
    has the interval of the gain.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Segments that were trained on, increasing.
    values : array-like of shape (n_sizes,)
        Agreement of each, higher is better; NaN is undefined.
    intervals : array-like of shape (n_sizes, 2), optional
        Lower and upper bounds; NaN where there is none.
    references : dict of str to float, optional
        Agreement of what does not learn from these segments, for comparison.
    statistic : str, default="wmt12"
        Which statistic, for the label of the axis: a registered name, or any other text.

    Attributes
    ----------
    line_, whiskers_ : Line2D, LineCollection
        The curve and its intervals.
    references_ : list of Line2D
        The lines for comparison.

    Examples
    --------
    >>> from sklearn_mteval.plots import LearningCurveDisplay
    >>> display = LearningCurveDisplay([50, 100], [0.2, 0.25], references={"BLEU": 0.18})
    >>> display.plot().ax_.get_ylabel()
    "Kendall's tau (wmt12) × 100"
    """

    def __init__(
        self, sizes: ArrayLike, values: ArrayLike, intervals: ArrayLike | None = None, *,
        references: dict | None = None, statistic: str = "wmt12"
    ):  # fmt: skip
        self.sizes = base.check_increasing("sizes", sizes, low=0)
        n = len(self.sizes)
        self.values = base.check_numbers("values", values, (n,), allow_nan=True)
        self.intervals = base.check_interval("intervals", intervals, n)
        names = references or {}
        bounds = base.check_numbers(
            "references", list(names.values()), (len(names),), allow_nan=True
        )
        self.references = dict(zip(map(str, names), bounds.tolist(), strict=True))
        self.statistic = statistic

    def _drawn(self, ax, kwargs):
        """Draw the curve, its intervals and the lines for comparison."""
        ax = self._axes(ax, 2.9)
        style = {"color": base.BLUE, "marker": "o", "lw": 1.8, "zorder": 3} | kwargs
        (self.line_,) = ax.plot(self.sizes, 100 * self.values, **style)
        shape, colour = (len(self.sizes), 2), self.line_.get_color()
        bounds = np.full(shape, np.nan) if self.intervals is None else 100 * self.intervals
        there = ~np.isnan(bounds[:, 0])
        self.whiskers_ = ax.vlines(self.sizes[there], *bounds[there].T, color=colour, lw=1.6)
        self.references_ = []
        for name, value in self.references.items():
            if not np.isnan(value):
                self.references_.append(ax.axhline(100 * value, color=base.GREY, ls="--", lw=1.2))
                base.write_outside(ax, name, 100 * value, 4, base.GREY)
        ax.set_xlim(0, 1.05 * self.sizes[-1] or 1)
        ax.set_xticks(self.sizes, [f"{size:g}" for size in self.sizes])
        ax.set_xlabel("segments trained on")
        ax.set_ylabel(base.axis_label(self.statistic))
        return self._finished(ax, grid="y")

    @classmethod
    def of(cls, result: TrainingResult) -> Self:
        """Take the learning curve of a training, and draw nothing yet.

        Parameters
        ----------
        result : TrainingResult
            What :func:`~sklearn_mteval.models.train_on_campaign` returned. The line for comparison
            is what agrees best among the rest that was not trained on these judgements.

        Returns
        -------
        LearningCurveDisplay
            Not drawn: ``plot`` draws it.
        """
        curve = result.learning_curve
        others = result.comparison[~result.comparison["seen"]]["tau"].drop(NEW).dropna()
        references = {} if others.empty else {others.idxmax(): others.max()}
        return cls(curve.index, curve["tau"], curve[["low", "high"]], references=references)
