"""Means of systems of different segments: regressions on dummies, and a known truth."""

import numpy as np
import pytest
from scipy import stats

from sklearn_mteval.metrics.core.adjusted_means import adjusted_means
from sklearn_mteval.metrics.core.assisted_means import variances_of_differences
from sklearn_mteval.metrics.system.paired import paired_means


def by_dummies(table):
    """Brute force: least squares on an indicator of each segment and of each system."""
    segment, system = np.nonzero(~np.isnan(table))
    n = len(table)
    dummies = np.zeros((len(segment), n + table.shape[1]))
    dummies[np.arange(len(segment)), segment] = 1
    dummies[np.arange(len(segment)), n + system] = 1
    effects = np.linalg.lstsq(dummies, table[segment, system], rcond=None)[0]
    return effects[n:] + effects[:n].mean()


def incomplete(seed=0, n=60, n_systems=5, missing=0.4, spread=3.0):
    """Scores of hard and easy segments, some missing, and documents that do not decrease."""
    rng = np.random.default_rng(seed)
    table = 50 + rng.normal(size=(n, n_systems)) + spread * rng.normal(size=(n, 1))
    table[rng.random(table.shape) < missing] = np.nan
    table = table[~np.isnan(table).all(axis=1)]
    documents = np.sort(rng.integers(0, 12, len(table)))
    return table, np.unique(documents, return_inverse=True)[1]


@pytest.mark.parametrize("seed", range(3))
def test_means_and_the_jackknife_are_those_of_a_regression_on_dummies(seed):
    table, documents = incomplete(seed)
    found = adjusted_means(table, documents)
    np.testing.assert_allclose(found.estimates, by_dummies(table), rtol=1e-12)
    n = documents.max() + 1
    left_out = np.array([by_dummies(table[documents != k]) for k in range(n)])
    moved = left_out - found.estimates
    np.testing.assert_allclose(found.covariance, moved.T @ moved * (n - 1) / n, rtol=1e-9)
    # What is resampled has the same means.
    np.testing.assert_allclose(found.sums.means(np.ones((1, n)), ())[0], found.estimates)


def test_what_is_missing_counts_as_effects_lead_to_expect():
    table, documents = incomplete()
    found = adjusted_means(table, documents).estimates
    segments = np.nanmean(table - found, axis=1, keepdims=True)
    np.testing.assert_allclose(np.where(np.isnan(table), found + segments, table).mean(0), found)


def test_of_a_full_table_all_is_plain():
    table, documents = incomplete(missing=0.0)
    found, plain = adjusted_means(table, documents), paired_means(table, documents)
    np.testing.assert_allclose(found.estimates, table.mean(axis=0))
    spread = variances_of_differences(found.covariance)
    above = np.triu_indices(5, 1)
    np.testing.assert_allclose(spread[above], plain.variances[above])
    np.testing.assert_allclose(found.degrees + 1, plain.n_clusters[0, 1])


def test_of_two_systems_the_test_is_that_of_the_segments_of_both():
    """Oracle: scipy. What one alone has says nothing of the difference."""
    table, _ = incomplete(n_systems=2)
    both = ~np.isnan(table).any(axis=1)
    found = adjusted_means(table, np.arange(len(table)))
    t = np.subtract(*found.estimates) / np.sqrt(variances_of_differences(found.covariance)[0, 1])
    assert t == pytest.approx(stats.ttest_rel(*table[both].T).statistic)
    assert found.degrees == pytest.approx([both.sum() - 1] * 2)


def test_plain_means_order_systems_wrongly_where_the_best_had_the_hardest():
    """The truth is known: each system is better than the next by 1, and was judged on harder."""
    rng = np.random.default_rng(4)
    difficulty = np.sort(rng.normal(0, 10, 200))[::-1]
    table = 80 - np.arange(4) - difficulty[:, None] + rng.normal(size=(200, 4))
    for system in range(4):
        own = np.arange(40 * system, 40 * system + 80)
        table[np.setdiff1d(np.arange(200), own), system] = np.nan
    found = adjusted_means(table, np.arange(200))
    assert np.argsort(np.nanmean(table, axis=0)).tolist() == [0, 1, 2, 3]
    assert np.argsort(-found.estimates).tolist() == [0, 1, 2, 3]
    off = found.estimates - found.estimates[0] + np.arange(4)
    errors = np.sqrt(variances_of_differences(found.covariance)[0])
    assert (np.abs(off[1:]) < 3 * errors[1:]).all() and (errors < 0.7).all()


def test_who_meets_the_others_in_one_document_has_no_variance():
    table, documents = incomplete(missing=0.0)
    table[documents != 3, 4] = np.nan
    found = adjusted_means(table, documents)
    assert np.isfinite(found.estimates).all() and found.degrees[4] == 0
    assert np.isnan(found.covariance[4]).all() and np.isfinite(found.covariance[:4, :4]).all()
    # Two groups, linked by one document: how far apart they are, that alone says.
    table, documents = incomplete(missing=0.0)
    table[:30, 3:] = table[30:, :3] = np.nan
    table[29, 3] = 50.0
    found = adjusted_means(table, documents)
    assert np.isnan(np.diag(found.covariance)).tolist() == [False] * 3 + [True] * 2


def test_pairs_that_share_a_segment_each_are_enough():
    """Who met whom once only, but several others, loses no link when a segment is left out."""
    rng = np.random.default_rng(1)
    table = np.full((28, 8), np.nan)
    for row, pair in enumerate(zip(*np.triu_indices(8, 1), strict=True)):
        table[row, pair] = rng.normal(size=2) + 5 * rng.normal()
    found = adjusted_means(table, np.arange(28))
    moved = np.array([by_dummies(np.delete(table, k, 0)) for k in range(28)]) - found.estimates
    np.testing.assert_allclose(found.covariance, moved.T @ moved * 27 / 28, rtol=1e-9)
    assert (found.degrees > 0).all()


@pytest.mark.slow
def test_intervals_cover_and_equal_systems_are_rarely_told_apart():
    """400 campaigns of 30 documents, systems that differ by document, 40 % of these not judged."""
    covered, apart = [], []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        documents = np.repeat(np.arange(30), rng.integers(2, 7, 30))
        table = rng.normal(size=(len(documents), 4)) + 3 * rng.normal(size=(len(documents), 1))
        table += rng.normal(size=(30, 4))[documents] + 2 * rng.normal(size=(30, 1))[documents]
        table[(rng.random((30, 4)) < 0.4)[documents]] = np.nan
        rows = ~np.isnan(table).all(axis=1)
        found = adjusted_means(table[rows], np.unique(documents[rows], return_inverse=True)[1])
        t = stats.t.ppf(0.975, found.degrees)
        covered.append(np.abs(found.estimates) <= t * np.sqrt(np.diag(found.covariance)))
        spread = np.sqrt(variances_of_differences(found.covariance)[0, 1])
        apart.append(abs(np.subtract(*found.estimates[:2])) > min(t[0], t[1]) * spread)
    assert 0.93 <= np.mean(covered) <= 0.97
    assert np.mean(apart) <= 0.07
