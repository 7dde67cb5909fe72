"""The standard experiment: hold segments out, grid-search, compare with BLEU.

What the commands ``demo`` and ``train`` do, for Python.
"""

from copy import copy
from functools import partial
from typing import NamedTuple

import joblib
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit, ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import BLEUComp, sentence_bleu
from sklearn_mteval.metrics import kendall_tau, kendall_tau_counts, kendall_tau_interval
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.folds import SegmentKFold
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.scorers import kendall_tau_scorer

__all__ = [
    "Agreement",
    "agreement",
    "bleu_pipeline",
    "cross_validated_experiment",
    "grid_search",
    "held_out_agreement",
    "hold_out_segments",
    "load_campaign",
    "train_on_campaign",
]


INNER_FOLDS = 5  # of a grid search
DEMO_GRID = {
    "rank__estimator__logisticregression__C": [0.1, 1, 10],
    "rank__recomposition": ["hard", "soft"],
}


class Agreement(NamedTuple):
    """How well strengths agree with human ranks.

    Attributes
    ----------
    name : str
        What was measured.
    tau : float
        Kendall's tau, strict ("wmt12"), pooled over pairs, in [-1, 1].
    low, high : float
        Its 95 % interval by bootstrap over segments.
    ties : int
        Pairs that the human decides and the metric ties.
    pairs : int
        Pairs that the human decides.
    accuracy : float
        Share of the ordered pairs that the classifier decides as the human did; for a
        metric, of those that its score decides so.
    """

    name: str
    tau: float
    low: float
    high: float
    ties: int
    pairs: int
    accuracy: float


def bleu_pipeline(recomposition="soft", C=1.0):
    """Build the pipeline of the README: BLEU's components, scaled, logistic regression.

    Parameters
    ----------
    recomposition : str, default="soft"
        How pair decisions become ranks.
    C : float, default=1.0
        Inverse strength of the regularisation.

    Returns
    -------
    Pipeline
        Not fitted; features keep the index.
    """
    classifier = make_pipeline(PairDifference(), LogisticRegression(C=C, max_iter=1000))
    return Pipeline(
        [
            ("features", BLEUComp()),
            ("scale", MinMaxScaler((-1, 1))),
            ("rank", RankRecomposer(classifier, recomposition=recomposition)),
        ]
    ).set_output(transform="pandas")


def hold_out_segments(X, share, *, random_state=0):
    """Split rows into training and test so that no segment is in both.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table.
    share : float
        Of the segments, for the test; between 0 and 1.
    random_state : int, RandomState or None, default=0
        Seed of the choice.

    Returns
    -------
    train : ndarray, int64
        Row positions.
    test : ndarray, int64
        The other row positions.
    """
    splitter = GroupShuffleSplit(n_splits=1, test_size=share, random_state=random_state)
    labels = pd.factorize(segment_labels(X), sort=True)[0]
    return next(splitter.split(X, groups=labels))


def grid_search(pipeline, grid, X, y, *, n_splits=INNER_FOLDS, n_jobs=None, bar=None):
    """Run GridSearchCV over segments by Kendall's tau, moving a progress bar.

    Parameters
    ----------
    pipeline : Pipeline
        What to tune.
    grid : dict
        Parameter names to values.
    X, y : DataFrame and Series
        Training data.
    n_splits : int, default=5
        Folds of whole segments.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    bar : tqdm, optional
        Moved by one at each fit; there are as many as grid points times folds.

    Returns
    -------
    GridSearchCV
        Fitted, the best parameters refitted on all of X.
    """
    # Threads, so that the scorer can move the bar; numpy works outside the lock. Its own
    # threads would only compete with these.
    with joblib.parallel_config(backend="threading"), threadpool_limits(1):
        search = GridSearchCV(
            pipeline, grid, scoring=partial(_counted, bar), cv=SegmentKFold(n_splits), n_jobs=n_jobs
        ).fit(X, y)
    search.scorer_ = search.scoring = kendall_tau_scorer  # scores from now on move no bar
    return search


