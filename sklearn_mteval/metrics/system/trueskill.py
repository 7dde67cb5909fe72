"""TrueSkill: systems as players, each judgement of two translations as a match."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_proportion
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.system.wins import in_content_order, win_counts


def trueskill_scores(
    X: pd.DataFrame, y: ArrayLike, *, draw_probability: float | None = None, random_state: Seed = 0
) -> pd.DataFrame:
    """Rate systems by TrueSkill: each pair of a ranking is a match, played in random order.

    Skills start at 25 with a standard deviation of 25/3, and performances vary by 25/6.

    Parameters
    ----------
    X, y : see :func:`win_counts`
        Candidates and their ranks.
    draw_probability : float, default=None
        Of a tie between two equally good systems, above 0 and below 1; None takes the
        proportion of ties among the judgements.
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
    Herbrich, Minka and Graepel 2006; Sakaguchi, Post and Van Durme 2014.

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
    order = check_random_state(random_state).permutation(len(matches.better))
    means, deviations = _rate(matches, order, len(counts.systems), margin)
    ratings = pd.DataFrame({"mean": means, "deviation": deviations}, index=counts.systems)
    return ratings.loc[found.systems]


class _Matches(NamedTuple):
    """Judgements of two systems, the columns of shape (n_matches,)."""

    better: np.ndarray  # of a tie, the one of the two; systems as positions
    worse: np.ndarray
    tied: np.ndarray
    segments: np.ndarray


def trueskill_of_weights(counts, seed):
    """Return mean skills (n_resamples, n_systems) as a function of segments' weights."""
    matches, margin = _matches(counts, None)
    rng = check_random_state(seed)
    numbers, n_systems = np.arange(len(matches.segments)), len(counts.systems)

    def means(weights):
        times = weights.astype(np.int64)[:, matches.segments]
        orders = (rng.permutation(np.repeat(numbers, row)) for row in times)
        return np.array([_rate(matches, order, n_systems, margin)[0] for order in orders])

    return means


def _matches(counts, draw_probability):
    """List the judgements of pairs as matches, and return the draw margin."""
    from scipy.special import ndtri

    from sklearn_mteval.metrics.system.trueskill_kernel import BETA

    parts = []
    for tied, table in enumerate((counts.won, counts.tied)):
        table = table.tocoo()
        segments, cells = np.repeat([table.row, table.col], table.data.astype(np.int64), axis=1)
        first, second = np.divmod(cells, len(counts.systems))
        if tied:  # each stands there twice
            segments, first, second = (v[first < second] for v in (segments, first, second))
        parts.append((first, second, np.full(len(first), bool(tied)), segments))
    n_wins, n_ties = len(parts[0][0]), len(parts[1][0])
    if n_wins == 0:
        raise CandidateError("TrueSkill needs a judgement that decides; all are ties.")
    if draw_probability is None:
        draw_probability = n_ties / (n_wins + n_ties)
    else:
        check_proportion("draw_probability", draw_probability)
        draw_probability = min(draw_probability, 1 - 1e-15)  # 1 is an infinite margin
    # Of two equal systems the performances differ by N(0, 2 BETA²); they draw within the margin.
    margin = ndtri((draw_probability + 1) / 2) * np.sqrt(2) * BETA
    return _Matches(*map(np.concatenate, zip(*parts, strict=True))), float(margin)


def _rate(matches, order, n_systems, margin):
    """Play matches in the given order; return means and deviations of the skills."""
    from sklearn_mteval.metrics.system.trueskill_kernel import rate

    better, worse, tied, _ = matches
    return rate(better[order], worse[order], tied[order], n_systems, margin)
