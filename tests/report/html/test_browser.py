"""The page as its readers use it, in a real browser."""

import json

import pandas as pd
import pytest
from pages import accessibility, opened, until

from sklearn_mteval.evaluation import collect_scores
from sklearn_mteval.evaluation.disagreement import segment_disagreement
from sklearn_mteval.models.marks import Marks
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.html.annotators import Said
from sklearn_mteval.report.html.contents import ModelContents, contents_of_judgements
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.html.entries import entries_of
from sklearn_mteval.report.html.segments import SegmentSample

SCHEMES = ["light", "dark"]

pytestmark = pytest.mark.slow  # a browser is started


def ids(page):
    return [text.removeprefix("Segment ") for text in page.locator("article h3").all_inner_texts()]


def numbers(page, heading):
    """Return what a column of the translations has, without its bars."""
    return page.locator(f"td[data-label='{heading}']").all_inner_texts()


def test_what_is_seen_first(browser, file):
    with opened(browser, file) as page:
        assert page.title() == "Cats"
        assert page.locator("#summary > p").all_inner_texts() == ["chrf is best."]
        assert page.locator(".warnings li").all_inner_texts() == ["Twelve segments only."]
        assert page.locator("#found").inner_text() == "12 of 12 segments"
        assert page.locator("#loading").is_hidden()
        assert page.locator("#command").inner_text() == "sklearn-mteval evaluate cats.csv"
        card = page.locator("article").first
        assert (
            "die Katze" in card.inner_text() and "j" not in card.locator("mark").first.inner_text()
        )


def test_segments_of_the_largest_disagreement_are_first(browser, file, page):
    """As the data have it, which Python has computed."""
    data = json.loads("".join(page["segments"]["data"]))
    values = {s["id"]: s["disagreement"][0] for s in data["segments"]}
    expected = sorted(values, key=lambda name: (-values[name], int(name[1:])))
    with opened(browser, file) as shown:
        assert ids(shown) == expected[: len(ids(shown))]
        shown.select_option("#order", "file")
        assert ids(shown) == [f"s{k}" for k in range(10)]


def test_disagreement_of_two_metrics_is_that_of_python(browser, file, page):
    data = json.loads("".join(page["segments"]["data"]))
    rows = [
        (s["id"], t["system"], *t["scores"]) for s in data["segments"] for t in s["translations"]
    ]
    table = pd.DataFrame(rows, columns=["segment", "system", "chrf", "bleu"])
    table = table.set_index(["segment", "system"])
    values = segment_disagreement(-table["chrf"], table[["bleu"]])["bleu"].to_dict()
    expected = sorted(values, key=lambda name: (-values[name], int(name[1:])))
    with opened(browser, file) as shown:
        shown.select_option("#first", label="chrf")
        shown.select_option("#second", label="bleu")
        assert ids(shown) == expected[:10]


def test_pages_search_filters_and_reset(browser, file):
    with opened(browser, file) as page:
        page.select_option("#order", "file")
        page.click("#forth")
        assert ids(page) == ["s10", "s11"] and page.locator("#forth").is_disabled()
        page.click("#back")
        assert ids(page)[0] == "s0" and page.locator("#back").is_disabled()
        page.fill("#search", "KATZE 7")
        assert ids(page) == ["s7"]
        page.fill("#search", "nowhere")
        assert ids(page) == [] and page.locator("#found").inner_text() == "0 of 12 segments"
        page.click("button[type=reset]")
        until(page, "document.getElementById('found').textContent.startsWith('12 of')")
        page.select_option("#document", "d1")
        assert sorted(ids(page)) == ["s4", "s5", "s6", "s7"]
        page.fill("#shortest", "8")  # the reference has seven words
        assert ids(page) == []


