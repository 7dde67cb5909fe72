"""Are the probabilities of pairs true? Predicted probabilities against observed proportions."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from sklearn_mteval._helpers.options import check_integer, check_number
from sklearn_mteval._helpers.types import Axes
from sklearn_mteval.candidates import check_ranks, group_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.proportions import wilson_interval
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.plots import _base as base


class PairCalibrationDisplay(base.Display):
    """Reliability of pair probabilities: P(t1 better) in bins against the observed proportion.

    On the diagonal, pairs that are said to go one way with 70 % go that way in 70 % of the
    human decisions. Steps at the bottom have the proportion of predictions in each bin.

    Parameters
    ----------
    edges : array-like of shape (n_bins + 1,)
        Bounds of the bins of probability, from 0 to 1.
    predicted : array-like of shape (n_bins,)
        Mean predicted probability of each bin; NaN where it is empty.
    observed : array-like of shape (n_bins,)
        Proportion of the pairs in the bin whose t1 the human found better; NaN likewise.
    intervals : array-like of shape (n_bins, 2)
        Lower and upper bounds of that proportion; NaN likewise.
    proportions : array-like of shape (n_bins,)
        Proportion of all predictions that are in the bin.
    name : str, optional
        Of the ranker, for the legend.

    Attributes
    ----------
    line_, whiskers_ : Line2D, LineCollection
        Observed proportions against predicted ones, empty bins left out, and their intervals.
    steps_ : StepPatch
        The proportions of predictions.

    Notes
    -----
    Intervals are Wilson's, of independent pairs, which pairs of one segment are not: too narrow.

    References
    ----------
    Wilson 1927 (the interval); Niculescu-Mizil and Caruana 2005 (the diagram).

    Examples
    --------
    >>> from sklearn_mteval.plots import PairCalibrationDisplay
    >>> display = PairCalibrationDisplay.from_predictions(
    ...     [1, 0, 1, 1], [0.8, 0.3, 0.9, 0.4], n_bins=2)
    >>> display.observed
    array([0.5, 1. ])
    """

    def __init__(
        self, edges: ArrayLike, predicted: ArrayLike, observed: ArrayLike, intervals: ArrayLike,
        proportions: ArrayLike, *, name: str | None = None
    ):  # fmt: skip
        n = np.size(edges) - 1
        if n < 1:
            raise CandidateError("edges must have two entries or more.")
        self.edges = base.check_increasing("edges", edges, low=0, high=1)
        limits = {"low": 0, "high": 1}
        self.predicted = base.check_numbers("predicted", predicted, (n,), allow_nan=True, **limits)
        self.observed = base.check_numbers("observed", observed, (n,), allow_nan=True, **limits)
        self.intervals = base.check_interval("intervals", intervals, n)
        self.proportions = base.check_numbers("proportions", proportions, (n,), **limits)
        self.name = name

    def _drawn(self, ax, kwargs):
        """Draw the diagram."""
        ax = self._axes(ax, 4.2)
        if base.is_new(ax, "calibrated"):  # once for all rankers
            ax.plot([0, 1], [0, 1], color=base.GREY, ls=":", label="calibrated", gid="calibrated")
            ax.plot(
                [], [], color=base.GREY, lw=1, label="steps: proportion of predictions in each bin"
            )
        there = ~np.isnan(self.predicted)
        at = self.predicted[there]
        style = {"lw": 1.6, "label": self.name or "observed", "clip_on": False, "zorder": 3}
        style = base.next_style(ax, "pairs", style | kwargs)
        (self.line_,) = ax.plot(at, self.observed[there], **style)
        colour = self.line_.get_color()
        # Outlines, because fillings of several colours would mix.
        self.steps_ = ax.stairs(self.proportions, self.edges, color=colour, alpha=0.6, zorder=0.5)
        self.whiskers_ = ax.vlines(at, *self.intervals[there].T, color=colour, lw=1.6)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        ax.set_xlabel("Predicted P(t1 better than t2), mean of the bin")
        ax.set_ylabel("Proportion of pairs in which annotators found t1 better")
        return self._finished(ax, legend="upper left")

    @classmethod
    def from_predictions(
        cls, y_pairs: ArrayLike, probability: ArrayLike, *, pairs: ArrayLike | None = None,
        n_bins: int = 10, confidence: float = 0.95, name: str | None = None, ax: Axes | None = None,
        **kwargs: Any
    ) -> Self:  # fmt: skip
        """Put probabilities into bins of equal width and draw them.

        Parameters
        ----------
        y_pairs : array-like of shape (n_pairs,)
            1 iff the human found t1 better, 0 iff t2; human ties must be left out.
        probability : array-like of shape (n_pairs,)
            P(t1 better), in [0, 1].
        pairs : array-like of shape (n_pairs,), optional
            Labels: rows that are the two directions of one pair share theirs, and count once in
            the intervals of a bin. Default: all rows are different pairs.
        n_bins : int, default=10
            Bins between 0 and 1; each has its lower bound, the last both.
        confidence : float, default=0.95
            Of the intervals, between 0 and 1.
        name, ax, **kwargs : see the class and :meth:`plot`
            The same.

        Returns
        -------
        PairCalibrationDisplay
            Drawn.
        """
        check_integer("n_bins", n_bins, minimum=1)
        check_number("confidence", confidence, above=0, maximum=np.nextafter(1, 0))
        better = column_or_1d(y_pairs)
        n = len(better)
        if n == 0:
            raise CandidateError("y_pairs is empty: annotators decided no pair.")
        unknown = ~np.isin(better, (0, 1))
        if unknown.any():
            raise CandidateError(
                f"y_pairs must be 1 (t1 better) or 0 (t2 better), found {better[unknown][0]} in "
                f"row {int(unknown.argmax())}: leave out pairs that the human tied."
            )
        probability = base.check_numbers("probability", probability, (n,), low=0, high=1)
        edges = np.arange(n_bins + 1) / n_bins  # 0.7 itself, which linspace misses by a bit
        bins = np.searchsorted(edges[1:-1], probability, side="right")
        counts = np.bincount(bins, minlength=n_bins)
        if pairs is None:
            distinct = counts
        else:
            codes = group_codes(pairs, n)
            distinct = np.bincount(np.unique(codes * n_bins + bins) % n_bins, minlength=n_bins)
        predicted, observed = (
            ratio(np.bincount(bins, weights=values, minlength=n_bins), counts)
            for values in (probability, better.astype(np.float64))
        )
        intervals = wilson_interval(observed, distinct, confidence)
        # A mean of equal numbers may leave [0, 1] by rounding.
        predicted = np.clip(predicted, 0, 1)
        return cls(edges, predicted, observed, intervals, counts / n, name=name).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, n_bins: int = 10,
        confidence: float = 0.95, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:  # fmt: skip
        """Ask a ranker about all pairs that annotators decided, and draw how true it was.

        Every pair is asked about in both directions.

        Parameters
        ----------
        estimator : RankRecomposer or Pipeline
            Fitted; a pipeline ends in a RankRecomposer, and its classifier tells probabilities.
        X : DataFrame or array-like of shape (n_candidates, n_columns)
            Candidates it was *not* trained on.
        y : array-like of shape (n_candidates,)
            Their ranks, lower is better.
        n_bins, confidence, name, ax, **kwargs : see :meth:`from_predictions`
            The same.

        Returns
        -------
        PairCalibrationDisplay
            Drawn.
        """
        ranks = check_ranks(y, X)
        ranker, features = estimator, X
        if isinstance(estimator, Pipeline):
            ranker = estimator[-1]
            if len(estimator) > 1:
                features = estimator[:-1].transform(X)
        if not hasattr(ranker, "compare"):
            raise TypeError(
                "estimator must be a RankRecomposer or a pipeline that ends in one, found "
                f"{type(ranker).__name__}."
            )
        compared = ranker.compare(features)
        first, second = _positions(compared.index, features, ranker.item_level)
        decided = ranks[first] != ranks[second]
        probability = compared["probability"]
        if "tie" in compared:  # of one that models ties: given that the pair is decided
            worse = (1 - compared["tie"] - probability).clip(lower=0)
            probability = (probability / (probability + worse)).fillna(0.5)
        pairs = np.minimum(first, second) * len(ranks) + np.maximum(first, second)
        options = {"n_bins": n_bins, "confidence": confidence, "name": name, "ax": ax}
        return cls.from_predictions(
            (ranks[first] < ranks[second])[decided].astype(np.int64),
            probability.to_numpy()[decided], pairs=pairs[decided], **options, **kwargs,
        )  # fmt: skip


def _positions(index, features, item_level):
    """Return the rows of t1 and of t2, of each pair that a ranker compared."""
    if item_level is None:
        return (index.get_level_values(f"item_{k}").to_numpy() for k in (1, 2))
    names = features.index.names
    found = []
    for own, other in ((1, 2), (2, 1)):
        candidates = index.droplevel(f"{item_level}_{other}")
        candidates = candidates.rename({f"{item_level}_{own}": item_level})
        if isinstance(candidates, pd.MultiIndex):
            candidates = candidates.reorder_levels(names)
        found.append(features.index.get_indexer(candidates))
    return found
