"""Systems that human rankings tell apart: TrueSkill, rank ranges and clusters."""

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_integer, check_one_of, check_proportion
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.system.human_scores import (
    human_scores_of_weights,
    in_content_order,
    win_counts,
)

__all__ = ["system_clusters", "trueskill_scores"]

_METHODS = ("expected-wins", "bradley-terry", "trueskill")
_DRAWS_AT_ONCE = 100
_DIGITS = 9  # scores that agree to so many decimals share their rank


def system_clusters(
    X, y, *, method="expected-wins", n_resamples=1000, confidence=0.95, random_state=0
):
    """Rank systems by human rankings, and group those that cannot be told apart.

    Segments are drawn with replacement. A system's rank range is where its rank lies in the
    given share of the samples; a new cluster starts where the ranges of all better systems end
    before those of all others begin.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Its index says segment, optionally ranking, and system.
    y : array-like of shape (n_candidates,)
        Ranks, lower is better.
    method : {"expected-wins", "bradley-terry", "trueskill"}, default="expected-wins"
        See :func:`expected_wins`, :func:`bradley_terry_scores`, :func:`trueskill_scores`.
    n_resamples : int, default=1000
        Bootstrap samples of segments. Those in which a system has no expected wins are left out.
    confidence : float, default=0.95
        Share of samples that a rank range covers, between 0 and 1.
    random_state : int, RandomState or None, default=0
        Seed of the samples. The order and names of segments and systems change nothing.

    Returns
    -------
    DataFrame of shape (n_systems, 4)
        Best system first, with the columns ``score`` (higher is better), ``rank_low`` and
        ``rank_high`` (1 is best) and ``cluster`` (1, 2, …).

    Raises
    ------
    CandidateError
        For bad tables (:func:`win_counts`), for one segment, which does not vary, and if a system
        never won or lost (expected wins) or nobody did (TrueSkill).

    References
    ----------
    Koehn 2012; Bojar et al. 2014, "Findings of the 2014 Workshop on Statistical Machine
    Translation", section 3.

    Examples
    --------
    >>> from sklearn_mteval.datasets import make_rankings
    >>> from sklearn_mteval.metrics import system_clusters
    >>> X, y = make_rankings(30, 4, random_state=3)
    >>> list(system_clusters(X, y))
    ['score', 'rank_low', 'rank_high', 'cluster']
    """
    check_one_of("method", method, _METHODS)
    check_integer("n_resamples", n_resamples, minimum=1)
    check_proportion("confidence", confidence)
    counts = in_content_order(win_counts(X, y))
    if len(counts.segments) < 2:
        raise CandidateError(
            f"Rank ranges come from drawing segments: two are needed, found {len(counts.segments)}."
        )
    rng = check_random_state(random_state)
    if method == "trueskill":
        scores_of = _trueskill_of_weights(counts, None, rng.randint(2**31 - 1))
    else:
        scores_of = human_scores_of_weights(counts, method)
    n_segments = len(counts.segments)
    score = scores_of(np.ones((1, n_segments)))[0].round(_DIGITS)
    if np.isnan(score).any():
        system = counts.systems[np.isnan(score).argmax()]
        raise CandidateError(f"System {system!r} never won or lost against another: no score.")
    samples = []
    for first in range(0, n_resamples, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, n_resamples - first)
        weights = rng.multinomial(n_segments, np.full(n_segments, 1 / n_segments), size=size)
        samples.append(scores_of(weights).round(_DIGITS))
    low, high = _rank_ranges(np.concatenate(samples), confidence)
    order = np.lexsort((high, low, -score))
    low, high = low[order], high[order]
    ended = np.maximum.accumulate(high)[:-1] < np.minimum.accumulate(low[::-1])[::-1][1:]
    return pd.DataFrame(
        {
            "score": score[order],
            "rank_low": low,
            "rank_high": high,
            "cluster": 1 + np.cumsum(np.append(False, ended)),
        },
        index=counts.systems[order],
    )


