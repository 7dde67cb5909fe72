"""Systems' human scores against a metric's: a scatter plot with names."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.types import Axes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import kendall_tau, pearson
from sklearn_mteval.plots import _base as base
from sklearn_mteval.plots._point_labels import label_points


class SystemScatterDisplay(base.Display):
    """Each system's human score against its metric score, both higher is better.

    The title has Pearson's correlation and Kendall's tau-b of these scores.

    Parameters
    ----------
    names : sequence of str
        Of the systems.
    human : array-like of shape (n_systems,)
        Human scores, e.g. expected wins.
    metric : array-like of shape (n_systems,)
        Metric scores.
    human_intervals, metric_intervals : array-like of shape (n_systems, 2), optional
        Lower and upper bounds, NaN where there are none.
    clusters : array-like of shape (n_systems,), optional
        A label for each system; a dotted line separates those that stand apart in the human
        judgement.
    human_name, metric_name : str
        Of the axes.

    Attributes
    ----------
    points_, whiskers_ : Line2D, list of LineCollection
        The dots; intervals: human, metric, where given.
    texts_, lines_ : list of Annotation, list of Line2D
        The names, in the order of ``names``; lines between clusters.

    Notes
    -----
    A correlation of few systems says little: of two it is 1 or -1, of one undefined (NaN, with
    an ``UndefinedMetricWarning``).

    Examples
    --------
    >>> from sklearn_mteval.plots import SystemScatterDisplay
    >>> display = SystemScatterDisplay(["A", "B", "C"], [0.6, 0.5, 0.4], [30, 28, 29])
    >>> display.plot().ax_.get_title()
    'Pearson 0.50, tau-b 0.33 (3 systems)'
    """

    def __init__(
        self, names: Sequence[str], human: ArrayLike, metric: ArrayLike, *,
        human_intervals: ArrayLike | None = None, metric_intervals: ArrayLike | None = None,
        clusters: ArrayLike | None = None, human_name: str = "Human score",
        metric_name: str = "Metric score"
    ):  # fmt: skip
        self.names = base.check_names(names)
        n = len(self.names)
        self.human = base.check_numbers("human", human, (n,))
        self.metric = base.check_numbers("metric", metric, (n,))
        self.human_intervals = base.check_interval("human_intervals", human_intervals, n)
        self.metric_intervals = base.check_interval("metric_intervals", metric_intervals, n)
        self.clusters = None if clusters is None else list(clusters)
        if self.clusters is not None and len(self.clusters) != n:
            raise CandidateError(
                f"clusters must have {n} labels, one for each system, found {len(self.clusters)}."
            )
        self.human_name = human_name
        self.metric_name = metric_name
        self._borders = [] if self.clusters is None else self._find_borders()

    def plot(
        self, ax: Axes | None = None, *, text_kwargs: dict | None = None, **kwargs: Any
    ) -> Self:
        """Draw points and names.

        Parameters
        ----------
        ax : Axes, optional
            Where; default: a new figure.
        text_kwargs : dict, optional
            For the names (``Axes.annotate``).
        **kwargs : dict
            For the dots (``Axes.plot``).

        Returns
        -------
        SystemScatterDisplay
            This display.
        """
        few = len(self.names) <= 16  # more need the width of a page
        ax = self._axes(ax, *((3.6, base.WIDTH) if few else (5.5, 7.5)))
        (self.points_,) = ax.plot(self.human, self.metric, **(base.DOTS | kwargs))
        whiskers = {"color": self.points_.get_color(), "lw": 1, "alpha": 0.5, "zorder": 2}
        self.whiskers_, obstacles = [], [np.empty((0, 4))]
        for draw, at, intervals, ends in (
            (ax.hlines, self.metric, self.human_intervals, [1, 0, 2, 0]),
            (ax.vlines, self.human, self.metric_intervals, [0, 1, 0, 2]),
        ):
            if intervals is not None:
                lines = np.column_stack([at, intervals])
                lines = lines[~np.isnan(lines[:, 1])]
                self.whiskers_.append(draw(*lines.T, **whiskers))
                obstacles.append(lines[:, ends])
        self.lines_ = [ax.axvline(x, color=base.GREY, linestyle=":", lw=1.2) for x in self._borders]
        ax.margins(0.1)
        self._finished(ax, grid="both")
        ax.set_xlabel(base.shown_name(self.human_name), parse_math=False)
        ax.set_ylabel(base.shown_name(self.metric_name), parse_math=False)
        ax.set_title(self._title(), fontsize="medium")
        names = list(map(base.shown_name, self.names))
        # Last, because places of labels depend on all that is there.
        self.texts_ = label_points(
            ax, self.human, self.metric, names, np.vstack(obstacles), **(text_kwargs or {})
        )
        return self

    @classmethod
    def from_predictions(
        cls, human: pd.Series | Mapping, metric: pd.Series | Mapping, *,
        human_intervals: pd.DataFrame | None = None, metric_intervals: pd.DataFrame | None = None,
        clusters: pd.Series | Mapping | None = None, human_name: str = "Human score",
        metric_name: str = "Metric score", ax: Axes | None = None, **kwargs: Any
    ) -> Self:  # fmt: skip
        """Join the scores of systems by name and draw them.

        Parameters
        ----------
        human, metric : Series or mapping of system to score
            Higher is better; the same systems in any order.
        human_intervals, metric_intervals : DataFrame of two columns, by system, optional
            Lower and upper bounds.
        clusters : Series or mapping of system to label, optional
            See the class.
        human_name, metric_name, ax, **kwargs : see the class and :meth:`plot`
            The same.

        Returns
        -------
        SystemScatterDisplay
            Drawn.
        """
        human = pd.Series(human)
        base.check_names(human.index, "human's systems")
        joined = {
            "metric": metric, "human_intervals": human_intervals,
            "metric_intervals": metric_intervals, "clusters": clusters,
        }  # fmt: skip
        for name, values in joined.items():
            joined[name] = None if values is None else _joined(human, values, name)
        names = {"human_name": human_name, "metric_name": metric_name}
        return cls(human.index, human, **joined, **names).plot(ax, **kwargs)

    def _title(self):
        """Write the correlations."""
        r, tau = (
            "undefined" if np.isnan(value) else f"{value:.2f}"
            for value in (
                pearson(-self.human, self.metric),
                kendall_tau(-self.human, self.metric, groups=None, statistic="tau-b"),
            )
        )
        n = len(self.names)
        return f"Pearson {r}, tau-b {tau} ({n} {'system' if n == 1 else 'systems'})"

    def _find_borders(self):
        """Return the human scores half way between neighbouring clusters."""
        order = np.argsort(self.human, kind="stable")
        labels = [self.clusters[k] for k in order]
        borders = base.borders_of(labels, "clusters of systems, sorted by human score,")
        scores = self.human[order]
        return [float(scores[k - 1] + scores[k]) / 2 for k in borders]


def _joined(human, values, name):
    """Return values in the order of the systems of human."""
    if not isinstance(values, pd.DataFrame):
        values = pd.Series(values)
    base.check_names(values.index, f"{name}'s systems")
    for here, there, where in ((human, values, name), (values, human, "human")):
        missing = here.index.difference(there.index)
        if len(missing):
            raise CandidateError(
                f"The system {missing[0]!r} is missing from {where}: the systems must be the same."
            )
    return values.loc[human.index].to_numpy()
