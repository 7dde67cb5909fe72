"""Training of one ranker on rankings: tuned by cross-validation, tested on segments held out."""

from collections.abc import Iterable
from itertools import starmap
from typing import Any

import joblib
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from sklearn_mteval._helpers.memory import gibibytes, peak_memory
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets.corruptions.corrupt import check_kinds
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS
from sklearn_mteval.datasets.corruptions.training import corrupted_judgements
from sklearn_mteval.datasets.joined import joined_judgements
from sklearn_mteval.features import MetricScores, NormalizeText
from sklearn_mteval.metrics import kendall_tau_counts
from sklearn_mteval.models import agreement
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.enough_judgements import split_of
from sklearn_mteval.models.opening import is_english, open_model, with_source
from sklearn_mteval.models.short_names import make_classifier, make_features
from sklearn_mteval.models.starting_models import started_from
from sklearn_mteval.models.training_result import FEATURE, NEW, TrainingResult, recommended_of
from sklearn_mteval.pairwise.folds import SegmentKFold
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline
from sklearn_mteval.pairwise.scorers import kendall_tau_scorer
from sklearn_mteval.pairwise.windowed import Windowed
from sklearn_mteval.stacking.model_columns import is_of_model

_FOLDS = 5  # of the choice of parameters


def train_on_campaign(
    X: pd.DataFrame, y: pd.Series, *, features: Any = None, classifier: Any = "logreg",
    normalize: bool = False, recomposition: str = "soft", held_out: float = 0.2,
    segments: ArrayLike | None = None, robust: bool = False, joined: bool = False,
    start_from: PathLike | None = None, campaigns: Iterable[str] = (), windows: bool = False,
    random_state: Seed = 0, n_jobs: int | None = None, progress: bool = True
) -> TrainingResult:  # fmt: skip
    """Tune and train a pipeline, and compare it with a ready-made one on segments held out.

    Parameters
    ----------
    X, y : DataFrame and Series
        Candidates with the text columns that the features read, and their ranks, as
        ``load_campaigns`` gives them.
    features : str, dict, transformer or list of these, optional
        "static", "encoder", "no-reference" or "any" (see ``features.recommended``); "bleu", "chrf",
        "chrf++", "ter", "meteor", "nist", "surface", "contrastive"; the name of a transformer in
        ``sklearn_mteval.features``; a dict of one of these as "name", and its options. None:
        "bleu", or none in addition to those of ``start_from``.
    classifier : str, dict or classifier, default="logreg"
        "logreg" (tuned, on differences), "ensemble"
        (:class:`~sklearn_mteval.classifiers.PairEnsemble`), "nn" (a symmetric
        :class:`~sklearn_mteval.PairwiseNN`), "knn" or "naive-bayes"; a dict as for ``features``.
        What starts from a model has an ensemble.
    normalize : bool, default=False
        Whether :class:`~sklearn_mteval.features.NormalizeText` stands in front of the features.
    recomposition : str, default="soft"
        How pair decisions become ranks.
    held_out : float, default=0.2
        Proportion of segments to test on.
    segments : array-like of shape (n_candidates,), optional
        Labels of what is held out and resampled together; default: the index level ``segment``. A
        Series named "document" is said to be of documents.
    robust : bool, default=False
        Whether corrupted translations are trained on, too
        (:func:`~sklearn_mteval.datasets.add_corruptions`). What is held out has none.
    joined : bool, default=False
        Whether texts of 2 to 8 neighbouring segments (by the numbers at the end of their labels)
        are trained on, too, a quarter as many as there are segments, each system's with the mean of
        its ranks there. What is held out is not joined.
    start_from : path-like, optional
        The name of a ready-made model, or the folder of a saved one, to start from: its features
        are taken, and its strengths count as much as they are right.
    campaigns : iterable of str, default=()
        What the judgements are of, "wmt15 de-en" say: some ready-made models were trained on them,
        and a recommendation of the new model holds for these.
    windows : bool, default=False
        Whether the model judges texts of several sentences in aligned windows: it is then a
        :class:`~sklearn_mteval.pairwise.Windowed`, fitted on whole texts and tested in windows.
    random_state : int, RandomState or None, default=0
        Seed of what is held out, of corruptions, joined segments and parts of the segments.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    progress : bool, default=True
        Whether to show on standard error how far it has come, and the most memory taken so far.

    Returns
    -------
    TrainingResult
        The ``model`` (a Pipeline, or windows around it), trained on the segments that were not held
        out, its ``comparison`` with others on those that were, ``train``, ``scores``,
        ``learning_curve`` and ``recommendation``. Without references, there are no BLEU and chrF.

    Raises
    ------
    ValueError
        If an option has no such value; as CandidateError, if X or y cannot be trained on.
    """
    start = None if start_from is None else open_model(start_from, windows=False)
    if start is None:
        pipeline, grid = _unfitted(features or "bleu", classifier, normalize, recomposition)
    else:
        pipeline, grid = started_from(start, features, normalize, recomposition), [{}]
        X = with_source(X, str(start_from))
    lines, train, test = split_of(X, y, segments, held_out, random_state)
    X_test, y_test = X.iloc[test], y.iloc[test]
    check_boolean(robust=robust, joined=joined)
    given = X.iloc[train], y.iloc[train]
    X_train, y_train, origin = _with_more(*given, robust, joined, random_state)
    # What is joined of several lines is in no fold, and in those parts that have all of them.
    codes = pd.factorize(lines.index[train], sort=True)[0][origin]
    in_folds = np.flatnonzero((codes == codes[:, :1]).all(axis=1))
    n_fits = 1 + (_FOLDS * len(grid) if len(grid) > 1 else 0)
    training = working("training", n_fits, "fits", shown=progress)
    # Threads, which count in one step; numpy works outside the lock. Its own would only compete.
    with training as step, joblib.parallel_config(backend="threading"), threadpool_limits(1):
        if len(grid) > 1:
            splits = SegmentKFold(_FOLDS).split(lines.iloc[train[origin[in_folds, 0]]])
            given = X_train.iloc[in_folds], y_train.iloc[in_folds]
            pipeline.set_params(**_tuned(pipeline, grid, *given, splits, n_jobs, step))
        seen = pipeline[:-1].fit_transform(X_train, y_train)
        pipeline[-1].fit(seen, y_train)
        _count(step)
        unseen = pipeline[:-1].transform(X_test)
        ranker, units = pipeline[-1], lines.index[test]
        anchor = "reference" if agreement.reads_references(pipeline, X_test) else "source"
        model = Windowed.of(pipeline, anchor=anchor) if windows else pipeline
        own = model.decision_function(X_test) if windows else ranker.decision_function(unseen)
        strengths = {NEW: own}
        ready = agreement.ready_made_strengths(X_test, pipeline)
        if start is not None:
            ready.setdefault(str(start_from), start.decision_function(X_test))
        name, sign = _best_feature(seen.iloc[: len(train)], y_train.iloc[: len(train)])
        best = f"{FEATURE}{'-' if sign < 0 else ''}{name}"
        strengths |= {**ready, best: sign * unseen[name].to_numpy(), **_metrics(X_test)}
        right = None
        if hasattr(ranker.estimator_, "predict_proba"):
            right = float(agreement.pairs_decided_rightly(ranker, unseen, y_test).mean())
        compared = agreement.compare_strengths(strengths, X_test, y_test, units, accuracy=right)
        table, better = compared
        table.insert(0, "kind", [_kind_of(name, ready) for name in table.index])
        campaigns = list(campaigns)
        seen_by = [
            name for name, c in READY_MADE.items() if {*c.trained_on}.intersection(campaigns)
        ]
        table["seen"] = table.index.isin(seen_by)
        curve = agreement.learning_curve(
            ranker, seen, y_train, codes, unseen, y_test, units, strengths[NEW], random_state
        )
    sizes = int(codes.max()) + 1, units.nunique()
    unit = "document" if getattr(segments, "name", None) == "document" else "segment"
    curve.index.name, begun = f"{unit}s", start_from and str(start_from)
    use = recommended_of(table, better, sizes[1], start=begun, of=campaigns, unit=unit)
    return TrainingResult(model, table, train, _scores(table), curve, use, *sizes, unit)


