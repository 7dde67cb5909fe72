"""Registries whose entries stand in a module each: putting a module into the folder is all."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules


def modules_in(folder):
    """Name the modules of a folder, in the order of the alphabet, but private ones."""
    modules = (module.name for module in iter_modules([str(folder)]))
    return tuple(name for name in modules if not name.startswith("_"))


def entries_in(package, name):
    """Map the names of entries to these: what each module of a package calls by a name."""
    modules = modules_in(Path(package.__file__).parent)
    entries = [getattr(import_module(f"{package.__name__}.{m}"), name) for m in modules]
    return {entry.name: entry for entry in entries}
