"""Pictures in a real browser: above the fold, legible, and one layout at a time."""

from itertools import pairwise

import pytest
from pages import accessibility, opened

from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.pictures.dots import Band, Row, dots

pytestmark = pytest.mark.slow  # a browser is started


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rows = [
        Row(f"system number {k}", 0.6 - k / 50, 0.5 - k / 50, 0.7 - k / 50, "abc")
        for k in range(40)
    ]
    band = Band(0.5, 0.4, 0.6, "highest possible")
    picture = dots(rows, "Means of systems", label="mean score", caption="Dots.", band=band)
    summary = ["system number 0 is better than system number 1 by 0.02 (p < .001).", "Forty."]
    path = tmp_path_factory.mktemp("picture") / "page.html"
    path.write_text(document(page_of("Ranks", summary=summary, picture=picture)), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "layout"), [(360, "narrow"), (1280, "wide"), (1920, "wide")])
def test_the_answer_and_its_picture_are_seen_first(browser, file, width, layout):
    with opened(browser, file, width=width) as page:
        shown = [name for name in ("narrow", "wide") if page.locator(f"svg.{name}").is_visible()]
        assert shown == [layout]
        answer = page.locator("#summary .answer").bounding_box()
        picture = page.locator(".mteval-picture").bounding_box()
        assert answer["y"] + answer["height"] <= picture["y"] < 400
        if width > 360:
            assert picture["y"] + picture["height"] <= 800
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = page.evaluate(
            "[...document.querySelectorAll('.mteval-picture text')]"
            ".map(text => parseFloat(getComputedStyle(text).fontSize))"
        )
        assert min(sizes) >= 11
        names = page.locator(".mteval-picture .name").all()
        boxes = [name.bounding_box() for name in names]
        assert all(a["y"] + a["height"] <= b["y"] + 4 for a, b in pairwise(boxes))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(browser, file, scheme):
    with opened(browser, file, color_scheme=scheme) as page:
        assert accessibility(page) == []
