"""Public names of a package that are imported on first use (PEP 562)."""

import ast
import sys
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(package):
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package from its ``__init__.pyi``.

    What type checkers read is the only list of the names and of the modules that they come from.
    """
    module = sys.modules[package]
    stub = ast.parse(module.__spec__.loader.get_data(module.__file__ + "i"))
    homes = {alias.asname: line.module for line in stub.body for alias in line.names}

    def load(name):
        """Import a name's module, and keep the name."""
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    def names():
        """List the lazy names with the loaded ones."""
        return sorted({*vars(module), *homes})

    return load, names, sorted(homes)
