"""The README: its links, its figures, and what its blocks print."""

import re
import shlex
from configparser import ConfigParser
from pathlib import Path

import pytest
from readme import README, blocks, commands, lines

from sklearn_mteval.cli import main

ROOT = README.parent
TEXT = README.read_text(encoding="utf-8")
START = re.sub("<!--.*?-->", "", (ROOT / "docs" / "start.md").read_text(encoding="utf-8"))
CONFIG = ConfigParser()
CONFIG.read(ROOT / "setup.cfg", encoding="utf-8")
LINKS = re.findall(r"\]\(([^)]+)\)", TEXT)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def anchors(page):
    """Return what links to the headings of a page end in, as sites make it of them."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_are_found():
    assert len(LINKS) > 9
    assert "why-and-why-not" in anchors(ROOT / "docs" / "start.md")


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_each_link_and_picture_is_a_file_of_the_repository(link):
    name, _, anchor = link.partition("#")
    assert not name.startswith(("/", ".."))
    assert (ROOT / name).is_file()
    assert not anchor or anchor in anchors(ROOT / name)


def test_it_is_one_screen_with_a_picture_that_has_a_text():
    assert len(TEXT.splitlines()) <= 90
    assert len(re.findall(r"!\[([^\]]+)\]", TEXT)) == 1
    assert "![]" not in TEXT


def test_figures_of_the_start_page_are_those_of_other_pages():
    """benchmarks/published_figures.py keeps those equal to what the commands print."""
    section = START.partition("## Why, and why not")[2]
    figures = re.findall(r"\d+\.\d", section.partition("### What they need")[0])
    folders = ("docs", "docs/measured")
    others = [page for folder in folders for page in ROOT.glob(f"{folder}/*.md")]
    others = [page for page in others if page.name not in ("start.md", "index.md")]
    known = "".join(page.read_text(encoding="utf-8") for page in others)
    assert len(figures) > 20
    assert not [figure for figure in figures if not re.search(rf"(?<![\d.]){figure}", known)]
    whole = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(?:static|encoder)-en`, (?:scores|ranks) \|.*\|$", whole, re.M)
    assert len(rows) == 3
    for row in rows:  # each cell names what benchmarks/page_numbers.py holds it to
        assert len(re.findall(r"\| \d+\.\d<!-- [^>]+ -->", row)) == 4, row
    extras = set(re.findall(r"`\[(\w+)\]`", section))
    assert extras
    assert extras <= set(CONFIG["options.extras_require"])


def test_what_is_installed_and_made_is_there():
    assert [line.split("#")[0].split() for line in blocks("sh")[0].splitlines()] == [
        ["make", "demo"], ["make", "test"]
    ]  # fmt: skip
    others = [line for line in lines() if line not in commands()]
    assert others[2:] == [". .venv/bin/activate"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}: " in makefile for target in ("demo", "test"))
    assert "\nVENV ?= .venv\n" in makefile


def test_the_commands_print_what_is_shown_below_them(tmp_path, monkeypatch, capfd):
    _, shown = blocks("text")
    monkeypatch.chdir(tmp_path)
    demo, _, goes = commands()[0].partition(" && ")
    assert main(shlex.split(demo)[1:]) == 0
    assert goes.startswith("cd sample ")
    monkeypatch.chdir("sample")
    capfd.readouterr()
    assert main(shlex.split(commands()[1])[1:]) == 0
    assert capfd.readouterr().err == shown
    assert len(Path("ranks.tsv").read_text(encoding="utf-8").splitlines()) == 1 + 3 * 128
    (line,) = re.findall(r"(?<!`)`(sklearn-mteval [^`]+)`", START)
    assert main(shlex.split(line)[1:]) == 0
    assert capfd.readouterr().out


def test_the_python_block_prints_what_is_shown_below_it(capfd):
    (script,), (shown, _) = blocks("python"), blocks("text")
    exec(compile(script, "README.md", "exec"), {"__name__": "__main__"})
    out, err = capfd.readouterr()
    assert [line.rstrip() for line in out.splitlines()] == shown.splitlines()
    assert not err


@pytest.mark.slow
def test_the_demo_prints_the_figures_of_its_sentence(capfd):
    sentence = TEXT.partition("On a sample, the demo")[2].partition("\n\n")[0]
    assert main(["demo"]) == 0
    printed = re.findall(r"^\S.*? {2,}([0-9.]+) +\[.*%$", capfd.readouterr().out, re.MULTILINE)
    assert printed == re.findall(r"\d+\.\d", sentence)
    assert len(printed) == 4
