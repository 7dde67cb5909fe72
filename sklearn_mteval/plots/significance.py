"""Which metric is better than which, significantly: a heat map of p-values."""

import numpy as np

from sklearn_mteval._options import check_number
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots._base import INK, PALE, VERMILION, axes_for, check_names, check_numbers

__all__ = ["SignificanceDisplay"]

_LEVELS = (0.001, 0.01, 0.05)
_BLUES = ("#08306B", "#2171B5", "#6BAED6", "#C6DBEF")  # ColorBrewer's, dark is significant
_DARK = 2  # of them want white letters


class SignificanceDisplay:
    """One-sided p-values of all pairs of metrics, small where the row is better than the column.

    Significant cells are coloured, the darker the surer, and their p is bold.

    Parameters
    ----------
    names : sequence of str
        Of the metrics.
    p_values : array-like of shape (n_metrics, n_metrics)
        [i, j]: one-sided p for "i is better than j", in [0, 1]; NaN: not tested. The diagonal
        is not looked at.
    values : array-like of shape (n_metrics,), optional
        Figures of agreement by which to sort, the best first; NaN is last. Default: as given.
    clusters : array-like of shape (n_metrics,), optional
        A label for each metric; a line is drawn where it changes.

    Attributes
    ----------
    order_ : ndarray of shape (n_metrics,), int64
        Positions of the metrics from top to bottom and from left to right.
    image_ : AxesImage
        The coloured cells; what was not tested is masked.
    texts_ : ndarray of shape (n_metrics, n_metrics) of Text or None
        The p-values, in the order drawn.
    lines_ : list of Line2D
        Between clusters.
    ax_ : Axes
        What it is drawn on.
    figure_ : Figure
        The figure of these axes.

    Examples
    --------
    >>> from sklearn_mteval.plots import SignificanceDisplay
    >>> display = SignificanceDisplay(["BLEU", "chrF"], [[0, 0.99], [0.01, 0]], values=[18, 26])
    >>> [text.get_text() for text in display.plot().ax_.get_yticklabels()]
    ['chrF', 'BLEU']
    """

    def __init__(self, names, p_values, *, values=None, clusters=None):
        self.names = check_names(names)
        n = len(self.names)
        p_values = np.array(p_values, dtype=object)
        if p_values.shape == (n, n):
            np.fill_diagonal(p_values, np.nan)
        self.p_values = check_numbers("p_values", p_values, (n, n), allow_nan=True, low=0, high=1)
        self.values = (
            None if values is None else check_numbers("values", values, (n,), allow_nan=True)
        )
        self.clusters = None if clusters is None else list(clusters)
        if self.clusters is not None:
            if len(self.clusters) != n:
                raise CandidateError(
                    f"clusters must have {n} labels, one for each metric, found "
                    f"{len(self.clusters)}."
                )
            ordered = [self.clusters[k] for k in self._order()]
            if len(_changes(ordered)) >= len(set(ordered)):
                raise CandidateError(
                    "clusters must stand together when metrics are sorted by their value, found "
                    f"{ordered}."
                )

    def plot(self, ax=None, *, alpha=0.05, colorbar=True, **kwargs):
        """Draw the heat map.

        Parameters
        ----------
        ax : Axes, optional
            Where; default: a new figure, larger the more metrics there are.
        alpha : float, default=0.05
            p-values below it are significant.
        colorbar : bool, default=True
            Whether to draw the scale of colours.
        **kwargs : dict
            For the numbers (``Axes.text``).

        Returns
        -------
        SignificanceDisplay
            This display.
        """
        check_number("alpha", alpha, above=0, maximum=0.5)
        n = len(self.names)
        margin = 0.07 * max(len(name) for name in self.names)
        cells = max(0.44 * n, 1.2)
        ax = axes_for(self, ax, (cells + margin + 1.3, cells + 0.8 * margin + 0.6))
        from matplotlib.colors import BoundaryNorm, ListedColormap

        self.order_ = self._order()
        shown = self.p_values[np.ix_(self.order_, self.order_)]
        bounds = [0, *(level for level in _LEVELS if level < alpha), alpha, 1]
        colours = ListedColormap([*_BLUES[: len(bounds) - 2], "#F4F4F4"]).with_extremes(bad="white")
        self.image_ = ax.imshow(
            np.ma.masked_invalid(shown), cmap=colours, norm=BoundaryNorm(bounds, colours.N)
        )
        self.texts_ = np.full((n, n), None)
        for row, column in np.argwhere(~np.isnan(shown)):
            p = shown[row, column]
            style = {
                "ha": "center",
                "va": "center",
                "fontsize": 8 if n <= 12 else 7,
                "fontweight": "bold" if p < alpha else "normal",
                "color": "white" if p < bounds[min(_DARK, len(bounds) - 2)] else INK,
            }
            self.texts_[row, column] = ax.text(column, row, _in_words(p), **(style | kwargs))
        names = [self.names[k] for k in self.order_]
        ax.set_xticks(
            range(n), names, rotation=45, ha="left", rotation_mode="anchor", parse_math=False
        )
        ax.set_yticks(range(n), names, parse_math=False)
        ax.xaxis.tick_top()
        ax.tick_params(which="both", length=0)
        ax.set_xticks(np.arange(0.5, n - 1), minor=True)
        ax.set_yticks(np.arange(0.5, n - 1), minor=True)
        ax.grid(which="minor", color="white", lw=1.5)
        ax.spines[:].set_color(PALE)
        self.lines_ = []
        if self.clusters is not None:
            for k in _changes([self.clusters[k] for k in self.order_]):
                style = {"color": VERMILION, "lw": 2}
                self.lines_ += [ax.axhline(k - 0.5, **style), ax.axvline(k - 0.5, **style)]
        if colorbar:
            scale = ax.figure.colorbar(self.image_, ax=ax, shrink=min(1, 3 / cells), aspect=14)
            scale.set_ticks(bounds, labels=[f"{bound:g}" for bound in bounds])
            scale.set_label("p (row better than column)")
            scale.outline.set_color(PALE)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_comparison(cls, comparison, *, clusters=None, ax=None, **kwargs):
        """Draw what a test of all pairs of metrics found.

        Parameters
        ----------
        comparison : MetricComparison
            With ``names``, ``values`` and ``p_values``.
        clusters : array-like of shape (n_metrics,), optional
            A label for each metric.
        ax : Axes, optional
            Where; default: a new figure.
        **kwargs : dict
            For :meth:`plot`.

        Returns
        -------
        SignificanceDisplay
            Drawn.
        """
        display = cls(
            comparison.names, comparison.p_values, values=comparison.values, clusters=clusters
        )
        return display.plot(ax, **kwargs)

    def _order(self):
        """Sort the metrics by value."""
        if self.values is None:
            return np.arange(len(self.names))
        return np.argsort(-self.values, kind="stable")


def _changes(labels):
    """Return the positions at which the label differs from the one before."""
    return [k for k in range(1, len(labels)) if labels[k] != labels[k - 1]]


def _in_words(p):
    """Write a p-value as papers do."""
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}".lstrip("0") if p < 0.0995 else f"{p:.2f}".lstrip("0")
