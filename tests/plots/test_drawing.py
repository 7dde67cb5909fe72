import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from displays import DRAWN
from matplotlib import pyplot as plt

import sklearn_mteval.plots as plots
from sklearn_mteval.plots import _base
from sklearn_mteval.plots.drawing import DARK_GROUND, drawings, drawn

HOSTILE = [
    "<script>alert(1)</script>",
    "a -- b --> c",
    "\ud800 alone",
    "$\\frac{$",
    "\u202eright to left\u202c",
    "x" * 10_000,
    "\x00\x1b[31m\n\t",
    ']]> &amp; " \' url(#a) href="#b" #222222',
]


def luminance(colour):
    """Relative luminance, as WCAG 2 defines it."""
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    dark, light = sorted(luminance(c) @ [0.2126, 0.7152, 0.0722] for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # a known border case


@pytest.mark.parametrize("colour", _base._CURVES[:-1])
def test_colours_are_seen_on_both_grounds(colour):
    assert contrast(colour, "#FFFFFF") >= 3
    assert contrast(colour, DARK_GROUND) >= 3


# Machado, Oliveira and Fernandes 2009, severity 1: protanopia, deuteranopia, tritanopia.
BLINDNESS = [
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
     [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
     [-0.011820, 0.042940, 0.968881]],
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
     [0.004733, 0.691367, 0.303900]],
    np.eye(3),
]  # fmt: skip
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def lab(linear):
    xyz = np.array(TO_XYZ) @ np.clip(linear, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("seen", BLINDNESS, ids=["protan", "deutan", "tritan", "all"])
def test_colour_blind_readers_tell_any_two_colours_apart(seen):
    for one, other in combinations(_base._CURVES, 2):
        distance = lab(np.array(seen) @ luminance(one)) - lab(np.array(seen) @ luminance(other))
        assert np.linalg.norm(distance) > 15, (one, other)  # 2.3 is just noticeable


def test_inks_are_light_in_the_dark():
    light, dark = drawings(DRAWN["ChallengeDisplay"]())
    inks = {_base.INK, _base.GREY, _base.PALE, _base.FAINT, _base.GROUND}
    assert colours(light) & inks and not colours(dark) & inks
    texts = colours(dark) - colours(light)
    assert {"#E8E8E8", "#A8A8A8"} <= texts
    for colour in ("#E8E8E8", "#A8A8A8"):
        assert contrast(colour, DARK_GROUND) >= 4.5
    for colour in (_base.INK, _base.GREY):
        assert contrast(colour, "#FFFFFF") >= 4.5


def colours(text):
    return {c.upper() for c in re.findall('"(#[0-9a-fA-F]{6})"', text)}


@pytest.mark.parametrize("name", DRAWN)
def test_drawings_are_elements_that_refer_to_nothing_outside(name):
    both = drawings(DRAWN[name]())
    assert both == drawings(DRAWN[name]())  # the same bytes
    assert not plt.get_fignums()
    ids = []
    for text in both:
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        own = {element.get("id") for element in root.iter()} - {None}
        ids.append(own)
        for element in root.iter():
            kind = element.tag.rpartition("}")[2]
            assert kind in {"svg", "g", "path", "use", "defs", "clipPath", "rect"}
            assert not element.text or not element.text.strip()  # letters are shapes
            for attribute, value in element.items():
                assert attribute != "style" and not attribute.lower().startswith("on")
                # Black would be an ink that stays black in the dark.
                assert value not in {"#000000", "black"}
                referred = re.findall(r"url\(#(.*?)\)", value)
                if attribute.endswith("href"):
                    assert value[0] == "#"
                    referred.append(value[1:])
                assert set(referred) <= own
    assert not ids[0] & ids[1]


def unpainted(root):
    """Shapes of letters and lines that would have the default fill, black in the dark, too."""

    def walk(element, fill):
        fill = element.get("fill", fill)
        kind = element.tag.rpartition("}")[2]
        if kind in {"use", "path"} and fill is None:
            yield element
        for child in element:
            if child.tag.rpartition("}")[2] != "defs":
                yield from walk(child, fill)

    return list(walk(root, None))


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_black_by_default(name):
    _, dark = drawings(DRAWN[name]())
    assert not unpainted(ElementTree.fromstring(dark))


N = len(HOSTILE)
VALUES, PROPORTIONS = np.linspace(-1, 1, N), np.linspace(0, 1, N)
LABEL = "<script>alert(1)</script> -- --> \ud800 $\\frac{ \u202e \x00\x1b &"  # short: all is shown
NAMED = {
    "AgreementDisplay": lambda: plots.AgreementDisplay(HOSTILE, VALUES, statistic=LABEL),
    "ChallengeDisplay": lambda: plots.ChallengeDisplay(
        HOSTILE, [LABEL], PROPORTIONS[:, None], title=LABEL
    ),
    "DecisionTableDisplay": lambda: plots.DecisionTableDisplay(
        [1, 2], [0.6, 0.8], [(0.5, 0.7), (0.6, 0.9)], metric=LABEL
    ),
    "FragmentDisplay": lambda: plots.FragmentDisplay(HOSTILE, VALUES),
    "JudgesDisplay": lambda: plots.JudgesDisplay(
        pd.DataFrame(
            {"pairs_with_others": 3, "agreement_with_others": PROPORTIONS},
            pd.Index(HOSTILE, dtype=object),
        )
    ),
    "LeaderboardDisplay": lambda: plots.LeaderboardDisplay(HOSTILE, VALUES, label=LABEL),
    "LearningCurveDisplay": lambda: plots.LearningCurveDisplay(
        [1], [0.1], references={name: k / 9 for k, name in enumerate(HOSTILE)}, statistic=LABEL
    ),
    "PairCalibrationDisplay": lambda: plots.PairCalibrationDisplay(
        [0, 1], [0.5], [0.5], [(0.1, 0.6)], [1], name=LABEL
    ),
    "ScoreDistributionDisplay": lambda: plots.ScoreDistributionDisplay(
        HOSTILE, np.tile(np.arange(5.0), (N, 1)), label=LABEL
    ),
    "SelectionDisplay": lambda: plots.SelectionDisplay(
        [0.5], {name: [0.5] for name in [*HOSTILE, LABEL]}, unit=LABEL
    ),
    "SignificanceDisplay": lambda: plots.SignificanceDisplay(
        HOSTILE, np.ones((N, N)), p_name=LABEL
    ),
    "SystemScatterDisplay": lambda: plots.SystemScatterDisplay(
        HOSTILE, VALUES, VALUES, human_name=LABEL, metric_name=LABEL
    ),
    "TieCalibrationDisplay": lambda: plots.TieCalibrationDisplay([0], [1], name=LABEL),
    "TreeDisplay": lambda: plots.TreeDisplay("(S (NN a))", "(S (NN b))", names=(LABEL, LABEL)),
}


@pytest.mark.parametrize("name", DRAWN)
def test_hostile_names_make_safe_drawings_and_files(name):
    display = NAMED[name]()
    for text in drawings(display):
        root = ElementTree.fromstring(text.encode())
        assert float(root.get("width").removesuffix("pt")) < 3000
        kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not {"script", "foreignObject", "image"} & kinds
        assert "alert" not in text and "<!--" not in text
    ElementTree.fromstring(drawn(display, "svg"))


def test_settings_of_the_user_change_no_bytes():
    display = DRAWN["SelectionDisplay"]()
    plain = drawn(display, "svg")
    with plt.rc_context({"font.size": 30, "svg.fonttype": "none", "text.color": "red"}):
        assert drawn(display, "svg") == plain


@pytest.mark.parametrize("n", [1, 2, 40])
def test_names_in_rows_do_not_touch(n):
    names = [f"a-team-from-somewhere.system-{k}.primary" for k in range(n)]
    for display in (
        plots.LeaderboardDisplay(names, np.zeros(n)),
        plots.ScoreDistributionDisplay(names, np.zeros((n, 5))),
        plots.JudgesDisplay(
            pd.DataFrame({"pairs_with_others": 1, "agreement_with_others": np.zeros(n)}, names)
        ),
    ):
        figure = display.plot().figure_
        figure.canvas.draw()
        boxes = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
        for above, below in pairwise(boxes):
            assert below.y1 < above.y0
        assert min(box.x0 for box in boxes) >= 0
