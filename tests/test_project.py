"""Nobody who has installed the package is sent to files that are only in the repository."""

import ast
import re
from pathlib import Path

import pytest

import sklearn_mteval
from sklearn_mteval._project import SITE, page

PACKAGE = Path(sklearn_mteval.__file__).parent
ROOT = PACKAGE.parent
FILES = [file for end in ("py", "toml") for file in sorted(PACKAGE.rglob(f"*.{end}"))]
CARDS = sorted(PACKAGE.rglob("*.md"))
NOT_SHIPPED = re.compile(r"\b(?:docs|tests|shared)/[\w.]+|\w+/README|README\.md|CONTRIBUTING")


def texts(path):
    """All texts of a file; of Python the constants, docstrings and f-strings included."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [text]
    nodes = ast.walk(ast.parse(text))
    return [node.value for node in nodes if isinstance(node, ast.Constant | ast.FormattedValue)]


def pages_named(path):
    """Names of pages that a module asks for by ``page("NAME")``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "page":
            yield node.args[0].value


@pytest.mark.parametrize("path", FILES + CARDS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_text_names_a_file_that_does_not_ship(path):
    found = [text for text in texts(path) if isinstance(text, str) and NOT_SHIPPED.search(text)]
    assert not found


def test_what_must_not_be_named_is_noticed(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('f"see docs/ties.md, {1}"\n')
    assert any(isinstance(text, str) and NOT_SHIPPED.search(text) for text in texts(module))


def test_pages_that_the_code_names_exist():
    named = {name for path in FILES if path.suffix == ".py" for name in pages_named(path)}
    assert {"own_judgements", "next_comparisons"} <= named
    assert [name for name in named if not (ROOT / "docs" / f"{name}.md").is_file()] == []


def test_the_cards_of_models_lead_to_pages():
    for card in CARDS:
        for name in re.findall(rf"{re.escape(SITE)}/([\w/]+)\.html", card.read_text("utf-8")):
            assert (ROOT / "docs" / f"{name}.md").is_file(), card


def test_the_address_stands_in_one_module():
    host = SITE.split("/")[2]
    modules = [path.name for path in FILES if host in path.read_text(encoding="utf-8")]
    assert modules == ["_project.py"]
    assert page("ties") == f"{SITE}/ties.html"
