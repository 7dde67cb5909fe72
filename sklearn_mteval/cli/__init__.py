"""The console command ``sklearn-mteval``: one module for each sub-command.

Each has ``add_arguments(parser)`` and ``run(arguments)``; heavy modules are imported in
``run``, so that ``--help`` answers at once.
"""

import argparse
import os
import sys

from sklearn_mteval._version import __version__
from sklearn_mteval.cli import compare, demo, evaluate, rank, train

__all__ = ["main"]

_COMMANDS = {
    "demo": demo,
    "train": train,
    "rank": rank,
    "evaluate": evaluate,
    "compare": compare,
}


def main(argv=None):
    """Run a command line, by default that of the process, and return the exit status.

    It is 0, 1 after an error that was printed, or 130 after an interrupt.
    """
    parser = argparse.ArgumentParser(
        prog="sklearn-mteval",
        description="Learn which translation is better, and evaluate metrics that say so.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in _COMMANDS.items():
        text = module.__doc__.strip().splitlines()[0]
        module.add_arguments(commands.add_parser(name, help=text, description=module.__doc__))
    arguments = parser.parse_args(argv)
    try:
        _COMMANDS[arguments.command].run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, head say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ImportError) as error:
        print(f"sklearn-mteval {arguments.command}: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"sklearn-mteval {arguments.command}: interrupted", file=sys.stderr)
        return 130  # as shells say it
    return 0
