"""Scores of translations that need no competitors, and of the systems that made them."""

from functools import partial

import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.options import check_n_jobs, check_proportion
from sklearn_mteval._helpers.shown import show_segments
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.pairwise.blocks import in_blocks
from sklearn_mteval.pairwise.consensus import refuse_scores
from sklearn_mteval.pairwise.judged import Judged


def score_candidates(
    model: BaseEstimator, X: pd.DataFrame, *, n_jobs: int | None = None
) -> pd.Series:
    """Score every candidate by its own source, text and reference, and by nothing else.

    The score is the absolute one: P(the candidate is better than the empty translation) − P(the
    empty one is better), by the model's stand-alone head or, where none of its columns compares
    systems, by itself, whatever its recomposition. It is the same, bit for bit, whatever other
    rows there are (of encoders: within 1e-5). Of a classifier without probabilities its margin m
    tells, m / (1 + abs(m)).

    Parameters
    ----------
    model : fitted estimator
        With ``decision_function``; a pipeline mostly, that ends in a ``RankRecomposer``.
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table; a segment may have one candidate only. It is worked on in blocks.
    n_jobs : int or None, default=None
        Processes, as of :func:`rank_candidates`.

    Returns
    -------
    Series of length n_candidates
        In [−1, 1], higher is better, with the index of X.

    Raises
    ------
    CandidateError
        If X breaks the contract, or the model's steps lose its index.
    TypeError
        If the model is no ranker.
    ValueError
        If the model can rank only, as all of its features compare with competing systems.

    Warns
    -----
    UserWarning
        If the model has columns that compare systems, but no stand-alone head: its scores depend
        on these.

    References
    ----------
    Guzmán et al. 2017, section 6.1.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.models import bleu_pipeline, score_candidates
    >>> X, y = load_sample(return_X_y=True)
    >>> model, one = bleu_pipeline().fit(X, y), X.index.unique("system")[:1]
    >>> alone = score_candidates(model, X[X.index.isin(one, level="system")])
    >>> bool(alone.equals(score_candidates(model, X)[alone.index]))
    True
    """
    check_n_jobs(n_jobs)
    refuse_scores(model)
    found = in_blocks(partial(scored_block, model), X, "scoring", n_jobs)[0]
    return show_segments(found, X)


def scored_block(model, X):
    """Score candidates, as :func:`score_candidates` does; there is nothing to be said of them."""
    judged = Judged(model, X)
    return pd.Series(judged.scores()[judged.place], X.index, name="score"), None


def score_systems(
    scores: pd.Series, *, confidence: float = 0.95, n_resamples: int = 1000, random_state: Seed = 0
) -> pd.DataFrame:
    """Score systems by the means of their translations' scores, with bootstrap intervals.

    Whole segments are resampled, up to 20,000 of them; the interval of more is the normal one of a
    mean. A system's numbers depend on its own scores only.

    Parameters
    ----------
    scores : Series of length n_scores
        Higher is better, indexed by segment and system, as :func:`score_candidates` returns them;
        NaN is a missing score. Several scores of a translation count as their mean.
    confidence, n_resamples, random_state : see :func:`~sklearn_mteval.metrics.agreement_interval`
        Of the percentile intervals.

    Returns
    -------
    DataFrame of shape (n_systems, 4)
        Indexed by system, best first: ``score``, ``low`` and ``high`` (bounds of its interval; NaN,
        with a warning, of one segment only), ``segments`` (how many it is the mean of).

    Raises
    ------
    CandidateError
        For labels that are missing, infinite scores, no scores.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.models import score_systems
    >>> rows = pd.MultiIndex.from_product([range(50), ["A", "B"]], names=["segment", "system"])
    >>> found = score_systems(pd.Series([0.5, -0.5, 0.7, -0.7] * 25, rows))
    >>> found["score"].round(2).to_dict(), bool((found["low"] < found["score"]).all())
    ({'A': 0.6, 'B': -0.6}, True)
    """
    check_proportion("confidence", confidence)
    check_candidates(scores.to_frame())
    drawn = {"n_resamples": n_resamples, "random_state": random_state}
    return SystemSums.of(scores).table(confidence=confidence, **drawn)
