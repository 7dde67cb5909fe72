"""Differences of soft pairwise accuracy between two metrics whose scores are exchanged.

A permutation test needs the p-values of pairs of systems thousands of times. As within bootstrap
resamples they are the normal ones, p = Φ(-Σ d / √Σ d²), d being the difference of two systems.
"""

import numpy as np

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.significance.permutation import standardised
from sklearn_mteval.metrics.system.soft_accuracy import normal_p_values, soft_accuracy

__all__ = ["exchange_of_soft_accuracy"]

_ROUNDING = 1e-12  # a sum of squares below this proportion of its terms is zero


def exchange_of_soft_accuracy(human, tables):
    """Return what a permutation test is made of, as ``exchange_of_rows`` does.

    From human scores (n_segments, n_systems), NaN where nobody judged, and tables of metrics
    (n_metrics, n_segments, n_systems) that all lack the same cells. A unit is a cell.
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
    # (n_systems, n_segments, n_pairs) of metrics: with a sign s for each cell, a and b become
    # m ± s h.
    middle = ((standard[first] + standard[second]) / 2).transpose(2, 1, 0)
    half = ((standard[first] - standard[second]) / 2).transpose(2, 1, 0)
    pairs = list(zip(*np.triu_indices(tables.shape[2], 1), strict=True))

    def difference(signs):
        by_system = signs.reshape(len(signs), *there.shape).transpose(2, 0, 1).astype(np.float64)
        total = np.zeros((len(signs), len(first)))
        for (i, j), human_p in zip(pairs, of_humans, strict=True):
            # The systems' difference is (m_i - m_j) ± (s_i h_i - s_j h_j), in its square s² = 1.
            common = (there[:, i] & there[:, j])[:, np.newaxis]
            fixed = (middle[i] - middle[j]) * common
            one, other = half[i] * common, half[j] * common
            moved = by_system[i] @ np.hstack([one, 2 * one * fixed])
            moved -= by_system[j] @ np.hstack([other, 2 * other * fixed])
            moved_sum, moved_square = np.split(moved, 2, axis=1)
            least = fixed**2 + one**2 + other**2
            square = least.sum(axis=0) - (by_system[i] * by_system[j]) @ (2 * one * other)
            for sign in (1, -1):
                sums = fixed.sum(axis=0) + sign * moved_sum
                p = _p_values(sums, square + sign * moved_square, least.sum(axis=0))
                total -= sign * np.abs(human_p - p)
        return total / len(pairs)

    return np.array(values), np.where(spread > 0, values, np.nan), difference


def _p_values(sums, squares, least):
    """Return normal p-values, 1/2 where two systems are alike."""
    from scipy.special import ndtr

    varied = squares > _ROUNDING * least
    return ndtr(-sums / np.sqrt(squares, where=varied, out=np.full(squares.shape, np.inf)))
