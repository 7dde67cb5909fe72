"""Segments as tables of their translations, in a real browser; all numbers are worked by hand."""

import json

import pandas as pd
import pytest
from pages import accessibility, opened, until

from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.html.segments import SegmentSample

pytestmark = pytest.mark.slow  # a browser is started


def written(path, *segments, scorings=("score",), tables=(), **given):
    """Write a page of segments, each a list of translations or a dict."""
    sample = SegmentSample()
    for k, segment in enumerate(segments):
        entry = segment if isinstance(segment, dict) else {"translations": segment}
        sample.add({"id": str(k), "length": 1} | entry)
    report = Report(list(tables), [], "", pd.DataFrame(), {})
    page = page_of("Page", report, segments=sample.data(scorings, **given))
    path.write_text(document(page), encoding="utf-8")
    return path


def one(system, text="a", **given):
    return {"system": system, "text": text} | given


def rows(page, heading):
    return page.locator(f"td[data-label='{heading}']")


def bars(page, heading):
    widths = rows(page, heading).locator("rect")
    return [float(widths.nth(k).get_attribute("width")) for k in range(widths.count())]


def test_equal_translations_are_one(browser, tmp_path):
    path = written(
        tmp_path / "page.html",
        [one("x.A", "same", rank=1, scores=[0.5]), one("x.B", "other", rank=2, scores=[0.25]),
         one("x.C", "same", rank=1, scores=[0.5]), one("x.D", "same", rank=1, scores=[0.5])],
    )  # fmt: skip
    with opened(browser, path, permissions=["clipboard-read", "clipboard-write"]) as page:
        names = page.locator(".translations .name")
        assert names.all_text_contents() == ["x.A, x.C and x.D say the same", "x.B"]
        assert page.locator(".text").all_inner_texts() == ["same", "other"]
        assert rows(page, "rank").all_inner_texts() == ["1", "2"]
        page.locator("article button").first.click()
        until(page, "document.getElementById('said').textContent.startsWith('Copied')")
        segment = json.loads(page.evaluate("navigator.clipboard.readText()"))
        assert [t["system"] for t in segment["translations"]] == ["x.A", "x.B", "x.C", "x.D"]
        page.select_option("#order", "difference")
        page.select_option("#better", label="C")
        page.select_option("#worse", label="B")
        assert "0.250" in page.locator("article header").inner_text()


def test_equal_texts_with_other_scores_are_two(browser, tmp_path):
    """What a metric says of them is shown, whatever it is."""
    pair = [one("A", "same", scores=[0.5]), one("B", "same", scores=[0.4])]
    with opened(browser, written(tmp_path / "page.html", pair)) as page:
        assert rows(page, "score").all_inner_texts() == ["0.500", "0.400"]


def test_annotators_are_told_by_system(browser, tmp_path):
    """Six judgements in all, of two that say the same, with a mean of 3; the errors of both."""
    spans = [
        [{"start": 0, "end": 2, "severity": s, "category": "", "place": "translation"}]
        for s in "xy"
    ]
    translations = [
        one("A", "same", human=2, judged=[1, 2, 3], spans=spans[0]),
        one("B", "same", human=4, judged=[5, 4, 3], spans=spans[1]),
        one("C", "other", human=6, judged=[7, 5]),
    ]
    path = written(tmp_path / "page.html", translations, scorings=(), judged="annotators")
    with opened(browser, path) as page:
        assert rows(page, "annotators").all_inner_texts() == ["3", "6\n7, 5"]
        assert page.locator(".said").first.locator(".quiet").inner_text() == (
            "annotators: A 1, 2, 3; B 5, 4, 3"
        )
        assert bars(page, "annotators") == [25, 100]  # from 2 to 6
        titles = page.locator("#list .error").evaluate_all("found => found.map(one => one.title)")
        assert titles == ["y (of B)", "x (of A)"]


