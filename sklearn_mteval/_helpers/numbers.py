"""Reading what should be numbers; text that only looks like them is refused."""

import numpy as np

__all__ = ["as_numbers"]


def as_numbers(values):
    """Read array-likes as a float64 copy; None, NaN, pandas.NA and masked values become NaN.

    TypeError or ValueError for anything else: text, dates, complex numbers, lists of several
    lengths, integers beyond the range of float64.
    """
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(object).filled(np.nan)
    values = np.asarray(values)
    try:
        if values.dtype == object:
            if any(isinstance(value, str | bytes | np.void) for value in values.flat):
                raise TypeError("found texts")  # numpy would read "1_0" as 10
            import pandas as pd  # --help reads modules that use this, and loads no pandas

            values = np.where(pd.isna(values), np.nan, values)
        if values.dtype.kind in "cmMSUV":
            raise TypeError(f"found {values.dtype}")
        return values.astype(np.float64)
    except ArithmeticError as error:  # 10**400, a signalling NaN of decimals
        raise ValueError(f"found a number that float64 cannot hold ({error})") from None