def _counted(bar, estimator, X, y):
    """Score, and move the bar."""
    score = kendall_tau_scorer(estimator, X, y)
    if bar is not None:
        bar.update()
    return score


def agreement(name, X, y, strengths, *, accuracy=None):
    """Measure how well strengths agree with human ranks.

    Parameters
    ----------
    name : str
        What is measured.
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table.
    y : array-like of shape (n_candidates,)
        Human ranks, lower is better.
    strengths : array-like of shape (n_candidates,)
        Higher is better.
    accuracy : float, optional
        The classifier's own; default: share of pairs that the strengths decide rightly.

    Returns
    -------
    Agreement
        Tau, its interval, ties, pairs, accuracy.
    """
    ranks = check_ranks(y, X)
    groups = comparable_groups(X)
    counts = kendall_tau_counts(ranks, strengths, groups=groups)
    pairs = counts.concordant + counts.discordant + counts.tied_metric
    low, high = kendall_tau_interval(ranks, strengths, groups=groups, segments=segment_labels(X))
    if accuracy is None:
        accuracy = counts.concordant / pairs if pairs else float("nan")
    tau = kendall_tau(ranks, strengths, groups=groups)
    return Agreement(name, tau, low, high, counts.tied_metric, pairs, accuracy)


def held_out_agreement(models, X, y):
    """Compare BLEU with fitted pipelines under several recompositions, on held-out data.

    Parameters
    ----------
    models : list of (test, {name: (model, recompositions)})
        Row positions held out, and the pipelines trained without them: each ends in a
        RankRecomposer. The same names in every entry, the test sets disjoint.
    X, y : DataFrame and Series
        The data; rows in no test set are left out.

    Returns
    -------
    list of Agreement
        BLEU, then each model with each of its recompositions.
    """
    rows = np.concatenate([test for test, _ in models])
    strengths, correct = {}, {}
    for test, named in models:
        for name, (model, recompositions) in named.items():
            features = model[:-1].transform(X.iloc[test])
            correct.setdefault(name, []).append(_correct_pairs(model[-1], features, y.iloc[test]))
            for recomposition in recompositions:
                ranker = copy(model[-1]).set_params(recomposition=recomposition)
                strengths.setdefault((name, recomposition), []).append(
                    ranker.decision_function(features)
                )
    X, y = X.iloc[rows], y.iloc[rows]
    table = [agreement("BLEU", X, y, sentence_bleu(X))]
    for (name, recomposition), parts in strengths.items():
        accuracy = float(np.concatenate(correct[name]).mean())
        label = f"{name}, {recomposition}"
        table.append(agreement(label, X, y, np.concatenate(parts), accuracy=accuracy))
    return table


def _correct_pairs(ranker, features, y):
    """Tell of each ordered pair that the human decides whether the classifier agrees."""
    better = ranker.compare(features)["probability"]
    levels = features.index.names
    ranks = pd.Series(np.asarray(y), index=features.index)
    first, second = (
        ranks.loc[better.index.droplevel(other).set_names(levels)].to_numpy()
        for other in ("system_2", "system_1")
    )
    decided = first != second
    return ((better.to_numpy() > 0.5) == (first < second))[decided]


