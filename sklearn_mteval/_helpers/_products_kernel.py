"""The compiled product of matrices whose rows do not depend on each other."""

from sklearn_mteval._helpers.compiled import compiled


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
