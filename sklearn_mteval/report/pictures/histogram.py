"""Two systems in one picture: the mean difference with its interval, and the differences of
segments as a histogram, whose left half speaks for one of them, the right half for the other.
"""

import math

from sklearn_mteval.plots._base import shown_name
from sklearn_mteval.report.pictures.svg import Picture, Scale, axis, drawing, element

_LONGEST = 18  # characters of a name
_BAR = 46  # pixels from the top: the mean difference
_TOP, _BOTTOM = 136, 226  # of the histogram


def difference_picture(first, second, mean, histogram, *, number="{:.4f}".format, equal=0):
    """Draw how much higher the first scores than the second: on average, and by segment.

    ``mean`` is the difference with its bounds (NaN: none); ``histogram`` the width of the bins and
    the counts from the lowest bin on, as many below 0 as above; ``equal`` segments are in no bin.
    """
    value, low, high = mean
    width, counts = histogram
    reach = max(map(abs, filter(math.isfinite, mean)), default=0.0) or 1.0
    of_mean, n = Scale([-reach, reach]), len(counts) // 2
    of_bins = Scale([-n * width, n * width])
    names = [shown_name(str(name), _LONGEST) for name in (first, second)]
    parts = [_title("Mean difference", 14), *_sides(names, 32), *axis(of_mean, 38, 56)]
    parts.append(_zero(of_mean, 38, 56))
    if not math.isnan(low + high):
        ends = {"x1": of_mean.percent(low), "x2": of_mean.percent(high)}
        parts.append(element("line", **ends, y1=_BAR, y2=_BAR, class_="whisker"))
    parts.append(element("circle", cx=of_mean.percent(value), cy=_BAR, r=5, class_="dot"))
    parts += [_title("Differences of segments", 106), *_sides(names, 124)]
    parts += axis(of_bins, _TOP, _BOTTOM)
    most = max(counts) or 1
    for k, count in enumerate(counts):
        left = (k - n) * width
        height = (_BOTTOM - _TOP) * count / most
        at = {"x": of_bins.percent(left), "y": _BOTTOM - height, "height": height}
        size = f"{of_bins(left + width) - of_bins(left):.2f}%"
        kind = "bin" if k >= n else "bin other-side"
        parts.append(element("rect", **at, width=size, class_=kind))
    parts.append(_zero(of_bins, _TOP, _BOTTOM))
    below, above = sum(counts[:n]), sum(counts[n:])
    bounds = "" if math.isnan(low + high) else f" [{number(low)}, {number(high)}]"
    description = (
        f"{first} less {second}: {number(value)}{bounds}. {first} is better in {above:,} segments, "
        f"{second} in {below:,}."
    )
    caption = "Bars at the ends hold all that is further away."
    if equal:
        caption += f" Not drawn: {equal:,} segment{'s' * (equal > 1)} in which both are equal."
    return Picture(drawing(_BOTTOM + 20, description, *parts), description, caption)


def _title(text, y):
    """Write what a part of the picture shows."""
    return element("text", text, x=0, y=y, class_="name")


def _sides(names, y):
    """Write for whom each half speaks."""
    first, second = names
    return [
        element("text", f"← {second} better", x=0, y=y, class_="quiet"),
        element("text", f"{first} better →", x="100%", y=y, text_anchor="end", class_="quiet"),
    ]


def _zero(scale, top, bottom):
    """Draw the line at 0."""
    return element(
        "line", x1=scale.percent(0), x2=scale.percent(0), y1=top, y2=bottom, class_="mark"
    )
