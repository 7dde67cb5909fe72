"""The console command ``sklearn-mteval``: one module for each sub-command.

Each has ``add_arguments(parser)`` and ``run(arguments)``; heavy modules are imported in
``run``, so that ``--help`` answers at once. Only the module of the command asked for is imported.
"""

import argparse
import os
import re
import sys
import warnings
from importlib import import_module

from sklearn_mteval._helpers.lazy import lazy_module
from sklearn_mteval._version import __version__
from sklearn_mteval.cli._output import Finished, say
from sklearn_mteval.cli._wording import of_options

__all__ = ["main"]

_NAMES = (
    "demo", "models", "encoder", "train", "rank", "score", "select", "evaluate", "compare",
    "errors", "challenge", "metrics-task", "decision-table", "leaderboard", "parse", "treebank",
)  # fmt: skip


def main(argv=None):
    """Run a command line, by default that of the process, and return the exit status.

    It is 0, 1 after an error that was printed on one line, or 130 after an interrupt. What is not
    foreseen is a mistake of the package, and keeps its traceback.
    """
    words = sys.argv[1:] if argv is None else argv
    lazy_module("numpy")  # which the registries of options' values import, for what they name
    parser, parsers = _parsers(words[0] if words else None)
    for word in words:
        # argparse would make no value of it, an empty list.
        if found := re.fullmatch(r"(--[^=]+)=--|(-\w)--", word):
            parser.error(f"argument {found[1] or found[2]}: expected a value, found '--'.")
    arguments = parser.parse_args(argv)
    status, problem = 0, None
    try:
        _check_seed(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = _shown_as(arguments.command)
            _module(arguments.command).run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Finished:
        pass
    except BrokenPipeError:  # the reader, head say, has seen enough
        _give_up_output()
    except MemoryError as error:
        status, problem = 1, f"error: not enough memory. {error}"
    except (ValueError, OSError, ImportError) as error:
        status, problem = 1, f"error: {of_options(str(error), parsers[arguments.command])}"
    except KeyboardInterrupt:
        status, problem = 130, "interrupted"  # as shells say it
    if problem is not None:
        say(f"sklearn-mteval {arguments.command}: {' '.join(problem.split())}\n")
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:  # a full disk
            _give_up_output()
    return status


def _parsers(asked):
    """Return the parser of the command line, and those of the command asked for or else of all."""
    parser = argparse.ArgumentParser(
        prog="sklearn-mteval",
        description="Learn which translation is better, and evaluate metrics that say so.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parsers = {}
    for name in [asked] if asked in _NAMES else _NAMES:
        module = _module(name)
        text = module.__doc__.strip().splitlines()[0]
        parsers[name] = commands.add_parser(name, help=text, description=module.__doc__)
        module.add_arguments(parsers[name])
    return parser, parsers


def _module(name):
    """Import the module of a command."""
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def _shown_as(command):
    """Return what shows each warning once, on one line as errors are, without the code's place."""
    shown = set()

    def show(message, *_):
        text = " ".join(str(message).split())
        if text not in shown:
            say(f"sklearn-mteval {command}: warning: {text}\n")
        shown.add(text)

    return show


def _check_seed(arguments):
    """Raise for a seed that no generator takes, under the name that the user knows."""
    from sklearn_mteval._helpers.options import check_integer

    given = vars(arguments)
    seed = given.get("random_state", given.get("seed"))
    if seed is not None:
        check_integer("--seed", seed, minimum=0, maximum=2**32 - 1)


def _give_up_output():
    """Let nobody try again to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
