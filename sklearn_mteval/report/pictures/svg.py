"""SVG as text that is safe to insert into HTML: whatever is put into it is escaped.

Places are in percent of the width, and sizes in pixels, so that text has the size that the style
gives it on screens of any width.
"""

import math
from html import escape
from typing import NamedTuple

from sklearn_mteval.report.cells import shown


class Markup(str):
    """Text that is markup already: templates and :func:`element` insert it as it is."""

    __slots__ = ()

    def __html__(self):
        return str(self)


class Picture(NamedTuple):
    """A drawing, and what it says in words."""

    svg: Markup
    description: str  # for who cannot look at it
    caption: str = ""  # what marks, axes and letters mean


def element(tag, *inside, **attributes):
    """Write an element: texts in it and attributes are escaped; None is left out.

    Of ``class_`` and the like the last underscore is dropped, others become hyphens; numbers are
    rounded to hundredths.
    """
    given = "".join(
        f' {name.removesuffix("_").replace("_", "-")}="{_written(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    content = "".join(
        part if isinstance(part, Markup) else escape(shown(str(part))) for part in inside
    )
    return Markup(f"<{tag}{given}>{content}</{tag}>" if inside else f"<{tag}{given}/>")


def _written(value):
    """Write the value of an attribute."""
    return (
        f"{value:.2f}".rstrip("0").rstrip(".")
        if isinstance(value, float)
        else escape(shown(str(value)))
    )


def drawing(height, description, *inside):
    """Write the outermost element of a picture that is as wide as there is room."""
    return element(
        "svg", *inside, class_="mteval-picture", xmlns="http://www.w3.org/2000/svg", role="img",
        aria_label=description, width="100%", height=height
    )  # fmt: skip


class Scale:
    """Where values stand on an axis, in percent of the width."""

    _EDGE = 0.04  # of the axis, free on both sides

    def __init__(self, values):
        there = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(there), max(there)
        span = (high - low) or abs(high) or 1.0
        self.low, self.high = low - self._EDGE * span, high + self._EDGE * span

    def __call__(self, value):
        """Return the place of a value in percent; what lies beyond the axis stands at its end."""
        value = min(max(value, self.low), self.high)
        return 100 * (value - self.low) / (self.high - self.low)

    def percent(self, value):
        """Write the place of a value as an attribute."""
        return f"{self(value):.2f}%"

    def ticks(self, most=6):
        """List round values on the axis, at most ``most``, with how to write them."""
        span = self.high - self.low
        unit = 10.0 ** math.floor(math.log10(span / most))
        step = next(unit * k for k in (1, 2, 5, 10, 20) if span / (unit * k) < most)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        form = f".{digits}f" if digits < 7 else ".3g"
        return [(k * step, f"{k * step + 0.0:{form}}") for k in range(first, last + 1)]


def axis(scale, top, bottom, label=""):
    """Draw lines at round values from top to bottom, their numbers below them, and a label."""
    parts = []
    for value, text in scale.ticks():
        x = scale.percent(value)
        parts += [
            element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"),
            element("text", text, x=x, y=bottom + 15, text_anchor="middle", class_="quiet"),
        ]
    if label:
        parts.append(element("text", label, x="50%", y=bottom + 33, text_anchor="middle"))
    return parts
