import subprocess
import sys

import pytest

import sklearn_mteval

SLOW = {"torch", "nltk", "matplotlib", "numba", "sklearn", "pandas"}


def loaded_by(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import sklearn_mteval") & SLOW


def test_the_check_can_fail():
    assert "numba" in loaded_by("import sklearn_mteval._helpers.compiled")


def test_using_every_public_name_loads_neither_torch_nor_nltk_nor_matplotlib():
    assert not loaded_by("from sklearn_mteval import *") & {"torch", "nltk", "matplotlib", "numba"}


@pytest.mark.parametrize("name", sklearn_mteval.__all__)
def test_public_names_are_there(name):
    assert name in dir(sklearn_mteval)
    assert getattr(sklearn_mteval, name) is not None


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sklearn_mteval.nothing  # noqa: B018
