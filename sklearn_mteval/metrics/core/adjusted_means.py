"""Means of systems that were judged on different segments, adjusted for which these are.

A score is taken for the sum of its system's effect, its segment's and an error; effects are those
of least squares (Searle 1987, "Linear models for unbalanced data", chapter 4). A system's mean is
that of its scores and, where there is none, of what effects lead to expect.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sklearn_mteval.metrics.core.assisted_means import AssistedMeans, ClusterSums
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import effective_number

_CLOSE, _MOST_ROUNDS = 1e-12, 1000


def adjusted_means(table, cluster):
    """Estimate the means of systems over all segments, and how sure they are, by the jackknife.

    ``table`` (n_segments, n_systems) has NaN where no score is; segments of one ``cluster``, codes
    that do not decrease, vary together. Who meets others in one cluster only has no variance.
    """
    there = ~np.isnan(table)
    n_there = there.sum(axis=1, keepdims=True)
    starts = np.flatnonzero(np.diff(cluster, prepend=-1))

    def centred(values):
        """Return values less their segment's mean."""
        means = np.where(there, values, 0.0).sum(axis=1, keepdims=True) / n_there
        return np.where(there, values - means, 0.0)

    def by_cluster(values):
        single = len(starts) == len(values)
        return values if single else np.add.reduceat(values, starts, axis=0)

    shares = there / n_there
    information = np.diag(there.sum(axis=0)) - shares.T @ there
    # Effects add up to 0: what is added to the singular matrix moves none that do.
    inverse = np.linalg.inv(information + information.diagonal().mean() / len(information))
    effects = centred(table).sum(axis=0) @ inverse
    of_segments = np.where(there, table - effects, 0.0).sum(axis=1) / n_there[:, 0]
    slopes = by_cluster(centred(table - effects))
    # Without cluster c, (L - L_c) moved = slopes_c: moved = inverse (slopes_c + L_c moved), a
    # series that converges, for L_c is but a part of L.
    moved = linear = slopes @ inverse
    for _ in range(_MOST_ROUNDS):
        last, moved = moved, linear + by_cluster(centred(moved[cluster])) @ inverse
        if np.abs(moved - last).max() <= _CLOSE * np.abs(moved).max():
            break
    sizes, level = np.bincount(cluster), of_segments.mean()
    sums, shares = by_cluster(of_segments), by_cluster(shares)
    rest = of_segments.sum() - sums + ((shares.sum(axis=0) - shares) * moved).sum(axis=1)
    of_level = ratio(rest, len(table) - sizes, level) - level
    told = by_cluster(there * (1 - 1 / n_there))  # what clusters tell of each system's effect
    weights = [1 - 1 / max(n, 1) for n in (told.any(axis=1).sum(), len(sizes))]
    pulls = np.sqrt(weights[1]) * of_level[:, np.newaxis] - np.sqrt(weights[0]) * moved
    covariance, degrees = pulls.T @ pulls, effective_number(told) - 1
    alone = _alone(there, cluster)
    covariance[alone], covariance[:, alone], degrees[alone] = np.nan, np.nan, 0
    linear = linear + ((sums - sizes * level - linear @ shares.sum(axis=0)) / len(table))[:, None]
    values = linear * told.sum(axis=0) + told * (effects + level)
    return AssistedMeans(
        effects + level, covariance, degrees, np.zeros(0),
        ClusterSums(csr_array(told), csr_array(values), [], csr_array(told), []),
    )  # fmt: skip


def _alone(there, cluster):
    """Tell which systems only one cluster connects with the most others."""
    once, twice = _linked(there), np.zeros((there.shape[1],) * 2, dtype=bool)
    # Two clusters differ in a bit of their numbers: a pair that shares both is on either side.
    for bit in range(int(cluster[-1]).bit_length()):
        side = (cluster >> bit) % 2 == 1
        twice |= _linked(there[side]) & _linked(there[~side])
    part = _parts(twice)
    bridges, alone = np.argwhere(once & (part[:, np.newaxis] != part)), np.zeros(len(part), bool)
    which = [cluster[(there[:, one] & there[:, other]).argmax()] for one, other in bridges]
    for left_out in set(which):
        left = twice.copy()
        left[tuple(bridges[np.array(which) != left_out].T)] = True
        found = _parts(left)
        alone |= found != np.bincount(found).argmax()
    return alone


def _linked(there):
    """Tell which systems share a segment, (n_systems, n_systems)."""
    judged = csr_array(there.astype(np.int64))
    return (judged.T @ judged).toarray() > 0


def _parts(linked):
    """Number the parts of systems that are linked, directly or over others."""
    return connected_components(linked, directed=False)[1]
