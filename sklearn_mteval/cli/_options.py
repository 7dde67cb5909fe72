"""Options that several commands have, and how what they are given reaches the package's functions.

An argument whose ``dest`` is the name of a function's option is handed to it as it is.
"""

import argparse
from inspect import signature

from sklearn_mteval.cli._parser import (
    CHANCE,
    JUDGEMENTS,
    MACHINE,
    OUTPUT,
    TEXTS,
    CommandParser,
)
from sklearn_mteval.datasets.formats._registry import format_names
from sklearn_mteval.metrics.significance.ranks import RANKS

_SHORT = {
    "--source": "-s",
    "--reference": "-r",
    "--translations": "-t",
    "--output": "-o",
    "--n-jobs": "--jobs",
}
_SHARED = {
    "--source": {"group": TEXTS, "metavar": "SRC", "help": "source sentences"},
    "--reference": {
        "group": TEXTS,
        "nargs": "+",
        "default": [],
        "metavar": "REF",
        "help": "reference translation(s)",
    },
    "--translations": {"group": TEXTS, "nargs": "+", "required": True, "metavar": "SYS"},
    "--no-windows": {
        "group": MACHINE,
        "dest": "windows",
        "action": "store_false",
        "help": "judge texts of several sentences as they stand, not in windows, to compare",
    },
    "--format": {
        "group": JUDGEMENTS,
        "choices": format_names(),
        "metavar": "FORMAT",
        "help": f"what FILE is: {', '.join(format_names())} (default: found out, and said)",
    },
    "--output": {
        "group": OUTPUT,
        "default": "-",
        "metavar": "FILE",
        "help": "where to write it (default: standard output)",
    },
    "--plots": {"group": OUTPUT, "metavar": "FOLDER"},
    "--html": {
        "group": OUTPUT,
        "metavar": "FILE",
        "help": "also write a page to look at in a browser, one file that needs no other: summary, "
        "tables, plots, themes and all segments",
    },
    "--confidence": {
        "group": CHANCE,
        "type": float,
        "default": 0.95,
        "metavar": "P",
        "help": "of the intervals (default: 0.95)",
    },
    "--alpha": {
        "group": CHANCE,
        "type": float,
        "default": 0.05,
        "metavar": "P",
        "help": "level of significance (default: 0.05)",
    },
    "--ranks": {
        "group": CHANCE,
        "default": "metrics-task",
        "choices": list(RANKS),
        "help": "a new cluster begins at the first metric that any metric of the cluster is "
        "significantly better than, or (clusters) where all above are better than all below "
        "(default: metrics-task)",
    },
    "--resamples": {
        "group": CHANCE,
        "dest": "n_resamples",
        "type": int,
        "default": 1000,
        "metavar": "N",
        "help": "bootstrap samples of segments (default: 1000)",
    },
    "--permutations": {
        "group": CHANCE,
        "dest": "n_permutations",
        "type": int,
        "default": 1000,
        "metavar": "N",
        "help": "of permutation tests and soft pairwise accuracy (default: 1000)",
    },
    "--seed": {
        "group": CHANCE,
        "dest": "random_state",
        "type": int,
        "default": 0,
        "metavar": "N",
        "help": "of what is drawn by chance (default: 0)",
    },
    "--missing": {
        "group": CHANCE,
        "default": "error",
        "choices": ["error", "skip"],
        "help": "what to do if a judged translation has no score (default: error)",
    },
    "--n-jobs": {
        "group": MACHINE,
        "dest": "n_jobs",
        "type": int,
        "default": 2,
        "metavar": "N",
        "help": "processes and threads (default: 2); results do not depend on it",
    },
}
# Of a kind of option as formats declare it (and train), what argparse is told.
_KINDS = {
    "text": {},
    "texts": {"nargs": "+"},
    "named": {},
    "all named": {"nargs": "+"},
    "number": {"type": float},
    "integer": {"type": int},
    "flag": {"action": "store_true"},
    "switch": {"action": argparse.BooleanOptionalAction},
}


def add_shared(where, *flags, **changes):
    """Declare options that several commands have; ``changes`` are what is different here.

    They go into the groups that they are declared with, or into the one that is given.
    """
    for flag in flags:
        names = [_SHORT[flag], flag] if flag in _SHORT else [flag]
        options = _SHARED[flag] | changes
        group = options.pop("group", None)
        in_parser = group is not None and isinstance(where, CommandParser)
        place = where.add_argument_group(**group) if in_parser else where
        place.add_argument(*names, **options)


def add_output_format(parser, formats, default=None, note=None):
    """Declare ``-f``, of the output in every command; ``note`` says more of the default."""
    parser.add_argument_group(**OUTPUT).add_argument(
        "-f",
        "--output-format",
        choices=formats,
        default=default,
        metavar="FORMAT",
        help=f"{', '.join(formats)} (default: {note or default})",
    )


def add_option(parser, option, *, before=""):
    """Declare an Option, None if it is not given; ``before`` begins its help."""
    given = {"choices": option.choices, "metavar": option.metavar}
    parser.add_argument(
        *filter(None, [option.short, option.flag]),
        default=None,
        help=before + option.help,
        **_KINDS[option.kind],
        **{name: value for name, value in given.items() if value is not None},
    )


def given_options(arguments, add_arguments):
    """Return the names of the arguments that are not what they are by default."""
    parser = CommandParser()
    add_arguments(parser)
    defaults = vars(parser.parse_args([]))
    return {name for name, value in defaults.items() if getattr(arguments, name) != value}


def options_for(arguments, *functions):
    """Return the arguments that are keyword-only options of functions, by name."""
    options = [option for f in functions for option in signature(f).parameters.values()]
    names = {option.name for option in options if option.kind is option.KEYWORD_ONLY}
    return {name: value for name, value in vars(arguments).items() if name in names}
