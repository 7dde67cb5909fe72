"""Products whose every row depends, to the bit, on that row only."""

import numpy as np

_FEW = 64  # rows, for which a loop over columns takes longer than the sums
_ROWS = 4096  # at a time: they stay in the processor's cache


def _parts(rows):
    """Deal rows, of which there may be none, into slices."""
    return (slice(start, start + _ROWS) for start in range(0, len(rows), _ROWS))


def weighted_sums(rows, weights):
    """Add up columns times weights from left to right, (n_rows,), float64, unlike BLAS."""
    weights = np.asarray(weights, dtype=np.float64)
    if len(rows) <= _FEW:
        return left_to_right(rows * weights)
    found = np.zeros(len(rows))
    for some in _parts(rows):
        for column, weight in zip(rows[some].T, weights, strict=True):
            found[some] += column * weight
    return found


def left_to_right(rows):
    """Add up the columns of float64 rows in their order, (n_rows,)."""
    if len(rows) <= _FEW and rows.shape[1]:
        return np.add.accumulate(rows, axis=1)[:, -1] + 0.0
    found = np.zeros(len(rows))
    for column in rows.T:
        found += column
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
