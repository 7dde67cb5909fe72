"""Sums of floating-point numbers without rounding, whatever their order and however they are cut.

A sum is a whole number of units of 2^-1200, less than any float64: Python's integers hold it, and
adding them loses nothing. So sums of parts add up to the bits that one sum has.
"""

from fractions import Fraction

import numpy as np

__all__ = ["as_float", "exact_sums", "quotient"]

_UNIT = 1200  # a unit is 2^-1200; float64 has no bit below 2^-1074
_HALF = 26  # bits of the lower half of a mantissa
_AT_ONCE = 1 << 26  # halves that a float64 adds up exactly


def exact_sums(values, codes, n_codes):
    """Add up finite numbers by code, 0 to n_codes − 1; a list of integers, in units of 2^-1200."""
    sums = [0] * n_codes
    for first in range(0, len(values), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        fractions, exponents = np.frexp(values[part])
        mantissas = np.ldexp(fractions, 53).astype(np.int64)
        lowest = int(exponents.min(initial=0))
        width = int(exponents.max(initial=0)) - lowest + 1
        # Of one code and one exponent the mantissas are added as they are, in two halves, each of
        # which is a sum of fewer than 2^26 whole numbers below 2^27: exact in a float64.
        cells = codes[part] * width + (exponents - lowest)
        there, cells = np.unique(cells, return_inverse=True)
        high = np.bincount(cells, weights=mantissas >> _HALF, minlength=len(there))
        low = np.bincount(cells, weights=mantissas & ((1 << _HALF) - 1), minlength=len(there))
        for cell, upper, lower in zip(there.tolist(), high.tolist(), low.tolist(), strict=True):
            code, exponent = divmod(cell, width)
            found = (int(upper) << _HALF) + int(lower)
            sums[code] += found << (exponent + lowest - 53 + _UNIT)
    return sums


def quotient(total, n):
    """Divide a sum by a whole number, as a Fraction."""
    return Fraction(total, n << _UNIT)


def as_float(number):
    """Round a Fraction to the nearest float64; infinity beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
