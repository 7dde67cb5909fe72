"""Compiled sums behind permutation tests. Imported on first use: numba is slow to load.

What a statistic counts of a pair of rows, each swapped or not, is a function of two signs s, t,
c + a s + b t + g s t: coefficients are added up once, and no permutation looks at rows.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def _by_human(human, i, j, threshold):
    """Return 0, 1, 2 if j is worse, tied, better."""
    drop = human[i] - human[j]
    decided = (drop >= threshold) | (drop <= -threshold)
    return 1 + decided * (int(drop > 0) - int(drop < 0))


@compiled
def _cell(by_human, rise, epsilon):
    """Return the cell of a table of 3 human by 3 metric outcomes, both worse, tied, better."""
    return 3 * by_human + 1 + int(rise > epsilon) - int(rise < -epsilon)


@compiled
def difference_coefficients(
    human, scores, standard, units, n_units, starts, weights, first, second, table, bounds
):
    """Add up the difference of two metrics' sums over pairs, as a linear function of signs.

    Coefficients (n_pairs, n_units) of signs, -1 swapped. A pair of rows adds ``table`` (9,) by its
    cell, times the weight of its group; ``bounds``: threshold of human differences, epsilons of
    metrics, and radii whose sum ties standardised scores of two.
    """
    # Swapping a pair of rows where it was kept and the other way round changes the sign of the
    # difference, so as a function of the two signs s, t it is odd: a s + b t, without constant and
    # without product. As it is ``same`` at s = t = 1 and ``other`` at s = 1, t = -1, the
    # coefficients are half their sum and half their difference.
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
def group_coefficients(human, scores, standard, places, first, second, tables, threshold):
    """Return the coefficients of the first metric's sums over the pairs of rows of each group.

    Of ``places`` (n_groups, n) and ``tables`` (n_sums, 9): linear (n_groups, n_sums * n_pairs, n),
    opposite for the second metric, and even ones, constants and then those of products of signs.
    """
    # Quarters of whole numbers up to 100, of at most 8,128 pairs: float32 holds them exactly.
    n_groups, n = places.shape
    n_pairs = len(first)
    linear = np.zeros((n_groups, len(tables) * n_pairs, n), dtype=np.float32)
    even = np.zeros((n_groups, len(tables) * n_pairs, 1 + n * (n - 1) // 2), dtype=np.float32)
    for group in range(n_groups):
        row = 0
        for i in range(n):
            for j in range(i + 1, n):
                row += 1
                at, to = places[group, i], places[group, j]
                h = _by_human(human, at, to, threshold)
                for pair in range(n_pairs):
                    a, b = first[pair], second[pair]
                    kept = _cell(h, scores[a, to] - scores[a, at], 0.0)
                    swapped = _cell(h, scores[b, to] - scores[b, at], 0.0)
                    swapped_j = _cell(h, standard[b, to] - standard[a, at], 0.0)
                    swapped_i = _cell(h, standard[a, to] - standard[b, at], 0.0)
                    # f(s, t) = c + a s + b t + g s t through its four values: each coefficient is a
                    # quarter of their sum with the signs of its own term.
                    for k in range(len(tables)):
                        column = k * n_pairs + pair
                        same, undone = tables[k, kept], tables[k, swapped]
                        at_j, at_i = tables[k, swapped_j], tables[k, swapped_i]
                        even[group, column, 0] += (same + undone + at_j + at_i) / 4
                        even[group, column, row] = (same + undone - at_j - at_i) / 4
                        linear[group, column, i] += (same - undone + at_j - at_i) / 4
                        linear[group, column, j] += (same - undone - at_j + at_i) / 4
    return linear, even


@compiled(error_model="numpy")
def add_correlations(n, xx, constant, linear, rounding, totals, n_defined):
    """Add groups' correlations of swapped scores v with the judgement x to running sums.

    Of the sums of v, v² and x v, swaps leave ``constant`` (3, n_groups, n_pairs), and change
    ``linear`` (3, n_groups, n_pairs, n_permutations); the second metric's changes are opposite.
    """
    n_pairs = constant.shape[2]
    for group in range(linear.shape[1]):
        for pair in range(n_pairs):
            constant_sum, squares, product = constant[:, group, pair]
            of_sum, of_squares, of_product = linear[:, group, pair]
            # squares is what is left of sums as large as the constant: its rounding is theirs.
            least = rounding * squares
            for metric in range(2):
                sign = 1.0 - 2 * metric
                into, defined = totals[metric, pair], n_defined[metric, pair]
                for draw in range(len(of_sum)):  # without branches, for all permutations at once
                    total = constant_sum + sign * of_sum[draw]
                    spread = squares + sign * of_squares[draw] - total * total / n
                    there = spread > least
                    scale = np.sqrt((spread if there else 1.0) * xx[group])
                    into[draw] += (product + sign * of_product[draw]) / scale * there
                    defined[draw] += there
