"""The built site as its readers see it: ``make docs`` first, or these tests are skipped."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

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
    "api.html",
    "api/pairwise.html",
    "api/pairwise/RankRecomposer.html",
    "glossary.html",
    "search.html?q=kendall",
)
# Contrast hangs on the theme, the layout on the width.
WINDOWS = [(360, "dark"), (1280, "light"), (2560, "light")]
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# Pictures that are broken or have no text; beside cards of the gallery and the mark stand names.
UNSEEN = """[...document.images].filter(image => image.complete && !image.naturalWidth
    || !image.alt.trim() && !image.closest(".sphx-glr-thumbcontainer, .logo"))
    .map(image => image.src)"""
# Links that have nothing to be read.
NAMELESS = """[...document.querySelectorAll("a[href]")].filter(link => !link.textContent.trim()
    && !link.ariaLabel && !link.title && !link.querySelector("img, svg, i"))
    .map(link => link.href)"""

LANDMARKS = ("nav", "aside")  # besides the one main part, header and footer of a page
WORDS_OF_A_NAME = 2_500
BUDGET = 300_000  # bytes, neither packed nor made smaller by a server

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


class Outline(HTMLParser):
    """The landmarks of a page by their names, and the header cells of its tables without a text."""

    def __init__(self, page):
        super().__init__()
        self.landmarks, self.empty, self._open = [], 0, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in LANDMARKS:
            named = attributes.get("aria-labelledby")
            self.landmarks.append((tag, attributes.get("aria-label") or f"#{named}"))
        if tag == "th":
            self._open.append("")

    def handle_data(self, data):
        self._open = [text + data for text in self._open]

    def handle_endtag(self, tag):
        if tag == "th":
            self.empty += not self._open.pop().strip()


def test_landmarks_have_names_of_their_own_and_header_cells_texts():
    for page in BUILT:
        outline = Outline(page.read_text(encoding="utf-8"))
        assert len({*outline.landmarks}) == len(outline.landmarks), page
        assert outline.empty == 0, page


def test_what_is_amiss_in_an_outline_is_noticed():
    assert len({*Outline("<nav></nav><nav></nav>").landmarks}) == 1
    assert Outline("<th><p> </p></th><th>a</th><th><b>b</b></th>").empty == 1


def test_a_page_of_a_name_can_be_read_and_leads_to_its_room():
    """Such pages are made of docstrings, and are not counted among those that are written."""
    named = [page for page in BUILT if page.parents[1] == SITE / "api"]
    assert len(named) > 150
    for page in named:
        text = page.read_text(encoding="utf-8")
        assert f'href="../{page.parent.name}.html"' in text, page
        article = re.search("<article.*?</article>", text, re.DOTALL)[0]
        assert len(re.sub("<[^>]+>", " ", article).split()) <= WORDS_OF_A_NAME, page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_page_loads_little(browser, theme):
    """Of its two pictures only the one that is shown."""
    context = browser.new_context(viewport={"width": 1280, "height": 2000}, color_scheme=theme)
    window, asked = context.new_page(), set()
    window.on("request", lambda request: asked.add(urlsplit(request.url).path))
    window.goto(f"{SITE.as_uri()}/index.html", wait_until="networkidle")
    context.close()
    files = [Path(unquote(path)) for path in asked if path.startswith("/")]
    assert [f"_{theme}.png" in "".join(asked) for theme in ("light", "dark")].count(True) == 1
    assert len(files) > 5
    assert sum(file.stat().st_size for file in files) <= BUDGET, sorted(files)


def test_light_dark_and_search_work_without_the_scripts_that_are_left_out(browser):
    window = opened(browser, "index.html", 1280, "light")
    switch = window.locator("header .theme-switch-container")
    switch.locator("summary").click()
    switch.get_by_text("Dark").click()
    assert window.evaluate("document.documentElement.dataset.theme") == "dark"
    window.keyboard.press("Control+k")
    window.locator("#pst-search-dialog input").fill("RankRecomposer")
    window.keyboard.press("Enter")
    window.wait_for_url("**/search.html?q=RankRecomposer")
    until(window, "document.querySelectorAll('ul.search li').length > 3")
    assert window.locator("ul.search a[href*='api/pairwise/RankRecomposer']").count()
    window.context.close()
