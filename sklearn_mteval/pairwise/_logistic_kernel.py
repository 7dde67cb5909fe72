"""Sums over the pairs of rankings for a logistic regression, without a table of these pairs.

For each ranking x_ij = x_i − x_j, i better than j. With a symmetric weight w_ij the matrix
Σ w_ij x_ij x_ijᵀ over the pairs is Σ_i x_i y_iᵀ, y_i = Σ_j w_ij (x_i − x_j): rows times columns²
instead of pairs times columns². What a ranking adds is rounded in a fixed order, and then added
exactly, so that neither other rankings nor their order change a bit.
"""

import math

import numpy as np

from sklearn_mteval._helpers._exact_sums_kernel import add_exactly
from sklearn_mteval._helpers.compiled import compiled

__all__ = ["add_derivatives"]


@compiled
def add_derivatives(rows, ranks, sizes, weights, parts):
    """Add −log-likelihood and its derivatives over the decided pairs; return how many these are.

    ``rows``, (n_rows, n_columns), and ``ranks`` come ranking after ranking, of these ``sizes``. The
    first row of each is zeros: rows are taken relative to it. Sums are in this order: one,
    (n_columns,), and row by row the upper triangle of (n_columns, n_columns).
    """
    n_columns = rows.shape[1]
    one = np.empty((1, parts.shape[1]))
    most = sizes.max()
    log_odds, slopes = np.empty(most), np.empty(most)
    y = np.empty((most, n_columns))
    start = n_pairs = 0
    for size in sizes:
        slopes[:size] = 0.0
        y[:size] = 0.0
        one[:] = 0.0
        decided = 0
        for i in range(size):
            log_odds[i] = 0.0
            for k in range(n_columns):
                log_odds[i] += rows[start + i, k] * weights[k]
            for j in range(i):
                if ranks[start + i] == ranks[start + j]:
                    continue
                decided += 1
                sign = 1.0 if ranks[start + i] < ranks[start + j] else -1.0
                margin = sign * (log_odds[i] - log_odds[j])
                small = math.exp(-abs(margin))  # the odds of the less likely: no overflow
                one[0, 0] += math.log1p(small) - min(margin, 0.0)
                wrong = sign * (small if margin >= 0 else 1.0) / (1.0 + small)
                slopes[i] -= wrong
                slopes[j] += wrong
                w = small / (1.0 + small) ** 2
                for k in range(n_columns):
                    term = w * (rows[start + i, k] - rows[start + j, k])
                    y[i, k] += term
                    y[j, k] -= term
        if decided:
            for i in range(1, size):
                place = 1 + n_columns
                for k in range(n_columns):
                    x = rows[start + i, k]
                    one[0, 1 + k] += slopes[i] * x
                    for other in range(k, n_columns):
                        one[0, place] += x * y[i, other]
                        place += 1
            add_exactly(one.view(np.int64), parts)
        start += size
        n_pairs += decided
    return n_pairs
