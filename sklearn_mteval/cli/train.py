"""Train a ranker on judgements, WMT campaigns or your own, and save it.

Holds a fifth of the segments out, trains on the others, prints how the new model compares with a
ready-made one, the best single feature, chrF and BLEU on the segments held out, whether more
judgements would help, and which model to use; saves the new one unless it is worse. With
judgements of your own it starts from the ready-made model for such texts that needs no encoder.
With scores of other metrics (--scores, --metric-scores) it learns which of them to average and when
annotators tie, tests that in five folds of whole documents, and saves a model of all judgements.
"""

import argparse
import re
from functools import partial
from pathlib import Path

from sklearn_mteval.cli import _html, _judgements, _reports, _stacking
from sklearn_mteval.cli._encoder_layers import with_layers
from sklearn_mteval.cli._output import check_paths, show
from sklearn_mteval.cli._training_options import add_arguments as add_arguments
from sklearn_mteval.cli._training_options import read_options
from sklearn_mteval.datasets.formats._registry import format_of

MORE = "train_on_judgements"
EXAMPLES = (
    "sklearn-mteval train judged.csv --better higher -o trained",
    "sklearn-mteval train wmt12 --lang-pair de-en cs-en --features bleu -o trained",
)

_OF_TRAINING = ("normalize", "recomposition", "robust", "joined", "held_out", "windows", "n_jobs")
_NOTHING = "nothing"  # of --from
_WITH_LAYERS = ("encoder", "no-reference", "any")
_WITH_ENCODER = (*_WITH_LAYERS, "CrossEncoder")
_WITH_PAIRS = re.compile(r"(.+):([a-z]{2,3}-[a-z]{2,3}(?:,[a-z]{2,3}-[a-z]{2,3})*)", re.DOTALL)


def run(arguments):
    """Train and save."""
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    from sklearn_mteval._helpers.progress import silenced
    from sklearn_mteval.cli._output import naming_options
    from sklearn_mteval.datasets.suspicious import warn_of_texts
    from sklearn_mteval.models import train_on_campaign
    from sklearn_mteval.models.campaigns import load_campaigns
    from sklearn_mteval.models.short_names import make_classifier, make_features
    from sklearn_mteval.persistence import check_model_folder
    from sklearn_mteval.report.training import learning_report, training_report

    options = read_options(arguments)
    if options["no_progress"]:  # the configuration may say so
        silenced()
    files = _files(options)
    beside = bool(options["scores"] or options["metric_scores"])
    if beside:
        _stacking.check_options(options, files)
    campaigns = [] if files else _campaigns(options["wmt"], options["lang_pair"])
    # Mistakes are told before the work, not after it.
    if options["output"] is not None:
        check_model_folder(options["output"])
    if options["plots"] is not None:
        from sklearn_mteval.cli._plots import prepare

        prepare(options["plots"])
    if options["html"] is not None:
        outputs = _html.check(argparse.Namespace(html=options["html"]))
        check_paths(outputs, [file for file, _ in files])
    make_classifier(options["classifier"] or "ensemble")
    features = None if beside and not options["features"] else _features(options, campaigns)
    if features is not None:
        make_features(features)
    if files:
        X, y, lines, names = _load_files(files, options, beside)
    else:
        X, y, lines = load_campaigns(campaigns)
        warn_of_texts(X)
    start = None if beside else _starting_model(options, files, X)
    if start and not options["features"]:
        features = None
    if "reference" not in X and not beside and features is not None and not options["features"]:
        raise ValueError(
            "there are no references: give -r, or features that read none, such as --features "
            "CrossEncoder --encoder multilingual-e5-small, which reads the source."
        )
    if options["dry_run"]:
        return _say_what_would_be(X, y, lines, start, features, options, beside)
    if features is not None and not beside:
        features = with_layers(features, options, X, y, lines, _WITH_LAYERS)
    format = files[0][1] if files else "wmt"
    with naming_options(X, format_of(format).texts_by), warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # the table shows what is undefined
        if beside:
            model, scores = _stacking.train_beside(X, y, lines, names, features, options)
            return _save(model, options["output"], X, y, scores)
        result = train_on_campaign(
            X,
            y,
            features=features,
            classifier=options["classifier"] or "ensemble",
            segments=lines,
            start_from=start,
            campaigns=_names(campaigns, files, options),
            random_state=options["seed"],
            progress=False,
            **{name: options[name] for name in _OF_TRAINING},
        )
    begun = f", starting from {start}" if start else ""
    show(
        f"\nTrained on {len(result.train)} of {len(X)} translations{begun}; on the "
        f"{result.n_held_out} segments held out:\n"
    )
    show(training_report(result))
    show(learning_report(result.learning_curve))
    given = argparse.Namespace(**options, command_line=arguments.command_line)
    if _reports.draws(given) or given.html is not None:
        _show(given, result, X, y, start)
    _refuse_worse(result, options)
    return _save(
        result.model, options["output"], X.iloc[result.train], y.iloc[result.train], result.scores
    )


