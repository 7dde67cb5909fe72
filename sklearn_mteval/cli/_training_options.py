"""The options of ``train``, which a configuration, a TOML file, may have as well."""

import re
import tomllib
from difflib import get_close_matches

from sklearn_mteval._helpers.devices import DTYPES, found_device
from sklearn_mteval.cli import _judgements
from sklearn_mteval.cli._options import add, add_option, add_shared, check_values
from sklearn_mteval.datasets.formats._entry import Option
from sklearn_mteval.datasets.formats._registry import FORMATS, format_names
from sklearn_mteval.models.short_names import CLASSIFIERS, KINDS, SHORT_NAMES
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS

# Options of judgements: metrics are not evaluated here, and there may be several language pairs.
_NOT_HERE = ("metric_scores", "human_systems", "lang_pair")
_METRIC_SCORES = Option(
    "metric_scores", "train together with these metrics of an mtme folder", "NAME", kind="texts"
)
_OPTIONS = (
    Option("lang_pair", "language pairs of the campaigns that name none, e.g. de-en", "SRC-TRG",
        kind="texts"),
    Option("scores",
        "train together with other metrics: their scores in files as 'evaluate' reads them, or "
        "'all' that an mtme folder has; higher is better", "[NAME=]FILE", kind="texts"),
    _METRIC_SCORES,
    Option("missing",
        "what to do if a judged translation has no score of such a metric (default: error)",
        choices=("error", "skip")),
    Option("output", "folder to save the model in", "MODEL", short="-o"),
    Option("from",
        "start from this model: a ready-made one, a folder that 'train' saved, or 'nothing'. With "
        "few judgements the result is about as good as this model, with many as good as from "
        "nothing (default: of judgements of your own, unless you choose features, classifier or "
        "encoder, static-en into English and any into another language; else nothing)", "MODEL"),
    Option("even_if_worse", "save the new model even if it is worse than the ready-made one",
        kind="flag"),
    Option("dry_run",
        "say what the judgements were taken for, and what would be trained; train nothing",
        kind="flag"),
    Option("plots",
        "also draw there how much more judgements help, and how well the new model's probabilities "
        "agree with them: learning_curve.png, calibration.png, and as SVG; needs "
        "matplotlib", "FOLDER"),
    Option("html",
        "also write a page to look at in a browser, one file that needs no other: how the models "
        "compare, plots, themes and the segments held out", "FILE"),
    Option("pdf",
        "also print this page into a PDF, with the segments it shows at first; needs Chromium, "
        "Chrome or Edge", "FILE"),
    Option("features",
        f"{', '.join(KINDS)}; {', '.join(SHORT_NAMES)}; or classes of sklearn_mteval.features "
        "(default: those of --from; from nothing static if all language pairs are into English, "
        "else any; none together with other metrics). A model of "
        "no-reference knows only how far systems agree: it ranks three or more, and has no scores",
        "NAME", kind="all named"),
    Option("encoder",
        "a sentence encoder, for the features 'encoder', 'no-reference', 'any' and 'CrossEncoder', "
        "which reads the source", "FOLDER"),
    Option("device",
        "where torch runs the encoder, such as cuda or mps; auto: a GPU if there is one "
        "(default: cpu)", "DEVICE"),
    Option("dtype",
        "what the encoder computes in; auto: what is fast on the machine (default: float32)",
        choices=DTYPES),
    Option("encoder_layers",
        "the encoder's layers: numbers, such as 5,7,8; choose: those that agree best on 150 "
        "segments of the training; auto: the known ones, else at 7/12 of the depth; last (default: "
        "the known ones, else choose)", "LAYERS"),
    Option("normalize",
        "undo HTML entities, unify quotes, dashes and white space of all texts first "
        "(default: yes)", kind="switch"),
    Option("windows", "judge texts of several sentences in aligned windows (default: yes)",
        kind="switch"),
    Option("classifier", "what learns from pairs (default: ensemble)", kind="named",
        choices=tuple(CLASSIFIERS)),
    Option("recomposition", "how pair decisions become ranks (default: soft)",
        choices=tuple(RECOMPOSITIONS)),
    Option("robust",
        "train on corrupted translations, too, so that what is empty, garbage or wrong in a number "
        "loses (default: no)", kind="switch"),
    Option("joined",
        "train on texts of 2 to 8 neighbouring segments, too, which helps a little with long texts "
        "that cannot be parted into sentences (default: no)", kind="switch"),
    Option("held_out", "proportion of segments to test on (default: 0.2)", kind="number"),
    Option("seed", "of the held-out choice (default: 0)", kind="integer"),
    Option("jobs", "threads (default: 2)", kind="integer"),
    Option("no_progress", "show no progress bar", kind="flag"),
)  # fmt: skip
# Groups of options; the rest is rarely needed.
_TITLES = {
    "what is saved": ("output", "plots", "html", "pdf", "even_if_worse", "dry_run"),
    "what is trained": ("from", "features", "encoder", "classifier", "robust", "joined",
        "held_out"),
    "campaigns": ("lang_pair",),
    "together with other metrics": ("scores", "metric_scores"),
}  # fmt: skip
WITH_LAYERS = ("encoder", "no-reference", "any")
_WITH_ENCODER = (*WITH_LAYERS, "CrossEncoder")
_REST = "details of training"
_GIVEN = [
    *(o for entry in FORMATS.values() for o in entry.options if o.name not in _NOT_HERE),
    *_OPTIONS,
]
# Options that may stand in a configuration: their kinds, and what they are if not given.
KINDS_OF_OPTIONS = {"files": "texts", "format": "text"} | {
    option.flag.removeprefix("--"): option.kind for option in _GIVEN
}
DEFAULTS = {
    "lang-pair": [],
    "missing": "error",
    "normalize": True,
    "windows": True,
    "recomposition": "soft",
    "robust": False,
    "joined": False,
    "held-out": 0.2,
    "seed": 0,
    "jobs": 2,
    "no-progress": False,
    "even-if-worse": False,
    "dry-run": False,
}  # fmt: skip
# What a kind of option is called, and the types that a value may have: True is no integer.
_TYPES = {
    "text": ("a text", (str,)),
    "texts": ("a text or a list of texts", (str,)),
    "flag": ("true or false", (bool,)),
    "switch": ("true or false", (bool,)),
    "integer": ("an integer", (int,)),
    "number": ("a number", (int, float)),
    "named": ("a name, or a table with a name and options", (str,)),
    "all named": ("a name, a table with a name and options, or a list of these", (str,)),
}
_MOST_BYTES = 1 << 20
# Of a configuration; argparse looks at what the command line has.
_ALLOWED = {"format": format_names()} | {
    option.flag.removeprefix("--"): option.choices
    for option in _GIVEN
    if option.choices and option.kind == "text"
}


