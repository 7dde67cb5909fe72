"""What rows and columns of a table know of each other. Imported on first use: numba is slow."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


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
