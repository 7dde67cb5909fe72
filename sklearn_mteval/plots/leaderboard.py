"""Scores of systems with two kinds of intervals, and letters that tell them apart."""

from collections.abc import Sequence
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval.evaluation.leaderboards.board import Leaderboard
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots import _base as base

_MARGIN = 0.08  # of the range of numbers, at either side
_ANY = {"allow_nan": True, "allow_infinite": True}
_APART = 0.14  # rows, of an interval from the dot


class LeaderboardDisplay(base.Display):
    """Scores of systems, the best on top, with intervals and letters.

    An interval without a bound ends in an arrow at the edge; an infinite score has no dot. The
    intervals of systems that differ significantly may overlap: those that share a letter, right of
    the plot, are not told apart.

    Parameters
    ----------
    names : sequence of str
        Of the systems, the best first.
    scores : array-like of shape (n_systems,)
        Higher is better; may be infinite, or NaN: undefined.
    intervals : array-like of shape (n_systems, 2), optional
        Bounds by bootstrap, which may be infinite; NaN where there are none.
    sandwich : array-like of shape (n_systems, 2), optional
        Bounds of the other kind.
    letters : sequence of str, optional
        Of each system, as :func:`~sklearn_mteval.evaluation.leaderboard` returns them.
    scale : str, default="log-odds"
        For the label of the axis: what scores are.
    label : str, optional
        The label of the axis, instead of "score" and the scale.
    marks : sequence of float, default=()
        Where lines stand for comparison.

    Attributes
    ----------
    points_ : Line2D
        The dots.
    whiskers_, sandwich_whiskers_ : LineCollection or None
        The intervals.
    arrows_ : list of Line2D
        At the edges.

    Examples
    --------
    >>> from sklearn_mteval.plots import LeaderboardDisplay
    >>> display = LeaderboardDisplay(["A", "B"], [0.5, -0.5], [(0.3, 0.7), (-0.7, -0.3)])
    >>> display.plot().ax_.get_xlabel()
    'score (log-odds)'
    """

    def __init__(
        self, names: Sequence[str], scores: ArrayLike, intervals: ArrayLike | None = None, *,
        sandwich: ArrayLike | None = None, letters: Sequence[str] | None = None,
        scale: str = "log-odds", label: str | None = None, marks: Sequence[float] = ()
    ):  # fmt: skip
        self.names = base.check_names(names)
        n = len(self.names)
        self.scores = base.check_numbers("scores", scores, (n,), **_ANY)
        self.intervals, self.sandwich = (
            None if bounds is None else base.check_numbers(name, bounds, (n, 2), **_ANY)
            for name, bounds in (("intervals", intervals), ("sandwich", sandwich))
        )
        self.letters = None if letters is None else list(letters)
        if self.letters is not None and len(self.letters) != n:
            raise CandidateError(f"letters must be {n}, one of each name, found {self.letters}.")
        self.scale, self.label, self.marks = scale, label, tuple(marks)

    def _drawn(self, ax, kwargs):
        """Draw dots and whiskers, and write letters."""
        n, rows = len(self.names), np.arange(len(self.names))
        ax = self._axes(ax, 1.1 + 0.22 * n)
        left, right = self._limits()
        finite = np.where(np.isfinite(self.scores), self.scores, np.nan)
        (self.points_,) = ax.plot(
            finite, rows, **(base.DOTS | {"color": base.INK, "markersize": 5} | kwargs)
        )
        self.arrows_, both = [], self.intervals is not None and self.sandwich is not None
        dashed = (0, (2, 0.6)) if both else "-"  # to be told in grey
        self.whiskers_, self.sandwich_whiskers_ = (
            self._draw_whiskers(ax, bounds, offset * both, label=label, color=colour, ls=ls)
            for bounds, offset, label, colour, ls in (
                (self.intervals, -_APART, "bootstrap", base.BLUE, "-"),
                (self.sandwich, _APART, "sandwich errors", base.VERMILION, dashed),
            )
        )
        for row, letters in enumerate(self.letters or []):
            base.write_outside(ax, letters, row, 8, base.INK)
        ax.set_xlim(left, right)
        for mark in self.marks:
            ax.axvline(mark, color=base.GREY, lw=0.8, zorder=1)
        ax.set_xlabel(self.label or f"score ({self.scale})")
        if both:
            base.legend_above(ax, 2)
        return self._finished_rows(ax, self.names)

    @classmethod
    def of(cls, leaderboard: Leaderboard) -> Self:
        """Take the numbers of a leaderboard's first 200 systems, and draw nothing yet.

        Parameters
        ----------
        leaderboard : Leaderboard
            What :func:`~sklearn_mteval.evaluation.leaderboard` returned.

        Returns
        -------
        LeaderboardDisplay
            Not drawn: ``plot`` draws it.
        """
        table, by = leaderboard.table[: base.MOST_NAMES], leaderboard.options["by"]
        return cls(
            table.index, table["score"], table[["low", "high"]],
            sandwich=table[["sandwich_low", "sandwich_high"]], letters=table["letters"],
            scale=leaderboard.options["scale"] if by == "strength" else by
        )  # fmt: skip

    @classmethod
    def of_systems(cls, systems: pd.DataFrame) -> Self:
        """Take a table of systems that a model has scored or ranked, and draw nothing yet.

        Of more than 200 systems the first are taken. Where the model has no scores, the dots are
        mean ranks, the best on the left.

        Parameters
        ----------
        systems : DataFrame of shape (n_systems, n_columns)
            What :func:`~sklearn_mteval.models.score_systems` or
            :func:`~sklearn_mteval.models.rank_systems` returned.

        Returns
        -------
        LeaderboardDisplay
            Not drawn: ``plot`` draws it.
        """
        systems = systems[: base.MOST_NAMES]
        if "mean_rank" in systems and systems["score"].isna().all():
            return cls(systems.index, systems["mean_rank"], label="mean rank (1 is best)")
        label = "score, mean of segments (higher is better)"
        return cls(systems.index, systems["score"], systems[["low", "high"]], label=label)

    @classmethod
    def of_judges(cls, leaderboard: Leaderboard) -> Self:
        """Take the discriminations of a leaderboard's first 200 judges, and draw nothing yet.

        The lines stand at 0, where a judge guesses, and at 1.

        Parameters
        ----------
        leaderboard : Leaderboard
            With a model of judges.

        Returns
        -------
        LeaderboardDisplay
            Not drawn: ``plot`` draws it.
        """
        table = leaderboard.judges
        if table is None or "discrimination" not in table:
            raise ValueError(
                "The leaderboard has no model of judges: judge_model='discrimination'."
            )
        table = table[: base.MOST_NAMES]
        return cls(
            table.index, table["discrimination"], sandwich=table[["low", "high"]],
            letters=[f"of {n:,}" for n in table["comparisons"]],
            label="discrimination of the judge", marks=(0.0, 1.0)
        )  # fmt: skip

    def _draw_whiskers(self, ax, bounds, offset, *, label, color, ls):
        """Draw intervals, so many rows below the dots, and arrows where they have no bound."""
        if bounds is None:
            return None
        limits, there = self._limits(), np.flatnonzero(~np.isnan(bounds).any(axis=1))
        ends = bounds[there].clip(*limits).T
        style = {"color": color, "ls": ls, "label": label}
        drawn = ax.hlines(there + offset, *ends, lw=1.8, zorder=2, **style)
        for side, marker in enumerate("<>"):
            open_ended = there[np.isinf(bounds[there, side])]
            style = {"color": color, "marker": marker, "markersize": 5}
            style |= {"linestyle": "none", "clip_on": False}
            places = np.full(len(open_ended), limits[side]), open_ended + offset
            self.arrows_ += ax.plot(*places, **style) if len(open_ended) else []
        return drawn

    def _limits(self):
        """Return limits of the axis: all finite numbers, and a margin."""
        drawn = [self.scores, self.intervals, self.sandwich]
        numbers = np.concatenate([part.ravel() for part in drawn if part is not None])
        numbers = numbers[np.isfinite(numbers)]
        low, high = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
        margin = _MARGIN * (high - low) or 1.0
        return low - margin, high + margin
