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

_COMPILING = (
    "First run: code is being compiled for this machine, which takes some seconds, once; later "
    "runs start at once.\n"
)


def add_argument(parser):
    """Declare the option, where the command itself has not."""
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
