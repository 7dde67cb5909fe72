"""Public names of a package that are imported on first use (PEP 562)."""

import sys
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(package, homes):
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package from its names' modules.

    A module is one of the package, or named in full where it stands in another room.
    """

    def load(name):
        """Import a name's module, and keep the name."""
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        if not home.startswith("sklearn_mteval."):
            home = f"{package}.{home}"
        value = getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    def names():
        """List the lazy names with the loaded ones."""
        return sorted({*vars(sys.modules[package]), *homes})

    return load, names, sorted(homes)
