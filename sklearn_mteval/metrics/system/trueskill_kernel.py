"""The compiled TrueSkill updates. Imported on first use: numba is slow to load."""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

MEAN = 25.0
DEVIATION = MEAN / 3
BETA = MEAN / 6


@compiled
def _density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@compiled
def _below(x):
    """Return the normal distribution function, accurate far below zero."""
    return math.erfc(-x / math.sqrt(2)) / 2


@compiled
def rate(better, worse, tied, n_systems, margin):
    """Update beliefs match by match: means and deviations (n_systems,) of skills."""
    means, variances = np.full(n_systems, MEAN), np.full(n_systems, DEVIATION**2)
    for k in range(len(better)):
        i, j = better[k], worse[k]
        total = 2 * BETA**2 + variances[i] + variances[j]
        scale = math.sqrt(total)  # Herbrich et al. 2006: v and w move the mean, shrink the variance
        lead, room = (means[i] - means[j]) / scale, margin / scale
        if tied[k]:
            # Of the larger mean, so that the tails below keep their digits.
            up, down = room - abs(lead), -room - abs(lead)
            mass = max(_below(up) - _below(down), 1e-300)
            v = (_density(down) - _density(up)) / mass
            w = v * v + (up * _density(up) - down * _density(down)) / mass
            v = v if lead >= 0 else -v
        else:
            x = lead - room
            v = _density(x) / _below(x) if x > -30 else -x
            w = v * (v + x)
        w = min(max(w, 0.0), 1.0)
        means[i] += variances[i] / scale * v
        means[j] -= variances[j] / scale * v
        variances[i] *= 1 - variances[i] / total * w
        variances[j] *= 1 - variances[j] / total * w
    return means, np.sqrt(variances)
