"""Ranks of translations by a fitted ranker, and of the systems that made them."""

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.pairwise.answers import strengths

__all__ = ["rank_candidates", "rank_systems"]


def rank_candidates(model, X):
    """Rank every candidate among those that it may be compared with.

    Parameters
    ----------
    model : fitted estimator
        With ``decision_function``.
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table.

    Returns
    -------
    DataFrame of shape (n_candidates, 2)
        With the index of X: ``rank`` (1 is best, equal strengths have one rank, as
        ``predict`` gives it) and ``strength`` (higher is better). Features are computed once.
    """
    strength = pd.Series(strengths(model, X), index=X.index)
    rank = (-strength).groupby(comparable_groups(X)).rank(method="min").astype(np.int64)
    return pd.DataFrame({"rank": rank, "strength": strength})


def rank_systems(ranked):
    """Summarise segment ranks by system.

    Parameters
    ----------
    ranked : DataFrame of shape (n_candidates, 2)
        As :func:`rank_candidates` returns it.

    Returns
    -------
    DataFrame of shape (n_systems, 4)
        Indexed by system, best first: ``mean_rank``, ``mean_strength``, ``best`` (proportion
        of segments in which no system is stronger), ``segments``.
    """
    table = ranked.assign(best=ranked["rank"] == 1).groupby(level="system")
    summary = table.agg(
        mean_rank=("rank", "mean"),
        mean_strength=("strength", "mean"),
        best=("best", "mean"),
        segments=("rank", "size"),
    )
    return summary.sort_values(["mean_rank", "mean_strength"], ascending=[True, False])
