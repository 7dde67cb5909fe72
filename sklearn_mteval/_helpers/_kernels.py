"""Compiled loops of exact sums, orders and products. Imported on first use: numba is slow."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def add_exactly(bits, parts):
    """Add rows of float64's bits, int64 (n_rows, n_sums), to the parts (67, n_sums) of sums."""
    for row in range(bits.shape[0]):
        for k in range(bits.shape[1]):
            number = bits[row, k]
            exponent = (number >> 52) & 0x7FF
            whole = number & 0xFFFFFFFFFFFFF
            if exponent == 0:  # zero, or a subnormal number, which has no hidden bit
                if whole == 0:
                    continue
                exponent = 1
            else:
                whole |= 0x10000000000000
            # The number is whole * 2^(exponent - 1075), and 2^exponent = 2^(32 place) 2^shift.
            # No more than 63 bits are needed: 32 + 31 of the lower half, 21 + 31 of the upper.
            place, shift = exponent >> 5, exponent & 31
            low, high = (whole & 0xFFFFFFFF) << shift, (whole >> 32) << shift
            first, second, third = low & 0xFFFFFFFF, (low >> 32) + (high & 0xFFFFFFFF), high >> 32
            if number < 0:
                first, second, third = -first, -second, -third
            parts[place, k] += first
            parts[place + 1, k] += second
            parts[place + 2, k] += third


@compiled
def add_hashes(cells, of_columns, of_rows):
    """Add to each row of hashed cells, modulo 2^64, its cells' hashes, mixed with their columns."""
    for row in range(len(cells)):
        total = np.uint64(0)
        for column in range(len(of_columns)):
            # As pandas hashes numbers (splitmix64, Steele, Lea and Flood 2014).
            value = cells[row, column] + of_columns[column] * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(30)
            value *= np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(27)
            value *= np.uint64(0x94D049BB133111EB)
            total += value ^ (value >> np.uint64(31))
        of_rows[row] += total


@compiled
def add_row_products(rows, matrix, sums):
    """Add rows times matrix to ``sums``, each term by itself and from left to right."""
    n, width = rows.shape
    whole = width - width % 4
    for start in range(0, n, 4):  # rows that use the same part of the matrix while it is near
        end = min(start + 4, n)
        for k in range(0, whole, 4):
            b_0, b_1, b_2, b_3 = matrix[k], matrix[k + 1], matrix[k + 2], matrix[k + 3]
            for i in range(start, end):
                a_0, a_1, a_2, a_3 = rows[i, k], rows[i, k + 1], rows[i, k + 2], rows[i, k + 3]
                to = sums[i]
                for j in range(matrix.shape[1]):
                    to[j] = to[j] + a_0 * b_0[j] + a_1 * b_1[j] + a_2 * b_2[j] + a_3 * b_3[j]
        for i in range(start, end):
            for k in range(whole, width):
                for j in range(matrix.shape[1]):
                    sums[i, j] += rows[i, k] * matrix[k, j]