def test_a_against_b(browser, file):
    with opened(browser, file) as page:
        page.select_option("#order", "difference")
        page.select_option("#first", label="annotators")
        page.select_option("#better", label="A")
        page.select_option("#worse", label="B")
        assert ids(page)[0] == "s11"  # 71 against 69
        page.select_option("#better", label="B")
        page.select_option("#worse", label="A")
        assert ids(page)[0] == "s0"


def test_the_lowest_mean_has_its_sign(browser, tmp_path):
    """Standardised scores, penalties and margins may be below 0."""
    sample = SegmentSample()
    for k, score in enumerate([0.5, -2.5]):
        one = {"system": "A", "text": "a", "scores": [score]}
        sample.add({"id": str(k), "length": 1, "translations": [one]})
    path = tmp_path / "page.html"
    page = page_of("Scores", segments=sample.data(["m"], first="lowest"))
    path.write_text(document(page), encoding="utf-8")
    with opened(browser, path) as shown:
        facts = shown.locator("article header .quiet").all_inner_texts()
        assert facts == ["lowest mean: -2.50", "lowest mean: 0.500"]


def test_what_a_model_marks(browser, tmp_path):
    """Words are marked where they stand, what is said of them once, in any script."""
    texts = {
        "A": ("the 😀 <b>cat</b> sat", [(6, 16, "major", 0.834), (17, 20, "minor", 0.5)]),
        "B": ("שלום עולם רע", [(10, 12, "major", 1.0)]),
        "C": ("fine", []),
    }
    index = pd.MultiIndex.from_product([["1"], list(texts)], names=["segment", "system"])
    X = pd.DataFrame(
        {"reference": "the cat sat", "hypothesis": [t for t, _ in texts.values()]}, index
    )
    rows = [
        (label, *mark)
        for label, (_, marks) in zip(index, texts.values(), strict=True)
        for mark in marks
    ]
    names = ["start", "end", "severity", "probability"]
    table = pd.DataFrame([row[1:] for row in rows], columns=names)
    table.index = pd.MultiIndex.from_tuples([row[0] for row in rows], names=index.names)
    error_free = pd.Series([0.1, 0.25, 0.987], index)
    contents = ModelContents("m")
    contents.add(
        X, pd.Series([0.3, 0.2, 0.1], index), None, Marks(table.assign(words=""), error_free)
    )
    path = tmp_path / "page.html"
    parts = contents.contents(["A", "B", "C"])
    path.write_text(document(page_of("Scores", segments=parts["segments"])), encoding="utf-8")
    with opened(browser, path) as shown:
        marked = shown.locator("#list .marked")
        assert "".join(marked.nth(k).inner_text() for k in range(marked.count())) == (
            "<b>cat</b>satרע"
        )
        assert shown.locator("#list .sure").all_inner_texts() == [
            "major 83 %",
            "minor 50 %",
            "major 100 %",
        ]
        assert shown.locator("#list .marked.minor").all_inner_texts() == ["sat"]
        assert numbers(shown, "free of errors") == ["10 %", "25 %", "99 %"]
        assert shown.locator("#list .text b").count() == 0
        assert shown.locator("#errors").is_hidden() and shown.locator("#predicted").is_visible()
        shown.select_option("#flag", "marked: minor")
        assert shown.locator("#list article").count() == 1
        shown.uncheck("#predicted")
        assert marked.count() == 0
        assert shown.locator("#list .text").nth(0).inner_text() == texts["A"][0]


def test_an_order_hides_no_segment(browser, tmp_path):
    """Those of which it says nothing stand last: of one translation each, nothing disagrees."""
    sample = SegmentSample()
    for k, (score, against) in enumerate([(1, None), (2, None), (None, None), (3, 0.5)]):
        one = {"system": "A", "text": "a", "scores": [score], "human": 1}
        sample.add({"id": str(k), "length": 1, "translations": [one], "disagreement": [against]})
    path = tmp_path / "page.html"
    segments = sample.data(["m"], judged="annotators", first="disagreement")
    path.write_text(document(page_of("Scores", segments=segments)), encoding="utf-8")
    with opened(browser, path) as shown:
        assert ids(shown) == ["3", "0", "1", "2"]
        shown.select_option("#order", "lowest")
        assert ids(shown) == ["0", "1", "3", "2"]
        assert shown.locator("#found").inner_text() == "4 of 4 segments"


