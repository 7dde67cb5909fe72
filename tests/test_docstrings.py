"""What public packages name in ``__all__`` has numpydoc sections; all else has a sentence."""

import inspect
import tomllib
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

ROOT = Path(__file__).parent.parent
FOLDERS = (
    path.parent.relative_to(ROOT).parts for path in ROOT.glob("sklearn_mteval/**/__init__.py")
)
# The commands are no API.
MODULES = [
    ".".join(parts)
    for parts in sorted(FOLDERS)
    if not any(part == "cli" or part.startswith("_") for part in parts)
]
PARTS = range(4)  # of all public names, to be looked at side by side
with open(ROOT / "pyproject.toml", "rb") as _file:
    LEFT_OUT = set(tomllib.load(_file)["tool"]["numpydoc_validation"]["checks"])


def documented(module):
    """The functions and classes that a module makes public, and the methods of the classes."""
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        home = getattr(thing, "__module__", "")
        if home.startswith("sklearn_mteval"):  # else a constant
            yield f"{home}.{name}", thing
            for method, value in inspect.getmembers(thing) if inspect.isclass(thing) else ():
                if isinstance(value, cached_property):
                    value = value.func
                function = inspect.unwrap(getattr(value, "fget", None) or value)
                ours = str(getattr(function, "__module__", "")).startswith("sklearn_mteval")
                if ours and not method.startswith("_"):
                    yield f"{home}.{name}.{method}", value


@cache
def public():
    """All that is documented, by full names: of what several packages export, once."""
    return {name: thing for module in MODULES for name, thing in documented(import_module(module))}


def faults(name, thing):
    """What numpydoc finds, less the checks that pyproject.toml leaves out."""
    found = validate(name)["errors"]
    fields = getattr(thing, "_fields", ()) or getattr(thing, "__dataclass_fields__", ())
    if fields or getattr(thing, "_is_protocol", False):
        # A record's parameters are its attributes, and documented as either; a protocol has none.
        text = NumpyDocString(inspect.getdoc(thing))
        lines = [names for section in ("Parameters", "Attributes") for names, *_ in text[section]]
        described = {name.strip() for names in lines for name in names.split(",")}
        found = [fault for fault in found if fault[0] != "PR01"]
        found += [("PR01", f"{field} not documented") for field in fields if field not in described]
    return [f"{name}: {code} {text}" for code, text in found if code not in LEFT_OUT]


@pytest.mark.parametrize("part", PARTS)
def test_public_names_are_documented(part):
    found = [*public().items()][part :: len(PARTS)]
    assert len(found) > 50
    assert not [fault for names in found for fault in faults(*names)]


def test_the_check_can_fail(monkeypatch):
    from sklearn_mteval import kendall_tau

    monkeypatch.setattr(kendall_tau, "__doc__", "Say nothing of the parameters.\n")
    (fault,) = (f for f in faults("sklearn_mteval.kendall_tau", kendall_tau) if "PR01" in f)
    assert "y_true" in fault
