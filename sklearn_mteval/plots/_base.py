"""What all displays share: matplotlib on use, colours, axes, checks of what is to be drawn."""

from textwrap import wrap
from typing import Any, Self

import numpy as np

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.shown import printable
from sklearn_mteval._helpers.types import Axes, Figure
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS

# The first three are Okabe and Ito's, the second one darker. All have a contrast of 3 or more with
# white and with a dark page, and colour-blind readers tell any two apart.
BLUE, VERMILION = "#0072B2", "#B84A00"
# GROUND is what lies behind: not "white", since letters on dark colours are white on any ground.
INK, GREY, PALE, FAINT, GROUND = "#222222", "#5F5F5F", "#E3E3E3", "#F4F4F4", "#FEFEFE"
_CURVES = (BLUE, VERMILION, "#009E73", "#9016FA", "#8D8DAB", "#FA0357", INK)
DOTS = {"color": BLUE, "marker": "o", "linestyle": "none", "zorder": 3}

# Of figures, in inches: at the width of a column, 3.3, the smallest letters still have 7 points.
WIDTH = 3.9
SMALL = "small"
MOST_NAMES = 200  # of rows: more cannot be read, and take long to draw
_LARGEST = 1e100  # differences of larger numbers, and margins, are soon infinite
_LONGEST, _LONGEST_LABEL = 60, 100  # characters of a name, of a line of an axis' label
_MARKERS = "osD^vP*X"
_APART = 0.16  # rows, from a series to the next
_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 3)))
_NAMES_PART = 0.5  # of the width of a plot, at most, that the names of its rows take
_LETTER = 0.6  # of their size, how wide letters are on average
_TIMES_100 = "{} × 100"  # noqa: RUF001


def axis_label(statistic):
    """Name an axis by the label of a registered statistic, or by any other name."""
    known = SYSTEM_STATISTICS | STATISTICS  # names of both mean the same
    return _TIMES_100.format(known[statistic].label if statistic in known else statistic)


class Display:
    """What all displays have when they are drawn."""

    ax_: Axes
    figure_: Figure

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            Where; default: a new figure, higher the more names it has to show.
        **kwargs : dict
            For the curves, or where there are none the dots (``Axes.plot``) or bars.

        Returns
        -------
        Display
            This one, drawn on ``ax_`` (Axes) of ``figure_`` (Figure).
        """
        return self._drawn(ax, kwargs)

    def _drawn(self, ax, kwargs):
        """Draw the display; each has its own."""
        raise NotImplementedError

    def _axes(self, ax, height, width=WIDTH):
        """Return the caller's axes or, of a new figure of this size in inches, new ones."""
        pyplot = import_extra("matplotlib.pyplot", "plots", f"{type(self).__name__}.plot")
        return ax or pyplot.subplots(figsize=(width, height), layout="constrained")[1]

    def _finished_rows(self, ax, names):
        """Write the names of rows, the first on top; return the display."""
        most = _fitting(ax, _NAMES_PART)
        shown = [shown_name(name, most) for name in names]
        ax.set_yticks(range(len(names)), shown, parse_math=False, fontsize=SMALL)
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.xaxis.label.set(x=1, ha="right")  # below the names, too
        return self._finished(ax, grid="x", hidden=("left", "top", "right"))

    def _finished(self, ax, *, grid=None, hidden=("top", "right"), legend=None):
        """Draw a grid along an axis, a legend at a place, hide sides of the frame; return self."""
        if legend is not None:
            for text in ax.legend(frameon=False, loc=legend, fontsize=SMALL).get_texts():
                text.set(parse_math=False, text=shown_name(text.get_text()))
        for axis, text in enumerate(
            (ax.xaxis.label, ax.yaxis.label)
        ):  # they may have names in them
            lines = [printable(line, _LONGEST_LABEL) for line in text.get_text().split("\n")]
            lines = [part for line in lines for part in wrap(line, _fitting(ax, 0.8, axis))]
            text.set(parse_math=False, text="\n".join(lines), fontsize=SMALL)
        if grid is not None:
            ax.grid(axis=grid, color=PALE)
            ax.set_axisbelow(True)
        for side in hidden:
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def next_style(ax, curves, style):
    """Return the style of a new curve with this ``gid``: a colour, and a line and a marker to tell
    it in grey, that no other has, until the eighth; and what ``style`` has instead or in addition.
    """
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    n = sum(line.get_gid() == curves for line in ax.lines)
    own = {"color": _CURVES, "linestyle": _STYLES, "marker": _MARKERS}
    own = {name: values[n % len(values)] for name, values in own.items()}
    return own | {"gid": curves} | normalize_kwargs(style, Line2D)


def is_new(ax, gid):
    """Tell whether no line has this ``gid``: what several displays on one axes draw once."""
    return not any(line.get_gid() == gid for line in ax.lines)


def borders_of(labels, what):
    """Return where a label differs from the one before; ``what`` may not come again further on."""
    borders = [k for k in range(1, len(labels)) if labels[k] != labels[k - 1]]
    if len(borders) >= len(set(labels)):
        raise CandidateError(f"{what} must stand together, found {labels}.")
    return borders


def write_outside(ax, text, place, apart, colour, *, above=False):
    """Write right of a place on the y axis or above one on the x axis, so many points apart."""
    style = {"xy": (1, place), "xycoords": ("axes fraction", "data"), "xytext": (apart, 0)}
    style |= {"ha": "left", "va": "center"}
    if above:
        style = {name: pair[::-1] for name, pair in style.items() if name.startswith("xy")}
        style |= {"ha": "center", "va": "bottom"}
    style |= {"textcoords": "offset points", "fontsize": "small", "color": colour}
    text = shown_name(text, max(20, _fitting(ax, 0.35)))
    return ax.annotate(text, **style, annotation_clip=False, parse_math=False)


