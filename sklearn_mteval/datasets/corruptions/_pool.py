"""Texts and words of other segments, drawn by content."""

import numpy as np


def pick(rng, options):
    """Draw one of a sequence; ``Random.random`` alone is the same in all versions of Python."""
    return options[int(rng.random() * len(options))]


class Pool:
    """Distinct values of a table's units, from which those of *other* units are drawn.

    ``units`` are numbers that the content of each unit decides; the order of the values given does
    not count.
    """

    def __init__(self, values, units):
        entries = sorted(set(zip(units, values, strict=True)))
        self._values = [value for _, value in entries]
        self._units = np.array([unit for unit, _ in entries], dtype=np.int64)
        self._distinct = set(self._values)

    def __contains__(self, value):
        return value in self._distinct

    def draw(self, unit, rng, n=8):
        """Draw n values of units other than this one, an empty list where there is no other."""
        # A unit's values stand together, so that leaving them out is a shift.
        first, last = np.searchsorted(self._units, [unit, unit + 1]).tolist()
        others = len(self._values) - (last - first)
        places = [int(rng.random() * others) for _ in range(n if others else 0)]
        return [self._values[at if at < first else at + last - first] for at in places]
