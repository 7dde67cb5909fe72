"""Dots with their intervals on one axis, a row for each that is compared."""

import math
from typing import NamedTuple

from sklearn_mteval.report.cells import UNDEFINED
from sklearn_mteval.report.pictures.svg import Picture, Scale, axis, drawing, element
from sklearn_mteval.report.short_names import short_names
from sklearn_mteval.report.summaries.phrases import name_of

MOST = 14  # rows
_LAST = 4  # of them, where there are more: the end of the list
_ROW = 30  # pixels
_LONGEST = 28  # characters of a name
# Shapes of others on the line of a row, and how a caption writes them.
_PATHS = ("M0-6 6 0 0 6-6 0z", "M-4.5-4.5h9v9h-9z", "M0-6 6 5h-12z", "M0 6 6-5h-12z")
SHAPES = ("◇", "□", "△", "▽")


class Row(NamedTuple):
    """What is drawn of one of those compared."""

    name: str
    value: float  # NaN: a row without a dot
    low: float = math.nan
    high: float = math.nan
    note: str = ""  # to the right of the value, as letters
    others: tuple = ()  # values of others on the same line, each with a shape of its own
    hollow: bool = False  # of what is not itself compared, as a baseline


class Band(NamedTuple):
    """A region behind all rows, as a ceiling with its interval."""

    value: float
    low: float
    high: float
    label: str


def dots(rows, what, *, number="{:.3f}".format, label="", caption="", lines=(), band=None):
    """Draw each row's value as a dot on its interval, with its name and the value above them.

    Of more than 14 rows the first and the last are drawn. ``what`` the dots are is said to who
    cannot look at them; ``number`` writes a value; ``label`` is of the axis, of some 40 characters
    at most; ``lines`` are values with their labels, which stand behind all rows, as the Band does.
    """
    named = list(zip(rows, short_names([row.name for row in rows]), strict=True))
    named, left_out = _chosen(named)
    drawn = [row for row, _ in named]
    lines = [*lines, *([(band.value, band.label)] if band else [])]
    ends = [x for row in drawn for x in (row.value, row.low, row.high, *row.others)]
    ends += [value for value, _ in lines] + ([band.low, band.high] if band else [])
    scale = Scale(ends)
    labelled = any(said for _, said in lines)
    top = 18 * labelled
    bottom = top + _ROW * (len(drawn) + bool(left_out))
    back = _band(band, scale, top, bottom) + axis(scale, top, bottom, label)
    for value, said in lines:
        back += _line(scale, value, said, top, bottom)
    aside = max((len(row.note) for row in drawn), default=0)
    tops = [top + _ROW * (k + (bool(left_out) and k > MOST - _LAST - 2)) for k in range(len(named))]
    texts = [_texts(*of, number, y, aside) for of, y in zip(named, tops, strict=True)]
    if left_out:
        y = top + _ROW * (MOST - _LAST - 1) + 21
        texts.append(element("text", f"… {left_out:,} more", x=0, y=y, class_="quiet"))
    description = _described(what, drawn, left_out, number, lines)
    height = bottom + 20 + 18 * bool(label)
    planes = []
    for name, below, place in (("narrow", 23, {}), ("wide", 10, {"x": "24%", "width": "48%"})):
        marks = [_marks(row, number, scale, y + below) for row, y in zip(drawn, tops, strict=True)]
        planes.append(element("svg", *back, *marks, class_=name, overflow="visible", **place))
    parts = [*planes, *texts]
    return Picture(drawing(height, description, *parts), description, caption)


def _chosen(rows):
    """Return the rows that are drawn, and how many are not."""
    if len(rows) <= MOST:
        return rows, 0
    first = MOST - _LAST - 1  # a line says how many are left out
    return rows[:first] + rows[-_LAST:], len(rows) - first - _LAST


def _texts(row, name, number, y, aside):
    """Write the name of a row, its value and its note, ``aside`` characters wide at most."""
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 + 1 :]}"
    name = element("text", name, x=0, y=14, class_="name")
    value = [element("tspan", _value(row.value, number), class_="value")]
    if not math.isnan(row.low + row.high):
        value.append(element("tspan", f" {_interval(row, number)}", class_="interval"))
    shift = -(aside * 8 + 10) if aside else None
    parts = [
        element("title", _said(row, number)),
        element("svg", name, y=y, width="56%", height=20),
        element("text", *value, x="100%", y=y + 14, dx=shift, text_anchor="end"),
    ]
    if row.note:
        parts.append(element("text", row.note, x="100%", y=y + 14, dx=-aside * 8, class_="note"))
    return element("g", *parts)


def _marks(row, number, scale, y):
    """Draw the interval of a row, the values of others, and its dot."""
    parts = [element("title", _said(row, number))]
    if not math.isnan(row.low + row.high):
        ends = {"x1": scale.percent(row.low), "x2": scale.percent(row.high)}
        parts.append(element("line", **ends, y1=y, y2=y, class_="whisker"))
    for other, path in reversed(list(zip(row.others, _PATHS, strict=False))):
        if not math.isnan(other):
            shape = element("path", d=path, class_="other")
            parts.append(element("svg", shape, x=scale.percent(other), y=y, overflow="visible"))
    if not math.isnan(row.value):
        kind = "dot hollow" if row.hollow else "dot"
        parts.append(element("circle", cx=scale.percent(row.value), cy=y, r=5, class_=kind))
    return element("g", *parts)


def _band(band, scale, top, bottom):
    """Draw a region."""
    if band is None or math.isnan(band.low + band.high):
        return []
    width = f"{scale(band.high) - scale(band.low):.2f}%"
    x = scale.percent(band.low)
    return [element("rect", x=x, y=top, width=width, height=bottom - top, class_="band")]


def _line(scale, value, said, top, bottom):
    """Draw a dashed line with its label above."""
    x, place = scale.percent(value), scale(value)
    anchor = "start" if place < 25 else "end" if place > 75 else "middle"
    line = element("line", x1=x, x2=x, y1=top, y2=bottom, class_="mark")
    return [line, element("text", said, x=x, y=12, text_anchor=anchor, class_="quiet")]


def _value(value, number):
    """Write a value."""
    return UNDEFINED if math.isnan(value) else number(value)


def _interval(row, number):
    """Write an interval."""
    return f"[{number(row.low)}, {number(row.high)}]"


def _said(row, number):
    """Say what one row shows."""
    bounds = "" if math.isnan(row.low + row.high) else f" {_interval(row, number)}"
    note = f", {row.note}" if row.note else ""
    return f"{name_of(row.name)}: {_value(row.value, number)}{bounds}{note}"


def _described(what, drawn, left_out, number, lines):
    """Say what the picture shows."""
    said = [_said(row, number) for row in drawn]
    if left_out:
        said.insert(MOST - _LAST - 1, f"{left_out:,} more that are not drawn")
    at = [f"{said_of}: a line at {number(value)}" for value, said_of in lines if said_of]
    return f"{'; '.join([f'{what}. {said[0]}' if said else what, *said[1:], *at])}."
