"""Numbers that are hardly of the scale of all others: a total among scores, a slip."""

import numpy as np

_FAR = 3  # times the range of all others
_FEW = 3  # numbers, or this proportion of them, may be far from the others
_PROPORTION = 0.01
_ENOUGH = 10  # others that say what is far


def far_from_others(values):
    """Return the rows of the few finite numbers that are far from the range of all others."""
    order = np.argsort(values, kind="stable")
    values = values[order].astype(float)
    most = min(max(_FEW, int(_PROPORTION * len(values))), len(values) - _ENOUGH)
    for k in range(1, most + 1):
        low, high = values[k:], values[:-k]
        if low[0] - values[k - 1] > _FAR * (low[-1] - low[0]) > 0:
            return np.sort(order[:k])
        if values[-k] - high[-1] > _FAR * (high[-1] - high[0]) > 0:
            return np.sort(order[-k:])
    return np.zeros(0, dtype=np.int64)
