"""How much judging a part of the segments says of all of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.types import Axes, Seed
from sklearn_mteval.evaluation import select_segments
from sklearn_mteval.evaluation.selection.tables import score_tables, standardise
from sklearn_mteval.metrics.core.ratios import mean_of_known as mean
from sklearn_mteval.plots import _base as base

_SIZES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_BY_CHANCE = ("spread", "random", "balanced")  # other methods always choose the same


class SelectionDisplay(base.Display):
    """The error of systems' means by the proportion of segments that is judged.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Proportions of the segments, in (0, 1], increasing.
    errors : mapping of str to array-like of shape (n_sizes,)
        From ways of choosing segments to their root mean square errors; NaN is unknown.
    unit : str, optional
        Of the errors, for the label of the axis.
    marked : float, optional
        The proportion that was chosen, where a line stands.

    Attributes
    ----------
    lines_ : list of Line2D
        A curve for each way.

    Examples
    --------
    >>> from sklearn_mteval.plots import SelectionDisplay
    >>> display = SelectionDisplay([0.1, 0.5], {"random": [2, 1], "spread": [1.5, 0.8]})
    >>> [line.get_label() for line in display.plot().lines_]
    ['random', 'spread']
    """

    def __init__(
        self, sizes: ArrayLike, errors: Mapping[str, ArrayLike], *, unit: str | None = None,
        marked: float | None = None
    ):  # fmt: skip
        self.sizes = base.check_increasing("sizes", sizes, low=0, high=1)
        names = base.check_names(list(errors), "errors")
        self.errors = {
            name: base.check_numbers(
                f"errors of {name!r}", values, self.sizes.shape, allow_nan=True, low=0
            )
            for name, values in zip(names, errors.values(), strict=True)
        }
        self.unit, self.marked = unit, marked

    def _drawn(self, ax, kwargs):
        """Draw the curves."""
        ax = self._axes(ax, 3)
        self.lines_ = []
        for name, values in self.errors.items():
            style = base.next_style(ax, "choices", {"lw": 1.8, "label": name} | kwargs)
            self.lines_ += ax.plot(100 * self.sizes, values, **style)
        if self.marked is not None:
            ax.axvline(100 * self.marked, color=base.GREY, lw=1, ls=":", zorder=1)
        ax.set_ylim(0, None)
        ax.set_xlabel("segments judged (%)")
        unit = "" if self.unit is None else f"\n({self.unit})"
        ax.set_ylabel(f"root mean square error of a system's mean{unit}")
        return self._finished(ax, grid="y", legend="upper right")

    @classmethod
    def from_scores(
        cls, scores: pd.DataFrame, *, methods: Sequence[str] = ("spread", "random"),
        sizes: ArrayLike = _SIZES, n_samples: int = 50, random_state: Seed = 0,
        marked: float | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:  # fmt: skip
        """Choose segments many times, and draw how far metrics' means on them are from all.

        Scores of metrics stand for judgements of all segments. A method that chooses by these very
        scores saves less on judgements, which agree with metrics in part.

        Parameters
        ----------
        scores : DataFrame of shape (n_translations, n_metrics)
            As for :func:`~sklearn_mteval.evaluation.select_segments`; the errors are in standard
            deviations of a metric's scores of all translations.
        methods : sequence of str, default=("spread", "random")
            Of ``select_segments``. Those that know their probabilities are weighted by them.
        sizes : array-like of shape (n_sizes,), default=(0.1, 0.2, …, 0.8)
            Proportions of the segments; those of fewer than two segments are left out.
        n_samples : int, default=50
            How many times each size is chosen by chance.
        random_state : int, RandomState or None, default=0
            Seed of the choices.
        marked, ax : see the class and :meth:`plot`
            The same.
        **options : dict
            Of ``select_segments``, such as ``documents``.

        Returns
        -------
        SelectionDisplay
            Drawn.
        """
        check_integer("n_samples", n_samples, minimum=1)
        tables, segments = score_tables(scores)
        for table in tables:
            standardise(table)
        sizes = np.asarray(sizes, dtype=np.float64)
        sizes = sizes[np.round(sizes * len(segments)) >= 2]
        rng = check_random_state(random_state)
        errors = {}
        for method in methods:
            draws = n_samples if method in _BY_CHANCE else 1
            errors[method] = [
                np.sqrt(np.mean([
                    _squared_error(tables, select_segments(
                        scores, size, method=method, random_state=rng.randint(2**31), **options
                    ))
                    for _ in range(draws)
                ]))
                for size in sizes
            ]  # fmt: skip
        unit = "standard deviations of the metrics' scores"
        return cls(sizes, errors, unit=unit, marked=marked).plot(ax)


def _squared_error(tables, chosen):
    """Average the squares of the errors of all systems' means, by all metrics."""
    weights = chosen["chosen"] / chosen["probability"].fillna(1.0)
    weights = weights.to_numpy()[:, np.newaxis] * ~np.isnan(tables)
    with np.errstate(invalid="ignore"):  # a system without scores on the segments chosen
        estimates = (weights * np.nan_to_num(tables)).sum(axis=1) / weights.sum(axis=1)
    return np.nanmean((estimates - mean(tables, 1)) ** 2)