def _show(given, result, X, y, start):
    """Draw the learning curve, and how true the model's probabilities are; write the page."""
    import numpy as np

    from sklearn_mteval.cli import _calibration
    from sklearn_mteval.cli._plots import draw
    from sklearn_mteval.models.opening import with_source
    from sklearn_mteval.models.training_result import NEW
    from sklearn_mteval.report.plots_of_results import plots_of

    unseen = np.setdiff1d(np.arange(len(X)), result.train)
    held_out = X.iloc[unseen] if start is None else with_source(X.iloc[unseen], str(start))
    plots = []
    if _reports.draws(given):
        calibration = _calibration.calibration_of({NEW: (result.model, held_out, y.iloc[unseen])})
        plots = [] if calibration is None else [calibration]
    if given.plots is not None:
        draw([*plots_of(result), *plots], given.plots)
    if given.html is not None:
        from sklearn_mteval.report.html.pages import page_of_result

        contents = partial(_contents, result.model, held_out, y.iloc[unseen])
        page = partial(page_of_result, "A new model", result, plots=plots)
        _html.write_page(given, page, contents)


def _contents(model, X, y, beside, name):
    """Return segments and themes of the page: what was held out."""
    from sklearn_mteval.datasets.judgements import judgements_of
    from sklearn_mteval.evaluation import collect_scores
    from sklearn_mteval.models.training_result import NEW
    from sklearn_mteval.report.html.contents import contents_of_judgements

    judged = judgements_of({}, X=X, y=y)
    metrics = ("chrf",) if "reference" in X else ()
    scores = collect_scores(judged, metrics=metrics, models=[(NEW, model)], judged_only=True)
    order = [NEW, *metrics]
    given = {"": (judged, scores)}
    beside = {"beside": beside, "beside_name": name}
    return contents_of_judgements(given, order=order, model=model, **beside)


def _starting_model(options, files, X):
    """Name the model to start from; None: nothing."""
    from sklearn_mteval.models.opening import recommended_model

    given = options["from"]
    if given == _NOTHING:
        return None
    if given is not None:
        if options["classifier"] is not None:
            raise ValueError(f"--classifier is for training from nothing: --from {_NOTHING}.")
        return given
    chosen = any(options[name] is not None for name in ("features", "classifier", "encoder"))
    if not files or chosen or "reference" not in X:
        return None
    return recommended_model(X, encoders=False)


def _names(campaigns, files, options):
    """Name campaigns with their language pairs, as cards of ready-made models do."""
    named = [(Path(folder).resolve().name, pair) for folder, pairs in campaigns for pair in pairs]
    named += [(Path(file).name, pair) for file, _ in files for pair in options["lang_pair"] or []]
    return [f"{name} {pair}" for name, pair in named]


def _say_what_would_be(X, y, lines, start, features, options, beside):
    """Say what the judgements are, and what would be made of them."""
    from sklearn_mteval.cli._output import write
    from sklearn_mteval.models.enough_judgements import split_of

    said = _judgements.summary_of(X, y)
    if beside:
        said += "would train: together with the metrics, tested in five folds\n"
    else:
        lines, train, _ = split_of(X, y, lines, options["held_out"], options["seed"])
        n_all, n_train = lines.index.nunique(), lines.index[train].nunique()
        said += f"would start from: {start or 'nothing'}\n"
        said += (
            f"features: {', '.join(map(_named, features)) if features else f'those of {start}'}\n"
        )
        said += f"classifier: {options['classifier'] or 'ensemble'}\n"
        said += f"would train on {n_train} segments, and hold {n_all - n_train} out\n"
    write(said, "-")


def _named(features):
    """Name one of the features."""
    return features if isinstance(features, str) else str(features.get("name"))


def _refuse_worse(result, options):
    """Raise for a model that is worse than a ready-made one, unless it is wanted nevertheless."""
    found = result.recommendation
    if found.worse and not options["even_if_worse"]:
        raise ValueError(
            f"the new model is worse than {found.use}, and was not saved: use that "
            f"('sklearn-mteval rank {found.use} …'), start from it (--from {found.use}), or save "
            "the new one all the same (--even-if-worse)."
        )


def _save(model, path, X, y, scores):
    """Save a model, and say where."""
    from sklearn_mteval.persistence import check_model_folder, save_model

    replaces = check_model_folder(path)
    save_model(model, path, X=X, y=y, scores=scores)
    show(f"Saved: {path}{', which replaces the older model there' * replaces}")


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

    Returned are X, y, what must be held out together, and, with ``beside`` (other metrics), the
    columns that are scores.
    """
    from sklearn_mteval.models.campaigns import join_documents, join_tables

    tables, documents, names = [], [], []
    for file, format in files:
        name = Path(file).name
        for pair in options["lang_pair"] or [None]:
            given = options | {"metric_scores": False, "lang_pair": pair, "dry_run": False}
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
