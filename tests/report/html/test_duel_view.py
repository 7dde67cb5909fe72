"""The view of two systems, in a real browser: the numbers of the command, links, hostile texts."""

import json

import numpy as np
import pandas as pd
import pytest
from pages import accessibility, opened, until

from sklearn_mteval.models import duel, score_systems
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.report.duel import answer_of_duel, report_of_duel
from sklearn_mteval.report.html.contents import ModelContents
from sklearn_mteval.report.html.pages import html_report

pytestmark = pytest.mark.slow  # a browser is started

NAMES = ["A|B", "<img src=x onerror=alert(1)>", "50 % \u202eC", "D"]


@pytest.fixture(scope="module")
def scored():
    """Scores and texts of four systems with odd names, in thirty segments."""
    rows = pd.MultiIndex.from_product([range(1, 31), NAMES], names=["segment", "system"])
    rng = np.random.default_rng(0)
    scores = pd.Series(rng.normal(size=len(rows)) / 5 + np.tile([0.2, 0.1, 0, -0.2], 30), rows)
    scores.iloc[4:8] = 0.25  # all are equal
    texts = [f"the cat {name} sat on mat {k}" for k, name in rows]
    X = pd.DataFrame({"hypothesis": texts}, rows)
    X["reference"] = [f"the cat sat on {k if k % 3 else 'a mat?'}" for k, _ in rows]
    return scores, X


@pytest.fixture(scope="module")
def file(scored, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_report(*scored), encoding="utf-8")
    return path


def shown(page):
    return page.locator("#duel-answer").inner_text()


def choose(page, first, second):
    names = page.locator("#duel-first option").all_text_contents()
    for place, name in (("first", first), ("second", second)):
        shown_as = name.replace("\u202e", "\ufffd")  # nothing turns the direction of the line
        page.select_option(f"#duel-{place}", str(names.index(shown_as)))


def test_each_duel_has_the_numbers_of_the_call(browser, file, scored):
    """But for p, which is corrected for six pairs."""
    scores, X = scored
    _, pairs = score_systems(scores, return_pairs=True)
    p_values = {frozenset(row[:2]): row[-1] for row in pairs.itertuples(index=False)}
    with opened(browser, file) as page:
        for first, second in [("A|B", "D"), ("D", "A|B"), (NAMES[1], NAMES[2])]:
            choose(page, first, second)
            found = duel(scores, X, first, second)
            corrected = p_values[frozenset((first, second))]
            expected = answer_of_duel(type(found)(**vars(found) | {"p_value": corrected}))
            assert shown(page) == expected
            cells = [
                [cell.strip() for cell in row.split("\t")]
                for row in page.locator("#duel-kinds tbody tr").all_inner_texts()
            ]
            rows = report_of_duel(found).tables[0].rows
            assert cells[1:] == rows[1:]
            assert cells[0][:-1] == rows[0][:-1]


def test_the_largest_contributions_come_first(browser, file, scored):
    scores, X = scored
    found = duel(scores, X, "A|B", "D").segments
    with opened(browser, file) as page:
        choose(page, "A|B", "D")
        links = page.locator("#duel-contributions h5").all_inner_texts()
        n = int((found["difference"] < 0).sum())
        first, last = found.index[:5], found.index[::-1][: min(n, 5)]
        assert links == [f"Segment {k}" for k in [*first, *last]]
        card = page.locator("#duel-contributions article").first
        assert {"A", "B"} == set(card.locator(".pair > div:first-child mark").all_inner_texts()) - {
            "|"
        }
        page.locator("#duel-contributions header a").nth(1).click()
        until(page, f"document.activeElement.textContent.includes('Segment {first[1]}')")
        page.locator("#duel-contributions button", has_text="Show all segments").last.click()
        until(page, "document.getElementById('order').value === 'difference'")
        assert page.locator("#list article h3").first.inner_text() == f"Segment {found.index[-1]}"
        page.locator("#duel-contributions button", has_text="Show ten more").click()
        assert page.locator("#duel-contributions h5").count() == 15 + min(n, 15)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("D", "A|B", "#duel=D|A%7CB"), ("A|B", "D", "#duel=A%7CB|D")],
)
def test_a_link_opens_it_again(browser, file, first, second, expected):
    with opened(browser, file) as page:
        choose(page, first, second)
        said, link = shown(page), page.locator("#duel-link").get_attribute("href")
    assert link == expected
    with opened(browser, file) as page:
        assert shown(page) != said
        page.evaluate(f"location.hash = {json.dumps(link)}")
        until(page, f"document.getElementById('duel-answer').textContent === {json.dumps(said)}")
        assert shown(page) == said
        page.click("#duel-swap")
        assert shown(page) == said  # who is better has not changed
        page.select_option("#duel-first", page.locator("#duel-second").input_value())
        assert shown(page) == "Choose two different systems."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_can_be_used_by_all(browser, file, scheme, width):
    with opened(browser, file, color_scheme=scheme, width=width) as page:
        assert accessibility(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        beside = page.locator(".pair").first.evaluate(
            "(e) => getComputedStyle(e).gridTemplateColumns"
        )
        assert len(beside.split()) == (2 if width > 900 else 1)


def test_the_page_of_a_duel_says_its_numbers_once(browser, scored, tmp_path):
    scores, X = scored
    found = duel(scores, X, "D", "A|B")
    path = tmp_path / "duel.html"
    path.write_text(html_report(found, X), encoding="utf-8")
    with opened(browser, path) as page:
        assert page.locator("#summary .answer").inner_text() == answer_of_duel(found)
        assert page.locator("#duel-numbers").is_hidden()
        first = page.locator("#list article h3").first.inner_text()
        assert first == f"Segment {found.segments.index[0]}"
        page.click("#duel-swap")
        assert shown(page) == answer_of_duel(duel(scores, X, "A|B", "D"))


def test_a_page_of_a_part_says_so():
    rows = pd.MultiIndex.from_product([range(40), ["A", "B"]], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": [f"t {k}" for k in range(80)]}, rows)
    scores = pd.Series(np.linspace(0, 1, 80), rows)
    contents = ModelContents("m")
    contents.add(X, scores)
    sums = SystemSums.of(scores).result()
    contents._n += 1  # as if more had come than texts are kept of
    found = contents.contents(sums.table.index, pairs=sums.pairs)
    data = json.loads("".join(found["segments"]["data"]))["duels"]
    assert data["notes"][-1] == "Counts and kinds are those of the first 80 translations."
