"""Paired comparisons that may tie: strengths and a tie parameter by maximum likelihood.

With d = s_i - s_j, Davidson (1970) has P(i beats j) : P(tie) : P(j beats i) =
exp(d / 2) : nu : exp(-d / 2), nu >= 0. Rao and Kupper (1967) have P(i beats j) =
1 / (1 + theta exp(-d)), theta >= 1, and a tie where neither beats the other. Without ties, nu = 0
and theta = 1, both are Bradley and Terry's. Both log-likelihoods are concave, in s and log nu, in s
and log theta.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sklearn_mteval.metrics.core.paired_comparisons import bradley_terry_strengths

__all__ = ["TIE_MODELS", "TieModel", "tied_strengths"]

_LONGEST_STEP = 2.0


class TieModel(NamedTuple):
    """A model of paired comparisons with ties, its tie parameter as a logarithm."""

    without_ties: float  # the tie parameter where nothing ties
    start: Callable  # its logarithm of equal strengths, from the proportion of ties in (0, 1)
    log_probabilities: Callable  # of (better, tie), from differences of strengths and the logarithm
    slopes: Callable  # of an outcome's log-probability in both: 1 better, 0 tie, -1 worse
    derivatives: Callable  # of the log-likelihood of (wins, ties) at (strengths, logarithm)
    positive: bool  # whether the logarithm must be


def tied_strengths(wins, ties, *, model="davidson", precision=0.0, max_iter=200, tol=1e-6):
    """Fit s, mean zero, (..., n) and the tie parameter (...) to ``wins``, ``ties`` (..., n, n).

    Row beats column in ``wins``; ``ties`` are symmetric; both may be fractions, the diagonal is
    ignored. The parameter, one for each matrix, is nu or theta, infinite where nothing but ties
    was seen. ``precision`` as for :func:`bradley_terry_strengths`, to which this comes down without
    ties.
    """
    entry = TIE_MODELS[model]
    shape, n = wins.shape, wins.shape[-1]
    off = 1 - np.eye(n)
    wins, ties = wins.reshape(-1, n, n) * off, ties.reshape(-1, n, n) * off
    won, tied = wins.sum(axis=(1, 2)), ties.sum(axis=(1, 2)) / 2
    strengths = np.zeros((len(wins), n))
    parameter = np.where(tied > 0, np.inf, entry.without_ties)
    decided, both = (tied == 0) & (won > 0), (tied > 0) & (won > 0)
    if decided.any():
        limits = {"max_iter": max_iter, "tol": tol}
        strengths[decided] = bradley_terry_strengths(wins[decided], precision=precision, **limits)
    if both.any():
        proportion = tied[both] / (tied[both] + won[both])
        start = np.column_stack([strengths[both], entry.start(proportion)])
        found = _maximum(entry, start, wins[both], ties[both], precision, max_iter, tol)
        strengths[both], parameter[both] = found[:, :-1], np.exp(found[:, -1])
    strengths -= strengths.mean(axis=-1, keepdims=True)
    return strengths.reshape(shape[:-1]), parameter.reshape(shape[:-2])


def _maximum(entry, values, wins, ties, precision, max_iter, tol):
    """Climb from ``values``, strengths and the parameter's logarithm, (n_matrices, n + 1)."""
    n = wins.shape[-1]
    # As for Bradley and Terry's, the likelihood leaves the mean free: 1 / n in each cell keeps it.
    fixed = np.zeros((n + 1, n + 1))
    fixed[:n, :n] = precision * np.eye(n) + 1 / n
    active = np.arange(len(wins))  # what has not converged
    for _ in range(max_iter):
        current = values[active]
        slope, information = entry.derivatives(current[:, :-1], current[:, -1], wins, ties)
        slope[:, :n] -= precision * current[:, :n]
        step = np.linalg.solve(information + fixed, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1)
        shortened = np.minimum(1, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        if entry.positive:  # go three quarters of the way to the bound at most
            falling = np.maximum(-step[:, -1], 1e-300)
            shortened = np.minimum(shortened, 0.75 * current[:, -1] / falling)
        values[active] += step * shortened[:, None]
        moving = longest > tol
        if not moving.any():
            break
        if not moving.all():
            active, wins, ties = active[moving], wins[moving], ties[moving]
    return values


def _davidson(differences, log_nu):
    """Return the logarithms of P(better) and P(tie) of differences of strengths."""
    half = np.asarray(differences) / 2
    total = np.logaddexp(np.logaddexp(half, -half), log_nu)
    return half - total, log_nu - total


def _davidson_slopes(differences, log_nu, outcomes):
    """Return the slopes of outcomes' log-probabilities in the difference and in log nu."""
    better, tie = (np.exp(value) for value in _davidson(differences, log_nu))
    worse = np.exp(_davidson(-differences, log_nu)[0])
    return (outcomes - (better - worse)) / 2, (outcomes == 0) - tie


def _davidson_derivatives(strengths, log_nu, wins, ties):
    """Return slopes (n_matrices, n + 1) and the information, their negative second derivatives.

    The model is an exponential family: the statistics are +1/2 for a win, -1/2 for a loss, and
    1 for a tie, and the information is their covariance.
    """
    differences = strengths[:, :, None] - strengths[:, None, :]
    better, tie = (np.exp(value) for value in _davidson(differences, log_nu[:, None, None]))
    judged = wins + wins.swapaxes(1, 2) + ties
    lead = (better - better.swapaxes(1, 2)) / 2
    spread = judged * ((1 - tie) / 4 - lead**2)
    slopes = (wins - wins.swapaxes(1, 2)) / 2 - judged * lead
    of_ties = (ties - judged * tie).sum(axis=(1, 2)) / 2
    both = -(judged * tie * lead).sum(axis=2)
    own = (judged * tie * (1 - tie)).sum(axis=(1, 2)) / 2
    return _assembled(slopes.sum(axis=2), of_ties, spread, both, own)


def _rao_kupper(differences, log_theta):
    """Return the logarithms of P(better) and P(tie) of differences of strengths.

    1 - P(better) - P(worse) is (theta^2 - 1) P(better) P(worse): so there is no difference of
    numbers that are nearly equal.
    """
    differences = np.asarray(differences)
    better = -np.logaddexp(0, log_theta - differences)
    worse = -np.logaddexp(0, log_theta + differences)
    return better, 2 * log_theta + np.log(-np.expm1(-2 * log_theta)) + (better + worse)


def _rao_kupper_slopes(differences, log_theta, outcomes):
    """Return the slopes of outcomes' log-probabilities in the difference and in log theta."""
    not_better, not_worse = (
        -np.expm1(_rao_kupper(d, log_theta)[0]) for d in (differences, -differences)
    )
    up, down = (outcomes >= 0) * not_better, (outcomes <= 0) * not_worse
    return up - down, (outcomes == 0) * 2 / -np.expm1(-2 * log_theta) - up - down


def _rao_kupper_derivatives(strengths, log_theta, wins, ties):
    """Return the same of Rao and Kupper's model.

    As P(tie) = (theta^2 - 1) P(better) P(worse), a tie counts as a win of both, and besides that
    for theta alone.
    """
    differences = strengths[:, :, None] - strengths[:, None, :]
    missing = -np.expm1(-np.logaddexp(0, log_theta[:, None, None] - differences))  # 1 - P(better)
    not_worse = wins + ties
    pull = not_worse * missing
    spread = pull * (1 - missing)
    n_tied = ties.sum(axis=(1, 2)) / 2
    of_ties = 2 * n_tied / -np.expm1(-2 * log_theta) - pull.sum(axis=(1, 2))
    both = (spread.swapaxes(1, 2) - spread).sum(axis=2)
    own = spread.sum(axis=(1, 2)) + n_tied / np.sinh(log_theta) ** 2
    slopes = (pull - pull.swapaxes(1, 2)).sum(axis=2)
    return _assembled(slopes, of_ties, spread + spread.swapaxes(1, 2), both, own)


def _assembled(slopes, of_ties, spread, both, own):
    """Put slopes and the blocks of the information together, the tie parameter last."""
    n = spread.shape[-1]
    information = np.empty((len(spread), n + 1, n + 1))
    information[:, :n, :n] = -spread
    information[:, *np.diag_indices(n)] = spread.sum(axis=2) - spread[:, *np.diag_indices(n)]
    information[:, :n, n] = information[:, n, :n] = both
    information[:, n, n] = own
    return np.column_stack([slopes, of_ties]), information


TIE_MODELS = {
    "davidson": TieModel(
        0.0,
        lambda ties: np.log(2 * ties / (1 - ties)),
        _davidson,
        _davidson_slopes,
        _davidson_derivatives,
        positive=False,
    ),
    "rao-kupper": TieModel(
        1.0,
        lambda ties: np.log((1 + ties) / (1 - ties)),
        _rao_kupper,
        _rao_kupper_slopes,
        _rao_kupper_derivatives,
        positive=True,
    ),
}
