"""How often a model and metrics prefer sound translations to corrupted ones, kind by kind."""

from collections.abc import Sequence
from typing import Self

from numpy.typing import ArrayLike

from sklearn_mteval.evaluation.challenges import SETTINGS, Challenge
from sklearn_mteval.plots import _base as base


class ChallengeDisplay(base.Display):
    """Proportions of segments in which the sound translation wins, one row for each corruption.

    Parameters
    ----------
    kinds : sequence of str
        Of corruption, from top to bottom.
    series : sequence of str
        Names of what is compared: a model's settings, metrics.
    proportions : array-like of shape (n_kinds, n_series)
        In [0, 1], higher is better; NaN where there is none.
    intervals : array-like of shape (n_kinds, n_series, 2), optional
        Lower and upper bounds; NaN where there is none.
    title : str, optional
        Above the plot, the model's name say.

    Attributes
    ----------
    points_, whiskers_ : list of Line2D, list of LineCollection
        Dots and intervals of each series.
    chance_ : Line2D
        At one half, what a coin would reach.

    Examples
    --------
    >>> from sklearn_mteval.plots import ChallengeDisplay
    >>> display = ChallengeDisplay(["empty", "number"], ["alone", "bleu"], [[1, 1], [0.9, 0.8]])
    >>> [text.get_text() for text in display.plot().ax_.get_yticklabels()]
    ['empty', 'number']
    """

    def __init__(
        self, kinds: Sequence[str], series: Sequence[str], proportions: ArrayLike,
        intervals: ArrayLike | None = None, *, title: str | None = None
    ):  # fmt: skip
        self.kinds = base.check_names(kinds, "kinds")
        self.series = base.check_names(series, "series")
        shape = (len(self.kinds), len(self.series))
        bounds = {"allow_nan": True, "low": 0, "high": 1}
        self.proportions = base.check_numbers("proportions", proportions, shape, **bounds)
        self.intervals = None
        if intervals is not None:
            self.intervals = base.check_numbers("intervals", intervals, (*shape, 2), **bounds)
        self.title = title

    def _drawn(self, ax, kwargs):
        """Draw dots and whiskers."""
        parts = self.kinds, self.series, self.proportions, self.intervals
        ax, self.points_, self.whiskers_ = base.draw_proportions(self, ax, *parts, **kwargs)
        self.chance_ = ax.axvline(50, color=base.GREY, linestyle="--", lw=1, zorder=1)
        ax.set_xlabel("sound translation preferred (% of segments)")
        if self.title is not None:
            ax.set_title(base.shown_name(self.title), loc="left", pad=26, parse_math=False)
        return self._finished_rows(ax, self.kinds)

    @classmethod
    def of(cls, found: Challenge) -> Self:
        """Take the numbers of what ``challenge`` found, and draw nothing yet.

        Parameters
        ----------
        found : Challenge
            What :func:`~sklearn_mteval.evaluation.challenge` returned.

        Returns
        -------
        ChallengeDisplay
            Not drawn: ``plot`` draws it.
        """
        kinds = found.table.index.unique("kind")
        series = [(setting, found.model) for setting in SETTINGS]
        series += [("alone", metric) for metric in found.metrics]
        series = [one for one in series if (kinds[0], *one) in found.table.index]
        names = [judge if judge in found.metrics else setting for setting, judge in series]
        rows = found.table.loc[[(kind, *one) for kind in kinds for one in series]]
        shape = (len(kinds), len(series))
        return cls(
            kinds, names, rows["proportion"].to_numpy().reshape(shape),
            rows[["low", "high"]].to_numpy().reshape(*shape, 2), title=found.model
        )  # fmt: skip
