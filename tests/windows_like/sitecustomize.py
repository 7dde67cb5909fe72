"""A process that has this folder on PYTHONPATH is on Windows, as far as this package can see.

The package's modules get views of the standard library's, without what Windows lacks; libraries,
which have their own ways there, see the system as it is. No process forks. In the folder that
WINDOWS_LIKE names, files have names that Windows allows, and none is replaced while it is open.
"""

import builtins
import errno
import os
import sys
import types

from what_windows_lacks import MODULES, NAMES, forbidden

PACKAGE = "sklearn_mteval"
_NT = {"name": "nt", "linesep": "\r\n"}
_views, _import = {}, builtins.__import__


def _windows_import(name, globals=None, locals=None, fromlist=(), level=0):
    asks = globals or {}
    asks = asks.get("__package__") or asks.get("__name__") or ""
    if level or asks.partition(".")[0] != PACKAGE:
        return _import(name, globals, locals, fromlist, level)
    if name in MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    module = _import(name, globals, locals, fromlist, level)
    if module.__name__ not in NAMES:
        return module
    return _views.setdefault(module.__name__, _View(module))


class _View(types.ModuleType):
    """A module without what Windows lacks."""

    def __init__(self, module):
        super().__init__(module.__name__)
        vars(self).update(_NT if module.__name__ == "os" else {}, _module=module)

    def __getattr__(self, name):
        if name in NAMES[self.__name__]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        return getattr(self._module, name)


def _no_fork(*_):
    raise RuntimeError("Windows has no fork.")


def _watch(event, arguments):
    """Raise, as Windows does, for names of files, and for a change of what is open here."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    if event == "os.mkdir" or (event == "open" and arguments[2] & writing):
        _check_name(arguments[0])
    elif event == "os.rename":
        _check_name(arguments[1])
        _check_closed(arguments[0])
        _check_closed(arguments[1])
    elif event == "os.remove":
        _check_closed(arguments[0])


def _within(path):
    """Return the absolute path of what is in the folder that is watched, else None."""
    if isinstance(path, int | None):
        return None
    path = os.path.abspath(os.fsdecode(path))
    return path if path.startswith(os.path.join(FOLDER, "")) else None


def _check_name(path):
    path = _within(path)
    if path is None:
        return
    folder, name = os.path.split(path)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    other = name not in names and name.lower() in map(str.lower, names)
    if forbidden(name) or other:
        raise OSError(errno.EINVAL, "Windows has no such name, or another file has it", path)


def _check_closed(path):
    path = _within(path)
    for handle in os.listdir("/proc/self/fd") if path else ():
        try:
            there = os.readlink(f"/proc/self/fd/{handle}")
        except OSError:  # that of the list itself
            continue
        if there == path:
            raise PermissionError(errno.EACCES, "a process has the file open", path)


builtins.__import__ = _windows_import
os.fork = os.forkpty = _no_fork
sys.stdout.reconfigure(encoding="cp1252", newline="\r\n")
sys.stderr.reconfigure(encoding="cp1252", newline="\r\n")
if sys.flags.warn_default_encoding:
    import warnings

    warnings.simplefilter("ignore", EncodingWarning)  # of libraries
    warnings.filterwarnings("error", category=EncodingWarning, module=PACKAGE)
if FOLDER := os.environ.get("WINDOWS_LIKE"):
    FOLDER = os.path.realpath(FOLDER)
    sys.addaudithook(_watch)
