"""Which of two systems is better: differences of means on the segments of both."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from sklearn_mteval._helpers.order import hash_cells, hash_sets, table_order
from sklearn_mteval.metrics.core.units import effective_number, student_interval
from sklearn_mteval.metrics.significance.letters import group_letters
from sklearn_mteval.metrics.significance.multiple_comparisons import holm

_NOTHING = 1e-20  # of a squared difference: less is the rounding of a variance of 0
POWER = 0.8  # the chance that as many as are needed tell two systems apart


class SystemPairs(NamedTuple):
    """Each two systems compared, the best first; arrays are of shape (n_systems, n_systems)."""

    systems: pd.Index
    differences: np.ndarray  # row less column, on the segments of both; NaN: none
    low: np.ndarray  # bounds of each difference by itself
    high: np.ndarray
    p_values: np.ndarray  # two-sided, corrected by Holm's method, symmetric; NaN: no test
    alpha: float
    # How many times as many clusters, like these, tell two apart that are not, with a chance of
    # POWER; inf: no number does; NaN: they are told apart, or there is no test.
    needed: np.ndarray

    @property
    def differ(self):
        """Which two are told apart, (n_systems, n_systems) bool."""
        return self.p_values <= self.alpha

    def letters(self):
        """Return letters of the systems, which those share that are not told apart."""
        return pd.Series(group_letters(self.differ), self.systems)

    def table(self):
        """Return a line for each two systems, the first of which stands above the other."""
        above = np.triu_indices(len(self.systems), 1)
        columns = {"system": self.systems[above[0]], "other": self.systems[above[1]]}
        for name in ("differences", "low", "high", "p_values"):
            columns[name.removesuffix("s")] = getattr(self, name)[above]
        return pd.DataFrame(columns)


def system_pairs(table, clusters=None, *, confidence=0.95, alpha=0.05):
    """Compare the systems of a table of scores (n_segments, n_systems), NaN missing, best first:
    Student's t, jackknife errors; segments of one of ``clusters``, codes from 0, vary together.
    """
    values = table.to_numpy(dtype=np.float64)
    rows, _ = table_order(values)
    cluster = None
    if clusters is not None:
        rows, cluster = in_clusters(rows, [values], np.asarray(clusters))
    found = paired_means(values[rows], cluster)
    moments = found.differences, found.variances, found.n_clusters
    return pairs_of(table.columns, *moments, confidence=confidence, alpha=alpha)


def pairs_of(
    systems, differences, variances, n_clusters, *, confidence, alpha, p=None, all_judged=False
):  # fmt: skip
    """Test the differences (n_systems, n_systems); ``p``: of another test, uncorrected."""
    degrees = n_clusters - 1
    if p is None:
        p = p_values_of(differences, variances, degrees, all_judged=all_judged)
    p = holm(np.where(np.triu(np.ones(p.shape, dtype=bool), 1), p, np.nan))
    errors = np.where(degrees > 0, np.sqrt(variances), np.nan)
    bounds = student_interval(
        differences.ravel(), errors.ravel(), np.maximum(degrees, 1e-9).ravel(), confidence
    )
    low, high = bounds.T.reshape(2, *p.shape)
    p = np.fmin(p, p.T)
    needed = _needed(differences, variances, n_clusters, p, alpha)
    return SystemPairs(systems, differences, low, high, p, alpha, needed)


def _needed(differences, variances, n_clusters, p, alpha):
    """Return how many times as many clusters tell apart what is not: (z_alpha + z_power)^2 times
    the variance of one difference over its square, and z_alpha^2 / 2 more, as the variance itself
    is estimated (Guenther 1981). Holm's correction is of the pairs that are not told apart.
    """
    alike = p > alpha
    z, more = -ndtri(alpha / (2 * max(1, np.triu(alike, 1).sum()))), ndtri(POWER)
    with np.errstate(all="ignore"):
        squared = (np.sqrt(variances) / differences) ** 2  # squares of differences may overflow
        ratio = (z + more) ** 2 * squared + z**2 / (2 * n_clusters)
        needed = np.maximum(ratio, 1 + 1 / n_clusters)  # so many did not
    needed = np.where(differences == 0, np.inf, needed)
    return np.where(alike & np.isfinite(variances) & (n_clusters > 1), needed, np.nan)


def in_clusters(rows, tables, clusters):
    """Put rows that are in an order of content so that clusters, codes of all rows, follow each
    other, those with rows alike told by all of theirs; return positions, and clusters from 0.
    """
    before, after = rows[:-1], rows[1:]
    differs = [
        (part[before] != part[after]) & ~(np.isnan(part[before]) & np.isnan(part[after]))
        for part in tables
    ]
    number = np.empty(len(rows), dtype=np.float64)
    number[rows] = np.cumsum(np.append(False, np.hstack(differs).any(axis=1)))
    of_clusters = hash_sets(hash_cells(number), clusters)
    # Of clusters that are alike, whichever comes first, the ordered rows are the same.
    rows = rows[np.lexsort([clusters[rows], of_clusters[clusters][rows]])]
    return rows, pd.factorize(clusters[rows])[0]


def p_values_of(differences, variances, degrees, *, all_judged=False):
    """Return two-sided p-values of Student's test; NaN where there is no variance to go by."""
    from scipy import stats  # slow to load

    # Where nothing varies although two differ, every cluster says the same: of two that are equally
    # good, n clusters do so with a probability of at most 2 / 2^n; all that there are, of none.
    tested = ~np.isnan(variances) & (degrees > 0)
    squared = np.minimum(np.abs(np.nan_to_num(differences)), 1e150) ** 2  # no overflow
    varies = tested & (variances > _NOTHING * squared.max(initial=0.0))
    t = np.sqrt(np.divide(squared, variances, where=varies, out=np.zeros_like(squared)))
    df = np.where(tested, degrees, 1)
    differs = tested & ~varies & (squared > _NOTHING * squared.max(initial=0.0))
    p = np.where(varies, 2 * stats.t.sf(t, df), 1.0)
    p = np.where(differs, 0.0 if all_judged else np.exp2(-df.astype(float)), p)
    return np.where(tested, p, np.nan)


class PairedMeans(NamedTuple):
    """Of row less column, each of shape (n_systems, n_systems), on the segments of both."""

    n_clusters: np.ndarray  # segments, or documents of one size, that would tell as much
    differences: np.ndarray  # mean difference; NaN: no segment
    variances: np.ndarray  # of that mean, the jackknife's; NaN: fewer than two clusters
    wins: np.ndarray  # int: segments in which the row scores higher
    ties: np.ndarray  # int, symmetric; 0 on the diagonal


def paired_means(table, cluster=None):
    """Compare columns, NaN missing; rows of one ``cluster``, codes not falling, vary together."""
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
