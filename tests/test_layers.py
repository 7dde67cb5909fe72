import ast
import sys
from configparser import ConfigParser
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

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
    ["text"],
    ["datasets"],
    ["metrics"],
    ["features", "classifiers", "neural"],
    ["pairwise"],
    ["stacking"],
    ["persistence"],
    ["models", "evaluation", "testing"],
    ["scale"],
    ["plots"],
    ["report"],
    ["linguistic"],
    ["trees", "kernels"],  # faces of the linguistic wing
    ["cli"],
    ["__main__"],
]
# Within a room, from the bottom up; rooms side by side do not import each other.
ROOMS = {
    "text": [
        ["tokens", "_sentence_kernel", "contrasts", "languages", "answers"],
        [
            *["tokenizers", "record_cache", "normalization", "transformer", "stems", "wordnet"],
            "sentences",
        ],
        ["sentence_alignment"],
        ["parted_texts"],
        ["windows"],
        ["vectors"],
    ],
    "linguistic": [
        ["trees", "language_models"],
        ["kernels", "reval", "syntactic", "quality_estimation"],
        ["pictures"],
    ],
    "linguistic/trees": [
        ["brackets", "parses", "tokenizer"],
        ["cache", "matching", "views", "treebanks"],
        ["shipped", "external"],
        ["transformer"],
    ],
    "metrics": [
        ["core"],
        ["paired_comparisons", "segment"],
        ["significance"],
        ["system", "annotators", "marked_errors"],
    ],
    "features": [
        ["base"],
        ["overlap", "embeddings", "lexical", "content", "scores", "normalization"],
        ["recommendation"],
    ],
    "neural": [["encoders"], ["pairwise"]],
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def top_name(module):
    return module.split(".")[1] if "." in module else None


# Rooms above that have names in the faces of rooms: the readers of papers look for them there.
PROMISED = {"linguistic", "stacking"}


@cache
def nodes(path):
    """The nodes of a module that say what it imports."""
    kinds = ast.Import | ast.ImportFrom | ast.Call
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def imports(path, lazy=True):
    """The modules that a module names: imports, and homes of lazy names."""
    for node in nodes(path):
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
            if path.name != "__init__.py" or other not in PROMISED:
                below = other == own or known.get(other, 99) < known[own]
                assert below, f"{path} imports {module}"


def test_imports_point_downward():
    for path in MODULES:
        parts = path.relative_to(PACKAGE).parts
        if parts == ("__init__.py",):
            assert {top_name(m) for m in imports(path, lazy=False)} <= {"_helpers", "_version"}
            continue
        assert_downward(path, LAYERS, 0)
        for depth in (1, 2):
            room = "/".join(parts[:depth])
            if room in ROOMS and parts[depth] != "__init__.py":
                assert_downward(path, ROOMS[room], depth)


def test_few_modules_stand_at_the_root():
    assert len(list(PACKAGE.glob("*.py"))) <= 10


def test_modules_are_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert [path for path, length in lengths.items() if length > 500] == []


def test_only_public_scikit_learn():
    for path in MODULES:
        for module in imports(path):
            if module.split(".")[0] == "sklearn":
                private = any(part.startswith("_") for part in module.split("."))
                assert not private, f"{path} imports {module}"


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
