"""The standard experiment, ``demo``: hold segments out, grid-search, compare with BLEU."""

from functools import partial

import joblib
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from sklearn_mteval._helpers.progress import working
from sklearn_mteval.features import BLEUComp
from sklearn_mteval.models.agreement import held_out_agreement
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.folds import SegmentKFold
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline
from sklearn_mteval.pairwise.scorers import kendall_tau_scorer

_INNER_FOLDS = 5  # of a grid search
_GRID = {
    "rank__estimator__logisticregression__C": [0.1, 1, 10],
    "rank__recomposition": ["hard", "soft"],
}


def bleu_pipeline(recomposition: str = "soft", C: float = 1.0) -> RankingPipeline:
    """Build the simplest pipeline: BLEU's components, scaled, logistic regression.

    Parameters
    ----------
    recomposition : str, default="soft"
        How pair decisions become ranks.
    C : float, default=1.0
        Inverse strength of the regularisation.

    Returns
    -------
    RankingPipeline
        Not fitted; features keep the index.
    """
    classifier = make_pipeline(PairDifference(), LogisticRegression(C=C, max_iter=1000))
    ranker = RankRecomposer(classifier, recomposition=recomposition)
    steps = [("features", BLEUComp()), ("scale", MinMaxScaler((-1, 1))), ("rank", ranker)]
    return RankingPipeline(steps).set_output(transform="pandas")


def grid_search(pipeline, grid, X, y, *, n_splits=_INNER_FOLDS, n_jobs=None, bar=None):
    """Run GridSearchCV over folds of whole segments by Kendall's tau, in threads."""
    # Threads, so that the scorer can move the bar; numpy works outside the lock. Its own
    # threads would only compete with these.
    with joblib.parallel_config(backend="threading"), threadpool_limits(1):
        search = GridSearchCV(
            pipeline, grid, scoring=partial(_counted, bar), cv=SegmentKFold(n_splits), n_jobs=n_jobs
        ).fit(X, y)
    search.scorer_ = search.scoring = kendall_tau_scorer  # scores from now on move no bar
    return search


def _counted(bar, estimator, X, y):
    """Score, and move the bar by one."""
    score = kendall_tau_scorer(estimator, X, y)
    if bar is not None:
        bar.advance()
    return score


def cross_validated_experiment(X, y, *, n_splits=4, n_jobs=None, progress=True):
    """Tune on each training part by grid search, measure agreement on the segments held out.

    Logistic regression is compared with k-nearest neighbours, k = √(number of training pairs), as
    in the 2012 paper. Returned are a list of Agreement, the rows that the last model has not seen,
    and the last fold's logistic regression.
    """
    models, n_fits = [], n_splits * len(ParameterGrid(_GRID)) * _INNER_FOLDS
    with working("grid search", n_fits, "fits", shown=progress) as bar:
        for train, test in SegmentKFold(n_splits).split(X):
            X_train, y_train = X.iloc[train], y.iloc[train]
            search = grid_search(bleu_pipeline(), _GRID, X_train, y_train, n_jobs=n_jobs, bar=bar)
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
