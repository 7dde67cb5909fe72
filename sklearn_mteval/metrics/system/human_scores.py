"""System scores from human rankings: expected wins and Bradley–Terry strengths.

Rankings tell which translation of a segment is better; both scores ask how often a system won
against the others.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.judgements import as_numbers
from sklearn_mteval.metrics.system.table_order import table_order

__all__ = [
    "WinCounts",
    "bradley_terry_scores",
    "expected_wins",
    "human_scores_of_weights",
    "human_system_scores",
    "in_content_order",
    "win_counts",
]

_PRIOR_PRECISION = 1e-4  # of strengths: a normal distribution of standard deviation 100
_LONGEST_STEP = 2.0
_STEPS = 200
_CONVERGED = 1e-6  # Newton squares the error: the strengths are exact to 1e-12


class WinCounts(NamedTuple):
    """How often systems beat each other, segment by segment.

    Attributes
    ----------
    wins : ndarray of shape (n_segments, n_systems, n_systems), float32
        Judgements in which the system of the row was better than that of the column.
    ties : ndarray of shape (n_segments, n_systems, n_systems), float32
        Judgements in which they were equal; symmetric.
    segments : Index of length n_segments
        Labels, sorted.
    systems : Index of length n_systems
        Labels, sorted.
    """

    wins: np.ndarray
    ties: np.ndarray
    segments: pd.Index
    systems: pd.Index


def win_counts(X, y):
    """Count wins and ties of all pairs of comparable translations.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Its index says segment, optionally ranking, and system; columns are not looked at.
    y : array-like of shape (n_candidates,)
        Ranks, lower is better.

    Returns
    -------
    WinCounts
        8 n_segments n_systems² bytes: 5 MB for 3,000 segments and 15 systems.

    Raises
    ------
    CandidateError
        For an index without segments and systems, y that does not belong to X, NaN.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.metrics import win_counts
    >>> X, y = load_sample(return_X_y=True)
    >>> counts = win_counts(X, y)
    >>> counts.wins.shape[1:] == (len(counts.systems),) * 2
    True
    """
    groups = comparable_groups(X)
    ranks = check_ranks(y, X)
    segments, segment_names = pd.factorize(segment_labels(X), sort=True)
    systems, system_names = pd.factorize(X.index.get_level_values("system"), sort=True)
    shape = (len(segment_names), len(system_names), len(system_names))
    wins, ties = (np.zeros(int(np.prod(shape)), dtype=np.float32) for _ in range(2))
    order = np.argsort(groups, kind="stable")
    groups, ranks, segments, systems = (v[order] for v in (groups, ranks, segments, systems))
    # All pairs of rows at distance 1, then 2, … while any two of them are of one group.
    for distance in range(1, len(groups)):
        first = np.flatnonzero(groups[distance:] == groups[:-distance])
        if not len(first):
            break
        second = first + distance
        worse = ranks[first] > ranks[second]
        better = np.where(worse, second, first), np.where(worse, first, second)
        tied = ranks[first] == ranks[second]
        cells = (segments[first] * shape[1] + systems[better[0]]) * shape[1] + systems[better[1]]
        np.add.at(wins, cells[~tied], np.float32(1))
        np.add.at(ties, cells[tied], np.float32(1))
    wins, ties = wins.reshape(shape), ties.reshape(shape)
    return WinCounts(wins, ties + ties.swapaxes(1, 2), segment_names, system_names)


def in_content_order(counts):
    """Order segments and systems by their content, whatever their names.

    Parameters
    ----------
    counts : WinCounts
        In the order of the labels.

    Returns
    -------
    WinCounts
        The same, in an order that no label changes.
    """
    wins, ties, segments, systems = counts
    tables = (wins.sum(axis=2), wins.sum(axis=1), ties.sum(axis=2))
    order = table_order(*(table.astype(np.float64) for table in tables))[1]
    wins, ties = (values[:, order][:, :, order] for values in (wins, ties))
    flat = np.hstack([values.reshape(len(segments), -1) for values in (wins, ties)])
    rows = np.argsort(np.unique(flat, axis=0, return_inverse=True)[1].ravel(), kind="stable")
    return WinCounts(wins[rows], ties[rows], segments[rows], systems[order])


def human_system_scores(X, y, *, method="expected-wins"):
    """Score systems by human rankings.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Its index says segment, optionally ranking, and system.
    y : array-like of shape (n_candidates,)
        Ranks, lower is better.
    method : {"expected-wins", "bradley-terry"}, default="expected-wins"
        See :func:`expected_wins` and :func:`bradley_terry_scores`.

    Returns
    -------
    Series of length n_systems
        Higher is better, labels sorted. NaN for a system that never won or lost (expected wins).

    Raises
    ------
    CandidateError
        See :func:`win_counts`.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.metrics import human_system_scores
    >>> X, y = load_sample(return_X_y=True)
    >>> bool(human_system_scores(X, y).between(0, 1).all())
    True
    """
    found = win_counts(X, y)
    counts = in_content_order(found)  # no bit of a sum depends on names
    scores = human_scores_of_weights(counts, method)(np.ones((1, len(counts.segments))))[0]
    return pd.Series(scores, index=counts.systems).loc[found.systems]


def human_scores_of_weights(counts, method="expected-wins"):
    """Return human system scores as a function of how often each segment is drawn.

    Parameters
    ----------
    counts : WinCounts
        Of the judgements.
    method : {"expected-wins", "bradley-terry"}, default="expected-wins"
        See :func:`human_system_scores`.

    Returns
    -------
    callable
        From weights, an ndarray of shape (n_draws, n_segments), to an ndarray of shape
        (n_draws, n_systems); :func:`system_figure_of_weights` takes it as a side.
    """
    check_one_of("method", method, ("expected-wins", "bradley-terry"))
    return partial(_scores, counts=counts, method=method)


def _scores(weights, counts, method):
    """Compute the scores of draws."""
    n_segments, *square = counts.wins.shape
    # float32 counts whole numbers exactly up to 2^24.
    weights = np.asarray(weights, dtype=np.float32)
    wins = (weights @ counts.wins.reshape(n_segments, -1)).reshape(-1, *square)
    if method == "expected-wins":
        return expected_wins(wins)
    return bradley_terry_scores(
        wins, (weights @ counts.ties.reshape(n_segments, -1)).reshape(-1, *square)
    )


def expected_wins(wins):
    """Score systems by the mean over opponents of the share of decided judgements won.

    Parameters
    ----------
    wins : array-like of shape (..., n_systems, n_systems)
        How often the system of the row beat that of the column. Ties are left out.

    Returns
    -------
    ndarray of shape (..., n_systems)
        In [0, 1], higher is better. Opponents that a system neither beat nor lost to are left
        out of its mean; NaN if none is left.

    Raises
    ------
    CandidateError
        For anything but square matrices of finite numbers >= 0.

    References
    ----------
    Koehn 2012, "Simulating human judgment in machine translation evaluation campaigns";
    Bojar et al. 2013, section 3.2.1.

    Examples
    --------
    >>> from sklearn_mteval.metrics import expected_wins
    >>> expected_wins([[0, 3, 1], [1, 0, 1], [1, 1, 0]])
    array([0.625, 0.375, 0.5  ])
    """
    wins = _checked_counts("wins", wins)
    decided = (wins + wins.swapaxes(-1, -2)) * (1 - np.eye(wins.shape[-1]))
    shares = np.divide(wins, decided, where=decided > 0, out=np.zeros(wins.shape))
    opponents = (decided > 0).sum(axis=-1)
    return np.divide(
        shares.sum(axis=-1), opponents, where=opponents > 0, out=np.full(opponents.shape, np.nan)
    )


def bradley_terry_scores(wins, ties=None):
    """Estimate Bradley–Terry strengths: P(i beats j) = 1 / (1 + exp(s_j - s_i)).

    By Newton's method, for all leading axes at once. A normal prior of mean 0 and standard
    deviation 100 keeps the strength of a system that won or lost always finite (±6 for two
    systems and 100 to 0), and sets the mean to zero; otherwise it is too weak to be seen: the
    estimate is that of maximum likelihood.

    Parameters
    ----------
    wins : array-like of shape (..., n_systems, n_systems)
        How often the system of the row beat that of the column.
    ties : array-like of shape (..., n_systems, n_systems), optional
        How often they were equal, symmetric: half a win for each. None leaves ties out.

    Returns
    -------
    ndarray of shape (..., n_systems)
        Log-odds, higher is better, mean zero. Systems that were never judged have 0.

    Raises
    ------
    CandidateError
        For anything but square matrices of finite numbers >= 0, ties that are not symmetric.

    References
    ----------
    Bradley and Terry 1952.

    Examples
    --------
    >>> from sklearn_mteval.metrics import bradley_terry_scores
    >>> bradley_terry_scores([[0, 3], [1, 0]]).round(3)  # odds 3 to 1: the log is 1.099
    array([ 0.549, -0.549])
    """
    wins = _checked_counts("wins", wins)
    if ties is not None:
        ties = _checked_counts("ties", ties)
        if ties.shape != wins.shape or not np.allclose(ties, ties.swapaxes(-1, -2)):
            raise CandidateError("ties must be symmetric, and of the same shape as wins.")
        wins = wins + ties / 2
    judged = wins + wins.swapaxes(-1, -2)
    strengths = np.zeros(wins.shape[:-1])
    # The ones keep rounding from shifting all strengths alike, which only the prior would resist.
    fixed = _PRIOR_PRECISION * np.eye(wins.shape[-1]) + 1
    for _ in range(_STEPS):
        odds = 1 / (1 + np.exp(strengths[..., None, :] - strengths[..., :, None]))
        slope = (wins - judged * odds).sum(axis=-1) - _PRIOR_PRECISION * strengths
        information = judged * odds * (1 - odds)
        curvature = fixed - information
        curvature += np.eye(wins.shape[-1]) * information.sum(axis=-1)[..., None]
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, initial=0, keepdims=True)
        strengths += step * np.minimum(1, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        if not (longest > _CONVERGED).any():
            break
    return strengths


def _checked_counts(name, counts):
    """Return square matrices of counts, float64."""
    try:
        counts = as_numbers(counts)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"{name} must be numbers: {error}") from None
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2]:
        raise CandidateError(f"{name} must be square matrices, found shape {counts.shape}.")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise CandidateError(f"{name} must be finite counts, 0 or more.")
    return counts
