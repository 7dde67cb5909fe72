"""The compiled walk down trees with two rows at once. Imported on first use: numba is slow to load.

A leaf counts where some families send a row to it that are told (``with_``), and others that are
not (``without``): of families that decide alike, each is as likely to be the last one told.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def _add_leaf(found, value, with_, without, weights):
    """Add to each family what a leaf of this value adds on average over all orders of telling."""
    n_with = n_without = 0
    rest = with_
    while rest:
        rest &= rest - 1  # without its lowest bit
        n_with += 1
    rest = without
    while rest:
        rest &= rest - 1
        n_without += 1
    rest, k = with_ | without, 0
    while rest:
        if (with_ >> k) & 1:
            found[k] += value * weights[n_with - 1, n_without]
        elif rest & 1:
            found[k] -= value * weights[n_without - 1, n_with]
        rest >>= 1
        k += 1


@compiled
def add_tree_values(rows, sign, family, trees, weights, found):
    """Add Shapley values of sign · (trees at sign · row − trees at 0) to ``found``.

    ``found`` has shape (n_rows, n_families), at most 62; ``family`` is the number of each column's;
    ``trees`` are roots, features, values, left and right of all nodes.
    """
    roots, feature, value, left, right = trees
    nodes, told, untold = np.empty((3, 64), dtype=np.int64)  # that wait: no tree is so deep
    for row in range(len(rows)):
        for root in roots:
            n, nodes[0], told[0], untold[0] = 1, root, 0, 0
            while n:
                n -= 1
                node, with_, without = nodes[n], told[n], untold[n]
                while feature[node] >= 0:
                    left_told = sign * rows[row, feature[node]] <= value[node]
                    left_untold = value[node] >= 0.0
                    if left_told != left_untold:
                        here = np.int64(1) << family[feature[node]]
                        if without & here:
                            left_told = left_untold
                        elif not with_ & here:
                            nodes[n] = left[node] if left_untold else right[node]
                            told[n], untold[n] = with_, without | here
                            n += 1
                            with_ |= here
                    node = left[node] if left_told else right[node]
                if with_ | without:
                    _add_leaf(found[row], sign * value[node], with_, without, weights)