def test_names_and_judgements_are_no_wider_than_a_telephone(browser, tmp_path):
    pair = [one(f"{k}_of_a_long_name_without_blanks", "same", human=2, judged=[1, 3]) for k in "AB"]
    path = written(tmp_path / "page.html", pair, scorings=(), judged="annotators")
    with opened(browser, path, width=360) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bars_are_on_the_scale_of_the_page(browser, tmp_path):
    path = written(
        tmp_path / "page.html",
        [one("A", "a", scores=[-1, 3], strength=4), one("B", "b", scores=[1, None], strength=0)],
        [one("A", "a", scores=[3, 3], strength=2), one("B", "b", scores=[1e308, 3], strength=1.5)],
        scorings=["m", "n"],
    )
    with opened(browser, path) as page:
        assert rows(page, "m").all_inner_texts() == ["−1", "1", "3", "∞"]
        assert bars(page, "m") == [0, 50, 100, 100]  # from -1 to 3, without the infinite one
        assert rows(page, "n").all_inner_texts() == ["3", "–", "3", "3"]
        assert bars(page, "n") == [100, 100, 100]
        # Strengths of two segments cannot be compared: the best of each has the longest bar.
        assert bars(page, "strength") == [100, 0, 100, 0]
        assert rows(page, "strength").all_inner_texts() == ["4.000", "0.000", "2.000", "1.500"]
        heads = page.locator("article").first.locator("thead th")
        assert heads.all_inner_texts() == ["system", "m", "n", "strength", "translation"]
        assert "from −1 to 3" in heads.nth(1).get_attribute("title")


def test_numbers_line_up(browser, tmp_path):
    long = "many words " * 30
    path = written(
        tmp_path / "page.html",
        [one("A", "a", scores=[0.5, 1]), one("of a longer name", long, scores=[0.123, 100])],
        scorings=["m", "n"],
    )
    for width in (360, 1280):
        with opened(browser, path, width=width) as page:
            for heading in ("m", "n"):
                boxes = [cell.bounding_box() for cell in rows(page, heading).all()]
                assert len({(box["x"], box["width"]) for box in boxes}) == 1
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert accessibility(page) == []


def test_many_numbers_leave_room_for_the_text(browser, tmp_path):
    names = [f"metric {k}" for k in range(12)]
    pair = [one(s, "many words " * 30, scores=[k / 7 for k in range(12)]) for s in "AB"]
    for width in (360, 1280):
        with opened(
            browser, written(tmp_path / "page.html", pair, scorings=names), width=width
        ) as page:
            assert page.locator(".text").first.bounding_box()["width"] > width / 2
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_ranks_that_contradict_scores_are_explained(browser, tmp_path):
    """Of the three pairs of the first two orders differ; of the second none; a tie is no order."""
    path = written(
        tmp_path / "page.html",
        [one("A", "a", rank=1, scores=[0.1]), one("B", "b", rank=2, scores=[0.3]),
         one("C", "c", rank=3, scores=[0.2])],
        [one("A", "a", rank=1, scores=[0.3]), one("B", "b", rank=2, scores=[0.3])],
        [one("A", "a", rank=1, scores=[0.1]), one("B", "b", rank=2, scores=[0.3])],
    )  # fmt: skip
    with opened(browser, path) as page:
        said = page.locator("article > p.quiet").all_inner_texts()
        assert len(said) == 2
        assert said[0].endswith("differs here for 2 of 3 pairs, most for A and B.")
        assert said[1].endswith("differs here for A and B.")


@pytest.mark.parametrize(
    ("text", "search", "hits"),
    [
        ("a naïve \N{NO-BREAK SPACE} Café!", "naive cafe", ["naïve \N{NO-BREAK SPACE} Café"]),
        ("nai\u0308ve, naive", "NAÏVE", ["nai\u0308ve", "naive"]),
        ("Straße, STRASSE", "strasse", ["Straße", "STRASSE"]),
        ("eﬃcient Œuvre", "fi", ["ﬃ"]),
        ("eﬃcient Œuvre", "oeuvre", ["Œuvre"]),
        ("ΟΔΟΣ οδός", "οδος", ["ΟΔΟΣ", "οδός"]),
        ("がくせい", "か", []),  # another letter
        ("한국어", "한국", ["한국"]),
        ("हिन्दी", "हन", []),  # vowels are no accents
        ("a<b>\U0001f408c</b>", "\U0001f408c</", ["\U0001f408c</"]),
        ("aaaa", "aa", ["aa", "aa"]),
        ("so\u00adft", "soft", ["so\u00adft"]),
        ("x " * 5000 + "needle", "needle", ["needle"]),  # below what is shown of long texts
    ],
)
def test_what_is_searched_for_is_marked(browser, tmp_path, text, search, hits):
    path = written(tmp_path / "page.html", {"source": text, "translations": [one("A", "a")]})
    with opened(browser, path) as page:
        page.fill("#search", search)
        marked = page.locator("dd mark.hit").evaluate_all("all => all.map(one => one.textContent)")
        assert marked == hits
        assert page.locator("article").count() == bool(hits)
        page.fill("#search", "")
        assert page.locator("#list mark.hit").count() == 0 and page.locator("article").count() == 1


