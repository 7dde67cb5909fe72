"""Which metric is better than which, significantly: a heat map of p-values."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_number
from sklearn_mteval._helpers.types import Axes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.significance.comparison import MetricComparison
from sklearn_mteval.plots import _base as base

_LEVELS = (0.001, 0.01, 0.05)
_BLUES = ("#08306B", "#2171B5", "#6BAED6", "#C6DBEF")  # ColorBrewer's, dark is significant
_DARK = 2  # of them want white letters
_ON_LIGHT = "#202020"  # letters on the others, also where the page is dark
_LONGEST = 28  # letters of a name at the cells
_MOST_CELLS = 12  # metrics of a heat map, unless it is asked for; more are rows of a strip


class SignificanceDisplay(base.Display):
    """Which metrics are significantly better than which: a heat map, or of many a strip.

    The heat map shows the p-values of all pairs, small where the row is better than the column.
    Significant cells are coloured, the darker the surer, and their p is bold. The strip has a row
    for each metric: a dot at its value, and a line to the ticks of those it cannot be told apart
    from.

    Parameters
    ----------
    names : sequence of str
        Of the metrics.
    p_values : array-like of shape (n_metrics, n_metrics)
        [i, j]: p for "i is better than j", in [0, 1]; NaN: not tested. The diagonal
        is not looked at.
    values : array-like of shape (n_metrics,), optional
        Their agreement, by which to sort, the best first; NaN is last. Default: as given.
    clusters : list of list of str, optional
        Names of the metrics of each cluster, as
        :func:`sklearn_mteval.metrics.significance_clusters` returns them; lines are drawn
        between them. A metric may be in none.
    p_name : str, default="p"
        What the numbers are, e.g. "Holm's p".
    ranks : str, optional
        The rule by which clusters were made ("metrics-task", "clusters"), to be written below.

    Attributes
    ----------
    order_ : ndarray of shape (n_metrics,), int64
        Positions of the metrics from top to bottom and from left to right.
    lines_ : list of Line2D
        Between clusters.
    image_, texts_ : QuadMesh, ndarray of shape (n_metrics, n_metrics) of Text or None
        Of the heat map: the coloured cells, what was not tested masked; the p-values, in the order
        drawn.
    points_, spans_, ticks_ : Line2D, LineCollection, LineCollection
        Of the strip: the metrics, from the least to the largest value of those that they cannot be
        told apart from, and these values.

    Examples
    --------
    >>> from sklearn_mteval.plots import SignificanceDisplay
    >>> display = SignificanceDisplay(["BLEU", "chrF"], [[0, 0.99], [0.01, 0]], values=[18, 26])
    >>> [text.get_text() for text in display.plot().ax_.get_yticklabels()]
    ['chrF', 'BLEU']
    """

    def __init__(
        self, names: Sequence[str], p_values: ArrayLike, *, values: ArrayLike | None = None,
        clusters: list[list[str]] | None = None, p_name: str = "p", ranks: str | None = None
    ):  # fmt: skip
        self.names = base.check_names(names)
        n = len(self.names)
        p_values = np.array(p_values, dtype=object)
        if p_values.shape == (n, n):
            np.fill_diagonal(p_values, np.nan)
        self.p_values = base.check_numbers(
            "p_values", p_values, (n, n), allow_nan=True, low=0, high=1
        )
        self.values = values
        if values is not None:
            self.values = base.check_numbers("values", values, (n,), allow_nan=True)
        self.clusters, self.p_name, self.ranks = clusters, p_name, ranks
        self._borders = [] if clusters is None else self._find_borders()

    def plot(
        self, ax: Axes | None = None, *, alpha: float = 0.05, colorbar: bool = True,
        strip: bool | None = None, **kwargs: Any
    ) -> Self:  # fmt: skip
        """Draw the heat map, or the strip.

        Parameters
        ----------
        ax : Axes, optional
            Where; default: a new figure, larger the more metrics there are.
        alpha : float, default=0.05
            p-values up to it are significant.
        colorbar : bool, default=True
            Whether to draw the scale of colours.
        strip : bool, optional
            Whether to draw the strip, which needs ``values``. Default: if these are there, of more
            than 12 metrics.
        **kwargs : dict
            For the numbers (``Axes.text``), or the dots of the strip (``Axes.plot``).

        Returns
        -------
        SignificanceDisplay
            This display.
        """
        check_number("alpha", alpha, above=0, maximum=0.5)
        if strip and self.values is None:
            raise CandidateError("A strip shows metrics at their values: give values=.")
        n = len(self.names)
        upright = n > _MOST_CELLS
        if strip or (strip is None and upright and self.values is not None):
            return self._drawn_strip(ax, alpha, kwargs)
        margin = 0.075 * min(_LONGEST, base.longest_of(self.names))
        cells = max(0.36 * n, 2)
        high = cells + margin * (1 if upright else 0.7) + 0.4
        ax = self._axes(ax, high, cells + margin + 1.2)
        from matplotlib.colors import BoundaryNorm, ListedColormap

        self.order_ = self._order()
        shown = self.p_values[np.ix_(self.order_, self.order_)]
        bounds = np.array([0, *(level for level in _LEVELS if level < alpha), alpha, 1])
        # A class has its upper bound: p = alpha is significant.
        classes = np.append(np.nextafter(bounds[:-1], 1), 1) * (bounds > 0)
        colours = ListedColormap([*_BLUES[: len(bounds) - 2], base.FAINT]).with_extremes(bad="none")
        edges = np.arange(n + 1) - 0.5
        self.image_ = ax.pcolormesh(
            edges, edges, np.ma.masked_invalid(shown), cmap=colours,
            norm=BoundaryNorm(classes, colours.N),
        )  # fmt: skip
        ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
        style = {"fontsize": 6 if upright else 7.5} | kwargs
        dark = bounds[min(_DARK, len(bounds) - 2)]
        self.texts_ = _write_cells(ax, shown, alpha, dark, style)
        self._write_names(ax, upright)
        self.lines_, style = [], {"color": base.VERMILION, "lw": 2}
        for k in self._borders:
            self.lines_ += [ax.axhline(k - 0.5, **style), ax.axvline(k - 0.5, **style)]
        if self.clusters is not None and self.ranks is not None:
            ax.set_xlabel(f"lines: significance clusters ({self.ranks})", fontsize="small")
        if colorbar:
            scale = ax.figure.colorbar(self.image_, ax=ax, shrink=min(1, 3 / cells), aspect=14)
            scale.set_ticks(classes, labels=[f"{bound:g}" for bound in bounds])
            scale.set_label(
                f"{base.shown_name(self.p_name)} (row better than column)", fontsize="small",
                parse_math=False,
            )  # fmt: skip
            scale.outline.set_color(base.PALE)
        return self._finished(ax, hidden=())

    def _drawn_strip(self, ax, alpha, kwargs):
        """Draw rows of dots, and lines to those that each metric cannot be told apart from."""
        n = len(self.names)
        ax = self._axes(ax, 0.9 + 0.2 * n)
        self.order_ = self._order()
        shown, values = self.p_values[np.ix_(self.order_, self.order_)], self.values[self.order_]
        told = (shown <= alpha) | (alpha >= shown.T)  # of a pair the better is in the row
        alike = ~told & ~np.isnan(values) & ~(np.isnan(shown) & np.isnan(shown.T))
        np.fill_diagonal(alike, ~np.isnan(values))
        rows = np.flatnonzero(alike.any(axis=1))
        ends = np.array([100 * values[alike[row]][[-1, 0]] for row in rows]).reshape(-1, 2)
        self.spans_ = ax.hlines(rows, *ends.T, color=base.BLUE, lw=1.4, zorder=2)
        row, other = np.nonzero(alike)
        at = 100 * values[other]
        self.ticks_ = ax.vlines(at, row - 0.22, row + 0.22, color=base.BLUE, lw=1.4, zorder=2)
        style = base.DOTS | {"color": base.INK, "markersize": 4.5} | kwargs
        (self.points_,) = ax.plot(100 * values, np.arange(n), **style)
        line = {"color": base.GREY, "lw": 0.8, "ls": "--"}
        self.lines_ = [ax.axhline(k - 0.5, **line) for k in self._borders]
        about = f"agreement × 100\nticks: not told apart\n({self.p_name} > {alpha:g})"  # noqa: RUF001
        if self.lines_ and self.ranks is not None:
            about += f"\ndashes: clusters ({self.ranks})"
        ax.set_xlabel(about)
        return self._finished_rows(ax, [self.names[k] for k in self.order_])

    def _write_names(self, ax, upright):
        """Write the names of rows and columns, in the order drawn, and a grid between the cells."""
        names = [base.shown_name(self.names[k], _LONGEST) for k in self.order_]
        n = len(names)
        turn = {"rotation": 90, "va": "center"} if upright else {"rotation": 45, "va": "baseline"}
        style = {"fontsize": base.SMALL, "parse_math": False}
        ax.set_xticks(range(n), names, ha="left", rotation_mode="anchor", **style, **turn)
        ax.set_yticks(range(n), names, **style)
        ax.xaxis.tick_top()
        ax.tick_params(which="both", length=0)
        ax.set_xticks(np.arange(0.5, n - 1), minor=True)
        ax.set_yticks(np.arange(0.5, n - 1), minor=True)
        ax.grid(which="minor", color=base.GROUND, lw=1.5)
        ax.spines[:].set_color(base.PALE)

    @classmethod
    def from_comparison(
        cls, comparison: MetricComparison, *, p_values: ArrayLike | None = None, p_name: str = "p",
        clusters: list[list[str]] | None = None, ranks: str | None = None, ax: Axes | None = None,
        **kwargs: Any
    ) -> Self:  # fmt: skip
        """Draw what a test of all pairs of metrics found.

        Parameters
        ----------
        comparison : MetricComparison
            With ``names``, ``values`` and ``p_values``, shown in the row of the better metric.
        p_values : array-like of shape (n_metrics, n_metrics), optional
            To be shown instead of the comparison's, e.g. corrected for their number.
        p_name, clusters, ranks : see :class:`SignificanceDisplay`
            The same.
        ax, **kwargs : see :meth:`plot`
            The same.

        Returns
        -------
        SignificanceDisplay
            Drawn.
        """
        better = comparison.differences >= 0
        shown = np.where(better, comparison.p_values, np.nan) if p_values is None else p_values
        options = {"values": comparison.values, "p_name": p_name, "ranks": ranks}
        return cls(comparison.names, shown, clusters=clusters, **options).plot(ax, **kwargs)

    def _order(self):
        """Sort the metrics by value."""
        if self.values is None:
            return np.arange(len(self.names))
        return np.argsort(-self.values, kind="stable")

    def _find_borders(self):
        """Return the places, from the top, at which another cluster begins."""
        cluster_of = {}
        for number, cluster in enumerate(self.clusters):
            for name in base.check_names(cluster, f"clusters[{number}]"):
                if name not in self.names or name in cluster_of:
                    problem = "in two clusters" if name in cluster_of else "unknown"
                    raise CandidateError(f"The metric {name!r} of clusters[{number}] is {problem}.")
                cluster_of[name] = number
        labels = [cluster_of.get(self.names[k]) for k in self._order()]
        return base.borders_of(labels, "clusters of metrics, sorted by value,")


def _write_cells(ax, p_values, alpha, dark, style):
    """Write p-values into their cells, on those up to ``dark`` in white; return Texts or None."""
    texts = np.full(p_values.shape, None)
    # They lie within the cells, and measuring them takes long.
    style = {"ha": "center", "va": "center", "in_layout": False} | style
    for row, column in np.argwhere(~np.isnan(p_values)):
        p = p_values[row, column]
        own = {"fontweight": "normal", "color": base.INK}
        if p <= alpha:
            own = {"fontweight": "bold", "color": "white" if p <= dark else _ON_LIGHT}
        texts[row, column] = ax.text(column, row, _in_words(p), **(own | style))
    return texts


def _in_words(p):
    """Write a p-value as papers do."""
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}".lstrip("0") if p < 0.0995 else f"{p:.2f}".lstrip("0")
