"""Texts name what ships, and of the repository only pages of the documentation that there are."""

import ast
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import sklearn_mteval
from sklearn_mteval import _project
from sklearn_mteval._project import page

PACKAGE = Path(sklearn_mteval.__file__).parent
ROOT = PACKAGE.parent
FILES = [file for end in ("py", "toml") for file in sorted(PACKAGE.rglob(f"*.{end}"))]
CARDS = sorted(PACKAGE.rglob("*.md"))
NOT_SHIPPED = re.compile(r"\b(?:docs|tests|shared)/[\w.]+|\w+/README|README\.md|CONTRIBUTING")


NAME = PACKAGE.name


def is_there(module, name):
    """Tell whether a module of the package has a name, a module or another; none of it missing."""
    try:
        return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None
    except ModuleNotFoundError as error:
        return error.name is not None and not error.name.startswith(NAME)


def texts(path):
    """All texts of a file; of Python the constants, docstrings and f-strings included."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [text]
    nodes = ast.walk(ast.parse(text))
    return [node.value for node in nodes if isinstance(node, ast.Constant | ast.FormattedValue)]


def pages_named(path):
    """Names of pages that a module asks for by ``page("NAME")``, or a command by MORE."""
    text = path.read_text(encoding="utf-8")
    if "page(" not in text and "MORE" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "page":
            if isinstance(node.args[0], ast.Constant):
                yield node.args[0].value
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets) == "MORE":
            yield node.value.value


def test_no_text_names_a_file_that_does_not_ship():
    for path in FILES + CARDS:
        found = [text for text in texts(path) if isinstance(text, str)]
        if path in CARDS:  # whose links lead to pages, see below
            found = [re.sub(r"\]\([^)]+\)", "", text) for text in found]
        assert not [text for text in found if NOT_SHIPPED.search(text)], path


def test_what_must_not_be_named_is_noticed(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('f"see docs/ties.md, {1}"\n')
    assert any(isinstance(text, str) and NOT_SHIPPED.search(text) for text in texts(module))


def test_pages_that_the_code_names_exist():
    named = {name for path in FILES if path.suffix == ".py" for name in pages_named(path)}
    assert {"own_judgements", "tutorial/5_train_a_model", "linguistic/trees"} <= named
    assert [name for name in named if not (ROOT / "docs" / f"{name}.md").is_file()] == []


def test_the_cards_of_models_lead_to_pages():
    links = [
        (card, link)
        for card in CARDS
        for link in re.findall(r"\]\(([^)]+)\)", card.read_text("utf-8"))
    ]
    assert len(links) > 10
    for card, link in links:
        assert (card.parent / link.partition("#")[0]).resolve().is_file(), (card, link)


def test_a_page_is_a_file_as_long_as_there_is_no_site(monkeypatch):
    monkeypatch.setattr(_project, "SITE", "")
    assert page("ties") == "docs/ties.md"
    monkeypatch.setattr(_project, "SITE", "https://example.org/")
    assert page("ties") == "https://example.org/ties.html"


def test_no_address_is_named_that_nobody_has_registered():
    """The one that the host of the documentation would give."""
    host = f"sklearn-mteval.{'readthedocs'}"
    kinds = ("md", "py", "pyi", "cfg", "cff", "toml", "yaml", "rst")
    files = [path for kind in kinds for path in ROOT.glob(f"*.{kind}")]
    folders = ("benchmarks", "docs", "examples", "sklearn_mteval", "tests")
    files += [
        path for name in folders for kind in kinds for path in ROOT.glob(f"{name}/**/*.{kind}")
    ]
    files = [path for path in files if "_build" not in path.parts]
    assert len(files) > 500
    assert [path for path in files if host in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "examples"])
def test_what_is_imported_of_the_package_is_there(folder):
    """Names in scripts that no test runs, as benchmarks, follow when a module moves."""
    files = [path for path in sorted((ROOT / folder).rglob("*.py")) if "_build" not in path.parts]
    assert files
    missing = []
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == NAME:
                names = [alias.name for alias in node.names]
                missing += [
                    f"{path.relative_to(ROOT)}: {node.module}.{name}"
                    for name in names
                    if not is_there(node.module, name)
                ]
    assert missing == []
