"""The compiled counting behind Kendall's tau. Imported on first use: numba is slow to load.

Small groups, the usual case, are counted by a double loop without branches; large ones in
O(n log n) by sorting and counting inversions (Knight 1966).
"""

import numpy as np

from sklearn_mteval._numba import compiled

__all__ = ["count_pairs"]


# Rows of a group from which sorting beats the double loop.
_LARGE = 128


@compiled
def _count_by_loop(human, metric, first, last, threshold, epsilon):
    """Compare all pairs of rows first to last; small differences tie, as in count_pairs."""
    decided_human = decided_metric = decided_both = balance = 0
    for i in range(first, last):
        for j in range(i + 1, last):
            # +1 where j is better, without a branch that a processor could mispredict:
            # lower ranks are better, higher scores are.
            drop = human[i] - human[j]
            decided = (drop >= threshold) | (drop <= -threshold)
            by_human = decided * (int(drop > 0) - int(drop < 0))
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
def _count_by_sorting(human, metric):
    """Count the same without threshold and epsilon, by Knight's method."""
    n = len(human)
    order = np.argsort(metric, kind="mergesort")
    by_metric = metric[order]
    order = order[np.argsort(human[order], kind="mergesort")]
    human, metric = human[order], metric[order]
    tied_human = tied_metric = tied_both = 0
    run_human = run_metric = run_both = 0
    for k in range(1, n):
        run_human = run_human + 1 if human[k] == human[k - 1] else 0
        run_both = run_both + 1 if run_human and metric[k] == metric[k - 1] else 0
        run_metric = run_metric + 1 if by_metric[k] == by_metric[k - 1] else 0
        tied_human += run_human
        tied_both += run_both
        tied_metric += run_metric
    # Sorted by rank, then by score: a pair is concordant iff the worse rank has the lower
    # score, that is, iff it is an inversion. Counted while merging runs of doubling length.
    concordant = 0
    other = np.empty_like(metric)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            left, right = low, middle
            for k in range(low, high):
                if right >= high or (left < middle and metric[left] <= metric[right]):
                    other[k] = metric[left]
                    left += 1
                else:
                    other[k] = metric[right]
                    right += 1
                    concordant += middle - left
        metric, other = other, metric
        width *= 2
    n_pairs = n * (n - 1) // 2
    decided_human, decided_metric = n_pairs - tied_human, n_pairs - tied_metric
    return (
        concordant,
        decided_human,
        decided_metric,
        decided_human + decided_metric - n_pairs + tied_both,
    )


@compiled
def count_pairs(human, metric, starts, threshold, epsilon):
    """Classify every pair of every group.

    Parameters
    ----------
    human : ndarray of shape (n_rows,)
        Rank-like judgement, lower is better, rows of a group consecutive.
    metric : ndarray of shape (n_rows,)
        Score, higher is better.
    starts : ndarray of shape (n_groups + 1,)
        First row of each group, then n_rows.
    threshold : float
        Human differences below it count as ties; 0 leaves exact ties only.
    epsilon : float
        Metric differences up to it count as ties.

    Returns
    -------
    ndarray of shape (n_groups, 5), int64
        Columns: concordant, discordant, tied by the metric only, tied by the human only,
        tied by both.
    """
    counts = np.zeros((len(starts) - 1, 5), dtype=np.int64)
    for group in range(len(starts) - 1):
        first, last = starts[group], starts[group + 1]
        if last - first >= _LARGE and threshold == 0 and epsilon == 0:
            concordant, decided_human, decided_metric, decided_both = _count_by_sorting(
                human[first:last], metric[first:last]
            )
        else:
            concordant, decided_human, decided_metric, decided_both = _count_by_loop(
                human, metric, first, last, threshold, epsilon
            )
        n_pairs = (last - first) * (last - first - 1) // 2
        counts[group, 0] = concordant
        counts[group, 1] = decided_both - concordant
        counts[group, 2] = decided_human - decided_both
        counts[group, 3] = decided_metric - decided_both
        counts[group, 4] = n_pairs - decided_human - decided_metric + decided_both
    return counts
