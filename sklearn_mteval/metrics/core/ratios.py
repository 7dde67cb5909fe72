"""The division that every statistic of agreement ends in, and means of what is known."""

from math import nan

import numpy as np


def ratio(top, bottom, otherwise=nan):
    """Divide arrays of any shapes that broadcast; ``otherwise`` where bottom is not above 0."""
    out = np.full(np.broadcast(top, bottom).shape, otherwise, dtype=np.float64)
    return np.divide(top, bottom, where=np.greater(bottom, 0), out=out)


def mean_of_known(values, axis):
    """Average what is not NaN; NaN where nothing is."""
    there = ~np.isnan(values)
    return ratio(np.where(there, values, 0.0).sum(axis=axis), there.sum(axis=axis))
