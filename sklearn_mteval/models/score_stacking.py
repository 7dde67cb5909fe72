"""Training together with outside metrics: which of them, their mean, and when annotators tie.

Learnt weights of metrics do not carry over to another language pair; equal weights do.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ScoreColumn
from sklearn_mteval.metrics import calibrate_ties, paired_bootstrap
from sklearn_mteval.models.starting_models import with_features
from sklearn_mteval.pairwise.folds import SegmentKFold
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline

_FOLDS = 5


class StackedAgreement(NamedTuple):
    """How well scores agree with annotators on held-out documents, against the best single metric.

    ``accuracy`` is acc_eq in [0, 1], its threshold for ties calibrated on all judgements;
    ``difference`` that from the best single metric, ``low`` to ``high`` its 95 % interval,
    bootstrap over documents; ``p``, two-sided, of that difference.
    """

    name: str
    accuracy: float
    difference: float
    low: float
    high: float
    p: float


def train_on_scores(
    X: pd.DataFrame, y: pd.Series, names: list[str], *, features: Any = None,
    normalize: bool = False, documents: ArrayLike | None = None, random_state: Seed = 0,
    n_jobs: int | None = None, progress: bool = True
) -> tuple[Pipeline, list[StackedAgreement], list[str]]:  # fmt: skip
    """Train a ranker on the scores of outside metrics, cross-validated by document.

    The model learns from the mean of the standardised scores that :func:`choose_scores` chooses,
    and from ``features`` of texts if they are asked for, as for :func:`train_on_campaign`, how
    likely annotators prefer one translation or tie both. It is tested in five folds of whole
    ``documents`` (default: segments), in each of which metrics are chosen anew, and then trained on
    all. ``names`` are the columns of X that are scores, higher is better; of y lower is better.

    Returned are the model; a list of StackedAgreement (the model, the plain mean of the metrics
    chosen, and each metric, best first, on documents held out); and the metrics chosen, in order.
    CandidateError if there is no such column, a score is missing, or there are fewer than five
    documents; ValueError for features that do not exist.
    """
    names = sorted(names)
    ScoreColumn(names).fit(X)  # whose errors say what is missing
    X = X[[*X.columns.difference(names, sort=False), *names]]  # in whatever order they were given
    check_ranks(y, X)
    units = pd.Index(segment_labels(X) if documents is None else documents, name="segment")
    if len(units) != len(X):
        raise CandidateError(f"documents has {len(units)} entries for {len(X)} rows of X.")
    if units.nunique() < _FOLDS:
        raise CandidateError(
            f"{_FOLDS} folds need as many documents, or segments where documents are not known, "
            f"found {units.nunique()}."
        )
    folds = SegmentKFold(_FOLDS, shuffle=True, random_state=random_state)
    splits = list(folds.split(pd.DataFrame(index=units)))

    def fitted(rows):
        """Choose metrics and train on some rows."""
        part, ranks = X.iloc[rows], y.iloc[rows]
        chosen = choose_scores(part, ranks, names, units[rows], random_state=random_state)
        model = _unfitted(chosen, features, normalize, ranks).fit(part, ranks)
        step.advance()
        return model, chosen

    def held_out(train, test):
        """Return strengths, and the plain mean, of what a model has not seen."""
        model, chosen = fitted(train)
        mean = ScoreColumn(chosen).fit(X.iloc[train]).transform(X.iloc[test])[:, 0]
        return np.column_stack([model.decision_function(X.iloc[test]), mean])

    with working("training", _FOLDS + 1, "fits", shown=progress) as step, threadpool_limits(1):
        found = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(held_out)(*split) for split in splits
        )
        model, chosen = fitted(np.arange(len(X)))
    unseen = np.empty((len(X), 2))
    for (_, test), values in zip(splits, found, strict=True):
        unseen[test] = values
    columns = {"model": unseen[:, 0], "mean of those chosen": unseen[:, 1]}
    scores = pd.DataFrame(columns, X.index).join(X[names])
    return model, _compared(y, scores, len(columns), units, random_state), chosen


def choose_scores(
    X: pd.DataFrame, y: pd.Series, names: list[str], units: ArrayLike, *, random_state: Seed = 0
) -> list[str]:  # fmt: skip
    """Choose the metrics whose mean is worth taking, one at least, in the order of their choice.

    Metrics are added one by one, each time the one with which the mean of the standardised scores
    has the highest acc_eq. Of these means the longest is taken that is not significantly worse than
    the best: the 95 % interval of the difference (bootstrap over ``units``) has 0 in it.
    """
    groups = comparable_groups(X)
    left = {name: ScoreColumn([name]).fit_transform(X)[:, 0] for name in sorted(names)}
    chosen, means, found = [], {}, {}
    total = np.zeros(len(X))
    while left:
        tried = {name: calibrate_ties(y, total + left[name], groups=groups) for name in left}
        name = max(tried, key=lambda name: tried[name].accuracy)
        total = total + left.pop(name)
        chosen.append(name)
        means[len(chosen)], found[len(chosen)] = total, tried[name]
    if len(chosen) == 1:
        return chosen
    best = max(found, key=lambda n: found[n].accuracy)
    epsilon = {str(n): calibrated.epsilon for n, calibrated in found.items()}
    table = pd.DataFrame({str(n): mean for n, mean in means.items()}, X.index)
    low = _bootstrap(y, table, groups, units, epsilon, random_state).low[best - 1]
    return chosen[: max(n for n in found if n <= best or not low[n - 1] > 0)]


def join_scores(X: pd.DataFrame, scores: dict, *, missing: str = "error") -> pd.DataFrame:
    """Join scores of metrics, Series by name that segment and system index, to judged translations.

    A translation without a score of some metric is an error or, where ``missing="skip"``, left out:
    CandidateError, also if none is left; ValueError if a metric is named like a column of X.
    """
    check_one_of("missing", missing, ("error", "skip"))
    taken = [name for name in scores if name in X.columns]
    if taken:
        raise ValueError(f"A metric cannot be named {taken[0]!r}, as a column of the table is.")
    rest = [level for level in X.index.names if level not in ("segment", "system")]
    rows = X.index.droplevel(rest)
    columns = {name: column.reindex(rows).to_numpy(float) for name, column in scores.items()}
    joined = X.assign(**columns)
    lacking = joined[list(columns)].isna()
    there = ~lacking.any(axis=1)
    if missing == "error" and not there.all():
        row = int(np.flatnonzero(~there)[0])
        raise CandidateError(
            f"The metric {lacking.iloc[row].idxmax()} has no score of {rows[[row]].tolist()[0]}; "
            f"{(~there).sum()} of {len(X)} translations have no score of some metric: leave "
            "these out by --missing skip (missing='skip'), or the metric."
        )
    if not there.any():
        raise CandidateError("No translation has a score of every metric.")
    return joined[there]


def _unfitted(chosen, features, normalize, y):
    """Make the pipeline for metrics that are chosen."""
    columns = with_features(ScoreColumn(chosen, name="metrics"), features, normalize)
    groups = comparable_groups(y.to_frame())
    tied = pd.Series(y.to_numpy()).groupby(groups).nunique().lt(np.bincount(groups)).any()
    ranker = RankRecomposer(recomposition="log-odds", ties="model" if tied else "drop")
    steps = [("features", columns), ("rank", ranker)]
    return RankingPipeline(steps).set_output(transform="pandas")


def _compared(y, scores, n_own, units, random_state):
    """Compare what is held out with the best single metric; ours first, then the metrics."""
    groups = comparable_groups(scores)
    calibrated = {name: calibrate_ties(y, scores[name], groups=groups) for name in scores}
    epsilon = {name: found.epsilon for name, found in calibrated.items()}
    own, single = list(scores)[:n_own], list(scores)[n_own:]
    single.sort(key=lambda name: -calibrated[name].accuracy)
    found = _bootstrap(y, scores, groups, units, epsilon, random_state)
    matrices = found.differences, found.low, found.high, found.p_values
    to = found.names.index(single[0])
    compared = [[float(of_all[k, to]) for of_all in matrices] for k in range(len(found.names))]
    figures = dict(zip(found.names, compared, strict=True))
    return [
        StackedAgreement(name, calibrated[name].accuracy, *figures[name]) for name in own + single
    ]


def _bootstrap(y, scores, groups, units, epsilon, random_state):
    """Compare columns of scores by acc_eq, resampling units."""
    return paired_bootstrap(
        y, scores, groups=groups, documents=units, statistic="acc_eq", average="groups",
        epsilon=epsilon, random_state=random_state,
    )  # fmt: skip
