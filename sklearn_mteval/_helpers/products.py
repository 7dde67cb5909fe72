"""Products whose every row depends, to the bit, on that row only."""

import numpy as np

_ROWS = 4096  # at a time: they stay in the processor's cache


def _parts(rows):
    """Deal rows, of which there may be none, into slices."""
    return (slice(start, start + _ROWS) for start in range(0, len(rows), _ROWS))


def weighted_sums(rows, weights):
    """Add up columns times weights from left to right, (n_rows,), float64, unlike BLAS."""
    found = np.zeros(len(rows))
    for some in _parts(rows):
        for column, weight in zip(rows[some].T, weights, strict=True):
            found[some] += column * np.float64(weight)
    return found


def row_products(rows, matrix):
    """Multiply rows by a matrix, in the wider type: :func:`weighted_sums` of many columns."""
    from sklearn_mteval._helpers._kernels import add_row_products

    matrix = np.ascontiguousarray(matrix, dtype=np.result_type(rows, matrix))
    found = np.zeros((len(rows), matrix.shape[1]), dtype=matrix.dtype)
    for some in _parts(rows):
        part = np.ascontiguousarray(rows[some], dtype=matrix.dtype)
        add_row_products(part, matrix, found[some])
    return found
