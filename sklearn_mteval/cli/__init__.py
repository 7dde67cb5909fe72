"""The command line, ``sklearn-mteval``: one module for each sub-command.

Each has ``add_arguments(parser)`` and ``run(arguments)``; heavy modules are imported in
``run``, so that ``--help`` answers at once. Only the module of the command asked for is imported.
"""

import argparse
import os
import re
import shlex
import sys
import warnings
from difflib import get_close_matches
from functools import partial
from importlib import import_module

from sklearn_mteval._helpers.devices import computing
from sklearn_mteval._helpers.lazy import take_process
from sklearn_mteval._helpers.platforms import expanded, output_as_files, reader_is_gone
from sklearn_mteval._project import page
from sklearn_mteval._version import __version__
from sklearn_mteval.cli import _progress
from sklearn_mteval.cli._interrupts import Stopped, ending_at_once, leave
from sklearn_mteval.cli._meant import PROGRAMS, is_model, meant
from sklearn_mteval.cli._output import Finished, say, write
from sklearn_mteval.cli._parser import CommandParser
from sklearn_mteval.cli._wording import as_options, flags_of

_COMMANDS = {
    "rank and score translations": ("score", "rank", "duel", "rerank", "models", "demo"),
    "compare systems by judgements": ("leaderboard", "campaign", "select", "next"),
    "find out how good metrics are": (
        "evaluate", "compare", "metrics-task", "decision-table", "errors", "challenge",
        "wmt-submit",
    ),
    "train": ("train", "encoder"),
    "parse": ("parse", "treebank"),
}  # fmt: skip
_AT_ONCE = ("models", "encoder")  # which no number of processes makes any faster
_NAMES = tuple(name for names in _COMMANDS.values() for name in names)
EXAMPLES = (
    "sklearn-mteval score -s source.de -r reference.en -t mine.en",
    "sklearn-mteval evaluate judged.csv --better higher --metrics bleu chrf",
    "sklearn-mteval rank --help",
)
_STATUS = """\
exit status: 0 done; 1 an error, told in one line; 2 a command line that is not
understood; 130 interrupted (Ctrl-C), 143 terminated
"""


def main(argv=None):
    """Run a command line, by default that of the process, and return the exit status.

    It is 0, 1 after an error that was printed on one line, 130 after an interrupt, or 143 if the
    process was told to terminate; help and a command line that is not understood raise SystemExit,
    of 0 and 2. What is not foreseen is a mistake of the package, and keeps its traceback.
    """
    if argv is None:
        take_process()
        output_as_files()
    words = list(expanded(sys.argv[1:]) if argv is None else argv)
    report = partial(_report, words[0] if words and words[0] in _NAMES else "")
    try:
        with ending_at_once(report):
            return _run(words)
    except KeyboardInterrupt as stop:
        report(stop if isinstance(stop, Stopped) else Stopped())
        status = getattr(stop, "status", 130)
        if argv is None:  # the interpreter would take its time
            leave(status)
        return status


def _run(words):
    """Run a command line; return the exit status."""
    command, words = _command_of(words)
    parser = _parser_of(command)
    for word in words:
        # argparse would make no value of it, an empty list.
        if found := re.fullmatch(r"(--[^=]+)=--|(-\w)--", word):
            parser.error(f"argument {found[1] or found[2]}: expected a value, found '--'.")
    line = shlex.join(["sklearn-mteval", command, *words])
    given = argparse.Namespace(command=command, command_line=line)
    arguments = parser.parse_args(words, given)
    problem = _problem_of(arguments, parser)
    if problem is None:
        return 0
    _report(arguments.command, problem)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # a full disk
        _give_up_output()
    return 1


