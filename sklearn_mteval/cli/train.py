"""Train a ranker on judgements, WMT campaigns or your own, and save it.

Holds a fifth of the segments out, trains on the others, prints how the new model compares with
ready-made ones, the best single feature, chrF and BLEU on the segments held out, whether more
judgements would help, and what to use: the new model, a ready-made one or neither; saves the new
one unless it is worse. With judgements of your own it starts from the ready-made model for such
texts that needs no encoder.
With scores of other metrics (--scores, --metric-scores) it learns which of them to average and when
annotators tie, tests that in five folds of whole documents, and saves a model of all judgements.
"""

import argparse
from functools import partial
from pathlib import Path

from sklearn_mteval.cli import _html, _judgements, _plots, _reports, _training_data
from sklearn_mteval.cli._output import check_paths, naming_options, show, write
from sklearn_mteval.cli._training_options import WITH_LAYERS, features_of, read_options
from sklearn_mteval.cli._training_options import add_arguments as add_arguments
from sklearn_mteval.datasets.formats._registry import format_of

MORE = "tutorial/5_train_a_model"
EXAMPLES = (
    "sklearn-mteval train judged.csv --better higher -o trained",
    "sklearn-mteval train wmt12 --lang-pair de-en cs-en --features bleu -o trained",
)

_OF_TRAINING = ("normalize", "recomposition", "robust", "joined", "held_out", "windows")
_NOTHING = "nothing"  # of --from


def run(arguments):
    """Train and save."""
    from sklearn_mteval._helpers.progress import silenced
    from sklearn_mteval.report.training import learning_report, training_report

    options = read_options(arguments)
    if options["no_progress"]:  # the configuration may say so
        silenced()
    files = _training_data.files_of(options)
    with_scores = bool(options["scores"] or options["metric_scores"])
    features = _checked_features(options, files, with_scores)
    X, y, lines, names = _training_data.load(files, options, with_scores)
    start = None if with_scores else _starting_model(options, files, X)
    if start and not options["features"]:
        features = None
    if (
        "reference" not in X
        and not with_scores
        and features is not None
        and not options["features"]
    ):
        raise ValueError(
            "there are no references: give -r, or features that read none, such as --features "
            "CrossEncoder --encoder multilingual-e5-small, which reads the source."
        )
    if options["dry_run"]:
        return _say_what_would_be(X, y, lines, start, features, options, with_scores)
    if with_scores:
        with _named_texts(X, files):
            model, scores = _train_with_scores(X, y, lines, names, features, options)
        return _save(model, options["output"], X, y, scores)
    result = _trained(X, y, lines, start, features, files, options)
    begun = f", starting from {start}" if start else ""
    show(
        f"\nTrained on {len(result.train)} of {len(X)} translations{begun}; on the "
        f"{result.n_held_out} {result.unit}s held out:\n"
    )
    show(training_report(result))
    show(learning_report(result.learning_curve))
    given = argparse.Namespace(**options | {"lang_pair": None}, command_line=arguments.command_line)
    if _reports.draws(given) or _html.wanted(given):
        _show(given, result, X, y, start)
    _refuse_worse(result, options)
    return _save(
        result.model, options["output"], X.iloc[result.train], y.iloc[result.train], result.scores
    )


def _checked_features(options, files, with_scores):
    """Tell mistakes before the work, not after it; return the features, None: others choose."""
    from sklearn_mteval.models.short_names import make_classifier, make_features
    from sklearn_mteval.persistence import check_model_folder

    if with_scores:
        _training_data.check_options(options, files)
    if options["output"] is not None:
        check_model_folder(options["output"])
    _plots.prepare(options["plots"])
    if outputs := _html.check(argparse.Namespace(**options)):
        check_paths(outputs, [file.path for file in files if file.format != "wmt"])
    make_classifier(options["classifier"] or "ensemble")
    if with_scores and not options["features"]:
        return None
    pairs = [pair for file in files if file.format == "wmt" for pair in file.pairs]
    features = features_of(options, pairs)
    make_features(features)
    return features


def _named_texts(X, files):
    """Return a context in which an error of texts that are missing names the option for them."""
    return naming_options(X, format_of(files[0].format).texts_by)


def _trained(X, y, lines, start, features, files, options):
    """Train on judgements alone."""
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    from sklearn_mteval.models import train_on_campaign

    if features is not None:
        features = _with_layers(features, options, X, y, lines)
    with _named_texts(X, files), warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # the table shows what is undefined
        return train_on_campaign(
            X,
            y,
            features=features,
            classifier=options["classifier"] or "ensemble",
            segments=lines,
            start_from=start,
            campaigns=[
                f"{Path(path).resolve().name} {pair or ''}".strip()
                for path, _, pairs in files
                for pair in pairs
            ],
            random_state=options["seed"],
            n_jobs=options["jobs"],
            progress=False,
            **{name: options[name] for name in _OF_TRAINING},
        )


