"""Which two systems to compare next: what a comparison would do to the errors of all differences.

Of i and j and weight w it adds w c c' to the information, c = e_i - e_j: the covariance V becomes
V - w V c c' V / (1 + w c' V c). A batch is greedy (Atkinson, Donev and Tobias 2007, chapter 11).
"""

from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import expit

from sklearn_mteval.metrics.core.assisted_means import variances_of_differences
from sklearn_mteval.metrics.paired_comparisons.models import laplacian
from sklearn_mteval.metrics.paired_comparisons.regression import Fit, covariance, paired_data
from sklearn_mteval.metrics.paired_comparisons.strengths import bradley_terry_strengths

# Of the strengths, a normal prior of mean zero and standard deviation two: what was never judged,
# or never lost, is uncertain, and not infinite.
_PRECISION = 0.25
_INFLATION = 0.1, 10.0
_NEAR = 0.8  # of the largest gain


class Knowledge(NamedTuple):
    """What judgements say of systems."""

    strengths: np.ndarray  # (n_systems,): log-odds, mean zero
    covariance: np.ndarray  # (n_systems, n_systems)
    inflation: float  # variance over that of independent comparisons which never tie
    counts: np.ndarray  # (n_systems, n_systems): comparisons so far, symmetric


def knowledge_of(comparisons, n_systems):
    """Return Knowledge of comparisons among the first systems of ``n_systems``."""
    c = comparisons
    data = paired_data(
        c.segment, c.first, c.second, c.outcome, np.zeros((len(c.first), 0)),
        n_systems=n_systems, ties=False,
    )  # fmt: skip
    judged, won, _ = data.totals().T
    wins = np.zeros((n_systems, n_systems))
    wins[data.first, data.second], wins[data.second, data.first] = won, judged - won
    strengths = bradley_terry_strengths(wins, precision=_PRECISION)
    chance = expit(strengths[:, None] - strengths)
    of_data = laplacian((wins + wins.T) * chance * (1 - chance))
    information = of_data + _PRECISION * np.eye(n_systems)
    bread = np.linalg.inv(information)
    # With one segment, nothing says how segments vary: comparisons are taken for independent.
    if data.segment[-1] > 0:
        of_segments = covariance(data, Fit(strengths, information, True))
    else:
        of_segments = bread @ of_data @ bread
    inflation = np.trace(of_segments) / np.trace(bread @ of_data @ bread)
    inflation = float(np.clip(inflation, *_INFLATION))
    # Of each cell the sandwich is a rough estimate, of all together it is a good one.
    between = np.linalg.inv(of_data / inflation + _PRECISION * np.eye(n_systems))
    return Knowledge(strengths, between, inflation, wins + wins.T)


def _of_tiers(strengths, covariance, share, alpha):
    """Weigh the variance of a difference by how much it decides whether two are told apart."""
    # A difference d of variance v is told apart with the probability Phi(|d| / sqrt(v) - z), whose
    # slope in -v is phi(|d| / sqrt(v) - z) |d| / (2 v^(3/2)), at the v that the batch will leave.
    variances = variances_of_differences(covariance)
    np.fill_diagonal(variances, 1.0)
    differences = np.abs(strengths[:, None] - strengths)
    upper = np.triu(np.ones(variances.shape, dtype=bool), 1)
    # Holm's first step, of the pairs that are still open: at most as many rounds as pairs.
    n_open, still_open = upper.sum(), upper
    while True:
        z = stats.norm.isf(alpha / 2 / max(1, n_open))
        still_open = upper & (differences < z * np.sqrt(variances))
        if still_open.sum() >= n_open:
            break
        n_open = still_open.sum()
    later = variances * share
    slopes = stats.norm.pdf(differences / np.sqrt(later) - z) * differences / (2 * later**1.5)
    slopes = np.where(still_open, slopes, 0.0)
    return slopes + slopes.T


# Of intervals, the variances of all differences weigh alike: their mean is to fall.
GOALS = {
    "tiers": _of_tiers,
    "intervals": lambda s, *_: np.full((len(s), len(s)), 2 / (len(s) * (len(s) - 1))),
}


class Pairs:
    """Pairs of systems in the order in which they are best compared, one at a time."""

    def __init__(self, known, size, *, goal, alpha):
        self.covariance = known.covariance.copy()
        chance = expit(known.strengths[:, None] - known.strengths)
        self.weight = chance * (1 - chance) / known.inflation
        # Variances fall about as the number of comparisons rises. What is open stays open until
        # judgements are in: what they will say of a difference is not known.
        self.counts = known.counts.copy()
        share = known.counts.sum() / (known.counts.sum() + 2 * size)
        self.goal = GOALS[goal](known.strengths, known.covariance, share, alpha)
        self.all_settled = not self.goal.any()
        if self.all_settled:  # the largest errors are next
            self.goal = np.ones_like(self.goal)
        np.fill_diagonal(self.goal, 0.0)
        self.allowed = np.triu(np.ones(chance.shape, dtype=bool), 1)

    def best(self):
        """Return the pair of the largest gain, and the gain; None if no pair is allowed."""
        if not self.allowed.any():
            return None
        moved = self.covariance @ laplacian(self.goal) @ self.covariance
        along = variances_of_differences(self.covariance)
        gains = self.weight * variances_of_differences(moved) / (1 + self.weight * along)
        gains = np.where(self.allowed, gains, -np.inf)
        # The model holds but nearly: of pairs that gain about as much, the one compared least.
        near = gains >= _NEAR * gains.max()
        pair = np.unravel_index(np.argmin(np.where(near, self.counts, np.inf)), gains.shape)
        return *pair, 0.0 if self.all_settled else max(0.0, float(gains[pair]))

    def compare(self, i, j):
        """Take a comparison of two systems for made; its outcome is not known."""
        column = self.covariance[:, i] - self.covariance[:, j]
        w = self.weight[i, j]
        self.counts[i, j] += 1
        self.counts[j, i] += 1
        self.covariance -= np.outer(column, column) * w / (1 + w * (column[i] - column[j]))

    def forbid(self, i, j):
        """Leave out a pair, of which there is nothing left to compare."""
        self.allowed[min(i, j), max(i, j)] = False
