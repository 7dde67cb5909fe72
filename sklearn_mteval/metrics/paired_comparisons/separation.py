"""Which systems paired comparisons place on one scale, and what can be said of the others.

Strengths of maximum likelihood are finite only within a strongly connected part of the graph of
wins and ties (Ford 1957).
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.sparse.csgraph import connected_components

from sklearn_mteval.metrics.paired_comparisons.models import TIE_MODELS

_FAR = 50.0  # log-odds; what lies farther off is not told from infinity


class Standing(NamedTuple):
    """Where systems stand by wins alone; each array is of shape (n_systems,) but ``over``."""

    core: np.ndarray  # bool: the part on one scale, the largest one; none if no two share one
    above: np.ndarray  # bool: never lost to the core, directly or over others, but won
    below: np.ndarray
    part: np.ndarray  # int: number of the strongly connected part
    over: np.ndarray  # (n_systems, n_systems) bool: row won against column, over others or not

    @property
    def net(self):
        """Return how many systems each one is over, less those that are over it: an order."""
        return self.over.sum(axis=1) - self.over.sum(axis=0)


def standing_of(first, second, totals, n_systems):
    """Return the Standing of systems, given the counts of each row (n_rows, 3)."""
    judged, won = totals[:, 0], totals[:, 1]
    beats = np.zeros((n_systems, n_systems), dtype=bool)
    np.logical_or.at(beats, (first, second), won > 0)
    np.logical_or.at(beats, (second, first), won < judged)
    n_parts, part = connected_components(beats, directed=True, connection="strong")
    reach = np.eye(n_parts, dtype=bool)
    np.logical_or.at(reach, (part[:, None], part[None, :]), beats)
    while True:  # paths of twice the length
        longer = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (longer == reach).all():
            break
        reach = longer
    np.fill_diagonal(reach, False)
    within = part[first] == part[second]
    compared = np.bincount(part[first][within], judged[within], minlength=n_parts)
    sizes = np.bincount(part)
    best = np.lexsort((compared, sizes))[-1]
    over = reach[np.ix_(part, part)]
    core = part == best
    if sizes[best] > 1:
        return Standing(core, reach[part, best], reach[best, part], part, over)
    higher, lower = over.any(axis=1), over.any(axis=0)
    return Standing(np.zeros_like(core), higher & ~lower, lower & ~higher, part, over)


def log_chance(strength, opponents, weights, log_nu):
    """Return the log-probability that a system of some strength beats all opponents."""
    better = np.exp(TIE_MODELS["davidson"].log_probabilities(strength - opponents, log_nu)[0])
    return float(weights @ np.log(np.maximum(better, 1e-300)))


def strength_bound(opponents, weights, log_nu, tail):
    """Return the strength below which winning every comparison is less probable than ``tail``."""
    if not len(opponents):
        return -np.inf

    def excess(strength):
        return log_chance(strength, opponents, weights, log_nu) - np.log(tail)

    low, high = opponents.min() - _FAR, opponents.max() + _FAR
    if excess(low) >= 0:
        return -np.inf
    return brentq(excess, low, high, xtol=1e-10)
