"""Rows of proportions of several kinds: a colour and a mark for each kind, whiskers, a legend."""

import numpy as np

from sklearn_mteval.plots._base import DOTS, PALE, longest_of, next_colour, shown_name

_MARKERS = "osD^vP*X"
_APART = 0.16  # rows, from a series to the next


def draw_proportions(display, ax, rows, series, proportions, intervals, **kwargs):
    """Draw proportions (n_rows, n_series) in percent; return axes, dots and whiskers."""
    places, n_series = np.arange(len(rows)), len(series)
    size = (5.5 + 0.08 * longest_of(rows), 1.6 + (0.12 + 0.07 * n_series) * len(rows))
    ax = display._axes(ax, size)
    points, whiskers = [], []
    for k, name in enumerate(series):
        at = places + _APART * (k - (n_series - 1) / 2)
        style = DOTS | {"color": next_colour(ax, "series"), "markersize": 5, "gid": "series"}
        style |= {"marker": _MARKERS[k % len(_MARKERS)], "label": name, "clip_on": False} | kwargs
        points += ax.plot(100 * proportions[:, k], at, **style)
        if intervals is not None:
            bounds = 100 * intervals[:, k]
            there = ~np.isnan(bounds).any(axis=1)
            colour = points[-1].get_color()
            whiskers.append(ax.hlines(at[there], *bounds[there].T, color=colour, lw=1.4, zorder=2))
    for row in places[1:]:
        ax.axhline(row - 0.5, color=PALE, lw=0.8, zorder=0)
    ax.set_xlim(-2, 102)
    legend = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": min(n_series, 5)}
    texts = ax.legend(frameon=False, columnspacing=1, handletextpad=0.3, **legend).get_texts()
    for text in texts:
        text.set(parse_math=False, text=shown_name(text.get_text()))
    return ax, points, whiskers
