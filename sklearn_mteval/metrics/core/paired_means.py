"""Two systems each, on the segments that both have: differences of their means, and who won."""

from typing import NamedTuple

import numpy as np


class PairedMeans(NamedTuple):
    """Of row less column, each of shape (n_systems, n_systems), on the segments of both."""

    n_segments: np.ndarray  # int
    differences: np.ndarray  # mean difference; NaN: no segment
    variances: np.ndarray  # of that mean; NaN: fewer than two segments
    wins: np.ndarray  # int: segments in which the row scores higher
    ties: np.ndarray  # int, symmetric; 0 on the diagonal


def paired_means(table):
    """Compare the columns of a table of scores (n_segments, n_systems), NaN is missing."""
    table = np.ascontiguousarray(table)
    n = table.shape[1]
    counts, wins, ties = (np.zeros((n, n), dtype=np.int64) for _ in range(3))
    means, variances = np.full((2, n, n), np.nan)
    for k in range(n - 1):
        own = table[~np.isnan(table[:, k])]
        differences = own[:, k, np.newaxis] - own[:, k + 1 :]
        there = ~np.isnan(differences)
        n_there = there.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(there, differences, 0.0).sum(axis=0) / n_there
            # As accurate as that of one pass, and exact where all are alike.
            rest = np.where(there, differences - mean, 0.0)
            mean = mean + rest.sum(axis=0) / n_there
            rest = np.where(there, differences - mean, 0.0)
            variance = (rest**2).sum(axis=0) / (n_there * (n_there - 1.0))
        later = slice(k + 1, None)
        counts[k, later] = counts[later, k] = n_there
        means[k, later], means[later, k] = mean, -mean
        variances[k, later] = variances[later, k] = np.where(n_there > 1, variance, np.nan)
        wins[k, later] = (differences > 0).sum(axis=0)
        wins[later, k] = (differences < 0).sum(axis=0)
        ties[k, later] = ties[later, k] = (differences == 0).sum(axis=0)
    return PairedMeans(counts, means, variances, wins, ties)
