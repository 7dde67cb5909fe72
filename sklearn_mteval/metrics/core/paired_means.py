"""Two systems each, on the segments that both have: differences of their means, and who won."""

from typing import NamedTuple

import numpy as np

from sklearn_mteval.metrics.core.units import effective_number


class PairedMeans(NamedTuple):
    """Of row less column, each of shape (n_systems, n_systems), on the segments of both."""

    n_clusters: np.ndarray  # segments, or documents of one size, that would tell as much
    differences: np.ndarray  # mean difference; NaN: no segment
    variances: np.ndarray  # of that mean, the jackknife's; NaN: fewer than two clusters
    wins: np.ndarray  # int: segments in which the row scores higher
    ties: np.ndarray  # int, symmetric; 0 on the diagonal


def paired_means(table, cluster=None):
    """Compare the columns of a table of scores (n_segments, n_systems), NaN is missing.

    Segments of one ``cluster`` (n_segments,), codes that do not decrease, vary together.
    """
    table = np.ascontiguousarray(table)
    n = table.shape[1]
    cluster = np.arange(len(table)) if cluster is None else np.asarray(cluster)
    wins, ties = (np.zeros((n, n), dtype=np.int64) for _ in range(2))
    counts, (means, variances) = np.zeros((n, n)), np.full((2, n, n), np.nan)
    for k in range(n - 1):
        rows = np.flatnonzero(~np.isnan(table[:, k]))
        own, starts = table[rows], np.flatnonzero(np.diff(cluster[rows], prepend=-1))
        differences = own[:, k, np.newaxis] - own[:, k + 1 :]
        there = ~np.isnan(differences)
        n_there = there.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(there, differences, 0.0).sum(axis=0) / n_there
            # As accurate as that of one pass, and exact where all are alike.
            rest = np.where(there, differences - mean, 0.0)
            mean = mean + rest.sum(axis=0) / n_there
            rest = np.where(there, differences - mean, 0.0)
            if len(starts):
                rest, there = (np.add.reduceat(part, starts, axis=0) for part in (rest, 1 * there))
            # What the mean of all other clusters differs by.
            moved = np.where(there > 0, rest / (n_there - there), 0.0)
            n_clusters = (there > 0).sum(axis=0)
            variance = (moved**2).sum(axis=0) * (n_clusters - 1) / n_clusters
        later = slice(k + 1, None)
        counts[k, later] = counts[later, k] = effective_number(there)
        means[k, later], means[later, k] = mean, -mean
        variances[k, later] = variances[later, k] = np.where(n_clusters > 1, variance, np.nan)
        wins[k, later] = (differences > 0).sum(axis=0)
        wins[later, k] = (differences < 0).sum(axis=0)
        ties[k, later] = ties[later, k] = (differences == 0).sum(axis=0)
    return PairedMeans(counts, means, variances, wins, ties)
