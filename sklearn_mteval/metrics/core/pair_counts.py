"""The compiled counting behind Kendall's tau. Imported on first use: numba is slow to load.

Large groups are counted in O(n log n): rows sorted by score go one by one into a Fenwick tree
(1994) over the human ranks.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

# Rows of a group from which the tree beats the double loop.
_LARGE = 48
_SMALLEST = np.nextafter(0.0, 1.0)  # a difference that is not zero is at least this


@compiled
def _count_by_loop(human, metric, first, last, threshold, epsilon):
    """Compare all pairs of rows first to last; small differences tie, as in count_pairs."""
    decided_human = decided_metric = decided_both = balance = 0
    decisive = max(threshold, _SMALLEST)
    for i in range(first, last):
        for j in range(i + 1, last):
            # +1 where j is better, without a branch that a processor could mispredict:
            # lower ranks are better, higher scores are.
            drop = human[i] - human[j]
            by_human = int(drop >= decisive) - int(drop <= -decisive)
            rise = metric[j] - metric[i]  # of two infinities: NaN, which is neither, a tie
            by_metric = int(rise > epsilon) - int(rise < -epsilon)
            both = by_human * by_metric
            balance += both
            decided_both += both * both
            decided_human += by_human * by_human
            decided_metric += by_metric * by_metric
    concordant = (decided_both + balance) // 2
    return concordant, decided_human, decided_metric, decided_both


@compiled
def _count_by_tree(human, metric, epsilon):
    """Count the same without threshold, in O(n log n)."""
    n = len(human)
    order = np.argsort(human, kind="mergesort")
    ranks = np.empty(n, dtype=np.int64)  # from 1 on, equal for equal judgements
    rank = tied_human = run = 0
    for k in range(n):
        if k > 0 and human[order[k]] == human[order[k - 1]]:
            run += 1
        else:
            rank, run = rank + 1, 0
        tied_human += run
        ranks[order[k]] = rank
    order = np.argsort(metric, kind="mergesort")
    ranks, metric = ranks[order], metric[order]
    # Sorted by score: the rows that row k clearly beats are the first `below`, which only grows
    # with k, so each row enters the tree once. Node i holds how many of the ranks
    # i - (i & -i) + 1 to i have entered: adding climbs by the lowest bit, a prefix sum drops it.
    tree = np.zeros(rank + 1, dtype=np.int64)
    same = np.zeros(rank + 1, dtype=np.int64)
    concordant = decided_metric = decided_both = below = 0
    for k in range(n):
        while metric[k] - metric[below] > epsilon:  # not so for two equal infinities
            node = ranks[below]
            same[node] += 1
            while node <= rank:
                tree[node] += 1
                node += node & -node
            below += 1
        decided_metric += below
        decided_both += below - same[ranks[k]]
        # Concordant with row k are those below it that the human ranks worse: all but those whose
        # rank is as good or better.
        concordant += below
        node = ranks[k]
        while node > 0:
            concordant -= tree[node]
            node &= node - 1
    return concordant, n * (n - 1) // 2 - tied_human, decided_metric, decided_both


@compiled
def _classify(found, n_rows, counts):
    """Make the five counts of a group of what was found in it."""
    concordant, decided_human, decided_metric, decided_both = found
    counts[0] = concordant
    counts[1] = decided_both - concordant
    counts[2] = decided_human - decided_both
    counts[3] = decided_metric - decided_both
    counts[4] = n_rows * (n_rows - 1) // 2 - decided_human - decided_metric + decided_both


@compiled
def _count_small(human, metric, starts, threshold, epsilon, large, counts):
    """Count in the groups of less than ``large`` rows, each a row of ``counts``."""
    for group in range(len(counts)):
        first, last = starts[group], starts[group + 1]
        if last - first < large:
            found = _count_by_loop(human, metric, first, last, threshold, epsilon)
            _classify(found, last - first, counts[group])


@compiled
def _count_large(human, metric, starts, epsilon, large, counts):
    """Count in the others."""
    for group in range(len(counts)):
        first, last = starts[group], starts[group + 1]
        if last - first >= large:
            found = _count_by_tree(human[first:last], metric[first:last], epsilon)
            _classify(found, last - first, counts[group])


def count_pairs(human, metric, starts, threshold, epsilon):
    """Classify all pairs of groups: counts (n_groups, 5) in the order of TauCounts."""
    sizes = np.diff(starts)
    longest = sizes.max(initial=0)
    large = longest + 1 if threshold > 0 else _LARGE
    counts = np.zeros((len(sizes), 5), dtype=np.int64)
    _count_small(human, metric, starts, threshold, epsilon, large, counts)
    if longest >= large:  # else the tree need not be compiled, which takes seconds
        _count_large(human, metric, starts, epsilon, large, counts)
    return counts
