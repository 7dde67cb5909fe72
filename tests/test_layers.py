import ast
import sys
from configparser import ConfigParser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import sklearn_mteval

PACKAGE = Path(sklearn_mteval.__file__).parent

# From the bottom up. A module may import modules of lower layers, and of its own layer
# only inside its own sub-package; docs/architecture.md draws the same picture.
LAYERS = [
    ["_version", "_project", "exceptions"],
    ["_helpers"],
    ["candidates", "pair_classifiers"],
    ["segments"],
    ["datasets", "text"],
    ["trees"],
    ["metrics"],
    ["features", "classifiers", "kernels", "neural"],
    ["pairwise"],
    ["stacking"],
    ["persistence"],
    ["models", "evaluation", "testing"],
    ["scale"],
    ["plots"],
    ["report"],
    ["cli"],
    ["__main__"],
]
# Within a room, from the bottom up; rooms side by side do not import each other.
ROOMS = {
    "text": [
        ["tokens", "widths", "_sentence_kernel"],
        [
            *["tokenizers", "record_cache", "normalization", "transformer", "stems", "wordnet"],
            "sentences",
        ],
        ["sentence_alignment"],
        ["vectors", "language_models"],
    ],
    "trees": [
        ["brackets", "parses", "tokenizer"],
        ["cache", "matching", "views", "treebanks"],
        ["shipped", "external"],
        ["transformer"],
    ],
    "metrics": [
        ["core", "paired_comparisons"],
        ["segment"],
        ["significance"],
        ["system", "annotators", "marked_errors"],
    ],
    "features": [
        ["base"],
        ["overlap", "embeddings", "lexical", "content", "scores", "normalization"],
        ["reference_free", "syntactic"],
        ["recommendation"],
    ],
    "neural": [["encoders"], ["pairwise"], ["reval"]],
    "stacking": [["cross_fit", "model_columns"], ["reval_score"]],
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def top_name(module):
    return module.split(".")[1] if "." in module else None


# Names that stand in a room though their modules stand above it: an issue has promised them there.
PROMISED = {("datasets", "neural"), ("features", "stacking")}


def imports(path, lazy=True):
    """The modules that a module names: imports, and homes of lazy names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
        elif lazy and isinstance(node, ast.Call) and getattr(node.func, "id", 0) == "lazy_names":
            yield from imports(path.with_suffix(".pyi"))


def levels(layers):
    return {name: level for level, names in enumerate(layers) for name in names}


def assert_downward(path, layers, depth):
    """Check the imports of a module among the rooms at one depth."""
    known = levels(layers)
    own = path.relative_to(PACKAGE).with_suffix("").parts[depth]
    assert own in known, f"{own} has no layer: add it here and to docs/architecture.md"
    room = path.relative_to(PACKAGE).parts[:depth]
    for module in imports(path):
        parts = module.split(".")[1:]
        if module.split(".")[0] == "sklearn_mteval" and tuple(parts[:depth]) == room:
            other = parts[depth] if len(parts) > depth else None
            if path.name != "__init__.py" or (own, other) not in PROMISED:
                below = other == own or known.get(other, 99) < known[own]
                assert below, f"{path} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_downward(path):
    parts = path.relative_to(PACKAGE).parts
    if parts == ("__init__.py",):
        assert {top_name(m) for m in imports(path, lazy=False)} <= {"_helpers", "_version"}
        return
    assert_downward(path, LAYERS, 0)
    if parts[0] in ROOMS and parts[1] != "__init__.py":
        assert_downward(path, ROOMS[parts[0]], 1)


def test_few_modules_stand_at_the_root():
    assert len(list(PACKAGE.glob("*.py"))) <= 10


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_modules_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_public_scikit_learn(path):
    for module in imports(path):
        if module.split(".")[0] == "sklearn":
            assert not any(part.startswith("_") for part in module.split(".")), module


def test_what_is_imported_is_required():
    """By setup.cfg, not only by way of what another package happens to require."""
    config = ConfigParser()
    config.read(Path(__file__).parents[1] / "setup.cfg", encoding="utf-8")
    extras = config["options.extras_require"].values()
    lines = "".join([config["options"]["install_requires"], *extras]).split("\n")
    named = {Requirement(line).name for line in lines if line and "#" not in line}
    named |= {"transformers"}  # sentence-transformers is made of it
    homes = packages_distributions()
    for path in MODULES:
        for module in {module.split(".")[0] for module in imports(path)}:
            if module in homes and module not in (*sys.stdlib_module_names, "sklearn_mteval"):
                assert set(homes[module]) & named, f"{path} imports {module}"
