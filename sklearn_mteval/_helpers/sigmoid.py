"""Probabilities of margins: Platt's sigmoid."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit


def sigmoid_slope(margins, bounds, weights=None):
    """Fit A of P(right) = 1 / (1 + exp(−A margin)), without intercept, regularised (Platt 1999)."""
    total = len(margins) if weights is None else weights.sum()
    target = (total + 1) / (total + 2)

    def rise(slope):
        """Derive the mean log-likelihood, a concave function of the slope."""
        return np.average(margins * (target - expit(slope * margins)), weights=weights)

    low, high = bounds
    if rise(low) <= 0:
        return low
    return high if rise(high) >= 0 else float(brentq(rise, low, high))