def shown_name(name, longest=_LONGEST):
    """Return a name as plots have it: printable, and the middle of a long one cut."""
    if len(name) > longest:
        name = f"{name[: longest // 2]}…{name[1 - longest // 2 :]}"
    return printable(name, longest)


def _fitting(ax, part, axis=0):
    """Return how many small letters, from 12 to 60, fit into a part of a plot's width (height)."""
    from matplotlib.font_manager import FontProperties

    # Of several plots in a figure each has its part; 0.225 are the margins of one alone.
    inches = ax.figure.get_size_inches()[axis] * min(1, ax.get_position().size[axis] / 0.775)
    letter = _LETTER * FontProperties(size=SMALL).get_size_in_points() / 72
    return max(12, min(_LONGEST, int(part * inches / letter)))


def longest_of(names):
    """Return how many characters the longest of some names has as it is shown."""
    return max(len(shown_name(name)) for name in names)


def check_names(names, what="names"):
    """Return names as strings, at least one, all different, no more than a plot shows."""
    if isinstance(names, str):
        raise CandidateError(f"{what} must be a sequence of names, found the string {names!r}.")
    names = [str(name) for name in names]
    if not names:
        raise CandidateError(f"{what} is empty: there is nothing to draw.")
    if len(names) > MOST_NAMES:
        raise CandidateError(
            f"{what} has {len(names):,} names, of which a plot shows {MOST_NAMES} at most: choose "
            "which, such as the best ones."
        )
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise CandidateError(f"{what} has {twice[0]!r} twice: names must differ.")
    return names


def check_numbers(
    name, values, shape, *, allow_nan=False, allow_infinite=False, low=-np.inf, high=np.inf
):
    """Return numbers of a shape as a copy, float64; bounds are allowed, infinity where said."""
    try:
        values = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"{name} must be numbers: {error}") from None
    if values.shape != shape:
        raise CandidateError(f"{name} must have shape {shape}, found {values.shape}.")
    bad = (values < low) | (values > high) | ((np.abs(values) > _LARGEST) & np.isfinite(values))
    bad |= (np.isinf(values) & (not allow_infinite)) | (np.isnan(values) & (not allow_nan))
    if bad.any():
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        limits = "" if low == -np.inf else f" between {low:g} and {high:g}"
        if not limits and np.isfinite(values[where]):
            limits = f" of {_LARGEST:g} at most"
        place = f" at position {', '.join(map(str, where))}" if where else ""
        raise CandidateError(
            f"{name} must be finite numbers{limits}{' or NaN' * allow_nan}, found "
            f"{values[where]}{place}."
        )
    return values


def check_increasing(name, values, **limits):
    """Return numbers that increase, one at least, as a copy, float64."""
    n = np.size(values)
    if n == 0:
        raise CandidateError(f"{name} is empty: there is nothing to draw.")
    values = check_numbers(name, values, (n,), **limits)
    if (np.diff(values) <= 0).any():
        raise CandidateError(f"{name} must increase: sort them, each once.")
    return values


def check_interval(name, bounds, n):
    """Return lower and upper bounds (n, 2), both NaN where there is no interval; None if None."""
    if bounds is None:
        return None
    bounds = check_numbers(name, bounds, (n, 2), allow_nan=True)
    low, high = bounds.T
    bad = (np.isnan(low) != np.isnan(high)) | (low > high)
    if bad.any():
        k = int(bad.argmax())
        raise CandidateError(
            f"{name} must be lower and upper bounds, both NaN where there are none; found "
            f"{low[k]} and {high[k]} at position {k}."
        )
    return bounds


def draw_proportions(display, ax, rows, series, proportions, intervals, **kwargs):
    """Draw proportions (n_rows, n_series) in percent; return axes, dots and whiskers."""
    places, n_series = np.arange(len(rows)), len(series)
    ncols = max(1, min(n_series, _fitting_columns(series)))
    above = 0.2 * -(-n_series // ncols)
    ax = display._axes(ax, 1.2 + above + (0.12 + 0.07 * n_series) * len(rows))
    points, whiskers = [], []
    for k, name in enumerate(series):
        at = places + _APART * (k - (n_series - 1) / 2)
        style = {"linestyle": "none", "markersize": 5, "label": name, "clip_on": False, "zorder": 3}
        style = next_style(ax, "series", style | kwargs)
        points += ax.plot(100 * proportions[:, k], at, **style)
        if intervals is not None:
            bounds = 100 * intervals[:, k]
            there = ~np.isnan(bounds).any(axis=1)
            colour = points[-1].get_color()
            whiskers.append(ax.hlines(at[there], *bounds[there].T, color=colour, lw=1.4, zorder=2))
    for row in places[1:]:
        ax.axhline(row - 0.5, color=PALE, lw=0.8, zorder=0)
    ax.set_xlim(-2, 102)
    legend_above(ax, ncols)
    return ax, points, whiskers


def _fitting_columns(labels):
    """Return how many columns of a legend fit into the width of a column, 4 at most."""
    return min(4, int(38 / (6 + min(_LONGEST, max(map(len, labels))))))


def legend_above(ax, ncols):
    """Write the legend above the axes and the names left of them, in so many columns."""
    style = {"loc": "lower right", "bbox_to_anchor": (1, 1), "ncols": ncols, "fontsize": SMALL}
    style |= {"columnspacing": 1, "handletextpad": 0.3, "handlelength": 1.5, "frameon": False}
    most = _fitting(ax, 0.75 / ncols)
    for text in ax.legend(**style).get_texts():
        text.set(parse_math=False, text=shown_name(text.get_text(), most))
