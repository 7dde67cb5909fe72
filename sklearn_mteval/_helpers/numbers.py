"""Reading what should be numbers; text that only looks like them is refused."""

import numpy as np

_EXACT = 2.0**53  # up to it, float64 holds all whole numbers


def as_numbers(values):
    """Read a float64 copy, what is missing as NaN; TypeError or ValueError if not numbers."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(object).filled(np.nan)
    given, values = values, np.asarray(values)
    try:
        if values.dtype == object:
            if any(isinstance(value, str | bytes | np.void) for value in values.flat):
                raise TypeError("found texts")  # numpy would read "1_0" as 10
            import pandas as pd  # --help reads modules that use this, and loads no pandas

            values = np.where(pd.isna(values), np.nan, values)
        if values.dtype.kind in "cmMSUV":
            raise TypeError(f"found {values.dtype}")
        values = values.astype(np.float64)
    except ArithmeticError as error:  # 10**400, a signalling NaN of decimals
        raise ValueError(f"found a number that float64 cannot hold ({error})") from None
    check_exact(given, values)
    return values


def check_exact(given, values):
    """Raise ValueError for a number beyond 2^53 that became another one as float64, ``values``."""
    if getattr(given, "dtype", None) == np.float64:
        return
    large = np.abs(values) >= _EXACT
    if large.any():
        # Lists and tables of integers and fractions are float64 before anybody can look.
        cells = given.astype(object) if hasattr(given, "astype") else given
        for cell in np.asarray(cells, dtype=object).reshape(large.shape)[large]:
            if not is_exact(cell):
                raise ValueError(
                    f"found {cell!s}, which float64 does not hold: beyond 2^53 it has not all "
                    "whole numbers. Subtract what all have in common, or divide by a power of two."
                )


def is_exact(number):
    """Tell whether float64 holds a number that is whole and beyond 2^53; others may be rounded."""
    number = number.item() if isinstance(number, np.integer) else number
    return isinstance(number, float) or abs(number) < _EXACT or number == float(number)
