"""Soft pairwise accuracy against all flips, one at a time."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairwise_p import pairwise_p_values
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.datasets import load_mqm
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import soft_pairwise_accuracy
from sklearn_mteval.metrics.system.soft_accuracy import soft_accuracy_of_means
from sklearn_mteval.metrics.system.tables import score_table


def exact_p(a, b):
    """P of "a is better than b" of whole numbers: all flips enumerated, without rounding."""
    d = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    d = d[~np.isnan(d)]
    if not len(d):
        return np.nan
    assert (d == d.round()).all()
    flips = np.array(list(itertools.product([1, -1], repeat=len(d)))) @ d.astype(int)
    return np.mean(flips >= int(d.sum()))


def exact_soft_accuracy(human, metric):
    terms = []
    for i, j in itertools.combinations(range(human.shape[1]), 2):
        sides = [(t[:, i], t[:, j]) for t in (human, metric)]
        if [np.nansum(a - b) for a, b in sides] > [0, 0]:
            sides = [(b, a) for a, b in sides]
        p = [exact_p(a, b) if np.nan_to_num(a - b).any() else 0.5 for a, b in sides]
        terms.append(abs(p[0] - p[1]))
    return 1 - np.mean(terms)


def test_the_issues_oracle():
    gold, metric = np.array([[1, 2, 3], [2, 3, 4]]).T, np.array([[2, 2, 4], [1, 3, 5]]).T
    assert soft_pairwise_accuracy(gold, metric) == 0.875
    assert soft_pairwise_accuracy(gold[:, ::-1], metric[:, ::-1]) == 0.875
    assert soft_pairwise_accuracy(gold, gold) == 1
    # Seven flips of the metric's differences 1, -1, -1 reach their sum, -1; all but +1 +1 +1 ...
    assert exact_p([2, 2, 4], [1, 3, 5]) == 7 / 8
    p = pairwise_p_values(metric)
    assert (p.loc[0, 1], p.loc[1, 0]) == (7 / 8, 4 / 8)


def tables(low=-3, high=3):
    return st.tuples(st.integers(1, 6), st.integers(2, 4)).flatmap(
        lambda shape: st.tuples(
            *[
                st.lists(
                    st.lists(st.integers(low, high), min_size=shape[1], max_size=shape[1]),
                    min_size=shape[0],
                    max_size=shape[0],
                )
            ]
            * 2
        )
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@settings(max_examples=60, deadline=None)
@given(tables=tables(), scale=st.sampled_from([1, 0.1, 1e7]))
def test_few_segments_are_enumerated(tables, scale):
    human, metric = (np.array(t, dtype=float) for t in tables)
    found = pairwise_p_values(scale * metric).to_numpy()
    for i, j in itertools.permutations(range(metric.shape[1]), 2):
        assert found[i, j] == pytest.approx(exact_p(metric[:, i], metric[:, j]), abs=1e-15)
    found = soft_pairwise_accuracy(human, scale * metric)
    if (human == human[:, :1]).all() or (metric == metric[:, :1]).all():
        assert np.isnan(found)
    else:
        assert found == pytest.approx(exact_soft_accuracy(human, metric), abs=1e-15)


def test_missing_scores_are_left_out_pair_by_pair():
    rng = np.random.default_rng(0)
    human, metric = rng.integers(0, 6, (2, 7, 4)).astype(float)
    human[[0, 3], 1] = np.nan
    metric[[1, 2, 5], 2] = np.nan
    metric[4, 0] = np.nan
    found = pairwise_p_values(metric).to_numpy()
    for i, j in itertools.permutations(range(4), 2):
        assert found[i, j] == pytest.approx(exact_p(metric[:, i], metric[:, j]))
    found = soft_pairwise_accuracy(human, metric)
    assert found == pytest.approx(exact_soft_accuracy(human, metric), abs=1e-15)


def test_no_common_segment():
    table = np.array([[1, np.nan, 3], [2, np.nan, 1], [np.nan, 5, 2]])
    p = pairwise_p_values(table)
    assert np.isnan(p.loc[0, 1])
    assert p.loc[1, 2] == 0.5
    with pytest.warns(UndefinedMetricWarning, match="segments that both"):
        assert np.isnan(soft_pairwise_accuracy(np.nan_to_num(table), table))


@pytest.mark.parametrize("bad", [[[1], [2], [3]], [[1, 1], [2, 2], [5, 5]]])
def test_one_system_or_no_difference(bad):
    good = np.arange(3.0)[:, None] * np.arange(np.shape(bad)[1])
    for pair in ((good, bad), (bad, good)):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(soft_pairwise_accuracy(*pair))


def test_a_pair_without_difference_is_not_certain():
    human = np.array([[1, 2, 5], [1, 3, 7], [4, 5, 9]])
    metric = human[:, [0, 0, 2]]
    # p: human 1, 1, 1; metric 1/2, 1, 1.
    assert soft_pairwise_accuracy(human, metric) == pytest.approx(1 - 0.5 / 3)


def test_sampled_flips_approach_all_of_them():
    rng = np.random.default_rng(1)
    human, metric = rng.integers(-20, 20, (2, 13, 3)) + np.array([0, 5, 10])
    exact = pairwise_p_values(metric, n_permutations=2**13).to_numpy()
    for i, j in itertools.permutations(range(3), 2):
        assert exact[i, j] == pytest.approx(exact_p(metric[:, i], metric[:, j]))
    sampled = pairwise_p_values(metric, n_permutations=2**13 - 1).to_numpy()
    spread = np.sqrt(exact * (1 - exact) / 2**13)
    off = ~np.eye(3, dtype=bool)
    assert (sampled != exact)[off].any()
    assert (np.abs(sampled - exact)[off] < 4 * spread[off]).all()
    values = [soft_pairwise_accuracy(human, metric, random_state=s) for s in range(3)]
    assert len(set(values)) > 1
    reference = soft_pairwise_accuracy(human, metric, n_permutations=2**13)
    assert np.mean(values) == pytest.approx(reference, abs=0.03)


def test_order_and_names_change_nothing():
    rng = np.random.default_rng(2)
    human = pd.DataFrame(rng.integers(0, 4, (60, 5)), columns=list("abcde")).astype(float)
    metric = (human + rng.normal(size=human.shape)).round(1)
    metric = metric.mask(rng.random(metric.shape) < 0.1)
    value = soft_pairwise_accuracy(human, metric)
    other = [human.sample(frac=1, random_state=3), metric.sample(frac=1, random_state=4)]
    assert soft_pairwise_accuracy(*other) == value
    names = dict(zip("abcde", "cdaeb", strict=True))
    renamed = [t.rename(columns=names).rename(index=lambda s: f"x{s * 7 % 60}") for t in other]
    assert soft_pairwise_accuracy(renamed[0].sort_index(axis=1), renamed[1]) == value
    by_name = pairwise_p_values(metric)
    again = pairwise_p_values(renamed[1]).rename(
        index={v: k for k, v in names.items()}, columns={v: k for k, v in names.items()}
    )
    pd.testing.assert_frame_equal(again.loc[list("abcde"), list("abcde")], by_name)
    assert soft_pairwise_accuracy(human, metric, random_state=1) != value


def test_an_offset_changes_nothing():
    rng = np.random.default_rng(3)
    human, metric = rng.integers(0, 9, (2, 50, 4)).astype(float)
    value = soft_pairwise_accuracy(human, metric)
    assert soft_pairwise_accuracy(human, metric / 8 + 2**20) == value


def means_of(*tables):
    return [np.nanmean(table, axis=0) for table in tables]


def test_means_give_the_normal_approximation():
    rng = np.random.default_rng(5)
    human, metric = rng.normal(size=(2, 300, 4)) + np.arange(4) / 20
    figure = soft_accuracy_of_means(human, metric)
    exact = soft_pairwise_accuracy(human, metric, n_permutations=40_000)
    assert figure(*means_of(human, metric)) == pytest.approx(exact, abs=0.004)
    # Other means are those of tables with the same squares of differences.
    human_p = stats.norm.cdf(
        [-(human[:, i] - human[:, j]).sum() / np.linalg.norm(human[:, i] - human[:, j])
         for i, j in itertools.combinations(range(4), 2)]
    )  # fmt: skip
    moved = metric.mean(axis=0) + np.array([0.1, 0, -0.05, 0])
    metric_p = stats.norm.cdf(
        [-300 * (moved[i] - moved[j]) / np.linalg.norm(metric[:, i] - metric[:, j])
         for i, j in itertools.combinations(range(4), 2)]
    )  # fmt: skip
    expected = 1 - np.abs(human_p - metric_p).mean()
    found = figure(np.stack(2 * [human.mean(axis=0)]), np.stack([moved, metric.mean(axis=0)]))
    np.testing.assert_allclose(found[0], expected)


def test_means_of_undefined_tables():
    human = np.array([[1.0, 2, np.nan], [2, 3, np.nan], [np.nan, np.nan, 4]])
    with np.errstate(all="ignore"):
        assert np.isnan(soft_accuracy_of_means(human, human)(*means_of(human, human)))
    assert np.isnan(soft_accuracy_of_means(human[:, :1], human[:, :1])(np.ones(1), np.ones(1)))


def test_bad_options():
    with pytest.raises(ValueError, match="n_permutations"):
        soft_pairwise_accuracy([[1, 2]], [[1, 2]], n_permutations=0)
    with pytest.raises(CandidateError, match="same systems"):
        soft_pairwise_accuracy(pd.DataFrame([[1, 2]]), pd.DataFrame([[1]]))


def test_normal_approximation_on_real_penalties(data_dir):
    X, y = load_mqm(data_dir / "mqm" / "mqm_ted_zhen.tsv", return_X_y=True)
    segments, systems = (X.index.get_level_values(n) for n in ("segment", "system"))
    human = score_table(-y, segments, systems)
    lengths = score_table(X["hypothesis"].str.len(), segments, systems)
    exact = soft_pairwise_accuracy(human, lengths, n_permutations=20_000)
    human, lengths = human.to_numpy(), lengths.to_numpy()
    figure = soft_accuracy_of_means(human, lengths)
    assert figure(*means_of(human, lengths)) == pytest.approx(exact, abs=0.003)


@pytest.mark.parametrize("gap", [False, True])
def test_scores_that_are_equal_but_for_rounding_are_equal(gap):
    """In the observed sums and in every flip, whether a score is missing or not."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 3, (6, 4)) * 0.1
    noisy = table * (1 + rng.choice([-1, 0, 1], table.shape) * 2e-13)
    if gap:
        table[2, 1] = noisy[2, 1] = np.nan
    expected = pairwise_p_values(table, n_permutations=64)
    found = pairwise_p_values(noisy, n_permutations=64)
    np.testing.assert_array_equal(found, expected)


@settings(max_examples=40, deadline=None)
@given(tables=tables(), seed=st.integers(0, 99))
def test_rounding_within_segments_changes_no_p(tables, seed):
    """Means of other judges' penalties differ in their last bits where they are equal."""
    exact = np.array(tables[0]) * 1.0
    rounded = exact * (1 + np.random.default_rng(seed).integers(-2, 3, exact.shape) * 2.0**-52)
    assert pairwise_p_values(rounded).equals(pairwise_p_values(exact))


def test_equality_that_goes_only_two_of_three_ways():
    # Neighbours are equal, but not the first and the last: these are not made equal.
    rising = [1, 1 + 0.8e-12, 1 + 1.6e-12]
    found = pairwise_p_values(np.array([rising, rising, rising[::-1]]))
    assert found.loc[0, 1] == found.loc[1, 2] == 1
    assert found.loc[0, 2] == exact_p([0, 0, 1], [1, 1, 0]) == 7 / 8
