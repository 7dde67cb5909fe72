"""Public names that are imported on first use."""

from importlib import import_module
from pathlib import Path

import pytest

import sklearn_mteval

ROOT = Path(sklearn_mteval.__file__).parent
PACKAGES = [
    ".".join(("sklearn_mteval", *file.parent.relative_to(ROOT).parts))
    for file in ROOT.rglob("__init__.py")
]


@pytest.mark.parametrize("name", PACKAGES)
def test_no_public_name_is_that_of_a_module(name):
    """Importing a module puts it into its package, in the place of a name that is not loaded."""
    package = import_module(name)
    modules = {file.stem for file in Path(package.__file__).parent.glob("*.py")}
    assert not modules & set(getattr(package, "__all__", ()))


def test_a_name_may_stand_in_another_room():
    from sklearn_mteval import features
    from sklearn_mteval.stacking import cross_fit

    assert features.CrossFitScore is cross_fit.CrossFitScore
    assert "CrossFitScore" in dir(features)
