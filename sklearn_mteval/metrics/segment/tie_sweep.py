"""The compiled sweeps behind tie calibration: differences of the scores of each group's pairs.

A threshold, growing past a pair's difference, ties it: a gain where the human tied it, a loss where
the metric had ordered it rightly.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

_SMALL = 32  # rows that are sorted faster by insertion


@compiled
def sort_groups(human, metric, bounds):
    """Sort the rows of each group by score, those with infinite scores left out; new bounds too."""
    ranks, scores, new_bounds = np.empty_like(human), np.empty_like(metric), np.zeros_like(bounds)
    end = 0
    for group in range(len(bounds) - 1):
        first, last = bounds[group], bounds[group + 1]
        small, start = last - first <= _SMALL, end
        for row in range(first, last):
            if np.isfinite(metric[row]):
                k = end
                while small and k > start and scores[k - 1] > metric[row]:
                    scores[k], ranks[k] = scores[k - 1], ranks[k - 1]
                    k -= 1
                scores[k], ranks[k] = metric[row], human[row]
                end += 1
        if not small:
            order = np.argsort(scores[start:end])
            # Not scores[start:end] = ..., which numba takes two seconds to compile.
            old_scores, old_ranks = scores[start:end].copy(), ranks[start:end].copy()
            for k in range(end - start):
                scores[start + k], ranks[start + k] = old_scores[order[k]], old_ranks[order[k]]
        new_bounds[group + 1] = end
    return ranks[:end], scores[:end], new_bounds


@compiled
def _first_beyond(metric, i, row, last, difference):
    """Return the first row from ``row`` on whose score exceeds that of row i by more than this."""
    # It only grows with i, as scores ascend: the scan is linear but for the pairs.
    row = max(row, i + 1)
    while row < last and metric[row] - metric[i] <= difference:
        row += 1
    return row


@compiled
def histogram(human, metric, bounds, weights, low, high, low_key, shift, n_bins):
    """Count (n_bins, 3) pairs and weight gained, and lost, in bins of 2**shift floats."""
    bins = np.zeros((n_bins, 3), dtype=np.int64)
    for group in range(len(bounds) - 1):
        weight, last = weights[group], bounds[group + 1]
        start = stop = bounds[group]
        for i in range(bounds[group], last):
            start = _first_beyond(metric, i, start, last, low)
            stop = _first_beyond(metric, i, stop, last, high)
            for j in range(start, stop):
                key = np.float64(metric[j] - metric[i]).view(np.int64)
                k = (key - low_key - 1) >> shift
                gained, lost = int(human[j] == human[i]), int(human[j] < human[i])
                bins[k, 0] += gained + lost
                bins[k, 1] += gained * weight
                bins[k, 2] += lost * weight
    return bins


@compiled
def collect(human, metric, bounds, weights, low, high, n_pairs):
    """List the differences in (low, high] at which thresholds gain or, negative weight, lose."""
    differences, changes = np.empty(n_pairs + 1), np.empty(n_pairs + 1, dtype=np.int64)
    found = 0
    for group in range(len(bounds) - 1):
        weight, last = weights[group], bounds[group + 1]
        start = stop = bounds[group]
        for i in range(bounds[group], last):
            start = _first_beyond(metric, i, start, last, low)
            stop = _first_beyond(metric, i, stop, last, high)
            for j in range(start, stop):
                gained, lost = int(human[j] == human[i]), int(human[j] < human[i])
                differences[found] = metric[j] - metric[i]  # kept if it is either
                changes[found] = (gained - lost) * weight
                found += gained + lost
    return differences[:found], changes[:found]
