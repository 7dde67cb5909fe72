"""The README: its links, its figures, and what its blocks print."""

import re
import shlex
from configparser import ConfigParser
from pathlib import Path

import pytest
from readme import README, blocks, commands, write_files

from sklearn_mteval._project import SITE
from sklearn_mteval.cli import main

ROOT = README.parent
TEXT = README.read_text(encoding="utf-8")
LINKS = re.findall(r"\]\(([^)]+)\)", TEXT)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def anchors(page):
    """Return what links to the headings of a page end in, as sites make it of them."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_are_found():
    assert len(LINKS) > 15
    assert "how-good-can-a-metric-be" in anchors(ROOT / "docs" / "meta_evaluation.md")


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_each_link_is_a_page_of_the_site_that_there_is(link):
    """A package index shows the README without the folders that a relative link leads to."""
    assert link.startswith(f"{SITE}/")
    name, _, anchor = link.removeprefix(f"{SITE}/").partition("#")
    if name.startswith("_images/"):
        image = f"images/{Path(name).name}"
        assert (ROOT / "docs" / image).exists()
        # The site has the pictures that its pages show.
        assert any(f"]({image})" in p.read_text(encoding="utf-8") for p in ROOT.glob("docs/*.md"))
        return
    page = ROOT / "docs" / f"{name.removesuffix('.html')}.md"
    assert name.endswith(".html")
    assert page.exists()
    assert not anchor or anchor in anchors(page)


def test_pictures_have_a_text():
    assert re.findall(r"!\[([^\]]+)\]", TEXT)
    assert "![]" not in TEXT


def rows(text, cells=r"(-?[\d.]+)(?: \[[^\]]*\])?; (\d+ %)"):
    """Return the figures of each row of the tables: name to those of cs-en and de-en."""
    lines = re.findall(r"^\| `?([\w-]+)`? \|(.*)\|$", text, re.MULTILINE)
    return {name: re.findall(cells, line)[:2] for name, line in reversed(lines)}


def test_the_table_of_models_is_that_of_the_page_on_them():
    """benchmarks/published_figures.py keeps the page equal to what the commands print."""
    page = (ROOT / "docs" / "ready_made.md").read_text(encoding="utf-8")
    here, there = rows(TEXT), rows(page.partition("### ")[0])
    models = {path.name for path in ROOT.glob("sklearn_mteval/models/ready_made_files/*")}
    assert set(here) - {"model"} == models | {"chrF"}
    unmeasured = {"no-reference-encoder", "model"}
    assert {name for name, figures in here.items() if not figures} == unmeasured
    assert all(here[name] == there[name] for name in set(here) - unmeasured)


def test_figures_beside_other_metrics_are_those_of_the_pages():
    section = TEXT.partition("## Why not")[2].partition("\n## ")[0]
    pages = ("ready_made", "outside_metrics", "campaigns", "measurements_meta_evaluation")
    known = "".join((ROOT / f"docs/{page}.md").read_text(encoding="utf-8") for page in pages)
    figures = re.findall(r"\b\d+\.\d\b", section)
    assert len(figures) == 16
    assert not [figure for figure in figures if f" {figure}" not in known]


def test_what_is_installed_and_made_is_there():
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = "".join(blocks("sh")).splitlines()
    others = [shlex.split(line, comments=True) for line in lines if line not in commands()]
    assert [words[0] for words in others] == ["pip", "make", "make"]  # .ci/run does what they do
    assert others[0][1:] == ["install", config["metadata"]["name"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{words[1]}: " in makefile for words in others[1:])
    extras = set(re.findall(r"`\[(\w+)\]`", TEXT))
    assert extras
    assert extras <= set(config["options.extras_require"])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)


def test_a_block_prints_what_is_shown_below_it(files, capfd):
    (shown,) = blocks("text")
    assert main(shlex.split(commands()[0])[1:]) == 0
    assert capfd.readouterr().err == shown
    assert len(Path("ranks.tsv").read_text(encoding="utf-8").splitlines()) == 1 + 3 * 128


@pytest.mark.slow
def test_every_command_runs_in_the_order_of_the_page(files, capfd):
    inline = re.findall(r"(?<!`)`(sklearn-mteval [^`]+)`", TEXT)
    assert len(inline) == 2
    for line in commands() + inline:
        assert main(shlex.split(line, comments=True)[1:]) == 0
        assert "".join(capfd.readouterr()).strip(), line


@pytest.mark.parametrize("script", blocks("python"))
def test_a_python_block_prints(script, capfd):
    exec(compile(script, "README.md", "exec"), {"__name__": "__main__"})
    out, err = capfd.readouterr()
    assert out.strip()
    assert not err
