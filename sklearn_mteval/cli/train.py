"""Train a ranker on judgements, WMT campaigns or your own, and save it.

Holds a fifth of the segments out, tunes and trains on the others, prints how the result compares
with BLEU, chrF and the best single feature on the segments held out, and saves that very model.
With scores of other metrics (--scores, --metric-scores) it learns which of them to average and when
people tie, tests that in five folds of whole documents, and saves a model of all judgements.
"""

import re
from pathlib import Path

from sklearn_mteval._project import page
from sklearn_mteval.cli import _judgements, _stacking
from sklearn_mteval.cli._encoder_layers import with_layers
from sklearn_mteval.cli._options import add_option, add_shared
from sklearn_mteval.datasets.formats._entry import Option
from sklearn_mteval.datasets.formats._registry import FORMATS, format_names, format_of
from sklearn_mteval.models.short_names import CLASSIFIERS, KINDS, SHORT_NAMES
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS

__all__ = ["EXAMPLES", "MORE", "add_arguments", "run"]

MORE = page("rank_and_score")
EXAMPLES = (
    "sklearn-mteval train judged.csv --better higher -o trained",
    "sklearn-mteval train wmt12 --lang-pair de-en cs-en --features bleu -o trained",
)

# Options of judgements: metrics are not evaluated here, and there may be several language pairs.
_NOT_HERE = ("metric_scores", "human_systems", "lang_pair")
_METRIC_SCORES = Option(
    "metric_scores",
    "train beside these metrics of an mtme folder",
    "NAME",
    kind="texts",
)
_OPTIONS = (
    Option(
        "wmt",
        "folders of campaigns: rankings/, sources/, references/, system-outputs/; each may name "
        "its own language pairs, e.g. wmt15:de-en,cs-en",
        "DIR[:PAIRS]",
        kind="texts",
    ),
    Option(
        "lang_pair",
        "language pairs of the campaigns that name none, e.g. de-en",
        "SRC-TRG",
        kind="texts",
    ),
    Option("mtme", "the same as FILE --format mtme", "DIR"),
    Option(
        "scores",
        "train beside other metrics: their scores in files as 'evaluate' reads them, or 'all' that "
        "an mtme folder has; higher is better",
        "[NAME=]FILE",
        kind="texts",
    ),
    _METRIC_SCORES,
    Option(
        "missing",
        "what a judged translation without score of such a metric does (default: error)",
        choices=("error", "skip"),
    ),
    Option("output", "folder to save the model in", "MODEL", short="-o"),
    Option(
        "features",
        f"{', '.join(KINDS)}; {', '.join(SHORT_NAMES)}; or classes of sklearn_mteval.features "
        "(default: static if all language pairs are into English, else any; none beside other "
        "metrics). A model of "
        "no-reference knows how far systems agree, no more: it ranks three or more, and has no "
        "scores",
        "NAME",
        kind="all named",
    ),
    Option(
        "encoder",
        "a sentence encoder, for the features 'encoder', 'no-reference', 'any' and 'CrossEncoder', "
        "which reads the source",
        "FOLDER",
    ),
    Option(
        "encoder_layers",
        "the encoder's layers: numbers, such as 5,7,8; choose: those that agree best on 150 "
        "segments of the training; auto: the known ones, else at 7/12 of the depth; last (default: "
        "the known ones, else choose)",
        "LAYERS",
    ),
    Option(
        "normalize",
        "undo HTML entities, unify quotes, dashes and white space of all texts first "
        "(default: yes)",
        kind="switch",
    ),
    Option(
        "classifier",
        "what learns from pairs (default: ensemble)",
        kind="named",
        choices=tuple(CLASSIFIERS),
    ),
    Option(
        "recomposition",
        "how pair decisions become ranks (default: soft)",
        choices=tuple(RECOMPOSITIONS),
    ),
    Option(
        "robust",
        "train on corrupted translations, too, so that what is empty, garbage or wrong in a number "
        "loses (default: no)",
        kind="switch",
    ),
    Option("held_out", "proportion of segments to test on (default: 0.2)", kind="number"),
    Option("seed", "of the held-out choice (default: 0)", kind="integer"),
    Option("n_jobs", "threads (default: 2)", kind="integer"),
    Option("no_progress", "show no progress bar", kind="flag"),
)
_GIVEN = [
    *(o for entry in FORMATS.values() for o in entry.options if o.name not in _NOT_HERE),
    *_OPTIONS,
]
# Options that may stand in a configuration: their kinds, and what they are if not given.
_KINDS = {"files": "texts", "format": "text"} | {
    option.flag.removeprefix("--"): option.kind for option in _GIVEN
}
_DEFAULTS = {
    "lang-pair": [],
    "missing": "error",
    "normalize": True,
    "classifier": "ensemble",
    "recomposition": "soft",
    "robust": False,
    "held-out": 0.2,
    "seed": 0,
    "n-jobs": 2,
    "no-progress": False,
}
# Of a configuration; argparse looks at what the command line has.
_ALLOWED = {
    "format": format_names(),
    "better": ("lower", "higher"),
    "missing": ("error", "skip"),
    "recomposition": tuple(RECOMPOSITIONS),
}
_OF_TRAINING = ("classifier", "normalize", "recomposition", "robust", "held_out", "n_jobs")
_WITH_LAYERS = ("encoder", "no-reference", "any")
_WITH_ENCODER = (*_WITH_LAYERS, "CrossEncoder")
_WITH_PAIRS = re.compile(r"(.+):([a-z]{2,3}-[a-z]{2,3}(?:,[a-z]{2,3}-[a-z]{2,3})*)", re.DOTALL)


