"""Progress on the terminal, for all commands."""

import argparse
import contextlib
import os
import stat
import sys
from functools import partial

from sklearn_mteval._helpers import compiled
from sklearn_mteval._helpers.progress import showing
from sklearn_mteval.cli._output import say
from sklearn_mteval.cli._parser import MACHINE

_ONE = "for scripts that give it to every command: this one works in one process"
_COMPILING = (
    "First run: code is being compiled for this machine, which takes some seconds, once; later "
    "runs start at once.\n"
)


def add_arguments(parser, *, jobs):
    """Declare the options that every command has, with ``jobs`` or not, if it has not itself."""
    from sklearn_mteval.cli._options import add_shared  # whose registries import numpy

    if jobs and "--jobs" not in parser._option_string_actions:
        add_shared(parser, "--jobs", help=_ONE)
    with contextlib.suppress(argparse.ArgumentError):
        parser.add_argument_group(**MACHINE).add_argument(
            "--no-progress", action="store_true", help="do not show what is being done"
        )


def shown(arguments):
    """Return a context in which the terminal or, after a silence, a line says what is done."""
    # The variable is tqdm's own.
    if arguments.no_progress or os.environ.get("TQDM_DISABLE"):
        return contextlib.nullcontext()
    if not _on_terminal():
        return showing(what=f"sklearn-mteval {arguments.command}", drawn=False)
    compiled.on_compiling = partial(say, _COMPILING)
    return showing(what=arguments.command)


def _on_terminal():
    """Tell whether standard error is a terminal, and no other program's that stdout is piped to."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return False
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return not stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    return True
