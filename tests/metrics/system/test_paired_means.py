"""Means of two systems on the segments of both: against scipy and by hand."""

import numpy as np
import pytest
from scipy import stats

from sklearn_mteval._helpers.order import table_order
from sklearn_mteval.metrics.system.paired import in_clusters, paired_means


def test_each_pair_is_that_of_a_paired_t_test():
    rng = np.random.default_rng(0)
    table = np.round(rng.normal(70, 20, (40, 4)) / 10) * 10
    table[rng.random(table.shape) < 0.3] = np.nan
    found = paired_means(table)
    for i in range(4):
        for j in range(4):
            if i == j:
                continue
            both = ~np.isnan(table[:, i]) & ~np.isnan(table[:, j])
            one, other = table[both, i], table[both, j]
            assert found.n_clusters[i, j] == both.sum()
            np.testing.assert_allclose(found.differences[i, j], (one - other).mean())
            t = found.differences[i, j] / np.sqrt(found.variances[i, j])
            np.testing.assert_allclose(t, stats.ttest_rel(one, other).statistic)
            assert found.wins[i, j] == (one > other).sum()
            assert found.ties[i, j] == (one == other).sum()


def test_of_documents_it_is_the_jackknife():
    """Brute force, each document left out; of what one system lacks nothing is left out."""
    rng = np.random.default_rng(3)
    documents = np.sort(rng.integers(0, 8, 50))
    table = rng.normal(size=(50, 3)) + rng.normal(size=(8, 3))[documents]
    table[rng.random(50) < 0.4, 2] = np.nan
    table[documents == 5, 2] = np.nan
    found = paired_means(table, documents)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        there = ~np.isnan(table[:, [i, j]]).any(axis=1)
        differences, of = (table[:, i] - table[:, j])[there], documents[there]
        left = [differences[of != k].mean() for k in np.unique(of)]
        n = len(left)
        variance = (n - 1) / n * ((np.array(left) - differences.mean()) ** 2).sum()
        assert found.variances[i, j] == found.variances[j, i] == pytest.approx(variance)
        sizes = np.unique(of, return_counts=True)[1]
        assert found.n_clusters[i, j] == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum())
        assert found.differences[i, j] == pytest.approx(differences.mean())


def test_documents_that_are_alike_stay_apart():
    """Two documents of the same scores, drawn twice by a bootstrap, say, are two, each in one."""
    table = np.random.default_rng(0).normal(size=(6, 2))
    twice, documents = np.vstack([table, table]), np.repeat([0, 1, 2, 3], 3)
    rows, cluster = in_clusters(table_order(twice)[0], [twice], documents)
    assert cluster.tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert (np.diff(documents[rows].reshape(4, 3), axis=1) == 0).all()


def test_other_systems_change_nothing():
    table = np.random.default_rng(1).gamma(1, 3, (301, 5))
    whole, part = paired_means(table), paired_means(table[:, [1, 4]])
    np.testing.assert_allclose(whole.differences[1, 4], part.differences[0, 1])
    np.testing.assert_allclose(whole.variances[1, 4], part.variances[0, 1])


def test_what_never_differs_has_no_variance_and_what_is_not_shared_is_undefined():
    table = np.array([[0.1, 0.2, 1.0, np.nan], [0.3, 0.4, np.nan, 2.0], [0.7, 0.8, np.nan, 1.0]])
    found = paired_means(table - 1e9)  # where a sum of squares less a square would be noise
    assert found.variances[0, 1] < 1e-13
    assert found.n_clusters[2, 3] == 0 and np.isnan(found.differences[2, 3])
    assert np.isnan(found.variances[0, 2])  # one segment
    assert np.isnan(np.diag(found.differences)).all()
