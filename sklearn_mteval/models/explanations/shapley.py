"""The decision of a pair, split over families of columns (Shapley 1953) and over their columns.

What counts is what families add to the decision when they are told one after the other: a family
that is not told has the same numbers, the means of the pair, in both translations. The value of a
family is what it adds on average over all orders; that of a column is its own average over orders
in which the columns of a family stand together (Owen 1977). Values add up to the decision, and of a
linear model they are coefficients times differences.
"""

from math import comb

import numpy as np

_MOST_EXACT = 10  # families whose 2**n subsets are all asked about
_PAIRS = 1024  # that are asked about at once
_ORDERS = 64  # that are drawn, and as many the other way round


def split_decision(decide, first, second, families):
    """Split a decision over families and columns.

    ``decide`` tells, of features of n pairs, shape (n, n_features) twice, how far the first
    translation of each is preferred, shape (n,); exchanging both must change the sign. ``first``
    and ``second``, shape (n_features,), are those of the pair in question, ``families`` the name of
    each column's family. Returned are the decision, values by family, and values of columns, shape
    (n_features,).
    """
    families = np.array(families, dtype=object)
    names = list(dict.fromkeys(families))
    mean = (first + second) / 2
    differs = ~((first == second) | np.isnan(mean))

    def ask(told):
        """Decide on pairs of which these columns are told, bool of shape (n, n_features)."""
        return decide(np.where(told, first, mean), np.where(told, second, mean))

    groups = [np.flatnonzero(differs & (families == name)) for name in names]
    active = [group for group in groups if len(group)]
    columns = _values_of_columns(ask, len(first), active)
    exact = [columns[group].sum() for group in active]
    if len(active) <= _MOST_EXACT:
        exact = _exact_values(ask, len(first), active)
        for group, value in zip(active, exact, strict=True):
            sizes = np.abs(columns[group])
            if sizes.any():
                columns[group] += (value - columns[group].sum()) * sizes / sizes.sum()
    found = iter(exact)
    values = {
        name: float(next(found)) if len(group) else 0.0
        for name, group in zip(names, groups, strict=True)
    }
    return float(ask(differs[None])[0]), values, columns


def _exact_values(ask, n_features, groups):
    """Compute Shapley values of groups of columns, by all of their subsets."""
    n = len(groups)
    subsets = np.arange(2**n)
    member = (subsets[:, None] >> np.arange(n)) & 1 == 1
    told = np.zeros((2**n, n_features), dtype=bool)
    for k, group in enumerate(groups):
        told[:, group] = member[:, [k]]
    decisions, sizes = ask(told), member.sum(axis=1)
    values = []
    for k in range(n):
        without = subsets[~member[:, k]]
        weights = np.array([1 / (n * comb(n - 1, size)) for size in sizes[without]])
        values.append(weights @ (decisions[without | (1 << k)] - decisions[without]))
    return values


def _values_of_columns(ask, n_features, groups):
    """Average what each column adds over drawn orders, those of a group standing together."""
    rng = np.random.default_rng(0)
    values = np.zeros(n_features)
    orders = []
    for _ in range(_ORDERS if groups else 0):
        shuffled = [rng.permutation(groups[k]) for k in rng.permutation(len(groups))]
        order = np.concatenate(shuffled)
        orders += [order, order[::-1]]
    # Many orders are asked about at once: of a few pairs, checks take longer than answers.
    n_at_once = max(1, _PAIRS // (sum(map(len, groups)) + 1))
    for start in range(0, len(orders), n_at_once):
        some = np.array(orders[start : start + n_at_once])
        told = np.zeros((len(some), some.shape[1] + 1, n_features), dtype=bool)
        for k in range(some.shape[1]):
            told[np.arange(len(some)), k + 1 :, some[:, k]] = True
        added = np.diff(ask(told.reshape(-1, n_features)).reshape(len(some), -1))
        for order, parts in zip(some, added, strict=True):
            values[order] += parts / len(orders)
    return values
