"""What annotators marked, on the page: by whom, where they agree, in the source, and what is
missing.
"""

import pandas as pd
import pytest
from pages import accessibility, opened

from sklearn_mteval._helpers.error_spans import ErrorSpan
from sklearn_mteval.report.html.annotators import Said
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.html.entries import entries_of
from sklearn_mteval.report.html.segments import SegmentSample

pytestmark = pytest.mark.slow  # a browser is started

ANN = [
    ErrorSpan(4, 11, "major", "Accuracy/Mistranslation"),
    ErrorSpan(0, 0, "major", "", "omission"),
]
BOB = [ErrorSpan(8, 15, "minor", "Style"), ErrorSpan(0, 0, "minor", "Punctuation", "unknown")]
CAM = [ErrorSpan(0, 3, "major", "Accuracy/Omission", "source")]
MARKUP = "<img src=x onerror=alert(1)>"


def save(tmp_path, texts, said, source="die Katze saß"):
    """Write the page of a segment: texts and what annotators said of each, by system."""
    index = pd.MultiIndex.from_product([["1"], list(texts)], names=["segment", "system"])
    X = pd.DataFrame({"source": source, "hypothesis": list(texts.values())}, index)
    sample = SegmentSample()
    for entry in entries_of(X, annotators=[said.get(name, []) for name in texts]):
        sample.add(entry)
    path = tmp_path / "page.html"
    path.write_text(document(page_of("Marks", segments=sample.data([], judged="points"))), "utf-8")
    return path


@pytest.fixture
def cats(tmp_path):
    said = {
        "A": [Said("ann", 10.0, ANN), Said("bob", 1.0, BOB), Said("", 0.0, [])],
        "B": [Said("ann", 5.0, CAM), Said("bob", 0.0, [])],
        "C": [Said("ann", 5.0, CAM)],
    }
    return save(tmp_path, {"A": "the black dog sat", "B": "sat", "C": "cat"}, said)


def marked(within, name):
    """List the words of a class, without what is only said to who cannot see them."""
    return within.locator(f".{name}").evaluate_all(
        "all => all.map(e => [...e.childNodes].filter(x => x.className !== 'hidden')"
        ".map(x => x.textContent).join(''))"
    )


def test_each_annotator_stands_alone_and_agreement_is_seen(browser, cats):
    """Both marked "k d", the characters 8 to 11."""
    with opened(browser, cats) as page:
        rows = page.locator("ol.annotators li")
        names = rows.locator("bdi.quiet").all_inner_texts()
        assert names == ["ann (10)", "bob (1)"]
        assert marked(rows.nth(0), "error") == ["black d"]
        assert marked(rows.nth(1), "error") == ["k dog s"]
        assert marked(page.locator("article"), "agreed") == ["k d"]
        agreed = page.locator("article .agreed")
        assert agreed.get_attribute("title") == "marked by 2 annotators"
        silent = page.locator("article .silent").all_inner_texts()
        assert silent == [
            "annotator 3 (0) marked no error.",
            "All that is marked is by ann (5); bob (0) marked no error.",
        ]
        page.uncheck("#apart")
        assert page.locator("ol.annotators, .silent").count() == 0
        assert page.locator("article .error").count() > 0
        page.check("#apart")
        page.uncheck("#errors")
        assert page.locator("ol.annotators, .silent, article .error, article .absent").count() == 0


def test_what_is_missing_and_what_is_in_the_source(browser, cats):
    with opened(browser, cats) as page:
        tokens = page.locator(".said > .text > .absent").all_inner_texts()
        assert tokens == ["[missing: major]", "[missing “die”: major]", "[missing “die”: major]"]
        assert page.locator("ol.annotators .absent").all_inner_texts() == ["[missing: major]"]
        assert page.locator("article .flag").all_inner_texts() == [
            "somewhere: minor Punctuation, by bob"
        ]
        source = page.locator("dl.given dd").first
        assert marked(source, "error") == ["die"]  # once for both systems
        assert source.locator(".whose").all_inner_texts() == ["B and C: major Accuracy/Omission"]


def test_the_legend_explains_what_there_is(browser, cats, tmp_path):
    with opened(browser, cats) as page:
        assert page.locator("#legend [data-explains]:visible").evaluate_all(
            "all => all.map(e => e.dataset.explains)"
        ) == ["errors", "agreed", "missing", "source"]
        assert accessibility(page) == []
    plain = save(tmp_path, {"A": "a", "B": "b"}, {})
    with opened(browser, plain) as page:
        assert page.locator("#legend [data-explains]:visible").count() == 0
        assert page.locator("#apart").is_hidden()


def test_hostile_annotators(browser, tmp_path):
    """Thirty of them, with markup as names, spans beyond the text, within each other and empty, in
    a text from right to left.
    """
    text, many = "שלום 😀 עולם", [ErrorSpan(k, k + 40, "major", MARKUP) for k in range(9)]
    said = [
        Said(f"{MARKUP}{k}", float(k), [*many[: k % 9 + 1], ErrorSpan(3, 3)]) for k in range(30)
    ]
    wrong = ErrorSpan(2, 99, "minor", MARKUP, "source")
    said.append(Said("\u202eevil", float("nan"), [wrong, ErrorSpan(50, 60, "major", MARKUP)]))
    path = save(tmp_path, {MARKUP: text, "B": "", "C": text}, {MARKUP: said, "B": said[-1:]}, "a")
    with opened(browser, path, width=360) as page:
        assert page.locator("img").count() == 0
        assert page.locator("ol.annotators li").count() == 4
        page.click("text=Show all 31 sets of marks")
        assert page.locator("ol.annotators li").count() == 31
        shown = page.locator("ol.annotators .text").first.evaluate(
            "e => [...e.querySelectorAll('.hidden, bdi')].forEach(x => x.remove()) || e.textContent"
        )
        assert shown.strip() == text
        assert page.locator("ol.annotators bdi .control").inner_text() == "U+202E"
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_equal_translations_keep_who_said_what(browser, tmp_path):
    """Ann says the same of both, bob not."""
    ann, bob = Said("ann", 5.0, [ErrorSpan(0, 3, "major")]), [ErrorSpan(4, 7, "minor")]
    said = {"A": [ann, Said("bob", 1.0, bob)], "B": [ann, Said("bob", 0.0, [])]}
    with opened(browser, save(tmp_path, {"A": "the cat", "B": "the cat"}, said)) as page:
        names = page.locator("ol.annotators bdi.quiet").all_inner_texts()
        assert names == ["ann (5)", "bob for A (1)"]
        assert page.locator(".silent").all_inner_texts() == ["bob for B (0) marked no error."]
        assert marked(page.locator("article"), "agreed") == []
