"""Scorer objects for ``scoring=…`` of GridSearchCV, cross_validate and their kin."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval.candidates import check_ranks, comparable_groups
from sklearn_mteval.metrics.segment.correlation import check_options, kendall_tau
from sklearn_mteval.metrics.segment.ties import pairwise_accuracy
from sklearn_mteval.pairwise.answers import strengths


def kendall_tau_scorer(
    estimator: Any, X: pd.DataFrame, y: ArrayLike, *, statistic: str = "wmt12",
    average: str = "pairs", threshold: float = 25.0, item_level: str | None = "system"
) -> float:  # fmt: skip
    """Compute Kendall's tau of an estimator's strengths with human ranks.

    Use it as ``scoring=kendall_tau_scorer``; groups are read from the index of X. Keywords are for
    :func:`make_kendall_tau_scorer`.

    Parameters
    ----------
    estimator : fitted estimator
        Strengths come from ``decision_function`` (higher is better) where it has one, else
        from ``predict`` (ranks or penalties in the orientation of y, lower is better).
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table.
    y : array-like of shape (n_candidates,)
        Rank-like, lower is better; a Series must have the index of X.
    statistic, average, threshold : see :func:`sklearn_mteval.kendall_tau`
        The same.
    item_level : str or None, default="system"
        Index level that tells the items of one ranking apart; None takes all rows as one.

    Returns
    -------
    float
        In [-1, 1], higher is better; NaN, with a warning, if no pair counts.
    """
    ranks = check_ranks(y, X)
    groups = comparable_groups(X, item_level=item_level)
    if hasattr(estimator, "decision_function"):
        scores = strengths(estimator, X)
    else:
        scores = -np.asarray(estimator.predict(X), dtype=np.float64)
    return kendall_tau(
        ranks, scores, groups=groups, statistic=statistic, average=average, threshold=threshold
    )


def pairwise_accuracy_scorer(estimator: Any, X: pd.DataFrame, y: ArrayLike) -> float:
    """Compute the proportion of pairs that an estimator's *ranks* order, or tie, as y does.

    Use it as ``scoring=pairwise_accuracy_scorer`` for estimators that tie candidates, such as
    ``RankRecomposer(ties="model")``.

    Parameters
    ----------
    estimator : fitted estimator
        With ``predict``: ranks in the orientation of y, lower is better.
    X, y : see :func:`kendall_tau_scorer`
        The same.

    Returns
    -------
    float
        acc_eq in [0, 1], the mean over groups, higher is better; NaN, with a warning, if there is
        no pair.

    See Also
    --------
    sklearn_mteval.metrics.pairwise_accuracy : The same of scores, with a threshold for ties.
    """
    ranks = check_ranks(y, X)
    scores = -np.asarray(estimator.predict(X), dtype=np.float64)
    return pairwise_accuracy(ranks, scores, groups=comparable_groups(X))


def make_kendall_tau_scorer(
    *, statistic: str = "wmt12", average: str = "pairs", threshold: float = 25.0,
    item_level: str | None = "system"
) -> Callable:  # fmt: skip
    """Make a scorer of another variant of Kendall's tau.

    Parameters
    ----------
    statistic, average, threshold, item_level : see :func:`kendall_tau_scorer`
        The same.

    Returns
    -------
    callable
        With the signature (estimator, X, y), picklable.

    Examples
    --------
    >>> from sklearn_mteval import make_kendall_tau_scorer
    >>> scoring = {"strict": make_kendall_tau_scorer(),
    ...            "wmt14": make_kendall_tau_scorer(statistic="wmt14")}
    """
    check_options(statistic, average)
    return _KendallTauScorer(statistic, average, threshold, item_level)


@dataclass(frozen=True)
class _KendallTauScorer:
    """Call kendall_tau_scorer with the options of make_kendall_tau_scorer."""

    statistic: str
    average: str
    threshold: float
    item_level: str | None

    def __call__(self, estimator, X, y):
        """Score a fitted estimator."""
        return kendall_tau_scorer(estimator, X, y, **vars(self))
