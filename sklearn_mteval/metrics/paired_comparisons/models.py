"""Models of paired comparisons: probabilities of outcomes, and derivatives of the likelihood.

With d = s_i - s_j, Davidson (1970) has P(i beats j) : P(tie) : P(j beats i) =
exp(d / 2) : nu : exp(-d / 2), nu >= 0. Rao and Kupper (1967) have P(i beats j) =
1 / (1 + theta exp(-d)), theta >= 1, and a tie where neither beats the other. Without ties, nu = 0
and theta = 1, both are Bradley and Terry's. Both log-likelihoods are concave, in s and log nu, in s
and log theta.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class TieModel(NamedTuple):
    """A model of paired comparisons with ties, its tie parameter as a logarithm."""

    without_ties: float  # the tie parameter where nothing ties
    start: Callable  # its logarithm of equal strengths, from the proportion of ties in (0, 1)
    log_probabilities: Callable  # of (better, tie), from differences of strengths and the logarithm
    slopes: Callable  # of an outcome's log-probability in both: 1 better, 0 tie, -1 worse
    derivatives: Callable  # of the log-likelihood of (wins, ties) at (strengths, logarithm)
    positive: bool  # whether the logarithm must be


def score_moments(differences, log_nu=None):
    """Return the mean of Davidson's scores 1/2, 0, -1/2 of better, tie, worse; P(tie); variance."""
    # An exponential family: a slope is what was seen less what is expected, the information the
    # covariance.
    if log_nu is None:
        mean = np.tanh(differences / 2) / 2  # P(better) - 1 / 2
        return mean, 0.0, 0.25 - mean**2
    up, nu = np.exp(differences / 2), np.exp(log_nu)
    down = 1 / up
    total = up + down + nu
    # E[score²] - E[score]² = (b + w) / 4 - (b - w)² / 4 = b w + t (b + w) / 4, of probabilities of
    # better, worse and tie that add up to one; and the product of up and down is one.
    return (up - down) / (2 * total), nu / total, (1 + nu * (up + down) / 4) / total**2


def bradley_terry_derivatives(strengths, leads, judged):
    """Return slopes and information of matrices of half of wins less losses, and of their sum."""
    mean, _, variance = score_moments(strengths[:, :, None] - strengths[:, None, :])
    return (leads - judged * mean).sum(axis=2), laplacian(judged * variance)


def laplacian(weights):
    """Return the information on strengths of symmetric weights of their differences (..., n, n)."""
    information = -weights
    diagonal = np.diag_indices(weights.shape[-1])
    information[..., *diagonal] += weights.sum(axis=-1)
    return information


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
    """Return slopes (n_matrices, n + 1) and the information, the tie parameter last."""
    differences = strengths[:, :, None] - strengths[:, None, :]
    mean, tie, variance = score_moments(differences, log_nu[:, None, None])
    judged = wins + wins.swapaxes(1, 2) + ties
    slopes = (wins - wins.swapaxes(1, 2)) / 2 - judged * mean
    # Each pair stands in two cells: half of what a whole matrix adds up to belongs to log nu.
    of_ties = (ties - judged * tie).sum(axis=(1, 2)) / 2
    # Cov(score, tie) = E[score tie] - E[score] P(tie), and a tie scores 0.
    both = -(judged * tie * mean).sum(axis=2)
    own = (judged * tie * (1 - tie)).sum(axis=(1, 2)) / 2
    return _assembled(slopes.sum(axis=2), of_ties, judged * variance, both, own)


def _rao_kupper(differences, log_theta):
    """Return the logarithms of P(better) and P(tie) of differences of strengths."""
    # 1 - P(better) - P(worse) is (theta² - 1) P(better) P(worse): no difference of near numbers.
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
    """Return the same of Rao and Kupper's model, where a tie counts as a win of both, too."""
    differences = strengths[:, :, None] - strengths[:, None, :]
    missing = -np.expm1(-np.logaddexp(0, log_theta[:, None, None] - differences))  # 1 - P(better)
    not_worse = wins + ties
    # d log P(better) / dd = 1 - P(better) = -d log P(better) / d log theta, and once more
    # -P(better) (1 - P(better)).
    pull = not_worse * missing
    spread = pull * (1 - missing)
    n_tied = ties.sum(axis=(1, 2)) / 2
    # d log(theta^2 - 1) / d log theta = 2 / (1 - theta^-2), whose slope is -1 / sinh(log theta)^2.
    of_ties = 2 * n_tied / -np.expm1(-2 * log_theta) - pull.sum(axis=(1, 2))
    both = (spread.swapaxes(1, 2) - spread).sum(axis=2)
    own = spread.sum(axis=(1, 2)) + n_tied / np.sinh(log_theta) ** 2
    slopes = (pull - pull.swapaxes(1, 2)).sum(axis=2)
    return _assembled(slopes, of_ties, spread + spread.swapaxes(1, 2), both, own)


def _assembled(slopes, of_ties, weights, both, own):
    """Put slopes and the blocks of the information together, the tie parameter last."""
    n = weights.shape[-1]
    information = np.empty((len(weights), n + 1, n + 1))
    information[:, :n, :n] = laplacian(weights)
    information[:, :n, n] = information[:, n, :n] = both
    information[:, n, n] = own
    return np.column_stack([slopes, of_ties]), information


TIE_MODELS = {
    "davidson": TieModel(
        0.0, lambda ties: np.log(2 * ties / (1 - ties)), _davidson, _davidson_slopes,
        _davidson_derivatives, positive=False,
    ),
    "rao-kupper": TieModel(
        1.0, lambda ties: np.log((1 + ties) / (1 - ties)), _rao_kupper, _rao_kupper_slopes,
        _rao_kupper_derivatives, positive=True,
    ),
}  # fmt: skip
