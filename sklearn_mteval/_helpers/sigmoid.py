"""Probabilities of margins: Platt's sigmoid."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit


def sigmoid_slope(margins, bounds, weights=None):
    """Fit A of P(right) = 1 / (1 + exp(−A margin)) by regularised likelihood (Platt 1999).

    There is no intercept: both directions of a held-out pair must add up to one.
    """
    total = len(margins) if weights is None else weights.sum()
    target = (total + 1) / (total + 2)

    def rise(slope):
        """Derive the mean log-likelihood, a concave function of the slope."""
        return np.average(margins * (target - expit(slope * margins)), weights=weights)

    low, high = bounds
    if rise(low) <= 0:
        return low
    return high if rise(high) >= 0 else float(brentq(rise, low, high))