def test_keys_and_links(browser, file):
    with opened(browser, file) as page:
        page.select_option("#order", "file")
        page.locator("h1").click()
        focused = "document.activeElement.querySelector('h3')?.textContent"
        for key, name in (("n", "s0"), ("n", "s1"), ("j", "s2"), ("p", "s1"), ("k", "s0")):
            page.keyboard.press(key)
            assert page.evaluate(focused) == f"Segment {name}"
        for _ in range(11):
            page.keyboard.press("n")
        assert page.evaluate(focused) == "Segment s11"
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.keyboard.type("np")  # is text there
        assert page.input_value("#search") == "np"
        page.keyboard.press("Escape")
        page.evaluate("location.hash = '#segment=s3'")  # which the search hides
        until(page, f"{focused} === 'Segment s3'")
        page.uncheck("#keys")
        page.locator("h1").click()
        page.keyboard.press("n")
        assert page.evaluate("document.activeElement === document.body")
        page.evaluate("location.hash = '#segment=none'")
        until(page, "document.getElementById('said').textContent.includes('no segment')")


def test_a_link_opens_its_segment(browser, file):
    with opened(browser, file.with_name(f"{file.name}")) as page:
        page.goto(f"{file.as_uri()}#segment=s11")
        page.reload()
        until(page, "document.activeElement.querySelector('h3')?.textContent === 'Segment s11'")


def test_copies(browser, file):
    grant = {"permissions": ["clipboard-read", "clipboard-write"]}
    with opened(browser, file, **grant) as page:
        page.select_option("#order", "file")
        page.locator("article button").first.click()
        until(page, "document.getElementById('said').textContent.startsWith('Copied')")
        segment = json.loads(page.evaluate("navigator.clipboard.readText()"))
        assert segment["id"] == "s0" and segment["source"] == "die Katze 0"
        assert set(segment["translations"][0]["scores"]) == {"chrf", "bleu"}
        page.locator("[data-copies=command]").click()
        until(page, "document.getElementById('said').textContent.includes('command')")
        assert page.evaluate("navigator.clipboard.readText()") == "sklearn-mteval evaluate cats.csv"


def test_tables_are_sorted(browser, tmp_path):
    rows = [["b10", "2.0 [1, 3]"], ["b9", "–"], ["a", "-1.5 [-2, 0]"], ["c", "∞"]]
    report = Report([Table("Numbers", ["metric", "x"], rows)], [], "", pd.DataFrame(), {})
    path = tmp_path / "page.html"
    path.write_text(document(page_of("Tables", report)), encoding="utf-8")
    with opened(browser, path) as page:
        names = page.locator("tbody th")
        heading = page.locator("thead th").nth(1)
        for state, order in (
            ("descending", ["c", "b10", "a", "b9"]),
            ("ascending", ["a", "b10", "c", "b9"]),
            (None, ["b10", "b9", "a", "c"]),
        ):
            heading.locator("button").click()
            assert names.all_inner_texts() == order
            assert heading.get_attribute("aria-sort") == state
        page.locator("thead button").first.click()
        assert names.all_inner_texts() == ["a", "b9", "b10", "c"]


def test_words_of_tables_are_whole_on_a_telephone(browser, tmp_path):
    header = ["system", "score", "bootstrap", "sandwich", "letters", "comparisons"]
    rows = [["a-system-of-some-name", "0.74", "[0.68, 0.81]", "[0.68, 0.81]", "abc", "7,406"]]
    report = Report([Table("Scores", header, rows, names="system")], [], "", pd.DataFrame(), {})
    path = tmp_path / "page.html"
    path.write_text(document(page_of("Tables", report)), encoding="utf-8")
    with opened(browser, path, width=360) as page:
        lines = "c => c.getBoundingClientRect().height / parseFloat(getComputedStyle(c).fontSize)"
        for cell in page.locator("th, td").all():
            assert cell.evaluate(lines) < 6  # two or three lines
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


