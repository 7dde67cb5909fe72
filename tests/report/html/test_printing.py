"""Pages on paper: by a real browser, and what is said of browsers that fail."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from pages import CHROMIUM

from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.html.printing import BROWSERS, VARIABLE, find_browser, printed

STATE = (
    "document.querySelector('main').innerHTML.replaceAll(' class=\"\"', '')"
    " + document.documentElement.className"
)
NAMES = [f"metric-{k}-of-some-length" for k in range(43)]


@pytest.fixture
def chromium_found():
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    if shutil.which("pdftotext") is None:
        pytest.skip("poppler-utils is not installed: apt-get install poppler-utils")


@pytest.fixture
def wide(page):
    """A page with a matrix of 43 metrics, a folded table and themes."""
    import pandas as pd

    cells = [[one, *(f"{i}.{k:03}*" for k in range(43))] for i, one in enumerate(NAMES)]
    matrix = Table("Two-sided p-values", ["metric", *NAMES], cells)
    tables = page_of("", Report([matrix], [], "", pd.DataFrame(), {}))["tables"]
    folded = [table | {"title": "What was folded", "folded": True} for table in page["tables"]]
    themes = [{"title": "A theme", "note": "Said of it.", "table": folded[0]}]
    return page | {"tables": [*page["tables"], *tables, *folded], "themes": themes}


def words_of(pdf, tmp_path):
    """Words of each page with left, right, top, bottom as parts of its width and height."""
    path = tmp_path / "x.pdf"
    path.write_bytes(pdf)
    told = subprocess.run(["pdftotext", "-bbox", path, "-"], capture_output=True, check=True)
    pages = re.split(r"<page ", told.stdout.decode())[1:]
    found = []
    for text in pages:
        width, height = map(float, re.match(r'width="([\d.]+)" height="([\d.]+)"', text).groups())
        pattern = r'xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)<'
        words = re.findall(pattern, text)
        boxes = [(word, *(float(x) for x in numbers)) for *numbers, word in words]
        found.append(
            [(w, x0 / width, x1 / width, y0 / height, y1 / height) for w, x0, y0, x1, y1 in boxes]
        )
    return found


def assert_whole(pages):
    """All is within the pages, all columns have all their cells, all that was folded is there."""
    assert all(x0 > 0.02 and x1 < 0.98 and y1 < 0.99 for p in pages for _, x0, x1, _, y1 in p)
    words = [word for page in pages for word, *_ in page]
    for i in range(43):
        assert {f"{i}.{k:03}*" for k in range(43)} <= {*words}
    text = " ".join(words)
    for title in ("Cats", "metric", "acc_eq", "What was folded", "Said of it.", "How it was made"):
        assert title in text
    for name in NAMES:
        assert name in text
    assert "Segment s0" in text and "katze" in text.lower() and "1 to 10" in text
    assert "Copy" not in text and "Search in" not in text and "↕" not in text
    assert text.rindex("How it was made") > text.rindex("Segment s")


@pytest.mark.slow
def test_a_page_is_printed(chromium_found, wide, tmp_path, monkeypatch):
    """Whatever the folder of temporary files is called: sockets in it have a longest name."""
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    (tmp_path / "work").mkdir()
    pdf = printed(document(wide, packed=False), tmp_path / "work")
    assert list(folder.iterdir()) == []
    assert list((tmp_path / "work").iterdir()) == []
    assert_whole(words_of(pdf, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_page_on_either_paper(chromium_found, browser, wide, tmp_path, paper):
    """As from the browser's menu; afterwards the page is as it was."""
    from pages import opened

    path = tmp_path / "page.html"
    path.write_text(document(wide), encoding="utf-8")
    with opened(browser, path, color_scheme="dark") as shown:
        before = shown.evaluate(STATE)
        pages = words_of(shown.pdf(format=paper), tmp_path)
        assert_whole(pages)
        assert shown.evaluate(STATE) == before
        shown.locator("thead button").first.click()  # which is no copy
        assert shown.locator("[aria-sort]").count() == 1


@pytest.mark.slow
def test_heads_of_tables_are_on_each_page(chromium_found, tmp_path):
    import pandas as pd

    rows = [[f"row-{k}", str(k)] for k in range(200)]
    report = Report([Table("Long", ["metric", "number"], rows)], [], "", pd.DataFrame(), {})
    pages = words_of(printed(document(page_of("Long", report)), tmp_path), tmp_path)
    with_rows = [{word for word, *_ in p} for p in pages if any("row-" in w for w, *_ in p)]
    assert len(with_rows) > 2 and all({"metric", "number"} <= words for words in with_rows)


# ---- browsers that fail ----


def fake(tmp_path, monkeypatch, script):
    """A browser that is a script of Python."""
    path = tmp_path / "browser"
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(path))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "out").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path / "out"


def assert_nothing_left(tmp_path):
    assert list((tmp_path / "tmp").iterdir()) == [] == list((tmp_path / "out").iterdir())


WRITES = """
pdf = next(a for a in sys.argv if a.startswith("--print-to-pdf=")).split("=", 1)[1]
open(pdf, "wb").write({content})
"""


def test_what_a_browser_writes_is_returned(tmp_path, monkeypatch):
    out = fake(
        tmp_path, monkeypatch, WRITES.format(content="b'%PDF-1.4 ' + repr(sys.argv).encode()")
    )
    found = printed("<p>ä", out)
    assert found.startswith(b"%PDF-1.4") and b"NOTFOUND" in found and b"--user-data-dir=" in found
    assert (b"--no-sandbox" in found) == (os.geteuid() == 0)
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("sys.exit('no display')", "failed with status 1. Its last words: no display "),
        ("os.kill(os.getpid(), 11)", "failed with status -11"),
        ("print('hello')", "wrote no PDF"),
        (WRITES.format(content="b''"), "wrote no PDF"),
        (WRITES.format(content="b'<html>'"), "wrote no PDF"),
    ],
)
def test_a_browser_that_fails(tmp_path, monkeypatch, script, problem):
    out = fake(tmp_path, monkeypatch, script)
    with pytest.raises(OSError, match="--pdf: the browser") as error:
        printed("<p>", out)
    assert problem in str(error.value) and "--html" in str(error.value)
    assert_nothing_left(tmp_path)


def test_a_browser_that_hangs_is_ended_with_its_helpers(tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    script = f"""
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if not (child := os.fork()):
    time.sleep(600)
open({str(pid)!r}, "w").write(str(child))
time.sleep(600)"""
    out = fake(tmp_path, monkeypatch, script)
    with pytest.raises(OSError, match="took longer than 3 seconds"):
        printed("<p>", out, limit=3)
    assert_nothing_left(tmp_path)
    helper = Path("/proc", pid.read_text(), "stat")
    end = time.monotonic() + 30
    while helper.exists() and helper.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.05)


def test_which_browser(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"install one .* 'save as PDF'"):
        find_browser()
    for name in (BROWSERS[-1], BROWSERS[0]):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
        assert find_browser() == str(tmp_path / name)
    monkeypatch.setenv(VARIABLE, "nowhere")
    with pytest.raises(FileNotFoundError, match="names 'nowhere', which is no program"):
        find_browser()


@pytest.mark.parametrize("place", ["C:\\Program Files (x86)", "/Applications/Google"])
def test_a_browser_that_is_not_on_path(monkeypatch, place):
    """Windows and macOS put none there."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("shutil.which", lambda name: name if name.startswith(place) else None)
    assert find_browser().startswith(place)
