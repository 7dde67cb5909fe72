"""Scores of translations that need no competitors, and of the systems that made them."""

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.options import check_proportion
from sklearn_mteval._helpers.shown import show_segments
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.flagged import asked_in_blocks
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.pairwise.blocks import in_blocks
from sklearn_mteval.pairwise.consensus import refuse_scores
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.segments import blank_everywhere, documents_of_segments


def score_candidates(
    model: BaseEstimator, X: pd.DataFrame, *, flagged_lose: bool = False,
    n_jobs: int | None = None
) -> pd.Series:  # fmt: skip
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
    flagged_lose : bool, default=False
        Whether a score s of what :func:`~sklearn_mteval.features.content_flags` flags becomes
        (s − 3) / 4, which is at most −0.5.
    n_jobs : int or None, default=None
        Processes, as of :func:`rank_candidates`.

    Returns
    -------
    Series of length n_candidates
        In [−1, 1], higher is better, with the index of X; NaN in segments that are blank
        everywhere: source and references, where there are any, and all translations.

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
    refuse_scores(model)
    asked = partial(scored_block, model), X, "scoring"
    return show_segments(asked_in_blocks(*asked, n_jobs, flagged_lose)[0], X)


def score_all(model, X):
    """Score candidates as :func:`score_candidates` does, also where all is blank."""
    refuse_scores(model)
    return in_blocks(partial(_judged_block, model), X, "scoring")[0]


def scored_block(model, X, noting=None):
    """Score candidates, as :func:`score_candidates` does; there is nothing to be said of them.

    ``noting`` is called with Judged and negative scores of what is not blank, if there is anything.
    """
    there = ~blank_everywhere(X)
    if there.all():
        return _judged_block(model, X, noting)
    scores = np.full(len(X), np.nan)
    if there.any():
        scores[there] = _judged_block(model, X[there], noting)[0]
    return pd.Series(scores, X.index, name="score"), None


def _judged_block(model, X, noting=None):
    """Score candidates of any segments."""
    judged = Judged(model, X)
    scores = pd.Series(judged.scores()[judged.place], X.index, name="score")
    if noting is not None:
        noting(judged, -scores)
    return scores, None


def score_systems(
    scores: pd.Series, *, documents: ArrayLike | None = None, confidence: float = 0.95,
    n_resamples: int = 1000, random_state: Seed = 0, return_pairs: bool = False
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Score systems by the means of their translations' scores, and compare each two of them.

    A system's score and interval depend on its own scores only. Two systems are compared on the
    segments of both: Student's t of their mean difference, with an error of the jackknife that
    leaves out segments or documents, and Holm's correction for all pairs.

    Parameters
    ----------
    scores : Series of length n_scores
        Higher is better, indexed by segment and system, as :func:`score_candidates` returns them;
        NaN is a missing score. Several scores of a translation count as their mean.
    documents : array-like of shape (n_scores,) or Series, optional
        The document of each row, or of each segment, a Series indexed by segment; "" is a document
        of its own. Segments of one vary together: without them, intervals of a text whose sentences
        hang together are too narrow.
    confidence : float, default=0.95
        Of the intervals: of up to 20,000 segments percentiles of the bootstrap, of more the normal
        ones, with documents Student's t.
    n_resamples, random_state : see :func:`~sklearn_mteval.metrics.agreement_interval`
        Of the bootstrap.
    return_pairs : bool, default=False
        Whether the comparisons are returned, too.

    Returns
    -------
    systems : DataFrame of shape (n_systems, 5)
        Indexed by system, best first: ``score``, ``low`` and ``high`` (bounds of its interval; NaN,
        with a warning, of one segment or document only), ``letters`` (systems that share one are
        not told apart at the 5 % level), ``segments`` (how many it is the mean of).
    pairs : DataFrame of shape (n_systems * (n_systems - 1) / 2, 6)
        If asked for: ``system``, ``other`` (which stands below it), ``difference`` of their scores
        on the segments of both, its ``low`` and ``high``, and ``p_value`` (two-sided, corrected).

    Raises
    ------
    CandidateError
        For labels that are missing, infinite scores, no scores, documents of other segments, or
        pairs of more than 200 systems, which are not compared: they have no letters.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.models import score_systems
    >>> rows = pd.MultiIndex.from_product([range(50), ["A", "B"]], names=["segment", "system"])
    >>> scores = pd.Series([0.5, -0.5, 0.7, -0.7] * 25, rows)
    >>> found, pairs = score_systems(scores, return_pairs=True)
    >>> found["score"].round(2).to_dict(), found["letters"].tolist()
    ({'A': 0.6, 'B': -0.6}, ['a', 'b'])
    >>> pairs.round(2).to_dict("records")  # doctest: +NORMALIZE_WHITESPACE
    [{'system': 'A', 'other': 'B', 'difference': 1.2, 'low': 1.14, 'high': 1.26, 'p_value': 0.0}]
    """
    check_proportion("confidence", confidence)
    table = scores.to_frame()
    check_candidates(table)
    sums = SystemSums.of(scores, documents_of_segments(documents, table))
    drawn = {"n_resamples": n_resamples, "random_state": random_state}
    return table_and_pairs(sums.result(confidence=confidence, **drawn), return_pairs)


def table_and_pairs(systems, return_pairs):
    """Return the table of Systems, and the comparisons if they are asked for."""
    if not return_pairs:
        return systems.table
    if systems.pairs is None:
        raise CandidateError(
            f"There are {len(systems.table)} systems, too many to compare each two of them: "
            "return_pairs=False."
        )
    return systems.table, systems.pairs.table()