def cross_validated_experiment(X, y, *, n_splits=4, n_jobs=None, progress=True):
    """Tune on each training part by grid search, judge on the segments held out.

    Nested cross-validation: no figure is measured on a segment that its model has seen,
    in training or in tuning. Logistic regression is tuned; k-nearest neighbours with
    k = √(number of training pairs) stands beside it, as in the 2012 paper: its decisions
    are often circular, so that it shows what soft recomposition is for.

    Parameters
    ----------
    X, y : DataFrame and Series
        Candidates with ``hypothesis`` and ``reference``, and their ranks.
    n_splits : int, default=4
        Outer folds; the inner search has 5.
    n_jobs : int or None, default=None
        Threads.
    progress : bool, default=True
        Whether to show a bar on standard error.

    Returns
    -------
    list of Agreement
        BLEU; logistic regression hard, soft, expected; k-nearest neighbours hard, soft.
    test : ndarray
        Rows that the last model has not seen.
    model : Pipeline
        The last fold's logistic regression.
    """
    models = []
    n_fits = n_splits * len(ParameterGrid(DEMO_GRID)) * INNER_FOLDS
    with tqdm(total=n_fits, desc="grid search", unit="fit", disable=not progress) as bar:
        for train, test in SegmentKFold(n_splits).split(X):
            X_train, y_train = X.iloc[train], y.iloc[train]
            search = grid_search(
                bleu_pipeline(), DEMO_GRID, X_train, y_train, n_jobs=n_jobs, bar=bar
            )
            regression = search.best_estimator_
            n_neighbors = int(regression[-1].n_pairs_ ** 0.5)
            nearest = make_pipeline(
                PairDifference(), KNeighborsClassifier(n_neighbors, algorithm="kd_tree")
            )
            neighbours = bleu_pipeline().set_params(rank__estimator=nearest).fit(X_train, y_train)
            named = {
                "logistic regression": (regression, ("hard", "soft", "expected")),
                "k-nearest neighbours": (neighbours, ("hard", "soft")),
            }
            models.append((test, named))
    return held_out_agreement(models, X, y), test, regression


def load_campaign(root, lang_pairs):
    """Load one or more language pairs of a WMT campaign into one table.

    Parameters
    ----------
    root : path-like
        The campaign's folder.
    lang_pairs : list of str
        E.g. ["de-en"]. Rankings of different pairs are never compared; segments of one
        line number count as one segment, so that multi-parallel texts stay together.

    Returns
    -------
    X : DataFrame
        Indexed by (segment, ranking, system).
    y : Series
        Ranks.
    """
    repeated = {pair for pair in lang_pairs if lang_pairs.count(pair) > 1}
    if repeated:
        raise ValueError(f"The language pair {sorted(repeated)[0]} is given twice.")
    parts = [load_wmt(root, pair, return_X_y=True) for pair in lang_pairs]
    return pd.concat([X for X, _ in parts]), pd.concat([y for _, y in parts])


def train_on_campaign(
    X, y, *, recomposition="soft", held_out=0.2, random_state=0, n_jobs=None, progress=True
):
    """Tune and train the standard pipeline, test it on segments held out.

    Parameters
    ----------
    X, y : DataFrame and Series
        Candidates with ``hypothesis`` and ``reference``, and their ranks.
    recomposition : str, default="soft"
        How pair decisions become ranks.
    held_out : float, default=0.2
        Share of segments to test on.
    random_state : int, RandomState or None, default=0
        Seed of their choice.
    n_jobs : int or None, default=None
        Threads.
    progress : bool, default=True
        Whether to show a bar on standard error.

    Returns
    -------
    model : Pipeline
        Trained on the segments that were not held out.
    table : list of Agreement
        BLEU and the model, on the segments held out.
    train : ndarray
        Row positions of the training data.
    scores : dict
        The model's figures, for its signature.
    """
    if not 0 < held_out < 1:
        raise ValueError(f"held_out must lie between 0 and 1, found {held_out}.")
    train, test = hold_out_segments(X, held_out, random_state=random_state)
    grid = {"rank__estimator__logisticregression__C": [0.1, 1, 10]}
    n_fits = len(ParameterGrid(grid)) * INNER_FOLDS
    with tqdm(total=n_fits, desc="grid search", unit="fit", disable=not progress) as bar:
        search = grid_search(
            bleu_pipeline(recomposition), grid, X.iloc[train], y.iloc[train], n_jobs=n_jobs, bar=bar
        )
    model = search.best_estimator_
    table = held_out_agreement([(test, {"model": (model, (recomposition,))})], X, y)
    result = table[-1]
    scores = {
        "tau": result.tau,
        "tau_low": result.low,
        "tau_high": result.high,
        "tau_variant": "wmt12",
        "pair_accuracy": result.accuracy,
        "bleu_tau": table[0].tau,
        "held_out_pairs": result.pairs,
    }
    return model, table, train, scores
