"""Sums of numbers that are exact until they are asked for: no order of the terms changes a bit."""

from fractions import Fraction

import numpy as np

_PARTS = 67  # of 32 bits each: all of float64, and room for what is carried over
_UNIT = 2**1075  # a number is a whole number of 1 / _UNIT


class ExactSums:
    """Exact sums of finite float64 by column, whole numbers of 2^-1075 in parts of 32 bits (Neal
    2015, "Fast exact summation using small and large superaccumulators"), 536 bytes each.
    """

    def __init__(self, n_sums):
        self.parts = np.zeros((_PARTS, n_sums), dtype=np.int64)

    def add(self, rows):
        """Add rows, (n_rows, n_sums), fewer than 2^29."""
        from sklearn_mteval._helpers._kernels import add_exactly

        add_exactly(np.ascontiguousarray(rows, dtype=np.float64).view(np.int64), self.parts)
        self.carry()

    def carry(self):
        """Make room for 2^29 further rows: a row adds less than 2^33 to a part."""
        over = self.parts[:-1] >> 32
        self.parts[:-1] -= over << 32
        self.parts[1:] += over  # the last part keeps what it has, and the sign

    def whole(self):
        """Return the sums as Python's integers, whole numbers of 2^-1075, which can be added."""
        places = np.flatnonzero(self.parts.any(axis=1)).tolist()
        return [
            sum(part << 32 * place for place, part in zip(places, parts, strict=True) if part)
            for parts in self.parts[places].T.tolist()
        ]

    def totals(self, over=1):
        """Return the sums, each divided by a whole number, and rounded once, to the nearest."""
        # Of Python's whole numbers a quotient is correctly rounded.
        return np.array([whole / (_UNIT * over) for whole in self.whole()])


def quotient(whole, n):
    """Divide such an integer by a whole number, as a Fraction, of which float rounds once."""
    return Fraction(whole, n * _UNIT)


def variance_of_mean(n, total, squares):
    """Return the variance of the mean of n > 1 numbers, given such sums of them and of squares."""
    return max(squares * _UNIT * n - total * total, 0) / (_UNIT * _UNIT * n * n * (n - 1))