def _unfitted(features, classifier, normalize, recomposition):
    """Make the pipeline, and the list of parameters to try."""
    classifier, tried = make_classifier(classifier)
    steps = [("normalize", NormalizeText())] if normalize else []
    steps += [("features", make_features(features)), ("scale", MinMaxScaler((-1, 1)))]
    steps += [("rank", RankRecomposer(classifier, recomposition=recomposition))]
    pipeline = clone(RankingPipeline(steps)).set_output(transform="pandas")
    grid = {f"rank__estimator__{name}": values for name, values in tried.items()}
    return pipeline, list(ParameterGrid(grid))


def _with_more(X, y, robust, joined, random_state):
    """Add corruptions and joined segments; return table, ranks, and origins, (n_rows, n_joined)."""
    n, origin = len(X), np.arange(len(X))[:, None]
    if robust:
        english = is_english(X, "hypothesis")
        kinds = check_kinds(None, X.columns)
        kinds = [kind for kind in kinds if english or CORRUPTIONS[kind].languages != ("en",)]
        X, y, made_of = corrupted_judgements(X, y, kinds, random_state=random_state)
        origin = made_of[:, None]
    if joined:
        # Not of corruptions, nor corrupted: near-copies of long references, which lose, would teach
        # that long texts near their references are bad.
        more, ranks, rows = joined_judgements(X[:n], y[:n], random_state=random_state)
        if len(more):
            X, y = pd.concat([X, more]), pd.concat([y, ranks])
            origin = np.vstack([np.repeat(origin, rows.shape[1], axis=1), rows])
    return X, y, origin


