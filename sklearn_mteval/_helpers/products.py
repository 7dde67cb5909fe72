"""Products whose every row depends, to the bit, on that row only."""

import numpy as np
from sklearn.utils import gen_batches

__all__ = ["weighted_sums"]

_ROWS = 4096  # at a time: they stay in the processor's cache


def weighted_sums(rows, weights):
    """Add up the columns of rows, (n_rows, n_columns), each times its weight, from left to right.

    Shape (n_rows,), float64. BLAS adds up in another order what stands in another place or among
    other rows; here each term is rounded for itself, in any layout and on any processor.
    """
    found = np.zeros(len(rows))
    for some in gen_batches(len(rows), _ROWS):
        for column, weight in zip(rows[some].T, weights, strict=True):
            found[some] += column * np.float64(weight)
    return found
