"""Elements of pictures: nothing that is put into them is read as markup."""

import xml.etree.ElementTree as ET

import pytest
from jinja2 import Environment

from sklearn_mteval.report.pictures.svg import Markup, Scale, element

HOSTILE = ["<script>alert(1)</script>", "\"' onload=x", "a & b", "\u202eabc", "]]>", "<!--"]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_and_attributes_are_escaped(text):
    found = ET.fromstring(element("text", text, id=text))
    shown = text.replace("\u202e", "\ufffd")
    assert found.text == shown and found.get("id") == shown and list(found.attrib) == ["id"]


def test_elements_within_elements_are_kept_and_none_is_left_out():
    found = element("g", element("line", x1=1.0, x2=2.5, class_="a", fill=None), "<b>")
    assert found == '<g><line x1="1" x2="2.5" class="a"/>&lt;b&gt;</g>'


def test_templates_insert_markup_as_it_is_and_escape_all_else():
    template = Environment(autoescape=True).from_string("{{ a }}{{ b }}")
    assert template.render(a=Markup("<g/>"), b="<g/>") == "<g/>&lt;g/&gt;"


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3, 5), (1e-9, 2e-9), (0.61, 0.64), (1200, 1900), (5, 5), (0, 0)]
)
def test_ticks_are_round_and_on_the_axis(low, high):
    scale = Scale([low, high, float("nan"), float("inf")])
    ticks = scale.ticks()
    assert 1 <= len(ticks) <= 7
    for value, text in ticks:
        assert scale.low <= value <= scale.high
        assert float(text) == pytest.approx(value, abs=1e-3 * (scale.high - scale.low))
    places = [scale(value) for value, _ in ticks]
    assert places == sorted(places) and places[0] >= 0 and places[-1] <= 100


def test_what_lies_beyond_the_axis_stands_at_its_end():
    scale = Scale([0, 1])
    assert scale(float("inf")) == 100 and scale(-float("inf")) == 0 and scale(0.5) == 50