def trueskill_scores(X, y, *, draw_probability=None, random_state=0):
    """Rate systems by TrueSkill: each pair of a ranking is a match, played in random order.

    Skills start at 25 with a standard deviation of 25/3, performances vary by 25/6, and skills
    do not change over time. The result depends a little on the order of play.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Its index says segment, optionally ranking, and system.
    y : array-like of shape (n_candidates,)
        Ranks, lower is better.
    draw_probability : float, default=None
        Of a tie between two equally good systems, above 0 and below 1; None takes the share of
        ties among the judgements.
    random_state : int, RandomState or None, default=0
        Seed of the order of play.

    Returns
    -------
    DataFrame of shape (n_systems, 2)
        ``mean`` (higher is better) and ``deviation`` of each system's skill, labels sorted.

    Raises
    ------
    CandidateError
        For bad tables (:func:`win_counts`), and if no judgement decides.

    References
    ----------
    Herbrich, Minka and Graepel 2006, "TrueSkill"; Sakaguchi, Post and Van Durme 2014,
    "Efficient elicitation of annotations for human evaluation of machine translation".

    Examples
    --------
    >>> from sklearn_mteval.datasets import make_rankings
    >>> from sklearn_mteval.metrics import trueskill_scores
    >>> X, y = make_rankings(30, 4, random_state=3)
    >>> list(trueskill_scores(X, y))
    ['mean', 'deviation']
    """
    found = win_counts(X, y)
    counts = in_content_order(found)
    matches, margin = _matches(counts, draw_probability)
    order = check_random_state(random_state).permutation(len(matches[0]))
    means, deviations = _rate(matches, order, len(counts.systems), margin)
    ratings = pd.DataFrame({"mean": means, "deviation": deviations}, index=counts.systems)
    return ratings.loc[found.systems]


def _matches(counts, draw_probability):
    """List judgements of pairs as (better, worse, tied, segment), and return the draw margin."""
    from scipy.special import ndtri

    from sklearn_mteval.metrics.system.trueskill import BETA

    parts = []
    for tied, table in enumerate((counts.wins, np.triu(counts.ties))):
        cells = np.nonzero(table)
        segments, first, second = np.repeat(cells, table[cells].astype(np.int64), axis=1)
        parts.append((first, second, np.full(len(first), bool(tied)), segments))
    n_wins, n_ties = len(parts[0][0]), len(parts[1][0])
    if n_wins == 0:
        raise CandidateError("TrueSkill needs a judgement that decides; all are ties.")
    if draw_probability is None:
        draw_probability = n_ties / (n_wins + n_ties)
    else:
        check_proportion("draw_probability", draw_probability)
        draw_probability = min(draw_probability, 1 - 1e-15)  # 1 is an infinite margin
    margin = ndtri((draw_probability + 1) / 2) * np.sqrt(2) * BETA
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)], float(margin)


def _rate(matches, order, n_systems, margin):
    """Play matches in the given order."""
    from sklearn_mteval.metrics.system.trueskill import rate

    better, worse, tied, _ = matches
    return rate(better[order], worse[order], tied[order], n_systems, margin)


def _trueskill_of_weights(counts, draw_probability, seed):
    """Return mean skills as a function of how often each segment is drawn."""
    matches, margin = _matches(counts, draw_probability)
    rng = check_random_state(seed)
    numbers, segments = np.arange(len(matches[3])), matches[3]

    def means(weights):
        played = (np.repeat(numbers, drawn.astype(np.int64)[segments]) for drawn in weights)
        orders = (rng.permutation(rows) for rows in played)
        n_systems = len(counts.systems)
        return np.array([_rate(matches, order, n_systems, margin)[0] for order in orders])

    return means


def _rank_ranges(samples, confidence):
    """Return the lowest and highest rank of each system, tails of the samples cut off."""
    samples = samples[~np.isnan(samples).any(axis=1)]
    if not len(samples):
        raise CandidateError("No bootstrap sample has a judgement of every system.")
    others = samples[:, None, :]
    best = 1 + (others > samples[:, :, None]).sum(axis=2)
    worst = (others >= samples[:, :, None]).sum(axis=2)
    tail = (1 - confidence) / 2
    low = np.quantile(best, tail, axis=0, method="inverted_cdf")
    high = np.quantile(worst, 1 - tail, axis=0, method="inverted_cdf")
    return low.astype(np.int64), high.astype(np.int64)
