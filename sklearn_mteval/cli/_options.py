"""Options that commands share; one whose ``dest`` is an option of a function is handed to it."""

import argparse
import contextlib
import os
import re
from functools import partial
from inspect import signature

from sklearn_mteval._helpers.devices import DTYPES
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
    "--lang-pair": (TEXTS, "--lang-pair SRC-TRG",
        "e.g. de-en: models and tokenisers are those for its target language (default: told by "
        "the words)", {}),
    "--no-windows": (MACHINE, "--no-windows",
        "judge texts of several sentences as they stand, not in windows, to compare",
        {"dest": "windows", "action": "store_false"}),
    "--device": (MACHINE, "--device DEVICE",
        "where models with an encoder compute: cpu, cuda, mps; auto: a GPU if there is one "
        "(default: as saved, ready-made ones on cpu)", {}),
    "--dtype": (MACHINE, "--dtype TYPE",
        "what encoders compute in: float32, bfloat16, float16; auto: what is fast here (default: "
        "as saved, ready-made ones auto)", {"choices": DTYPES}),
    "--format": (JUDGEMENTS, "--format FORMAT",
        f"what FILE is: {_FORMATS} (default: found out, and said)", {"choices": format_names()}),
    "--output": (OUTPUT, "-o, --output FILE", "where to write it (default: standard output)",
        {"default": "-"}),
    "--plots": (OUTPUT, "--plots FOLDER", None, {}),
    "--html": (OUTPUT, "--html FILE",
        "also write a page to look at in a browser, one file that needs no other: summary, "
        "tables, plots, themes and all segments", {}),
    "--pdf": (OUTPUT, "--pdf FILE",
        "also print this page into a PDF, with the segments it shows at first; needs Chromium, "
        "Chrome or Edge", {}),
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


class _Extended(argparse.Action):
    """Values of an option, which may be given again; what is given takes the default's place."""

    def __call__(self, parser, namespace, values, option_string=None):
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, values if before is self.default else [*before, *values])


# Of a kind of option as formats declare it (and train), what argparse is told.
_KINDS = {
    "text": {},
    "texts": {"nargs": "+", "action": _Extended},
    "named": {},
    "all named": {"nargs": "+", "action": _Extended},
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
    if more.get("nargs") == "+":
        more["action"] = _Extended
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


def add_model(parser, default=""):
    """Declare MODEL, which may be given as an option, too."""
    what = "folder that 'train' saved, or the name of a ready-made one"
    parser.add_argument("model", nargs="?", metavar="MODEL", help=f"{what} {default}".rstrip())
    parser.add_argument("--model", dest="named_model", metavar="MODEL", help="the same as MODEL")


def take_model(arguments):
    """Note and return the model that is asked for; a file, say, is none, which is told."""
    from sklearn_mteval.cli._meant import is_file, is_model

    if arguments.model is not None and arguments.named_model is not None:
        arguments.misunderstood("MODEL and --model are the same: give one of them.")
    model = arguments.model = arguments.model or arguments.named_model
    if model is not None and not is_model(model):
        what = "is a file" if os.path.isfile(model) else "is neither of the two"
        if is_file(model) or "comet" in model.lower():
            arguments.misunderstood(
                f"{model!r} stands where the model does, a folder that 'train' saved or the name "
                f"of a ready-made one, and {what}."
            )
    texts = [*(arguments.translations or ()), *arguments.reference]
    if model is None and (models := [name for name in texts if is_model(name)]):
        arguments.misunderstood(f"{models[0]!r} is a model, and stands where a text does.")
    return model


def target_of(lang_pair):
    """Return the language that is translated into, of zh-en or en-zh_TW; None: not told."""
    return lang_pair and re.split("[-_]", lang_pair)[1 if "-" in lang_pair else 0]


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


def number_above(text, low, expected):
    """Read a finite number above another; the error of argparse says what was expected."""
    with contextlib.suppress(ValueError):
        if low < float(text) < float("inf"):
            return float(text)
    raise argparse.ArgumentTypeError(f"expected {expected}, found {text!r}")


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
    within = options.check_within
    # The options of each check; of several values each is looked at.
    checks = {
        "confidence precision held_out": options.check_proportion,
        "alpha": partial(number, maximum=0.5),
        "agreements": partial(number, above=0.5, maximum=1),
        "factor": partial(number, maximum=1e100),
        "size differences": number,
        "severity_credit overlap checks": partial(within, low=0, high=1),
        "threshold": partial(within, low=0, high=1e100),
        "min_score": partial(within, low=-1e100, high=1e100),
        "n_resamples n_permutations": options.check_draws,
        "n_bins n_segments workers beam budget annotators": integer,
        "folds": partial(integer, minimum=2),
        "random_state seed": partial(integer, minimum=0, maximum=2**32 - 1),
        "n_jobs jobs": lambda name, value: options.check_n_jobs(value, name),
    }
    for names, check in checks.items():
        for name in names.split():
            values = given.get(name)
            for value in values if isinstance(values, list) else [values]:
                if value is not None:
                    check(flags[name], value)
