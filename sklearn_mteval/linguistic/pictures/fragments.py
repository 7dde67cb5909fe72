"""What a preference kernel has learnt: the tree fragments that weigh most, as bars."""

from collections.abc import Sequence
from typing import Any, Self

import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.types import Axes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.kernels.fragment_mining import top_fragments
from sklearn_mteval.plots._base import BLUE, INK, VERMILION, Display, check_numbers, shown_name


class FragmentDisplay(Display):
    """The tree fragments that speak most for and against a translation, the heaviest on top.

    Parameters
    ----------
    names : sequence of str
        Fragments, lines of brackets.
    weights : array-like of shape (n_fragments,)
        What one more of each adds to the score of a translation.

    Attributes
    ----------
    bars_ : BarContainer
        The bars, in the order of the fragments.
    ax_, figure_ : Axes, Figure
        What it is drawn on.

    Examples
    --------
    >>> from sklearn_mteval.plots import FragmentDisplay
    >>> display = FragmentDisplay(["(NP-REL (DT-REL))", "(NP (DT))"], [0.3, -0.2]).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['(NP-REL (DT-REL))', '(NP (DT))']
    """

    def __init__(self, names: Sequence[str], weights: ArrayLike):
        self.names = [str(name) for name in names]
        if not self.names:
            raise CandidateError("names is empty: there is nothing to draw.")
        self.weights = check_numbers("weights", weights, (len(self.names),))

    @classmethod
    def from_estimator(
        cls, model: BaseEstimator, *, column: str | int | None = None, n_fragments: int = 10,
        ax: Axes | None = None, **options: Any
    ) -> Self:  # fmt: skip
        """Mine and draw the fragments of a fitted model.

        Parameters
        ----------
        model : PreferenceKernelSVC, RankRecomposer or Pipeline
            Fitted on columns of trees.
        column : str or int, optional
            The column of trees; by default the first, mostly the translation's.
        n_fragments : int, default=10
            Fragments of each sign.
        ax : Axes, optional
            What to draw on; by default new axes.
        **options
            For :func:`~sklearn_mteval.kernels.top_fragments`.

        Returns
        -------
        FragmentDisplay
            Drawn.
        """
        check_integer("n_fragments", n_fragments, minimum=1)
        table = top_fragments(model, n_fragments=n_fragments, **options)
        known = list(dict.fromkeys(table["column"]))
        column = min(known, key=str) if column is None and known else column
        if column not in known:
            raise CandidateError(f"column must be one of {known}, found {column!r}.")
        table = table[table["column"] == column]
        table = pd.concat([table[table["weight"] > 0], table[table["weight"] < 0].iloc[::-1]])
        return cls(table["fragment"], table["weight"]).plot(ax)

    def _drawn(self, ax, kwargs):
        """Draw the bars."""
        ax = self._axes(ax, 0.8 + 0.27 * len(self.names), 8)
        colours = [BLUE if weight > 0 else VERMILION for weight in self.weights]
        places = range(len(self.names))
        self.bars_ = ax.barh(places, self.weights, **({"color": colours} | kwargs))
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_yticks(places, map(shown_name, self.names), fontsize=9, parse_math=False)
        ax.invert_yaxis()
        ax.set_xlabel("weight: for a translation, if positive")
        return self._finished(ax, grid="x", hidden=("top", "right", "left"))
