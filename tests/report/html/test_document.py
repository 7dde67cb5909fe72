"""The page without a browser: what stands in the file, and what does not."""

import base64
import gzip
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from importlib.resources import files

import pandas as pd
import pytest

from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.html.templating import table_of
from sklearn_mteval.report.pictures.dots import Row, dots

TEMPLATES = files("sklearn_mteval.report.html") / "templates"
VOID = {"meta", "input", "img", "source"}


class Checked(HTMLParser):
    """The tags of a page: all that are opened are closed, in their order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else None, data))


def test_the_page_is_whole_and_its_data_come_back(page):
    found = Checked(document(page))
    (packed,) = [text for tag, text in found.texts if tag == "script"][:1]
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert data["scorings"] == ["chrf", "bleu"] and len(data["segments"]) == 12
    assert data == json.loads("".join(page["segments"]["data"]))


def test_the_picture_stands_below_the_answer_and_above_the_rest(page):
    picture = dots([Row("<b>", 1.0), Row("bleu", 0.5)], "Means", caption="Dots are means.")
    text = document(page | {"summary": ["<i> is best.", "Of two."], "picture": picture})
    places = [text.index(part) for part in ("&lt;i&gt; is", "<svg", "Dots are means.", "Of two.")]
    assert places == sorted(places) and "<b>" not in text and "<i>" not in text
    Checked(text)


def test_equal_pages_are_equal_bytes(page):
    assert document(page) == document(page)


def test_nothing_is_loaded_and_only_the_own_script_runs(page):
    found = Checked(document(page))
    policy = next(a["content"] for t, a in found.tags if a.get("http-equiv"))
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'" and rules["img-src"] == "data:"
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        whole = [text for of, text in found.texts if of == tag][-1]
        digest = base64.b64encode(hashlib.sha256(whole.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    for tag, attributes in found.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base"}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("src", "srcset", "href", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:image/svg+xml;base64,"))


@pytest.mark.parametrize(("suffix", "end"), [(".js", "</script"), (".css", "</style")])
def test_what_the_package_puts_between_tags_does_not_close_them(suffix, end):
    named = [path for path in TEMPLATES.iterdir() if path.name.endswith(suffix)]
    text = "".join(path.read_text("utf-8") for path in named)
    assert len(named) > 2
    assert end not in text.lower() and "<!--" not in text
    assert not re.search(r"https?:|innerHTML|insertAdjacentHTML|document\.write|eval\(", text)


def table(text):
    return Table(text, ["metric", text], [[text, text]])


@pytest.mark.parametrize("text", ["<b>&amp;\"'</b>", "a\ud800b", "\u202eabc", "{{ 1 }}", "-->"])
def test_texts_are_escaped(text):
    one, two = (
        document(
            page_of(
                said,
                Report([table(said)], [said], said, pd.DataFrame(), {}),
                summary=[said],
                warnings=[said],
                command=said,
            )
        )
        for said in (text, "x")
    )
    tags = [[tag for tag, _ in Checked(page).tags] for page in (one, two)]
    assert tags[0] == tags[1]
    one.encode()  # what no file can hold is gone


def test_values_to_sort_by():
    header = ["what", "x", "y", "z", "p"]
    rows = [
        ["1st", "2.5 [1, 3]", "-1", "text", "<0.001*"],
        ["b", "\N{EN DASH}", "+0.25", "3", " 0.5 "],
        ["c", "-\N{INFINITY}", "12.5 %", "4", "0.020*"],
    ]
    found = table_of(Table("t", header, rows, frozenset({(0, 1)}), names="what"))
    assert [c["numeric"] for c in found["columns"]] == [False, True, True, False, True]
    assert [row[1]["value"] for row in found["rows"]] == [2.5, None, -1e308]
    assert [row[2]["value"] for row in found["rows"]] == [-1, 0.25, 12.5]
    assert [row[4]["value"] for row in found["rows"]] == [math.nextafter(0.001, 0), 0.5, 0.02]
    assert [cell["best"] for cell in found["rows"][0]] == [False, True, False, False, False]


def test_a_part_that_no_page_has():
    with pytest.raises(TypeError, match="no \\['plot'\\]"):
        page_of("x", plot=[])


def test_no_two_scripts_declare_the_same_name():
    """They are joined into one function, in which that is an error."""
    scripts = [path.read_text("utf-8") for path in TEMPLATES.iterdir() if path.suffix == ".js"]
    found = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", "\n".join(scripts), re.M)
    assert len(found) > 50
    assert sorted({name for name in found if found.count(name) > 1}) == []