def add_arguments(parser):
    """Declare the arguments. What is not given is None: a configuration may have it."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE[:PAIRS]",
        help="judgements of any format that --format knows: tables of your own, folders of "
        "campaigns, what a tool for annotation wrote; each campaign may name its own language "
        "pairs, e.g. wmt15:de-en,cs-en",
    )
    add_shared(parser, "--format")
    _judgements.add_options(parser, _NOT_HERE)
    add(parser, "--config FILE",
        "TOML with any of these options under the same names, and options of features and "
        "classifier in tables ([[features]], [classifier], each with a name); options on the "
        "command line count instead")  # fmt: skip
    for option in _OPTIONS:
        title = next((title for title, names in _TITLES.items() if option.name in names), _REST)
        add_option(parser.add_argument_group(title, rare=title == _REST), option)


def _fits(value, kind):
    """Tell whether a value is of a kind."""
    listed = kind in ("texts", "all named") and isinstance(value, list)
    values = value if listed else [value]
    if "named" in kind:
        values = [each.get("name") if isinstance(each, dict) else each for each in values]
    return bool(values) and all(type(each) in _TYPES[kind][1] for each in values)


def read_config(path):
    """Read a TOML file of options; a DataFileError names the first key that is wrong."""
    from sklearn_mteval._helpers.files import read_text  # numpy, which help does without
    from sklearn_mteval.exceptions import DataFileError

    text = read_text(path, max_bytes=_MOST_BYTES)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line ([0-9]+), column [0-9]+\)$", str(error))
        line = int(place[1]) if place else None
        raise DataFileError(path, f"no TOML ({str(error).rstrip('.')}).", line) from None
    except (RecursionError, ValueError) as error:  # too deep; a number of too many digits
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise DataFileError(path, f"no TOML that can be read ({reason}).") from None
    for key, value in found.items():
        if key not in KINDS_OF_OPTIONS:
            close = get_close_matches(key, list(KINDS_OF_OPTIONS), 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise DataFileError(
                path, f"unknown key {key!r}; expected one of {list(KINDS_OF_OPTIONS)}.{hint}"
            )
        if not _fits(value, KINDS_OF_OPTIONS[key]):
            expected, _ = _TYPES[KINDS_OF_OPTIONS[key]]
            raise DataFileError(path, f"key {key!r}: expected {expected}, found {value!r}.")
    return found


def read_options(arguments):
    """Put together the command line, the configuration and the defaults: None is not given."""
    options = dict(DEFAULTS)
    if arguments.config is not None:
        options |= read_config(arguments.config)
    given = {name: getattr(arguments, name.replace("-", "_")) for name in KINDS_OF_OPTIONS}
    options |= {name: value for name, value in given.items() if value not in (None, [])}
    needed = {"files": "FILE"} | ({} if options["dry-run"] else {"output": "-o"})
    for name, written in needed.items():
        if name not in options:
            arguments.misunderstood(
                f"{written} is missing: give it, or {name!r} in the file of --config."
            )
    for name, kind in KINDS_OF_OPTIONS.items():
        if kind == "texts" and isinstance(options.get(name), str):
            options[name] = [options[name]]
    for name, allowed in _ALLOWED.items():
        if options.get(name) not in (None, *allowed):
            raise ValueError(f"{name} must be one of {list(allowed)}, found {options[name]!r}.")
    options = {name.replace("-", "_"): options.get(name) for name in KINDS_OF_OPTIONS}
    check_values({name: f"--{name.replace('_', '-')}" for name in options}, options)
    return options


def features_of(options, pairs):
    """Return the features asked for, or those for the language pairs, with the encoder."""
    given = options.get("features")
    if given is None:
        into_english = pairs and all(pair.endswith("-en") for pair in pairs)
        given = "static" if into_english else "any"
    return _with_encoder(given if isinstance(given, list) else [given], options)


def _with_encoder(given, options):
    """Give features the encoder, and its layers unless these are to be chosen."""
    from sklearn_mteval.models.encoder_layers import parse_layers

    layers = parse_layers(options.get("encoder_layers"))
    where = {name: options.get(name) for name in ("device", "dtype")}
    where = {name: value for name, value in where.items() if value is not None}
    if options.get("encoder") is None:
        for name in ["encoder-layers"] * (layers is not None) + list(where):
            raise ValueError(f"--{name} is for --encoder, which is not given.")
        return given
    if not {*_WITH_ENCODER} & {name for name in given if isinstance(name, str)}:
        raise ValueError(f"--encoder is for the features {', '.join(_WITH_ENCODER)}.")
    if "device" in where:
        found_device(where["device"])  # before the work
    encoder = {n: {"name": n, "encoder": options["encoder"], **where} for n in _WITH_ENCODER}
    if layers not in (None, "choose"):  # which is done when the judgements are read
        for name in WITH_LAYERS:
            encoder[name]["layers"] = layers
    return [encoder.get(name, name) if isinstance(name, str) else name for name in given]