def add_arguments(parser):
    """Declare the arguments. What is not given is None: a configuration may have it."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="judgements of any format that --format knows: tables of your own, folders of "
        "campaigns, what a tool for annotation wrote",
    )
    add_shared(parser, "--format")
    _judgements.add_options(parser, _NOT_HERE)
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="TOML with any of these options under the same names, and options of features and "
        "classifier in tables ([[features]], [classifier], each with a name); the command line "
        "goes before it",
    )
    for option in _OPTIONS:
        add_option(parser, option)


def run(arguments):
    """Train and save."""
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    from sklearn_mteval.cli._output import naming_options
    from sklearn_mteval.datasets.suspicious import warn_of_texts
    from sklearn_mteval.models import train_on_campaign
    from sklearn_mteval.models.campaigns import load_campaigns
    from sklearn_mteval.models.short_names import make_classifier, make_features
    from sklearn_mteval.persistence import check_model_folder
    from sklearn_mteval.report.agreement import agreement_report

    options = _options(arguments)
    files = _files(options)
    beside = bool(options["scores"] or options["metric_scores"])
    if beside:
        _stacking.check_options(options, files)
    campaigns = [] if files else _campaigns(options["wmt"], options["lang_pair"])
    features = None if beside and not options["features"] else _features(options, campaigns)
    # Mistakes are told before the work, not after it.
    check_model_folder(options["output"])
    if features is not None:
        make_features(features)
    make_classifier(options["classifier"])
    if files:
        X, y, lines, names = _load_files(files, options, beside)
    else:
        X, y, lines = load_campaigns(campaigns)
        warn_of_texts(X)
    if "reference" not in X and not beside and not options["features"]:
        raise ValueError(
            "there are no references: give -r, or features that read none, such as --features "
            "CrossEncoder --encoder multilingual-e5-small, which reads the source."
        )
    if not beside:
        features = with_layers(features, options, X, y, lines, _WITH_LAYERS)
    format = files[0][1] if files else "wmt"
    with naming_options(X, format_of(format).texts_by), warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # the table shows what is undefined
        if beside:
            model, scores = _stacking.train_beside(X, y, lines, names, features, options)
            return _save(model, options["output"], X, y, scores)
        model, table, train, scores = train_on_campaign(
            X,
            y,
            features=features,
            segments=lines,
            random_state=options["seed"],
            progress=not options["no_progress"],
            **{name: options[name] for name in _OF_TRAINING},
        )
    print(f"\nTrained on {len(train)} of {len(X)} translations; on the segments held out:\n")
    print(agreement_report(table))
    return _save(model, options["output"], X.iloc[train], y.iloc[train], scores)


def _save(model, path, X, y, scores):
    """Save a model, and say where."""
    from sklearn_mteval.persistence import save_model

    save_model(model, path, X=X, y=y, scores=scores)
    print(f"Saved: {path}")


def _options(arguments):
    """Put together the command line, the configuration and the defaults: None is not given."""
    from sklearn_mteval.cli._config import read_config

    options = dict(_DEFAULTS)
    if arguments.config is not None:
        options |= read_config(arguments.config, _KINDS)
    given = {name: getattr(arguments, name.replace("-", "_")) for name in _KINDS}
    options |= {name: value for name, value in given.items() if value not in (None, [])}
    if "mtme" in options:
        if "files" in options or "wmt" in options:
            raise ValueError("--mtme is given beside FILE or --wmt: name one of them.")
        options |= {"files": options["mtme"], "format": "mtme"}
    if "files" in options and "wmt" in options:
        raise ValueError("FILE and --wmt are both given: name campaigns as FILE, or by --wmt.")
    for name, flag in (("wmt", "--wmt"), ("output", "-o")):
        if name not in options and not (name == "wmt" and "files" in options):
            also = "; or name a FILE." if name == "wmt" else "."
            raise ValueError(
                f"{flag} is missing: give it, or {name!r} in the file of --config{also}"
            )
    for name in ("files", "wmt", "lang-pair", "scores", "metric-scores"):
        if isinstance(options.get(name), str):
            options[name] = [options[name]]
    for name, allowed in _ALLOWED.items():
        if options.get(name) not in (None, *allowed):
            raise ValueError(f"{name} must be one of {list(allowed)}, found {options[name]!r}.")
    return {name.replace("-", "_"): options.get(name) for name in _KINDS}


def _files(options):
    """Tell the formats of files: [(file, format)]; folders of WMT go where --wmt has them."""
    found = [
        (file, _judgements.named_format(file, options["format"])) for file in options["files"] or []
    ]
    formats = {format for _, format in found}
    if formats == {"wmt"}:
        options["wmt"], formats, found = [file for file, _ in found], set(), []
    elif "wmt" in formats:
        raise ValueError("folders of WMT's rankings and other files cannot be mixed.")
    # Each folder of WMT may name its own pairs.
    own = {} if options["wmt"] is None else {"lang_pair": None}
    _judgements.check_options(formats, options | own)
    return found


def _load_files(files, options, beside):
    """Load judgements that are no folders of WMT into one table.

    Returned are X, y, what must be held out together, and the columns that are scores, of training
    ``beside`` other metrics.
    """
    from sklearn_mteval.models.campaigns import join_documents, join_tables

    tables, documents, names = [], [], []
    for file, format in files:
        name = Path(file).name
        for pair in options["lang_pair"] or [None]:
            given = options | {"metric_scores": False, "lang_pair": pair}
            if beside:
                given["metric_scores"] = options["metric_scores"]
                judged, names = _stacking.load_scored(file, format, given)
            else:
                judged = _judgements.load_judged(file, format, given)
            tables.append((f"{name}.{pair}" if pair else name, judged.X, judged.y))
            documents.append((name, judged))
    X, y = join_tables(tables)
    if "hypothesis" not in X:
        raise ValueError("the translations are missing: give -t or, of ESA, --texts.")
    return X, y, join_documents(documents), names


def _features(options, campaigns):
    """Return the features asked for, or those for the language pairs, with the encoder."""
    from sklearn_mteval.models.encoder_layers import parse_layers

    pairs = [pair for _, pairs in campaigns for pair in pairs]
    into_english = pairs and all(pair.endswith("-en") for pair in pairs)
    given = options.get("features")
    if given is None:
        given = "static" if into_english else "any"
    given = given if isinstance(given, list) else [given]
    layers = parse_layers(options.get("encoder_layers"))
    if options.get("encoder") is None:
        if layers is not None:
            raise ValueError("--encoder-layers is for --encoder, which is not given.")
        return given
    if not {*_WITH_ENCODER} & {name for name in given if isinstance(name, str)}:
        raise ValueError(f"--encoder is for the features {', '.join(_WITH_ENCODER)}.")
    encoder = {name: {"name": name, "encoder": options["encoder"]} for name in _WITH_ENCODER}
    if layers not in (None, "choose"):  # which is done when the judgements are read
        for name in _WITH_LAYERS:
            encoder[name]["layers"] = layers
    return [encoder.get(name, name) if isinstance(name, str) else name for name in given]


def _campaigns(folders, pairs):
    """Split folders from their language pairs; return [(folder, pairs)]."""
    campaigns, pairs_used = [], False
    for folder in folders:
        own = _WITH_PAIRS.fullmatch(folder)
        if own is None and not pairs:
            raise ValueError(
                f"the language pairs of {folder} are missing: give {folder}:de-en, say, or "
                "--lang-pair."
            )
        pairs_used |= own is None
        campaigns.append((own[1], own[2].split(",")) if own else (folder, list(pairs)))
    if pairs and not pairs_used:
        raise ValueError("--lang-pair is given, but all of --wmt name their own language pairs.")
    return campaigns
