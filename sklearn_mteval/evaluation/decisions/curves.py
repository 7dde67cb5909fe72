"""How often annotators agree with a difference: curves through 1/2 at 0, by maximum likelihood."""

from math import log, sqrt
from typing import NamedTuple

import numpy as np

# Of each curve, whether its plateau is 1, so that a large difference is certain.
CURVES = {"logistic": True, "plateau": False}

_LOG_STEEPNESS = log(1e-2), log(1e2)  # times the median difference
_GRID = 25
_GOLDEN = (sqrt(5) - 1) / 2
_NARROWINGS = 32  # of the grid's step, to 1e-7
_NEWTON_STEPS = 20
_SMALLEST = 1e-15  # probability


class AgreementCurve(NamedTuple):
    """P(annotators prefer what has the higher score | difference d) = (1 + g tanh(b d / 2)) / 2.

    It is 1/2 at 0 and symmetric: exchanging the two changes agreement to disagreement. With a
    plateau g of 1 it is the logistic function of b d.
    """

    name: str
    steepness: "float | np.ndarray"  # b, above 0, in units of 1 / difference
    plateau: "float | np.ndarray"  # g, from -1 to 1: agreement ends at (1 + g) / 2

    def agreement(self, differences):
        """Return the proportion of agreement at differences, broadcast with the parameters."""
        with np.errstate(over="ignore"):  # the plateau is then reached
            return (1 + self.plateau * np.tanh(self.steepness * differences / 2)) / 2

    def difference(self, agreement):
        """Return the difference at which agreement, of 1/2 to 1, is reached, inf where never."""
        with np.errstate(divide="ignore", invalid="ignore"):
            height = (2 * np.asarray(agreement, dtype=np.float64) - 1) / self.plateau
            reached = (height < 1) & (np.asarray(self.plateau) > 0)
            found = 2 * np.arctanh(np.where(reached, height, 0)) / self.steepness
        return np.where(reached, found, np.inf)


def fit_curves(name, differences, agreeing, total):
    """Fit a curve to each row of counts: an AgreementCurve of arrays (n_resamples,).

    ``agreeing`` of ``total`` pairs (n_resamples, n_cells) agree. One pair of the median difference
    that half agrees is added: else few pairs that all agree would be taken for certainty.
    """
    middle = np.searchsorted(np.cumsum(total[0]), total[0].sum() / 2)
    scale = differences[min(middle, len(differences) - 1)]
    x = np.append(differences / scale, 1.0)
    one = np.ones((len(total), 1))
    agreeing = np.hstack([agreeing, one / 2])
    opposing = np.hstack([total, one]) - agreeing

    def profile(logs):
        t = np.tanh(np.exp(logs)[:, np.newaxis] * x / 2)
        plateau = np.ones(len(t)) if CURVES[name] else _best_plateau(t, agreeing, opposing)
        of_t = plateau[:, np.newaxis] * t
        better, worse = (np.log(np.maximum((1 + s * of_t) / 2, _SMALLEST)) for s in (1, -1))
        return (agreeing * better + opposing * worse).sum(axis=1), plateau

    grid = np.linspace(*_LOG_STEEPNESS, _GRID)
    values = [profile(np.full(len(total), log))[0] for log in grid]
    best = grid[np.argmax(values, axis=0)]
    low, high = best - (grid[1] - grid[0]), best + (grid[1] - grid[0])
    # Golden section, of all resamples at once: each step keeps one of the two points between.
    points = np.array([high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)])
    found = np.array([profile(point)[0] for point in points])
    for _ in range(_NARROWINGS):
        left = found[0] >= found[1]
        low, high = np.where(left, low, points[0]), np.where(left, points[1], high)
        new = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        value = profile(new)[0]
        points = np.where(left, [new, points[0]], [points[1], new])
        found = np.where(left, [value, found[0]], [found[1], value])
    logs = (low + high) / 2
    return AgreementCurve(name, np.exp(logs) / scale, profile(logs)[1])


def _best_plateau(t, agreeing, opposing):
    """Maximise the likelihood, concave in g, by Newton's steps within a bracket (n_resamples,)."""
    low, high, g = np.full(len(t), -1.0), np.ones(len(t)), np.zeros(len(t))
    for _ in range(_NEWTON_STEPS):
        up, down = (t / np.maximum(1 + s * g[:, np.newaxis] * t, _SMALLEST) for s in (1, -1))
        slope = (agreeing * up - opposing * down).sum(axis=1)
        bend = (agreeing * up**2 + opposing * down**2).sum(axis=1)
        low, high = np.where(slope > 0, g, low), np.where(slope < 0, g, high)
        step = g + slope / np.maximum(bend, _SMALLEST)
        g = np.where((step > low) & (step < high), step, (low + high) / 2)
    return g