HOSTILE = {
    "a script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "an address": '<a href="javascript:alert(1)">x</a>',
    "the end of the data": "</script><script>alert(1)</script><!--",
    "a template": "{{ 7*7 }} {% raw %} ${7*7}",
    "other directions": "abc \u202edef\u2066 ghi\u200f",
    "lone surrogates": "a\ud800b\udc00",
    "not printable": "a\0b\x1b[31mc\x7f\ufeff",
    "one long line": "word " * 20_000,
    "no space in it": "x" * 100_000,
    "astral": "\U0001f408\U0001f408 cat " * 3,
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_texts(browser, tmp_path, name):
    """In texts, names of systems, segments, documents, and in all else that a page says."""
    text = HOSTILE[name]
    labels = [f"1 {text}", f"1 {text}", "2"], [f"A {text}", f"B {text}", f"A {text}"]
    labels = [pd.Index(names, dtype=object) for names in labels]  # Arrow holds no surrogates
    index = pd.MultiIndex.from_arrays(labels, names=["segment", "system"])
    X = pd.DataFrame(
        {c: [text] * 3 for c in ("source", "reference", "hypothesis")}, index, dtype=object
    )
    sample = SegmentSample()
    for entry in entries_of(X, documents=[text] * 3, flags=[[text]] * 3):
        others = {"text": f"{text} b", "flags": [], "missing": [text], "rank": 2}
        if len(entry["translations"]) > 1:
            entry["translations"][1] |= others
        sample.add(entry, why={"of": [0, 1], "pairs": "-5,12"})
    report = Report(
        [Table(text, ["metric", text], [[text, text]])], [text], text, pd.DataFrame(), {}
    )
    page = page_of(
        text, report, summary=[text], warnings=[text], command=text,
        segments=sample.data(
            [text], judged=text, families=[[text, True], ["b", False]], log_odds=True
        ),
        themes=[{"title": text, "note": text, "table": page_of("", report)["tables"][0]}],
        plots=[{"title": text, "description": text, "light": "<svg/>", "dark": "<svg/>"}],
    )  # fmt: skip
    path = tmp_path / "page.html"
    path.write_text(document(page), encoding="utf-8")
    with opened(browser, path) as shown:
        assert len(ids(shown)) == 2
        shown.locator("details.why summary").first.click()
        shown.wait_for_selector(".why tfoot")
        assert shown.locator(".why tfoot td").first.inner_text() == "0.07"
        counts = "s => document.querySelectorAll(s).length"
        assert shown.evaluate(counts, "script") == 1  # the data's is gone, the page's own remains
        for tag in ("#list img", "#list script", "#list a:not([href^='#segment='])", "[onerror]"):
            assert shown.evaluate(counts, tag) == 0
        assert shown.evaluate(counts, "*") < 6000
        assert shown.evaluate("document.documentElement.scrollWidth") <= 1280
        if text.strip():
            seen = shown.locator("article .text").first.inner_text()
            assert seen.startswith(text[:1].strip() or text[0])
        if name == "other directions":
            assert "U+202E" in seen and "\u202e" not in seen
        if name == "lone surrogates":
            assert seen == "aU+D800bU+DC00"
        if "long" in name or "space" in name:
            button = shown.locator("article .text button").first
            assert len(seen) < 2000
            button.click()
            assert len(shown.locator("article .text").first.inner_text()) >= 99_000
        if name != "lone surrogates":  # which nobody can type
            shown.fill("#search", text[:20].lower())
            assert len(ids(shown)) == 2


@pytest.fixture(scope="module")
def whys():
    """Four translations, two of them equal; decisions of the pairs 01, 02 and 12 by hand."""
    texts = {
        "A": "the cat sat on a mat", "B": "cat", "C": "the cat sat on a mat", "D": "the dog sat",
    }  # fmt: skip
    index = pd.MultiIndex.from_product([["s"], list(texts)], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": list(texts.values()), "reference": "the cat sat"}, index)
    sample = SegmentSample()
    (entry,) = entries_of(X, rank=[1.0, 3.0, 1.0, 4.0], flags=[[], ["negation: x"], [], []])
    order = [one["system"] for one in entry["translations"]]
    assert order == ["A", "C", "B", "D"]
    why = {"of": [0, 0, 1, 2], "pairs": "150,-20,0;;0,-10,1"}
    sample.add(entry, why=why)
    families = [["words", False], ["chrF", True], ["length", False]]
    return sample.data([], families=families, log_odds=True)


def why_of(page, first, second):
    """Choose two translations; return the first sentence, and the values of families for each."""
    page.locator(".why select").nth(0).select_option(label=first)
    page.locator(".why select").nth(1).select_option(label=second)
    rows = page.locator(".why tbody tr, .why tfoot tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    found = {name: float(one or 0) - float(other or 0) for name, one, _, other in rows}
    return page.locator(".why [role=status] p").first.inner_text(), found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_why_of_any_two_translations(browser, tmp_path, whys, scheme):
    path = tmp_path / "page.html"
    path.write_text(document(page_of("Why", segments=whys)), encoding="utf-8")
    with opened(browser, path, color_scheme=scheme) as page:
        page.locator(".why summary").click()
        page.wait_for_selector(".why select")
        said, values = why_of(page, "A", "B")
        probability = 1 / (1 + 2.718281828**-1.3)
        assert said.endswith(f"prefers A to B with a probability of {probability:.2f}.")
        decision = values.pop("the decision: one side less the other")
        assert values == {"words": 1.5, "chrF *": -0.2} and decision == pytest.approx(1.3)
        assert "negation: x" in page.locator(".why ul").first.inner_text()
        assert "nothing for “the”, “sat”" in page.locator(".why ul").first.inner_text()
        said, values = why_of(page, "B", "C")  # the other way round; C says what A says
        assert "prefers C to B" in said and values["words"] == -1.5
        said, values = why_of(page, "B", "D")  # ranked the other way round
        assert "prefers D to B with a probability of 0.52" in said
        assert values["chrF *"] == -0.1 and values["length"] == 0.01
        assert "other way round" in page.locator(".why").inner_text()
        assert "say the same" in why_of(page, "A", "C")[0]
        assert "cannot be told" in why_of(page, "A", "D")[0]
        assert why_of(page, "D", "D")[0] == "Choose two translations."
        why_of(page, "A", "B")
        assert accessibility(page) == []


def test_marks_and_errors_stand_where_they_are(browser, tmp_path):
    from sklearn_mteval._helpers.error_spans import ErrorSpan

    index = pd.MultiIndex.from_tuples([(1, "A")], names=["segment", "system"])
    texts = {
        "reference": ["\U0001f408 the cat sat here"],
        "hypothesis": ["\U0001f408 the dog sat 12"],
    }
    X = pd.DataFrame(texts, index)
    spans = [ErrorSpan(6, 9, "major", "mistranslation"), ErrorSpan(0, 0, "minor", "x", "omission")]
    sample = SegmentSample()
    for entry in entries_of(X, annotators=[[Said("", 5.0, spans)]]):
        sample.add(entry)
    path = tmp_path / "page.html"
    path.write_text(document(page_of("Marks", segments=sample.data([]))), encoding="utf-8")
    with opened(browser, path) as page:
        assert page.locator("mark .error").count() == 1  # the error is seen, not the difference
        error = page.locator("article .error")
        assert error.count() == 1 and error.evaluate("e => e.firstChild.textContent") == "dog"
        assert error.get_attribute("title") == "major: mistranslation"
        assert page.locator("article .absent").all_inner_texts() == ["[missing: minor]"]
        assert "12" in page.locator("mark").last.inner_text()
        page.uncheck("#errors")
        page.uncheck("#differences")
        assert page.locator("article").locator(".error, mark, .absent").count() == 0
        page.check("#errors")
        page.select_option("#flag", "error: major")
        assert ids(page) == ["1"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_ground_follows_the_scheme(browser, file, scheme):
    with opened(browser, file, color_scheme=scheme) as page:
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 29)"}[scheme]


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light"), (3840, "light")])
def test_everybody_can_use_it(browser, file, width, scheme):
    """No serious finding of axe-core, and nothing to be scrolled sideways but tables."""
    with opened(browser, file, width=width, color_scheme=scheme) as page:
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert accessibility(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_javascript_all_but_the_segments_is_there(browser, file):
    with opened(browser, file, javascript=False) as page:
        assert page.locator("#summary").is_visible() and page.locator("table").first.is_visible()
        assert "needs none" not in page.locator("#summary").inner_text()
        assert page.locator("noscript").count() == 1
        assert (
            page.locator("#browser").is_hidden() and page.locator("button.copy").first.is_hidden()
        )


def test_printed(browser, file):
    with opened(browser, file) as page:
        page.emulate_media(media="print")
        assert page.locator("#filters").is_hidden() and page.locator("nav").is_hidden()
        assert page.locator("article").first.is_visible()


def test_what_cannot_be_read_is_said(browser, file, tmp_path):
    damaged = tmp_path / "damaged.html"
    text = file.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    damaged.write_text(text[:start] + "AAAA" + text[start + 4 :], encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto(damaged.as_uri())
    until(page, "document.getElementById('loading').textContent.includes('cannot be read')")
    assert page.locator("table").first.is_visible()
    context.close()


def test_segments_without_a_value_stand_last(browser, judged, tmp_path):
    """Of one translation there is no disagreement; the segment is not hidden for that."""
    kept = ~judged.y.index.isin(["s0"], level="segment") | judged.y.index.isin(
        ["A"], level="system"
    )
    names = ("y", "X", "documents", "judges")
    parts = {name: getattr(judged, name)[kept] for name in names}
    some = judged._replace(**parts)
    scores = collect_scores(some, metrics=["chrf"])
    contents = contents_of_judgements({"": (some, scores)})
    path = tmp_path / "page.html"
    path.write_text(document(page_of("One", **contents)), encoding="utf-8")
    with opened(browser, path) as page:
        assert page.locator("#found").inner_text() == "12 of 12 segments"
        page.click("#forth")
        assert ids(page)[-1] == "s0"


def test_ties_of_two_scores_are_counted_as_python_counts_them(browser, tmp_path):
    """One pair of three is tied by both, two by one of them: 1/3; and of the other segment 0."""
    rows = {("1", "A"): (1, 5), ("1", "B"): (1, 5), ("1", "C"): (2, 5), ("2", "A"): (1, 1),
            ("2", "B"): (2, 2)}  # fmt: skip
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["x", "y"])
    table.index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    expected = segment_disagreement(-table["x"], table[["y"]])["y"].to_dict()
    assert expected == {"1": pytest.approx(1 / 3), "2": 0}
    sample = SegmentSample()
    for entry in entries_of(table.assign(hypothesis="a")[["hypothesis"]], table):
        sample.add(entry)
    path = tmp_path / "page.html"
    segments = sample.data(["x", "y"], first="disagreement")
    path.write_text(document(page_of("Ties", segments=segments)), encoding="utf-8")
    with opened(browser, path) as page:
        told = page.locator("article .quiet").filter(has_text="disagreement").all_inner_texts()
        assert told == ["disagreement of two: 0.333", "disagreement of two: 0"]
