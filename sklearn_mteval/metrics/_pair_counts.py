"""The compiled double loop behind Kendall's tau. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._numba import compiled

__all__ = ["count_pairs"]


@compiled
def count_pairs(human, metric, starts, threshold):
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

    Returns
    -------
    ndarray of shape (n_groups, 5), int64
        Columns: concordant, discordant, tied by the metric only, tied by the human only,
        tied by both.
    """
    counts = np.zeros((len(starts) - 1, 5), dtype=np.int64)
    for group in range(len(starts) - 1):
        first, last = starts[group], starts[group + 1]
        decided_human = decided_metric = decided_both = balance = 0
        for i in range(first, last):
            for j in range(i + 1, last):
                # +1 where j is better, without a branch that a processor could mispredict:
                # lower ranks are better, higher scores are.
                drop = human[i] - human[j]
                decided = (drop >= threshold) | (drop <= -threshold)
                by_human = decided * (int(drop > 0) - int(drop < 0))
                by_metric = int(metric[j] > metric[i]) - int(metric[j] < metric[i])
                both = by_human * by_metric
                balance += both
                decided_both += both * both
                decided_human += by_human * by_human
                decided_metric += by_metric * by_metric
        n_pairs = (last - first) * (last - first - 1) // 2
        counts[group, 0] = (decided_both + balance) // 2
        counts[group, 1] = (decided_both - balance) // 2
        counts[group, 2] = decided_human - decided_both
        counts[group, 3] = decided_metric - decided_both
        counts[group, 4] = n_pairs - decided_human - decided_metric + decided_both
    return counts
