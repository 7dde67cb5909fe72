"""Public names of a package, and modules, that are loaded on first use (PEP 562)."""

import ast
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_OURS = set()


def take_process():
    """Start quickly in a process that runs a command only: nobody else can notice what is done."""
    _OURS.add(True)
    lazy_module("numpy")  # which the registries of options' values import, for what they name


def process_is_ours():
    """Tell whether the process runs a command and nothing else."""
    return bool(_OURS)


def lazy_module(name):
    """Load a module of another project at first use; LazyLoader does at its second import."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is not None:
        sys.modules[name] = module = module_from_spec(spec)
        module.__class__ = _Waiting
        vars(module).pop("__path__", None)  # what imports a module below it asks for this


class _Waiting(ModuleType):
    """A module that is executed when it is asked for the first thing that it does not have yet."""

    def __getattr__(self, name):
        self.__class__ = ModuleType
        if (folders := self.__spec__.submodule_search_locations) is not None:
            self.__path__ = folders
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def lazy_names(package):
    """Return ``__getattr__``, ``__dir__``, ``__all__`` of a package from its ``__init__.pyi``."""
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
