"""What the site is made of, as far as it can be seen without building it."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
INVENTORIES = (DOCS / "inventories.txt").read_text(encoding="utf-8")
NAMES = re.findall(r"^(class|function|method) (\S+)$", INVENTORIES, re.MULTILINE)


def found(name):
    """What a full name of another project stands for."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            thing = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(f"{name} is not installed")


@pytest.mark.parametrize("name", [name for _, name in NAMES])
def test_names_of_other_projects_exist(name):
    assert callable(found(name))


def test_each_page_is_in_the_structure_once_at_least():
    listed = set()
    for page in DOCS.glob("*.md"):
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            listed |= {line for line in tree.splitlines() if line and not line.startswith(":")}
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    assert pages - listed == set()
    assert {name for name in listed if "/" not in name} <= pages


def test_each_picture_has_a_text():
    for page in [*DOCS.glob("*.md"), ROOT / "README.md"]:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"!\[\s*\]\([^)]*\)", text), page


def test_the_first_page_shows_what_the_readme_shows():
    """Whose commands run as tests: output that is copied by hand goes stale."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:sh|text)\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 2
    for line in "".join(blocks).splitlines():
        assert line.strip() in readme, line