def test_hits_are_marked_with_all_else(browser, tmp_path):
    """A hit over the bounds of an error and of a difference: each mark keeps its own letters."""
    span = {"start": 4, "end": 7, "severity": "major", "category": "c", "place": "translation"}
    given = one("A", "the cat sat", spans=[span], marks=[4, 11])
    with opened(browser, written(tmp_path / "page.html", [given])) as page:
        page.fill("#search", "E CAT S")
        joined = "all => all.map(one => one.firstChild.textContent).join('|')"
        letters = "all => all.map(one => one.textContent.replace(' (major: c) ', '')).join('')"
        assert page.locator("#list mark.hit").evaluate_all(letters) == "e cat s"
        assert page.locator("#list .error").evaluate_all(joined) == "cat"
        assert page.locator("#list mark:not(.hit)").evaluate_all(letters) == "cat sat"
        assert page.locator(".text").text_content() == "the cat (major: c)  sat"


def test_a_hit_is_in_one_text(browser, tmp_path):
    """Words that end one text and begin another are not next to each other."""
    entry = {"source": "one two", "references": ["three"], "translations": [one("A", "four")]}
    with opened(browser, written(tmp_path / "page.html", entry)) as page:
        page.fill("#search", "two three")
        assert page.locator("article").count() == 0


def test_names_are_short_everywhere_and_whole_to_copy(browser, tmp_path):
    table = Table("T", ["system", "n.A.en"], [["n.A.en", "1"], ["n.B.en", "2"]], names="system")
    pair = [one("n.A.en", "a", scores=[1]), one("n.B.en", "b", scores=[2])]
    with opened(browser, written(tmp_path / "page.html", pair, tables=[table])) as page:
        for names in (page.locator("#tables tbody th"), page.locator(".translations .name")):
            assert sorted(names.all_text_contents()) == ["n.A.en", "n.B.en"]
            seen = names.locator("[title]")
            assert sorted(seen.all_inner_texts()) == ["A", "B"]
            assert seen.first.get_attribute("title") in ("n.A.en", "n.B.en")
            hidden = names.first.locator(".hidden")
            assert hidden.all_inner_texts() == ["n.", ".en"]
            assert all(box.bounding_box()["width"] <= 1 for box in hidden.all())
        assert page.locator("#tables thead th").last.text_content() == "n.A.en"
        page.select_option("#order", "difference")
        assert page.locator("#better option").all_inner_texts() == ["A", "B"]


def test_numbers_with_exponents_are_sorted_as_numbers(browser, tmp_path):
    cells = [".283", "8.52e-06", "1,048", "< .001", "–", "−.5", "12 %", ".04"]
    table = Table("T", ["metric", "p"], [[f"m{k}", cell] for k, cell in enumerate(cells)])
    path = written(tmp_path / "page.html", [one("A")], tables=[table])
    with opened(browser, path) as page:
        page.locator("#tables thead button").last.click()
        expected = ["1,048", "12 %", ".283", ".04", "< .001", "8.52e-06", "−.5", "–"]
        assert page.locator("#tables tbody td").all_inner_texts() == expected


def test_filters_are_folded_where_there_is_little_room(browser, tmp_path):
    path = written(tmp_path / "page.html", [one("A")])
    for width in (360, 1280):
        with opened(browser, path, width=width) as page:
            assert page.locator("#shortest").is_visible() == (width > 700)
            assert page.locator("#search").is_visible()
