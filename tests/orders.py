"""Shapley values as they are defined: by all orders, one after the other."""

from itertools import permutations

import numpy as np


def by_all_orders(decide, first, second, families):
    """Average what each family adds over all orders."""
    names, mean = list(dict.fromkeys(families)), (first + second) / 2
    values = dict.fromkeys(names, 0.0)
    orders = list(permutations(names))
    for order in orders:
        t1, t2, before = mean.copy(), mean.copy(), 0.0
        for name in order:
            own = np.array(families) == name
            t1[own], t2[own] = first[own], second[own]
            after = decide(t1[None], t2[None])[0]
            values[name] += (after - before) / len(orders)
            before = after
    return values
