"""The division that every statistic of agreement ends in."""

from math import nan

import numpy as np


def ratio(top, bottom, otherwise=nan):
    """Divide arrays of any shapes that broadcast; ``otherwise`` where bottom is not above 0."""
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    out = np.full(shape, otherwise, dtype=np.float64)
    return np.divide(top, bottom, where=np.greater(bottom, 0), out=out)
