"""Displays as files: equal numbers give equal bytes, on a light ground and on a dark one."""

import hashlib
import re
import warnings
from io import BytesIO
from typing import Any

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval.plots._base import FAINT, GREY, GROUND, INK, PALE

DARK_GROUND = "#16181D"
# What is dark on light ground, and the ground itself; other colours do for both.
_IN_THE_DARK = {
    INK: "#E8E8E8", GREY: "#A8A8A8", PALE: "#33363D", FAINT: "#2A2D34", GROUND: DARK_GROUND,
}  # fmt: skip
_DPI = 150
_STYLE = {
    "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK,
    "ytick.color": INK, "svg.hashsalt": "sklearn-mteval"
}  # fmt: skip
# Comments, which hold texts; then the declaration, metadata, and styles of the whole page.
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
_AROUND = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL
)


def drawn(display: Any, format: str, *, transparent: bool = False, **options) -> bytes:
    """Draw a file, "png" or "svg", on white or ``transparent``; equal displays give equal bytes."""
    pyplot = import_extra("matplotlib.pyplot", "plots", "drawn")
    with warnings.catch_warnings(), pyplot.style.context(["default", _STYLE]), BytesIO() as file:
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure = display.plot(**options).figure_
        try:
            metadata = {"Date": None} if format == "svg" else None
            figure.savefig(
                file, format=format, dpi=_DPI, metadata=metadata, transparent=transparent
            )
        finally:
            pyplot.close(figure)
        return file.getvalue()


def drawings(display: Any, **options) -> tuple[str, str]:
    """Draw a display as two elements ``svg`` that can stand in one page, for white and DARK_GROUND:
    transparent, ids of their own, no scripts, styles, comments or references to outside.
    """
    text = drawn(display, "svg", transparent=True, **options).decode()
    text = _AROUND.sub("", _COMMENT.sub("", text))
    text = re.sub(r' style="([^"]*)"', lambda found: _attributes(found[1]), text)
    text = re.sub(r"\s*\n\s*", "\n", text).strip()
    # What the style sheet said of all.
    text = text.replace("<svg ", '<svg stroke-linecap="butt" stroke-linejoin="round" ', 1)
    dark = re.sub(
        "#[0-9a-fA-F]{6}", lambda found: _IN_THE_DARK.get(found[0].upper(), found[0]), text
    )
    return _with_own_ids(text), _with_own_ids(dark)


def _attributes(style):
    """Write a style as attributes, which a page's policy on styles does not forbid."""
    pairs = (part.split(":", 1) for part in style.split(";") if part.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)


def _with_own_ids(text):
    """Begin all ids by a hash of the drawing: what is hidden in a page is not referred to."""
    own = f"plot{hashlib.sha256(text.encode()).hexdigest()[:12]}-"
    return re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{own}", text)