def _with_layers(features, options, X, y, lines):
    """Give features the best layers of the encoder, unless known or chosen, and print how good."""
    from sklearn_mteval.models.encoder_layers import choose_layers
    from sklearn_mteval.report.training import agreement_report

    encoder, given = options["encoder"], options["encoder_layers"]
    ours = [
        part
        for part in features
        if isinstance(part, dict)
        and part.get("name") in WITH_LAYERS
        and part.get("encoder") == encoder
    ]
    if encoder is None or given not in (None, "choose") or not ours:
        return features
    layers, table = choose_layers(
        encoder, X, y, segments=lines, held_out=options["held_out"],
        random_state=options["seed"], always=given == "choose", device=options["device"] or "cpu",
    )  # fmt: skip
    if table:
        chosen = ", ".join(map(str, layers))
        show(f"\nThe encoder's layers, nothing learnt, on segments of the training; {chosen}:\n")
        show(agreement_report(table))
    return [{"layers": layers} | part if part in ours else part for part in features]


def _train_with_scores(X, y, documents, names, features, options):
    """Train, and print how it went; return the model and what its signature notes."""
    from sklearn_mteval.models.score_stacking import train_on_scores
    from sklearn_mteval.report.training import stacking_report

    units = "segments" if documents is None else f"the {documents.nunique()} documents"
    model, table, chosen = train_on_scores(
        X,
        y,
        names,
        features=features,
        normalize=options["normalize"],
        documents=documents,
        random_state=options["seed"],
        n_jobs=options["jobs"],
        progress=False,
    )
    show(
        f"\nTrained on {len(X)} translations; the model takes the mean of {', '.join(chosen)}. On "
        f"{units} held out, in five folds:\n"
    )
    show(stacking_report(table))
    ours, best = table[0], table[2]
    return model, {
        "acc_eq": ours.accuracy,
        "metrics": ", ".join(chosen),
        "best_metric": best.name,
        "best_metric_acc_eq": best.accuracy,
        "difference_low": ours.low,
        "difference_high": ours.high,
    }


def _show(given, result, X, y, start):
    """Draw the learning curve, and how true the model's probabilities are; write the page."""
    import numpy as np

    from sklearn_mteval.cli import _calibration
    from sklearn_mteval.models.opening import with_source
    from sklearn_mteval.models.training_result import NEW

    unseen = np.setdiff1d(np.arange(len(X)), result.train)
    held_out = X.iloc[unseen] if start is None else with_source(X.iloc[unseen], str(start))
    plots = []
    if _reports.draws(given):
        plots = _calibration.calibration_of({NEW: (result.model, held_out, y.iloc[unseen])})
    contents = partial(_contents, result.model, held_out, y.iloc[unseen])
    _reports.show(given, _reports.Work(result, "A new model", contents, plots))


def _contents(model, X, y, **all_segments):
    """Return segments and themes of the page: what was held out."""
    from sklearn_mteval.datasets.judgements import judgements_of
    from sklearn_mteval.evaluation import collect_scores
    from sklearn_mteval.models.training_result import NEW

    judged = judgements_of({}, X=X, y=y)
    metrics = ("chrf",) if "reference" in X else ()
    scores = collect_scores(judged, metrics=metrics, models=[(NEW, model)], judged_only=True)
    given, order = {"": (judged, scores)}, [NEW, *metrics]
    return _html.contents_of_judgements(given, order=order, model=model, **all_segments)


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
    if files[0].format == "wmt" or chosen or "reference" not in X:
        return None
    return recommended_model(X, encoders=False)


def _say_what_would_be(X, y, lines, start, features, options, with_scores):
    """Say what the judgements are, and what would be made of them."""
    from sklearn_mteval.models.enough_judgements import split_of

    said = _judgements.summary_of(X, y)
    if with_scores:
        said += "would train: together with the metrics, tested in five folds\n"
    else:
        lines, train, _ = split_of(X, y, lines, options["held_out"], options["seed"])
        n_all, n_train = lines.index.nunique(), lines.index[train].nunique()
        said += f"would start from: {start or 'nothing'}\n"
        names = [one if isinstance(one, str) else str(one.get("name")) for one in features or ()]
        said += f"features: {', '.join(names) or f'those of {start}'}\n"
        said += f"classifier: {options['classifier'] or 'ensemble'}\n"
        said += f"would train on {n_train} segments, and hold {n_all - n_train} out\n"
    write(said, "-")


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