def _tuned(pipeline, grid, X, y, splits, n_jobs, step):
    """Choose parameters of the ranker by Kendall's tau over folds; features are computed once."""

    def of_fold(train, test):
        """Score all of the grid on one fold."""
        features = clone(pipeline[:-1])
        seen = features.fit_transform(X.iloc[train], y.iloc[train])
        unseen = features.transform(X.iloc[test])
        taus = []
        for parameters in grid:
            given = {name.removeprefix("rank__"): value for name, value in parameters.items()}
            ranker = clone(pipeline[-1]).set_params(**given, standalone=False)
            ranker.fit(seen, y.iloc[train])
            taus.append(kendall_tau_scorer(ranker, unseen, y.iloc[test]))
            _count(step)
        return taus

    taus = Parallel(n_jobs=n_jobs, require="sharedmem")(starmap(delayed(of_fold), splits))
    return grid[int(np.mean(taus, axis=0).argmax())]


def _count(step):
    """Count a fit, and show the memory that was taken."""
    peak = peak_memory()
    step.advance(note="" if peak is None else f"{gibibytes(peak)} at most")


def _best_feature(table, y):
    """Find the column, of no other model, that agrees best by Kendall's tau, and its sign."""
    groups = comparable_groups(table)
    found = []
    for name in table:
        if is_of_model(name):
            continue
        counts = kendall_tau_counts(y, table[name], groups=groups)
        lead = counts.concordant - counts.discordant
        found.append((abs(lead) - counts.tied_metric, name, 1 if lead >= 0 else -1))
    return max(found, key=lambda entry: entry[0])[1:]  # of equal ones the first


def _kind_of(name, ready):
    """Return what a row of the comparison is; ``ready`` has the models that were there before."""
    if name == NEW:
        return "new"
    if name.startswith(FEATURE):
        return "feature"
    if name in ready:
        return "ready-made" if name in READY_MADE else "saved"
    return "metric"


def _metrics(X):
    """Score candidates by the metrics that everybody knows, by label."""
    if "reference" not in X.columns:
        return {}
    scores = MetricScores(["chrf", "bleu"]).fit_transform(X)
    return dict(zip(("chrF", "BLEU"), scores.T, strict=True))


def _scores(table):
    """Sum up for the signature of a saved model."""
    result = table.loc[NEW]
    found = {
        "tau": result["tau"],
        "tau_low": result["low"],
        "tau_high": result["high"],
        "tau_variant": "wmt12",
        "pair_accuracy": result["accuracy"],
        "held_out_pairs": int(result["pairs"]),
    }
    for name, row in table.iterrows():
        if row["kind"] == "metric":
            found[f"{name.lower()}_tau"] = row["tau"]
        elif row["kind"] == "feature":
            found["best_feature"] = name.removeprefix(FEATURE)
            found["best_feature_tau"] = row["tau"]
        elif row["kind"] in ("ready-made", "saved"):
            found[f"{name}_tau"] = row["tau"]
    return found
