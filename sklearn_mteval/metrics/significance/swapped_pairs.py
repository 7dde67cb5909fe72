"""Compiled sums behind permutation tests. Imported on first use: numba is slow to load.

A pair of rows has four states, as each row is swapped between two metrics or not. What a
statistic counts is a number for each state, and a function of two signs s, t is
c + a s + b t + g s t: the coefficients are added up once, and no permutation looks at rows.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

__all__ = ["add_correlations", "difference_coefficients", "group_coefficients"]


@compiled
def _by_human(human, i, j, threshold):
    """Return 0, 1, 2 if j is worse, tied, better."""
    drop = human[i] - human[j]
    decided = (drop >= threshold) | (drop <= -threshold)
    return 1 + decided * (int(drop > 0) - int(drop < 0))


@compiled
def _cell(by_human, rise, epsilon):
    """Return the cell of a table of 3 human by 3 metric outcomes."""
    return 3 * by_human + 1 + int(rise > epsilon) - int(rise < -epsilon)


@compiled
def difference_coefficients(
    human, scores, standard, units, n_units, starts, weights, first, second, table, bounds
):
    """Add up the difference of two metrics' sums over pairs, as a linear function of signs.

    The difference changes its sign if all swaps are undone and done the other way round. Such
    an odd function of the two signs of a pair of rows has neither constant nor product.

    Parameters
    ----------
    human : ndarray of shape (n_rows,)
        Judgement, lower is better, rows of a group consecutive.
    scores, standard : ndarray of shape (n_metrics, n_rows)
        As they are, for pairs of one metric; and standardised, for pairs of two.
    units : ndarray of shape (n_rows,), int64
        Rows of one unit are swapped together.
    n_units : int
        How many there are.
    starts : ndarray of shape (n_groups + 1,), int64
        First row of each group, then n_rows.
    weights : ndarray of shape (n_groups,)
        What a pair of each group counts.
    first, second : ndarray of shape (n_pairs,), int64
        The two metrics of each pair of metrics.
    table : ndarray of shape (9,)
        What a pair of rows adds, by human and metric outcome.
    bounds : tuple (threshold, epsilons, radii)
        Human differences below the threshold tie; metric differences up to epsilons
        (n_metrics,) tie, and of two metrics those up to the sum of their radii (n_metrics,).

    Returns
    -------
    ndarray of shape (n_pairs, n_units)
        Times signs (+1 as it is, -1 swapped), added up: first metric's sum minus second's.
    """
    threshold, epsilons, radii = bounds
    linear = np.zeros((len(first), n_units))
    for pair in range(len(first)):
        a, b = first[pair], second[pair]
        x, y, p, q = scores[a], scores[b], standard[a], standard[b]
        mixed = radii[a] + radii[b]
        for group in range(len(weights)):
            weight = weights[group] / 2
            for i in range(starts[group], starts[group + 1]):
                of_i = 0.0
                for j in range(i + 1, starts[group + 1]):
                    h = _by_human(human, i, j, threshold)
                    same = (
                        table[_cell(h, x[j] - x[i], epsilons[a])]
                        - table[_cell(h, y[j] - y[i], epsilons[b])]
                    )
                    other = (
                        table[_cell(h, q[j] - p[i], mixed)] - table[_cell(h, p[j] - q[i], mixed)]
                    )
                    of_i += same + other
                    linear[pair, units[j]] += weight * (same - other)
                linear[pair, units[i]] += weight * of_i
    return linear


@compiled
def group_coefficients(human, scores, standard, start, end, first, second, tables):
    """Return the coefficients of the first metric's sums over the pairs of one group.

    The second metric's have the linear ones negated.

    Parameters
    ----------
    human, scores, standard : see :func:`difference_coefficients`
        The same.
    start, end : int
        The group's rows.
    first, second : see :func:`difference_coefficients`
        The same.
    tables : ndarray of shape (n_sums, 9)
        What a pair of rows adds to each sum.

    Returns
    -------
    linear : ndarray of shape (n_rows_of_group, n_sums * n_pairs), float32
        Of each row's sign; quarters, hence exact.
    even : ndarray of shape (1 + n_row_pairs, n_sums * n_pairs), float32
        The constants, then those of the product of two rows' signs.
    """
    n, n_pairs = end - start, len(first)
    linear = np.zeros((n, len(tables) * n_pairs), dtype=np.float32)
    even = np.zeros((1 + n * (n - 1) // 2, len(tables) * n_pairs), dtype=np.float32)
    row = 0
    for i in range(start, end):
        for j in range(i + 1, end):
            row += 1
            h = _by_human(human, i, j, 0.0)
            for pair in range(n_pairs):
                a, b = first[pair], second[pair]
                kept = _cell(h, scores[a, j] - scores[a, i], 0.0)
                swapped = _cell(h, scores[b, j] - scores[b, i], 0.0)
                swapped_j = _cell(h, standard[b, j] - standard[a, i], 0.0)
                swapped_i = _cell(h, standard[a, j] - standard[b, i], 0.0)
                for k in range(len(tables)):
                    column = k * n_pairs + pair
                    same, undone = tables[k, kept], tables[k, swapped]
                    at_j, at_i = tables[k, swapped_j], tables[k, swapped_i]
                    even[0, column] += (same + undone + at_j + at_i) / 4
                    even[row, column] = (same + undone - at_j - at_i) / 4
                    linear[i - start, column] += (same - undone + at_j - at_i) / 4
                    linear[j - start, column] += (same - undone - at_j + at_i) / 4
    return linear, even


@compiled
def add_correlations(n, xx, constant, linear, rounding, totals, n_defined):
    """Add one group's correlations of swapped scores v with the judgement x to running sums.

    Parameters
    ----------
    n : int
        Rows of the group.
    xx : float
        Sum of x², x being centred.
    constant : ndarray of shape (3, n_pairs)
        What swaps leave of the sums of v, v² and x v.
    linear : ndarray of shape (3, n_draws, n_pairs)
        What they change, for the first metric; for the second it has the opposite sign.
    rounding : float
        A variance of v below this share of its squares is that of a constant.
    totals, n_defined : ndarray of shape (2, n_draws, n_pairs)
        Changed in place: sums of correlations, and how many are defined, for both metrics.
    """
    for draw in range(linear.shape[1]):
        for pair in range(linear.shape[2]):
            for metric in range(2):
                sign = 1 - 2 * metric
                total = constant[0, pair] + sign * linear[0, draw, pair]
                squares = constant[1, pair] + sign * linear[1, draw, pair]
                product = constant[2, pair] + sign * linear[2, draw, pair]
                spread = squares - total * total / n
                if spread > rounding * squares:
                    totals[metric, draw, pair] += product / np.sqrt(spread * xx)
                    n_defined[metric, draw, pair] += 1
