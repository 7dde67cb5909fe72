"""Differences of soft pairwise accuracy between two metrics whose scores are exchanged.

A permutation test needs the p-values of pairs of systems thousands of times. As within bootstrap
resamples they are the normal ones, p = Φ(-Σ d / √Σ d²), d being the difference of two systems.
"""

import numpy as np

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.significance.permutation import standardised
from sklearn_mteval.metrics.system.soft_accuracy import normal_p_values, soft_accuracy

_ROUNDING = 1e-12  # a sum of squares below this proportion of its terms is zero


def exchange_of_soft_accuracy(human, tables):
    """Return what a permutation test is made of, as ``exchange_of_rows`` does.

    From human scores (n_segments, n_systems), NaN where nobody judged, and tables of metrics
    (n_metrics, n_segments, n_systems) in all of which the same cells are missing. A unit is a cell.
    """
    there = ~np.isnan(tables[0])
    if (np.isnan(tables) == there).any():
        raise CandidateError("Metrics must have scored the same translations.")
    ones = np.ones((1, len(human)))
    of_humans = normal_p_values(human)(ones)[0]
    p_values = [normal_p_values(table)(ones)[0] for table in tables]
    values = [soft_accuracy(of_humans, of_metric) for of_metric in p_values]
    standard, spread = standardised(tables.reshape(len(tables), -1))
    standard = np.where(there, standard.reshape(tables.shape), 0.0)
    first, second = np.triu_indices(len(tables), 1)
    # (n_systems, n_pairs, n_segments) of metrics: with a sign s for each cell, a and b become
    # m ± s h.
    middle = ((standard[first] + standard[second]) / 2).transpose(2, 0, 1)
    half = ((standard[first] - standard[second]) / 2).transpose(2, 0, 1)
    pairs = list(zip(*np.triu_indices(tables.shape[2], 1), strict=True))

    cells = np.arange(there.size).reshape(there.shape).T

    def difference(signs):
        return np.hstack([of_block(block.of(cells)) for block in signs.blocks()])

    def of_block(by_system):
        total = np.zeros((len(first), by_system.shape[-1]))
        for (i, j), human_p in zip(pairs, of_humans, strict=True):
            # The systems' difference is (m_i - m_j) ± (s_i h_i - s_j h_j), in its square s² = 1.
            common = there[:, i] & there[:, j]
            fixed = (middle[i] - middle[j]) * common
            one, other = half[i] * common, half[j] * common
            moved = np.vstack([one, 2 * one * fixed]) @ by_system[i]
            moved -= np.vstack([other, 2 * other * fixed]) @ by_system[j]
            moved_sum, moved_square = np.split(moved, 2)
            least = (fixed**2 + one**2 + other**2).sum(axis=1, keepdims=True)
            square = least - (2 * one * other) @ (by_system[i] * by_system[j])
            for sign in (1, -1):
                sums = fixed.sum(axis=1, keepdims=True) + sign * moved_sum
                total -= sign * np.abs(
                    human_p - _p_values(sums, square + sign * moved_square, least)
                )
        return total / len(pairs)

    return np.array(values), np.where(spread > 0, values, np.nan), difference


def _p_values(sums, squares, least):
    """Return normal p-values, 1/2 where two systems are alike."""
    from scipy.special import ndtr

    varied = squares > _ROUNDING * least
    return ndtr(-sums / np.sqrt(squares, where=varied, out=np.full(squares.shape, np.inf)))
