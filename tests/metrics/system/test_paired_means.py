"""Two systems on the segments of both: against scipy, by hand, by simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval._helpers.order import table_order
from sklearn_mteval.metrics.significance.multiple_comparisons import holm
from sklearn_mteval.metrics.system.paired import in_clusters, paired_means, system_pairs


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


def documents_and_scores(rng, n_documents, n_systems, size=12, spread=0.5):
    """Draw scores of systems that are equally good, but in some documents better than others."""
    clusters = np.repeat(np.arange(n_documents), size)
    table = rng.normal(size=(len(clusters), n_systems))
    table += rng.normal(scale=spread, size=(n_documents, n_systems))[clusters]
    return pd.DataFrame(table), clusters


def test_pairs_are_those_of_paired_t_tests_with_holms_correction():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal([0.9, 0.5, 0.3, 0.0], 1.0, (60, 4)), columns=list("dbca"))
    table.iloc[:9, 2] = np.nan
    found = system_pairs(table, confidence=0.9)
    tests = [
        stats.ttest_rel(table[i], table[j], nan_policy="omit")
        for i, j in zip(found.table()["system"], found.table()["other"], strict=True)
    ]
    bounds = np.array([test.confidence_interval(0.9) for test in tests])
    np.testing.assert_allclose(found.table()[["low", "high"]], bounds)
    np.testing.assert_allclose(found.table()["p_value"], holm([test.pvalue for test in tests]))
    both = table.dropna()
    np.testing.assert_allclose(found.differences[0, 2], (both["d"] - both["c"]).mean())
    assert (found.differ == (np.nan_to_num(found.p_values, nan=1) <= 0.05)).all()
    np.testing.assert_array_equal(found.differences, -found.differences.T)
    np.testing.assert_array_equal(found.low, -found.high.T)


@pytest.mark.parametrize("clustered", [False, True])
def test_neither_names_nor_order_change_a_bit_of_pairs(clustered):
    rng = np.random.default_rng(5)
    table, clusters = documents_and_scores(rng, 9, 4)
    table[rng.random(table.shape) < 0.2] = np.nan
    table[40:60] = table[20:40].to_numpy()  # alike, in several documents
    clusters = clusters if clustered else None
    found = system_pairs(table, clusters)
    rows = rng.permutation(len(table))
    again = system_pairs(
        table.iloc[rows].rename(columns="x{}".format),
        None if clusters is None else 8 - clusters[rows],
    )
    turned = system_pairs(table.iloc[:, ::-1], clusters)
    for name in ("differences", "low", "high", "p_values"):
        np.testing.assert_array_equal(getattr(found, name), getattr(again, name))
        np.testing.assert_allclose(getattr(turned, name)[::-1, ::-1], getattr(found, name))
    assert again.letters().tolist() == found.letters().tolist()


def test_equal_systems_of_documents_are_told_apart_as_rarely_as_promised():
    """Of 300 draws 5 % are, and 95 % of intervals hold 0, to within 3 standard errors."""
    rng = np.random.default_rng(60)
    wrong, covered, by_segment = [], [], []
    for _ in range(300):
        table, clusters = documents_and_scores(rng, 15, 3)
        found = system_pairs(table, clusters)
        wrong.append(found.differ.any())
        covered.append((found.low[0, 1] < 0) & (found.high[0, 1] > 0))
        by_segment.append(system_pairs(table).differ.any())
    assert np.mean(wrong) < 0.087 and 0.912 < np.mean(covered) < 0.988
    assert np.mean(by_segment) > 0.2


def test_pairs_that_cannot_be_tested():
    table = pd.DataFrame({"a": [1.0, 2, np.nan], "b": [np.nan, 1, 3], "c": [0.5, 1.5, 2.5]})
    found = system_pairs(table)
    assert np.isnan(found.p_values[0, 1]) and found.differences[0, 1] == 1
    # Where two differ by the same, 0.5, in both segments, n = 2: p = 2 / 2^n, of two tests twice.
    assert found.p_values[0, 2] == pytest.approx(1) and not found.differ.any()
    assert found.letters().tolist() == ["a", "a", "a"]
    assert system_pairs(table[["a"]]).table().empty
