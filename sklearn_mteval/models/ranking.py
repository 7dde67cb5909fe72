"""Ranks of translations by a fitted ranker, and of the systems that made them."""

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.shown import show_segments
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.models.flagged import asked_in_blocks
from sklearn_mteval.models.scoring import table_and_pairs
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.pairwise.consensus import Competitors
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.segments import blank_everywhere, documents_of_segments


def rank_candidates(
    model: BaseEstimator, X: pd.DataFrame, *, flagged_lose: bool = False,
    n_jobs: int | None = None
) -> pd.DataFrame:  # fmt: skip
    """Rank every candidate among those that it may be compared with.

    Equal texts of several systems count once, but in features that compare systems, such as
    ``ContrastiveScore``.

    Parameters
    ----------
    model : fitted estimator
        With ``decision_function``; a pipeline mostly, that ends in a ``RankRecomposer``.
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table. It is worked on in blocks of 8,192 candidates.
    flagged_lose : bool, default=False
        Whether candidates that :func:`~sklearn_mteval.features.content_flags` flags stand below
        all others of their group: flagged ones keep their order, their strengths are lowered by
        the range of the group and 1, and a score s becomes (s − 3) / 4, at most −0.5.
    n_jobs : int or None, default=None
        Processes, each of which holds the model and a block. The result does not depend on it.

    Returns
    -------
    DataFrame of shape (n_candidates, 3)
        With the index of X: ``rank`` (1 + the number of different texts that are stronger),
        ``strength`` (by the model's own recomposition; higher is better, comparable within a
        group) and ``score`` (as of :func:`score_candidates`, by the translation alone, comparable
        everywhere; NaN of a model that compares systems only). Features are computed once. In
        segments that are blank everywhere (source and references, where there are any, and all
        translations), strength and score are NaN, and all ranks 1.

    Raises
    ------
    CandidateError
        If X breaks the contract, or the model's steps lose its index.
    TypeError
        If the model is no ranker.
    ValueError
        If the model tells only how far systems agree, and no segment has three different
        translations.

    Warns
    -----
    UserWarning
        Of such a model: outliers lose, better ones too.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.models import bleu_pipeline, rank_candidates
    >>> X, y = load_sample(return_X_y=True)
    >>> seen = X.index.get_level_values("segment") <= 100
    >>> ranked = rank_candidates(bleu_pipeline().fit(X[seen], y[seen]), X[~seen])
    >>> ranked.loc[105, "rank"].to_dict()
    {'online': 2, 'neural': 5, 'hybrid': 4, 'phrase': 3, 'rule': 1}
    """
    asked = partial(ranked_block, model), X, "ranking"
    found, competitors = asked_in_blocks(*asked, n_jobs, flagged_lose)
    if competitors is not None:
        competitors.check()
        competitors.warn()
    return show_segments(found, X)


def ranked_block(model, X, noting=None):
    """Rank the candidates of whole segments, as :func:`ranked_rows` does, but blank ones.

    ``noting`` is called with Judged and the ranks of the others, if there are any.
    """
    there = ~blank_everywhere(X)
    found = pd.DataFrame({"rank": 1, "strength": np.nan, "score": np.nan}, X.index)
    competitors = None
    if there.any():
        asked = X if there.all() else X[there]
        judged = Judged(model, asked)
        part, competitors = ranked_rows(judged, asked)
        if noting is not None:
            noting(judged, part["rank"])
        if there.all():
            return part, competitors
        for name in part:
            found.loc[there, name] = part[name].to_numpy()
    return found, competitors


def ranked_rows(judged, X):
    """Return a table as of :func:`rank_candidates`, and Competitors if the model only ranks."""
    first, place, competitors = judged.first, judged.place, None
    strength = judged.strengths()
    if judged.only_ranks:
        score = np.full(len(first), np.nan)
        competitors = Competitors.of(comparable_groups(X.iloc[first]))
    else:
        score = judged.scores()
    rank = judged.ranks(strength)
    found = {"rank": rank[place], "strength": strength[place], "score": score[place]}
    return pd.DataFrame(found, index=X.index), competitors


def tells_probabilities(ranker):
    """Tell whether a model can be asked for probabilities of pairs."""
    return isinstance(ranker, RankRecomposer) and hasattr(ranker.estimator_, "predict_proba")


def rank_systems(
    ranked: pd.DataFrame, *, documents: ArrayLike | None = None, confidence: float = 0.95,
    n_resamples: int = 1000, random_state: Seed = 0, return_pairs: bool = False
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Summarise the ranks and scores of translations by system.

    Systems are sorted by their scores, those of :func:`score_systems`, then by their mean ranks.
    Strengths are not averaged: most are sums over the competitors that a segment happens to have.
    Two systems are compared by scores, or, where the model has none, by ranks. Segments that are
    blank everywhere are left out.

    Parameters
    ----------
    ranked : DataFrame of shape (n_candidates, 3)
        As :func:`rank_candidates` returns it.
    documents, confidence, n_resamples, random_state, return_pairs : see :func:`score_systems`
        The same.

    Returns
    -------
    systems : DataFrame of shape (n_systems, 7)
        Indexed by system, best first: ``score`` (mean over segments, higher is better), ``low`` and
        ``high`` (bounds of its interval; NaN of a model that has none), ``letters`` (systems that
        share one are not told apart), ``mean_rank``, ``best`` (proportion of segments in which no
        system is stronger), ``segments``.
    pairs : DataFrame of shape (n_systems * (n_systems - 1) / 2, 6)
        If asked for: see :func:`score_systems`. Of ranks, a positive ``difference`` is the better
        (lower) mean rank.
    """
    sums = SystemSums.of(ranked, documents_of_segments(documents, ranked))
    drawn = {"n_resamples": n_resamples, "random_state": random_state}
    return table_and_pairs(sums.result(confidence=confidence, **drawn), return_pairs)
