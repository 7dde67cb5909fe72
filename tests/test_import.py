import subprocess
import sys
from configparser import ConfigParser
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path
from pkgutil import iter_modules

import pytest
from packaging.requirements import Requirement

import sklearn_mteval

SLOW = {"torch", "skorch", "nltk", "matplotlib", "numba", "sklearn", "pandas", "skops"}


def loaded_by(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import sklearn_mteval") & SLOW


@pytest.mark.slow
def test_the_check_can_fail():
    assert "numba" in loaded_by("import sklearn_mteval._helpers._kernels")


@pytest.mark.slow
def test_using_every_public_name_loads_neither_torch_nor_nltk_nor_matplotlib():
    assert not loaded_by("from sklearn_mteval import *") & {"torch", "nltk", "matplotlib", "numba"}


def test_ranking_loads_nothing_of_the_linguistic_wing():
    texts = "None, {'A': ['It works.'], 'B': ['It work.']}, references=['It works.']"
    loaded = loaded_by(f"from sklearn_mteval.models import rank; rank({texts}, model='static-en')")
    assert "sklearn_mteval.models.lists" in loaded
    assert not [name for name in loaded if name.startswith("sklearn_mteval.linguistic")]


def test_public_names_are_there():
    assert set(sklearn_mteval.__all__) <= set(dir(sklearn_mteval))
    assert all(getattr(sklearn_mteval, name) is not None for name in sklearn_mteval.__all__)


def test_public_names_are_at_most_200():
    """More is no longer learnt: what no guide uses goes private."""
    rooms = [module.name for module in iter_modules(sklearn_mteval.__path__)]
    public = [import_module(f"sklearn_mteval.{room}") for room in rooms if room[0] != "_"]
    names = {name for room in public for name in getattr(room, "__all__", ())}
    assert {"RankRecomposer", "leaderboard", "SentenceEncoder", "load_wmt"} < names
    assert len(names) <= 200


def required(lines):
    """Names of what requirements install, and of what these require in turn."""
    names, waiting = set(), [Requirement(line) for line in lines]
    while waiting:
        requirement = waiting.pop()
        marker = requirement.marker
        if requirement.name not in names and (not marker or marker.evaluate({"extra": ""})):
            names.add(requirement.name)
            assert not requirement.extras, f"look at what is behind {requirement}, too"
            waiting += map(Requirement, requires(requirement.name) or [])
    return names


def test_only_the_extras_for_networks_and_encoders_install_torch():
    config = ConfigParser()
    config.read(Path(__file__).parents[1] / "setup.cfg", encoding="utf-8")
    base = required(config["options"]["install_requires"].split("\n")[1:])
    assert {"numpy", "threadpoolctl"} <= base  # the second through scikit-learn
    assert not {"torch", "skorch", "transformers"} & base
    extras = config["options.extras_require"]
    for name in set(extras) - {"test", "benchmark", "docs"}:  # of developers
        names = required(extras[name].split("\n")[1:])
        assert ("torch" in names) == (name in ("neural", "encoders", "multilingual")), name


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sklearn_mteval.nothing  # noqa: B018
