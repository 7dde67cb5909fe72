"""The compiled walk down trees. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

_ALIKE = 8  # columns in which a row may differ from the one before, for its trees to be looked up


@compiled
def _trees_by_column(n_columns, roots, feature):
    """List the trees that look at each column, one column after another, and where each begins."""
    starts = np.zeros(n_columns + 1, dtype=np.int64)
    for column in feature:
        if column >= 0:
            starts[column + 1] += 1
    starts = np.cumsum(starts)
    trees, filled = np.empty(starts[-1], dtype=np.int64), starts.copy()
    tree = -1
    for node in range(len(feature)):
        if tree + 1 < len(roots) and node == roots[tree + 1]:
            tree += 1
        if feature[node] >= 0:
            trees[filled[feature[node]]] = tree
            filled[feature[node]] += 1
    return trees, starts


@compiled
def _mark_stale(row, before, trees, starts, stale):
    """Mark the trees that look at a column in which two rows differ; of many columns, all trees."""
    n_differ = 0
    for column in range(len(row)):
        if row[column] != before[column]:
            n_differ += 1
            if n_differ > _ALIKE:
                stale[:] = True
                return
            stale[trees[starts[column] : starts[column + 1]]] = True


@compiled(steps_in_python=lambda X, roots, *_: len(X) * len(roots))
def sum_leaves(X, roots, feature, value, left, right):
    """Add up all leaves, (n_rows,), walking no tree again for a row like the one before."""
    found, leaves = np.zeros(len(X)), np.empty(len(roots))
    trees, starts = _trees_by_column(X.shape[1], roots, feature)
    stale = np.ones(len(roots), dtype=np.bool_)
    for row in range(len(X)):
        if row:
            _mark_stale(X[row], X[row - 1], trees, starts, stale)
        for tree in range(len(roots)):
            if stale[tree]:
                node = roots[tree]
                while feature[node] >= 0:
                    node = left[node] if X[row, feature[node]] <= value[node] else right[node]
                leaves[tree] = value[node]
                stale[tree] = False
            found[row] += leaves[tree]
    return found
