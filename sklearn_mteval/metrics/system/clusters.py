"""Systems that human rankings tell apart: rank ranges by bootstrap, and clusters."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_draws, check_one_of, check_proportion
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.units import percentile_interval, resamples
from sklearn_mteval.metrics.system.trueskill import trueskill_of_weights
from sklearn_mteval.metrics.system.wins import (
    HUMAN_SCORES,
    human_scores_of_weights,
    in_content_order,
    win_counts,
)

_METHODS = (*HUMAN_SCORES, "trueskill")
_DIGITS = 9  # scores that agree to so many decimals share their rank


def system_clusters(
    X: pd.DataFrame, y: ArrayLike, *, method: str = "expected-wins", n_resamples: int = 1000,
    confidence: float = 0.95, random_state: Seed = 0
) -> pd.DataFrame:  # fmt: skip
    """Rank systems by human rankings, and group those that cannot be told apart.

    A system's rank range is where its rank lies in the given proportion of resamples of segments; a
    new cluster starts where the ranges of all better systems end before those of others begin.

    Parameters
    ----------
    X, y : see :func:`win_counts`
        Candidates and their ranks.
    method : {"expected-wins", "bradley-terry", "trueskill"}, default="expected-wins"
        See :func:`human_system_scores` and :func:`trueskill_scores`.
    n_resamples : int, default=1000
        Bootstrap resamples of segments. Those in which a system has no expected wins are left out.
    confidence : float, default=0.95
        Proportion of resamples that a rank range covers, between 0 and 1.
    random_state : see :func:`agreement_interval`
        The order and names of segments and systems change nothing.

    Returns
    -------
    DataFrame of shape (n_systems, 4)
        Best system first, with the columns ``score`` (higher is better), ``rank_low`` and
        ``rank_high`` (1 is best) and ``cluster`` (1, 2, …).

    Raises
    ------
    CandidateError
        For bad tables (:func:`win_counts`), for one segment, and if a system never won or lost
        (expected wins) or nobody did (TrueSkill).

    References
    ----------
    Koehn 2012; Bojar et al. 2014, section 3.

    Examples
    --------
    >>> from sklearn_mteval.datasets import make_rankings
    >>> from sklearn_mteval.metrics import system_clusters
    >>> X, y = make_rankings(30, 4, random_state=3)
    >>> list(system_clusters(X, y))
    ['score', 'rank_low', 'rank_high', 'cluster']
    """
    check_one_of("method", method, _METHODS)
    check_draws("n_resamples", n_resamples)
    check_proportion("confidence", confidence)
    counts = in_content_order(win_counts(X, y))
    if len(counts.segments) < 2:
        raise CandidateError(
            "Rank ranges come from resampled segments: two are needed, found "
            f"{len(counts.segments)}."
        )
    rng = check_random_state(random_state)
    if method == "trueskill":
        scores_of = trueskill_of_weights(counts, rng.randint(2**31 - 1))
    else:
        scores_of = human_scores_of_weights(counts, method)
    n_segments = len(counts.segments)
    score = scores_of(np.ones((1, n_segments)))[0].round(_DIGITS)
    if np.isnan(score).any():
        system = counts.systems[np.isnan(score).argmax()]
        raise CandidateError(f"System {system!r} never won or lost against another: no score.")
    samples = [scores_of(w).round(_DIGITS) for w in resamples(n_segments, n_resamples, rng)]
    low, high = _rank_ranges(np.concatenate(samples), confidence)
    order = np.lexsort((high, low, -score))
    low, high = low[order], high[order]
    ended = np.maximum.accumulate(high)[:-1] < np.minimum.accumulate(low[::-1])[::-1][1:]
    cluster = 1 + np.cumsum(np.append(False, ended))
    columns = {"score": score[order], "rank_low": low, "rank_high": high, "cluster": cluster}
    return pd.DataFrame(columns, index=counts.systems[order])


def _rank_ranges(samples, confidence):
    """Return the lowest and highest rank of each system, tails of the resamples cut off."""
    samples = samples[~np.isnan(samples).any(axis=1)]
    if not len(samples):
        raise CandidateError("No bootstrap resample has a judgement of every system.")
    others = samples[:, None, :]
    best = 1 + (others > samples[:, :, None]).sum(axis=2)
    worst = (others >= samples[:, :, None]).sum(axis=2)
    return (
        percentile_interval(ranks.T, confidence, method="inverted_cdf").astype(np.int64)[:, end]
        for end, ranks in enumerate((best, worst))
    )