def _problem_of(arguments, parser):
    """Do what a command is asked for; return what went wrong, None if nothing did."""
    from sklearn_mteval.cli._options import check_values  # whose registries import numpy

    flags = flags_of(parser)
    try:
        where = (getattr(arguments, name, None) for name in ("device", "dtype"))
        with warnings.catch_warnings(), _progress.shown(arguments), computing(*where):
            warnings.showwarning = _shown_as(arguments.command, flags)
            check_values(flags, vars(arguments))
            _module(arguments.command).run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Finished:
        pass
    except MemoryError as error:
        return f"error: not enough memory. {error}"
    except OSError as error:
        if reader_is_gone(error):  # head, say, has seen enough
            _give_up_output()
            return None
        # As the package writes its own: the file, then what is wrong.
        place = "" if error.filename is None else f"{error.filename}: "
        return f"error: {error if error.strerror is None else f'{place}{error.strerror}.'}"
    except (ValueError, ImportError) as error:
        return f"error: {as_options(str(error), flags)}"
    return None


def _report(command, problem):
    """Say on one line why a command ends."""
    say(f"{' '.join(['sklearn-mteval', *command.split()])}: {' '.join(str(problem).split())}\n")


def _command_of(words):
    """Return the command that words ask for and the words for it, or answer and exit."""
    if words[:1] == ["help"] and len(words) > 1:
        words = [words[1], "--help"]
    if words and words[0] in _NAMES:
        return words[0], words[1:]
    overview = _overview()
    if not words:
        say(overview.format_help())
        overview.exit(2)
    if words[0] == "--version":
        overview.exit(_print(f"sklearn-mteval {__version__}\n"))
    if words[0] in ("help", "-h", "--help"):
        overview.exit(_print(overview.format_help()))
    problem = f"there is no command {words[0]!r}"
    if words[0].startswith("-"):
        problem = f"expected a command before {words[0]}"
    close = get_close_matches(words[0], _NAMES, 1)
    hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(_NAMES)}."
    typed = _typed(words, close)
    overview.error(f"{problem}. {f'Type: {typed}' if typed else hint}")


def _typed(words, close):
    """Return the command line that is meant by words that begin with no command, if any is."""
    first, *rest = words
    if first in PROGRAMS:
        command, others = PROGRAMS[first]
        return meant(_parser_of(command), rest, others, changed=False)
    later = [k for k, word in enumerate(words) if word in _NAMES]
    tried = [(words[k], words[:k] + words[k + 1 :]) for k in later]
    tried += [(name, rest) for name in close]
    if first.startswith("-") or os.path.exists(first) or is_model(first):
        tried += [(name, words) for name in ("score", "evaluate", "leaderboard")]
    lines = (meant(_parser_of(name), line, changed=False) for name, line in tried)
    return [*filter(None, lines), ""][0]  # next is a command here


def _print(text):
    """Print a text; return the exit status."""
    write(text, "-")
    return 0


def _overview():
    """Return a parser whose help lists the commands."""
    parser = CommandParser(
        prog="sklearn-mteval",
        usage="sklearn-mteval COMMAND [OPTIONS]",
        description="Learn which translation is better, and evaluate metrics that say so.",
        examples=EXAMPLES,
        closing=f"{_STATUS}more: {page('command_line')}\n",
    )
    for title, names in _COMMANDS.items():
        group = parser.add_argument_group(title)
        for name in names:
            group.add_argument(name, help=_module(name).__doc__.strip().splitlines()[0])
    return parser


def _parser_of(name):
    """Return the parser of a command."""
    module = _module(name)
    parser = CommandParser(
        prog=f"sklearn-mteval {name}",
        description=module.__doc__,
        examples=getattr(module, "EXAMPLES", ()),
        closing=f"more: {page(getattr(module, 'MORE', 'command_line'))}\n",
    )
    module.add_arguments(parser)
    _progress.add_arguments(parser, jobs=name not in _AT_ONCE)
    parser.declare_help()
    parser.set_defaults(misunderstood=parser.error)
    parser.commands_with = _commands_with
    return parser


def _commands_with(flag):
    """List the commands that have an option."""
    return [name for name in _NAMES if flag in _parser_of(name)._option_string_actions]


def _module(name):
    """Import the module of a command."""
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def _shown_as(command, flags):
    """Return what shows each warning once, on one line as errors are, without the code's place."""
    shown = set()

    def show(message, *_):
        text = as_options(" ".join(str(message).split()), flags)
        if text not in shown:
            say(f"sklearn-mteval {command}: warning: {text}\n")
        shown.add(text)

    return show


def _give_up_output():
    """Let nobody try again to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
