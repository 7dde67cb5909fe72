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
    """Add up the difference of two metrics' sums, (n_pairs, n_units), as a function of signs, -1
    swapped: a pair of rows adds ``table`` (9,) by its cell, times its group's weight; ``bounds``
    are the human threshold, epsilons, and radii whose sum ties standardised scores of two.
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
