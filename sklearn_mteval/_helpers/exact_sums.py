"""Sums of numbers that are exact until they are asked for: no order of the terms changes a bit."""

import numpy as np

__all__ = ["ExactSums"]

_PARTS = 67  # of 32 bits each: all of float64, and room for what is carried over
_UNIT = 2**1075  # a number is a whole number of 1 / _UNIT


class ExactSums:
    """Sums of float64, one for each column of the rows that are added; terms must be finite.

    A sum is a whole number of 2^-1075, kept in parts of 32 bits, so that adding to it rounds
    nothing and terms may come in any order and in any blocks (the small superaccumulator of Neal
    2015, "Fast exact summation using small and large superaccumulators"). Memory: 536 bytes a sum.
    """

    def __init__(self, n_sums):
        self.parts = np.zeros((_PARTS, n_sums), dtype=np.int64)

    def add(self, rows):
        """Add rows, (n_rows, n_sums), fewer than 2^29."""
        from sklearn_mteval._helpers._exact_sums_kernel import add_exactly

        add_exactly(np.ascontiguousarray(rows, dtype=np.float64).view(np.int64), self.parts)
        self.carry()

    def carry(self):
        """Make room for 2^29 further rows: a row adds less than 2^33 to a part."""
        over = self.parts[:-1] >> 32
        self.parts[:-1] -= over << 32
        self.parts[1:] += over  # the last part keeps what it has, and the sign

    def totals(self, over=1):
        """Return the sums, each divided by a whole number, and rounded once, to the nearest."""
        found = np.empty(self.parts.shape[1])
        for k, parts in enumerate(self.parts.T.tolist()):
            whole = sum(part << 32 * place for place, part in enumerate(parts) if part)
            found[k] = whole / (_UNIT * over)  # of Python's whole numbers: correctly rounded
        return found
