"""The built site as its readers see it: ``make docs`` first, or these tests are skipped."""

from pathlib import Path

import pytest
from pages import accessibility, until

SITE = Path(__file__).parents[1] / "docs" / "_build" / "html"
BUILT = sorted(page for page in SITE.rglob("*.html") if "_static" not in page.parts)
LOOKED_AT = (
    "index.html",
    "start.html",
    "tutorial/2_compare_systems.html",
    "meta_evaluation.html",
    "measured/ready_made.html",
    "gallery/plot_best_system.html",
    "api/pairwise.html",
    "glossary.html",
    "search.html?q=kendall",
)
# Contrast hangs on the theme, the layout on the width.
WINDOWS = [(360, "dark"), (1280, "light"), (2560, "light")]
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# Pictures that are broken or have no text; cards of the gallery have their titles below them.
UNSEEN = """[...document.images].filter(image => image.complete && !image.naturalWidth
    || !image.alt.trim() && !image.closest(".sphx-glr-thumbcontainer")).map(image => image.src)"""
# Links that have nothing to be read.
NAMELESS = """[...document.querySelectorAll("a[href]")].filter(link => !link.textContent.trim()
    && !link.ariaLabel && !link.title && !link.querySelector("img, svg, i"))
    .map(link => link.href)"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILT, reason="the site is not built: make docs"),
]


def opened(browser, page, width, theme):
    """A page in a window of some width, in light or in dark; nothing is asked of the network."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    window = context.new_page()
    asked = []
    window.on("request", lambda request: asked.append(request.url))
    window.goto(f"{SITE.as_uri()}/{page}")
    assert all(url.startswith(("file:", "data:")) for url in asked), asked
    return window


@pytest.mark.parametrize(("width", "theme"), WINDOWS)
@pytest.mark.parametrize("page", LOOKED_AT)
def test_a_page_is_read_on_any_screen(browser, page, width, theme):
    window = opened(browser, page, width, theme)
    try:
        if page.startswith("search"):
            until(window, "document.querySelectorAll('ul.search li').length > 3")
        assert not window.evaluate(SIDEWAYS)
        assert window.evaluate(UNSEEN) == []
        assert accessibility(window) == []
    finally:
        window.context.close()


def test_each_page_fits_a_telephone_and_has_links_and_pictures_with_texts(browser):
    window = opened(browser, "index.html", 360, "light")
    wide, unseen, nameless = [], [], []
    for page in BUILT:
        window.goto(page.as_uri())
        name = page.relative_to(SITE).as_posix()
        wide += [name] * window.evaluate(SIDEWAYS)
        unseen += [(name, image) for image in window.evaluate(UNSEEN)]
        nameless += [(name, link) for link in window.evaluate(NAMELESS)]
    window.context.close()
    assert wide == []
    assert unseen == []
    assert nameless == []
    assert len(BUILT) > 100


def test_each_page_is_there_as_markdown_and_in_the_list_for_language_models():
    listed = (SITE / "llms.txt").read_text(encoding="utf-8")
    for page in BUILT:
        name = page.relative_to(SITE).with_suffix("").as_posix()
        if name not in ("gallery/index", "genindex", "py-modindex", "search"):
            assert f"({name}.md): " in listed, name
            text = page.with_suffix(".md").read_text(encoding="utf-8")
            assert "{cite:" not in text or name == "contributing"
