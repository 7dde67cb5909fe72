"""Sums over the pairs of rankings for a logistic regression, without a table of these pairs.

For each ranking x_ij = x_i − x_j, i better than j. With a symmetric weight w_ij the matrix
Σ w_ij x_ij x_ijᵀ over the pairs is Σ_i x_i y_iᵀ, y_i = Σ_j w_ij (x_i − x_j): rows times columns²
instead of pairs times columns². What a ranking adds is rounded in a fixed order, and then added
exactly, so that neither other rankings nor their order change a bit.
"""

import math

import numpy as np

from sklearn_mteval._helpers._kernels import add_exactly
from sklearn_mteval._helpers.compiled import compiled


@compiled
def _sort_rows(values, ranks, columns, start, size, order):
    """Put the rows of a ranking in an order of their content, by insertion: rankings are short."""
    for row in range(start, start + size):
        place = row - start
        while place > 0 and _comes_before(values, ranks, columns, row, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = row


@compiled
def _comes_before(values, ranks, columns, row, other):
    """Compare two rows by their columns, the first one first, then by their ranks."""
    for k in columns:
        if values[row, k] != values[other, k]:
            return values[row, k] < values[other, k]
    return ranks[row] < ranks[other]


@compiled
def add_derivatives(values, ranks, sizes, columns, scale, weights, parts):
    """Add −log-likelihood and its derivatives over the decided pairs; return how many these are.

    ``values``, (n_rows, any), and ``ranks`` come ranking after ranking, of these ``sizes``, in
    which rows may have any order. The features are these ``columns`` divided by their ``scale``.
    Sums stand in this order: one, (n_columns,), and row by row the upper triangle of (n_columns,
    n_columns).
    """
    n_columns = len(columns)
    one = np.empty((1, parts.shape[1]))
    most = sizes.max()
    order = np.empty(most, dtype=np.int64)
    log_odds, slopes = np.empty(most), np.empty(most)
    rows, y = np.empty((most, n_columns)), np.empty((most, n_columns))
    start = n_pairs = 0
    for size in sizes:
        _sort_rows(values, ranks, columns, start, size, order)
        slopes[:size] = 0.0
        y[:size] = 0.0
        one[:] = 0.0
        decided = 0
        for i in range(size):
            log_odds[i] = 0.0
            for k in range(n_columns):
                # Relative to the first row, so that what all have in common costs no digits.
                x = values[order[i], columns[k]] - values[order[0], columns[k]]
                rows[i, k] = x / scale[k]
                log_odds[i] += rows[i, k] * weights[k]
            for j in range(i):
                if ranks[order[i]] == ranks[order[j]]:
                    continue
                decided += 1
                sign = 1.0 if ranks[order[i]] < ranks[order[j]] else -1.0
                margin = sign * (log_odds[i] - log_odds[j])
                small = math.exp(-abs(margin))  # the odds of the less likely: no overflow
                one[0, 0] += math.log1p(small) - min(margin, 0.0)
                wrong = sign * (small if margin >= 0 else 1.0) / (1.0 + small)
                slopes[i] -= wrong
                slopes[j] += wrong
                w = small / (1.0 + small) ** 2
                for k in range(n_columns):
                    term = w * (rows[i, k] - rows[j, k])
                    y[i, k] += term
                    y[j, k] -= term
        if decided:
            for i in range(1, size):
                place = 1 + n_columns
                for k in range(n_columns):
                    x = rows[i, k]
                    one[0, 1 + k] += slopes[i] * x
                    for other in range(k, n_columns):
                        one[0, place] += x * y[i, other]
                        place += 1
            add_exactly(one.view(np.int64), parts)
        start += size
        n_pairs += decided
    return n_pairs
