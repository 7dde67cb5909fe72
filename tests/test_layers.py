import ast
from pathlib import Path

import pytest

import sklearn_mteval

PACKAGE = Path(sklearn_mteval.__file__).parent

# From the bottom up. A module may import modules of lower layers, and of its own layer
# only inside its own sub-package; docs/architecture.md draws the same picture.
LAYERS = [
    ["_version", "exceptions", "_atomic", "_numba", "_options", "_record_cache", "_tokens"],
    ["candidates", "_vector_files"],
    [
        "pairs",
        "metrics",
        "datasets",
        "recomposition",
        "model_selection",
        "word_vectors",
        "parsing",
        "language_models",
    ],
    ["features", "neural", "classifiers", "_decisions", "aggregation"],
    ["recompose"],
    ["scorers"],
    ["persistence", "ranking", "score_files"],
    ["plots"],
    ["workflow", "evaluation"],
    ["cli"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(PACKAGE.rglob("*.py"))


def top_name(module):
    return module.split(".")[1] if "." in module else None


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_downward(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own == "__init__":
        assert not [m for m in imports(path) if top_name(m) and top_name(m) != "_version"]
        return
    assert own in LEVEL, f"{own} has no layer: add it here and to docs/architecture.md"
    for module in imports(path):
        if module.split(".")[0] == "sklearn_mteval":
            other = top_name(module)
            assert other == own or LEVEL[other] < LEVEL[own], f"{path} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_modules_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_public_scikit_learn(path):
    for module in imports(path):
        if module.split(".")[0] == "sklearn":
            assert not any(part.startswith("_") for part in module.split(".")), module
