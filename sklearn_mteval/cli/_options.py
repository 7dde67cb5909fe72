"""Options that commands share; one whose ``dest`` is an option of a function is handed to it."""

import argparse
from functools import partial
from inspect import signature

from sklearn_mteval.cli._parser import CHANCE, JUDGEMENTS, MACHINE, OUTPUT, TEXTS, CommandParser
from sklearn_mteval.datasets.formats._registry import FORMATS, format_names
from sklearn_mteval.metrics.significance.ranks import RANKS

_FORMATS = "; ".join(
    f"{', '.join(entry.layouts) or name} ({entry.what})" for name, entry in FORMATS.items()
)
# Options that several commands have: their group, spelling, help and what else they are.
_SHARED = {
    "--source": (TEXTS, "-s, --source SRC", "source sentences", {}),
    "--reference": (TEXTS, "-r, --reference REF ...", "reference translation(s)", {}),
    "--translations": (TEXTS, "-t, --translations SYS ...", None, {"required": True}),
    "--no-windows": (MACHINE, "--no-windows",
        "judge texts of several sentences as they stand, not in windows, to compare",
        {"dest": "windows", "action": "store_false"}),
    "--format": (JUDGEMENTS, "--format FORMAT",
        f"what FILE is: {_FORMATS} (default: found out, and said)", {"choices": format_names()}),
    "--output": (OUTPUT, "-o, --output FILE", "where to write it (default: standard output)",
        {"default": "-"}),
    "--plots": (OUTPUT, "--plots FOLDER", None, {}),
    "--html": (OUTPUT, "--html FILE",
        "also write a page to look at in a browser, one file that needs no other: summary, "
        "tables, plots, themes and all segments", {}),
    "--confidence": (CHANCE, "--confidence P", "of the intervals (default: 0.95)",
        {"default": 0.95}),
    "--alpha": (CHANCE, "--alpha P", "level of significance (default: 0.05)", {"default": 0.05}),
    "--ranks": (CHANCE, "--ranks",
        "a new cluster begins at the first metric that any metric of the cluster is "
        "significantly better than, or (clusters) where all above are better than all below "
        "(default: metrics-task)", {"default": "metrics-task", "choices": list(RANKS)}),
    "--resamples": (CHANCE, "--resamples N", "bootstrap samples of segments (default: 1000)",
        {"dest": "n_resamples", "default": 1000}),
    "--permutations": (CHANCE, "--permutations N",
        "of permutation tests and soft pairwise accuracy (default: 1000)",
        {"dest": "n_permutations", "default": 1000}),
    "--seed": (CHANCE, "--seed N", "of what is drawn by chance (default: 0)",
        {"dest": "random_state", "default": 0}),
    "--missing": (CHANCE, "--missing",
        "what to do if a judged translation has no score (default: error)",
        {"default": "error", "choices": ["error", "skip"]}),
    "--jobs": (MACHINE, "--jobs N",
        "processes and threads (default: 2); results do not depend on it",
        {"dest": "n_jobs", "default": 2}),
}  # fmt: skip
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


def add(group, spelling, help, default=None, **more):
    """Declare an option as its help spells it: ``-n, --size N``, ``--scores FILE ...``, ``-f``.

    One without a value, or choices, is a flag. Of several values the default is an empty list; a
    number by default says the type.
    """
    words = spelling.replace(",", "").split()
    flags = [word for word in words if word.startswith("-")]
    values = words[len(flags) :]
    if not values and "choices" not in more:
        more.setdefault("action", "store_true")
    else:
        more["default"] = [] if len(values) > 1 and default is None else default
        more["metavar"] = values[0] if values else None
    if len(values) > 1:
        more["nargs"] = "+"
    if type(default) in (int, float):
        more.setdefault("type", type(default))
    group.add_argument(*flags, help=help, **more)


def add_shared(where, *flags, **changes):
    """Declare options that several commands have, with ``changes``, in a group or in their own."""
    for flag in flags:
        group, spelling, help, options = _SHARED[flag]
        in_parser = isinstance(where, CommandParser)
        place = where.add_argument_group(**group) if in_parser else where
        add(place, spelling, **{"help": help, **options, **changes})


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


def options_for(arguments, *functions):
    """Return the arguments that are keyword-only options of functions, by name."""
    options = [option for f in functions for option in signature(f).parameters.values()]
    names = {option.name for option in options if option.kind is option.KEYWORD_ONLY}
    return {name: value for name, value in vars(arguments).items() if name in names}


def check_values(flags, given):
    """Raise for a number that an option cannot be; None is not given."""
    from sklearn_mteval._helpers import options

    integer = partial(options.check_integer, minimum=1)
    number = partial(options.check_number, above=0)
    seed = partial(options.check_integer, minimum=0, maximum=2**32 - 1)

    def jobs(name, value):
        options.check_n_jobs(value, name)

    checks = {
        "confidence": options.check_proportion,
        "precision": options.check_proportion,
        "held_out": options.check_proportion,
        "alpha": partial(number, maximum=0.5),
        "factor": partial(number, maximum=1e100),
        "severity_credit": partial(options.check_within, low=0, high=1),
        "n_resamples": options.check_draws,
        "n_permutations": options.check_draws,
        "n_bins": integer,
        "n_segments": integer,
        "workers": integer,
        "random_state": seed,
        "seed": seed,
        "n_jobs": jobs,
        "jobs": jobs,
    }
    for name, check in checks.items():
        if given.get(name) is not None:
            check(flags[name], given[name])
