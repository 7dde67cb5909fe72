"""A curve with its band, and what was observed: agreement by difference."""

import math
from typing import NamedTuple

from sklearn_mteval.report.pictures.svg import Picture, Scale, axis, drawing, element

_HEIGHT = 260  # pixels, of the plane
_TOP = 8


class Point(NamedTuple):
    """What was observed: a value with its interval at a place of the lower axis."""

    x: float
    value: float
    low: float = math.nan
    high: float = math.nan


def curve(line, points, description, *, steps=(), label="", caption=""):
    """Draw a line with its band, points on intervals, and dashed steps from the left to the line.

    ``line`` has places on the lower axis, ascending, and there the value and its bounds, which may
    be NaN; ``steps`` places and values from which dashed lines go to both axes, infinite ones left
    out; ``label`` is of the lower axis, ``description`` for who cannot look at it.
    """
    across = Scale([0.0, *(row[0] for row in line), *(point.x for point in points)])
    shown = [x for row in line for x in row[1:]] + [x for point in points for x in point[1:]]
    up = Scale([*shown, *(value for place, value in steps if math.isfinite(place))])

    def y(value):
        return _TOP + _HEIGHT * (1 - up(value) / 100)

    bottom = _TOP + _HEIGHT
    parts = axis(across, _TOP, bottom, label)
    for value, text in up.ticks(5):
        parts += [
            element("line", x1="0%", x2="100%", y1=y(value), y2=y(value), class_="grid"),
            element("text", text, x=2, y=y(value) - 3, class_="quiet"),
        ]
    parts.append(_line_and_band(line, across, up))
    for place, value in steps:
        if across.low <= place <= across.high:
            x = across.percent(place)
            parts += [
                element(
                    "line", x1=across.percent(0), x2=x, y1=y(value), y2=y(value), class_="mark"
                ),
                element("line", x1=x, x2=x, y1=y(value), y2=bottom, class_="mark"),
            ]
    for point in points:
        x = across.percent(point.x)
        if not math.isnan(point.low + point.high):
            ends = {"y1": y(point.low), "y2": y(point.high)}
            parts.append(element("line", x1=x, x2=x, **ends, class_="whisker"))
        if not math.isnan(point.value):
            parts.append(element("circle", cx=x, cy=y(point.value), r=4, class_="dot"))
    height = bottom + 20 + 18 * bool(label)
    return Picture(drawing(height, description, *parts), description, caption)


def _line_and_band(line, across, up):
    """Draw both in a plane of 100 by 100, which is stretched to the width that there is."""
    places = [f"{across(row[0]):.2f} {100 - up(row[1]):.2f}" for row in line]
    there = [row for row in line if not math.isnan(row[2] + row[3])]
    border = [f"{across(x):.2f} {100 - up(low):.2f}" for x, _, low, _ in there]
    border += [f"{across(x):.2f} {100 - up(high):.2f}" for x, _, _, high in reversed(there)]
    return element(
        "svg",
        element("polygon", points=" ".join(border), class_="band"),
        element("polyline", points=" ".join(places), class_="curve"),
        y=_TOP, width="100%", height=_HEIGHT, viewBox="0 0 100 100", preserveAspectRatio="none",
    )  # fmt: skip
