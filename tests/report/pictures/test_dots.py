"""Rows of dots: where they stand, what is written, and what a reader who cannot look hears."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from sklearn_mteval.report.pictures.dots import MOST, Band, Row, dots

SVG = "{http://www.w3.org/2000/svg}"


def parts(picture, tag, **attributes):
    """The elements of a kind in the part that wide screens show."""
    tree = ET.fromstring(picture.svg)
    tree.remove(next(part for part in tree if part.get("class") == "narrow"))
    found = tree.iter(f"{SVG}{tag}")
    return [p for p in found if all(p.get(k.rstrip("_")) == v for k, v in attributes.items())]


def place(text):
    assert text.endswith("%")
    return float(text[:-1])


def test_dots_and_intervals_stand_where_their_values_are():
    # The axis is 0 to 1, and 4 % of that on both sides: 0 stands at 4 / 108.
    picture = dots([Row("A", 1.0, 0.5, 1.0), Row("B", 0.25, 0.0, 0.5)], "Means")
    a, b = parts(picture, "circle")
    assert place(a.get("cx")) == pytest.approx(100 * 1.04 / 1.08, abs=0.01)
    assert place(b.get("cx")) == pytest.approx(100 * 0.29 / 1.08, abs=0.01)
    first, second = parts(picture, "line", class_="whisker")
    assert place(first.get("x1")) == pytest.approx(50) == place(second.get("x2"))
    assert float(a.get("cy")) < float(b.get("cy"))


def test_narrow_and_wide_screens_show_the_same_places():
    tree = ET.fromstring(dots([Row("A", 1.0, 0.5, 1.0), Row("B", 0.0)], "Means").svg)
    places = {}
    for part in tree:
        if part.get("class") in {"narrow", "wide"}:
            places[part.get("class")] = [c.get("cx") for c in part.iter(f"{SVG}circle")]
    assert places["narrow"] == places["wide"] and len(places["wide"]) == 2


def test_values_are_written_and_said():
    rows = [Row("A", 0.5, 0.4, 0.6, "ab"), Row("B", float("nan"))]
    picture = dots(rows, "Means of two", number="{:.1f}".format, lines=[(0.2, "guessing")])
    said = "Means of two. A: 0.5 [0.4, 0.6], ab; B: –; guessing: a line at 0.2."
    assert picture.description == said
    assert ET.fromstring(picture.svg).get("aria-label") == said
    assert len(parts(picture, "circle")) == 1  # none of B


def test_of_many_the_first_and_the_last_are_drawn():
    picture = dots([Row(f"s{k}", float(-k)) for k in range(40)], "Means")
    assert len(parts(picture, "circle")) == MOST - 1
    assert "… 27 more" in picture.svg and "s8:" in picture.svg and "s9:" not in picture.svg
    assert "s39" in picture.svg and "27 more that are not drawn" in picture.description
    heights = sorted(float(c.get("cy")) for c in parts(picture, "circle"))
    assert max(b - a for a, b in pairwise(heights)) == 60  # the gap
    assert len(parts(dots([Row("s", 0.0)] * MOST, "Means"), "circle")) == MOST


def test_a_band_lies_behind_and_others_have_shapes():
    row = Row("A", 0.0, others=(1.0, float("nan"), 0.5))
    picture = dots([row], "Means", band=Band(0.5, 0.25, 0.75, "ceiling"))
    (band,) = parts(picture, "rect")
    assert place(band.get("width")) == pytest.approx(100 * 0.5 / 1.08, abs=0.01)
    shapes = parts(picture, "path")
    assert len(shapes) == 2 == len({shape.get("d") for shape in shapes})
    assert "ceiling" in picture.svg


@pytest.mark.parametrize(
    "rows", [[], [Row("A", float("nan"))], [Row("A", 1.0, -float("inf"), 2.0)]]
)
def test_little_and_infinite_values_are_drawn(rows):
    ET.fromstring(dots(rows, "Means").svg)


def test_names_are_escaped_and_whole_in_their_title():
    name = "<b>" + 50 * "x" + "\u202e"
    picture = dots([Row(name, 1.0), Row("b", 2.0)], "Means")
    titles = [title.text for title in parts(picture, "title")]
    assert any(title.startswith("<b>" + 50 * "x" + "\ufffd") for title in titles)
    names = [text.text for text in parts(picture, "text", class_="name")]
    assert len(names[0]) < 30 and "…" in names[0]
