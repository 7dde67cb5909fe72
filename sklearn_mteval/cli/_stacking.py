"""Training together with outside metrics, for ``train``: scores, what is printed, the model."""

from sklearn_mteval.cli import _judgements
from sklearn_mteval.cli._output import show
from sklearn_mteval.cli._scores import named

ALL = "all"  # of --scores: the metrics that the folders themselves have
_NOT_BESIDE = {
    "classifier": None,
    "from": None,
    "recomposition": "soft",
    "robust": False,
    "joined": False,
    "held_out": 0.2,
    "encoder_layers": None,
    "plots": None,
    "html": None,
}


def check_options(options, files):
    """Raise for options that do not go with scores of other metrics."""
    if not files:
        raise ValueError("--scores and --metric-scores are for FILE or --mtme, not for --wmt.")
    for name, default in _NOT_BESIDE.items():
        if options[name] != default:
            flag = f"--{name.replace('_', '-')}"
            raise ValueError(f"{flag} is for training without scores of other metrics.")
    given = [path for path in options["scores"] or [] if path != ALL]
    if given and (len(files) > 1 or len(options["lang_pair"] or []) > 1):
        raise ValueError(
            "--scores FILE are scores of one test set and language pair, and there are several: "
            f"train on one, or on the metrics of the folders themselves, --scores {ALL}."
        )


def load_scored(path, format, options):
    """Load judgements of one test set with the scores of metrics as columns; tell their names."""
    from sklearn_mteval.evaluation import collect_scores
    from sklearn_mteval.models.score_stacking import join_scores

    paths = [path for path in options["scores"] or [] if path != ALL]
    own = options["metric_scores"] or ALL in (options["scores"] or [])
    judged = _judgements.load_judged(path, format, options | {"metric_scores": own})
    scores = collect_scores(judged, files=map(named, paths))
    if not scores:
        raise ValueError(f"{path} has no scores of metrics: name files, --scores NAME=FILE.")
    X = join_scores(judged.X, scores, missing=options["missing"])
    return judged._replace(X=X, y=judged.y.loc[X.index]), list(scores)


def train_beside(X, y, documents, names, features, options):
    """Train, and print how it went; return the model and what its signature notes."""
    from sklearn_mteval.models.score_stacking import train_on_scores
    from sklearn_mteval.report.agreement import stacking_report

    units = "segments" if documents is None else f"the {documents.nunique()} documents"
    model, table, chosen = train_on_scores(
        X,
        y,
        names,
        features=features,
        normalize=options["normalize"],
        documents=documents,
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
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
