"""How often annotators agree with a difference: curves through 1/2 at 0, by maximum likelihood."""

from math import log
from typing import NamedTuple

import numpy as np

# Of each curve, whether its plateau is 1, so that a large difference is certain.
CURVES = {"logistic": True, "plateau": False}

_GRID = log(1e-2), log(1e2), 1001  # of the log of steepness times the median difference
_HALVINGS = 24  # of a range of plateaus, to 1e-7
_NEWTON_STEPS = 20
_SMALLEST = 1e-15  # probability


class AgreementCurve(NamedTuple):
    """P(annotators prefer the higher score | difference d) = (1 + g tanh(b d / 2)) / 2."""

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

    def slopes(self, differences):
        """Return derivatives of agreement by the parameters that are fitted, (n, n_differences)."""
        t = np.tanh(self.steepness * differences / 2)
        by_steepness = self.plateau * differences * (1 - t**2) / 4
        return np.array([by_steepness] if CURVES[self.name] else [by_steepness, t / 2])


class CurveLikelihood:
    """Log-likelihood of curves, of ``agreeing`` of ``total`` pairs in each cell, and one pair of
    the median difference that half agrees, lest few that all agree be taken for certainty.
    """

    def __init__(self, name, differences, agreeing, total):
        middle = np.searchsorted(np.cumsum(total), total.sum() / 2)
        self.name, self._scale = name, differences[min(middle, len(differences) - 1)]
        self._grid = np.linspace(*_GRID)
        self._x = np.append(differences / self._scale, 1.0)
        self._agreeing = np.append(agreeing, 0.5)
        self._opposing = np.append(total, 1.0) - self._agreeing

    def fit(self):
        """Return the likeliest curve: near the best of a grid."""
        from scipy.optimize import minimize_scalar  # slow to load

        best, step = (
            self._grid[self._profile(self._grid)[0].argmax()],
            self._grid[1] - self._grid[0],
        )

        def loss(log):
            return -self._profile(np.array([log]))[0][0]

        bounds = best - step, best + step
        log = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-10}).x
        plateau = self._profile(np.array([log]))[1][0]
        return AgreementCurve(self.name, float(np.exp(log) / self._scale), float(plateau))

    def accepted(self, curve, loss):
        """Return curves at the border of those at most ``loss`` less likely than the likeliest."""
        own = np.array([np.log(curve.steepness * self._scale)])
        logs = np.append(self._grid, own)
        values, plateau = self._profile(logs)
        least = self._profile(own)[0][0] - loss
        logs, plateau = logs[values >= least], plateau[values >= least]
        ends = [plateau] if CURVES[self.name] else self._ends(logs, plateau, least)
        steepness = np.exp(logs) / self._scale
        if logs.min() == self._grid[0]:  # any flatter one is accepted, too
            steepness[logs.argmin()] = 0
        steepness, ends = np.tile(steepness, len(ends)), np.concatenate(ends)
        return AgreementCurve(self.name, steepness[:, np.newaxis], ends[:, np.newaxis])

    def _ends(self, logs, plateau, least):
        """Return the least and the largest accepted plateau of each steepness."""
        t, ends = self._tanh(logs), []
        for end in (-1.0, 1.0):
            inside, outside = plateau, np.full(len(logs), end)
            for _ in range(_HALVINGS):
                middle = (inside + outside) / 2
                accepted = self._of_plateau(t, middle) >= least
                inside = np.where(accepted, middle, inside)
                outside = np.where(accepted, outside, middle)
            whole = self._of_plateau(t, np.full(len(logs), end)) >= least
            ends.append(np.where(whole, end, inside))
        return ends

    def _tanh(self, logs):
        return np.tanh(np.exp(logs)[:, np.newaxis] * self._x / 2)

    def _of_plateau(self, t, plateau):
        of_t = plateau[:, np.newaxis] * t
        better, worse = (np.log(np.maximum((1 + s * of_t) / 2, _SMALLEST)) for s in (1, -1))
        return (self._agreeing * better + self._opposing * worse).sum(axis=1)

    def _profile(self, logs):
        """Return the likelihood of each steepness, of the best plateau, and that."""
        t = self._tanh(logs)
        plateau = np.ones(len(t))
        if not CURVES[self.name]:
            plateau = _best_plateau(t, self._agreeing, self._opposing)
        return self._of_plateau(t, plateau), plateau


def _best_plateau(t, agreeing, opposing):
    """Maximise the likelihood, concave in g, by Newton's steps within a bracket (n_curves,)."""
    low, high, g = np.full(len(t), -1.0), np.ones(len(t)), np.zeros(len(t))
    for _ in range(_NEWTON_STEPS):
        up, down = (t / np.maximum(1 + s * g[:, np.newaxis] * t, _SMALLEST) for s in (1, -1))
        slope = (agreeing * up - opposing * down).sum(axis=1)
        bend = (agreeing * up**2 + opposing * down**2).sum(axis=1)
        low, high = np.where(slope > 0, g, low), np.where(slope < 0, g, high)
        step = g + slope / np.maximum(bend, _SMALLEST)
        g = np.where((step > low) & (step < high), step, (low + high) / 2)
    return g
