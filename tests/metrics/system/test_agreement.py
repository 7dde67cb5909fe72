"""Agreement of system scores against scipy and a plain double loop."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import soft_pairwise_accuracy, system_agreement
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS

OF_SCORES = [name for name, s in SYSTEM_STATISTICS.items() if not s.needs_segments]


def of_scores(statistic, human, metric):
    return SYSTEM_STATISTICS[statistic].of_scores(human, metric)


def accuracy(human, metric):
    right = total = 0
    for i, j in itertools.combinations(range(len(human)), 2):
        if human[i] != human[j]:
            total += 1
            right += (human[i] - human[j]) * (metric[i] - metric[j]) > 0
    return right / total if total else np.nan


ORACLES = {
    "accuracy": accuracy,
    "pearson": lambda h, m: stats.pearsonr(h, m).statistic,
    "spearman": lambda h, m: stats.spearmanr(h, m).statistic,
    "kendall": lambda h, m: stats.kendalltau(h, m).statistic,
}


def test_every_statistic_has_an_oracle():
    assert set(ORACLES) == set(OF_SCORES)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy's, of constants
@pytest.mark.parametrize("statistic", OF_SCORES)
@settings(max_examples=100, deadline=None)
@given(
    rows=st.integers(2, 8).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(-4, 4), min_size=n, max_size=n), min_size=2, max_size=6
        )
    ),
    scale=st.sampled_from([1, 0.1, 1e-9, 1e9]),
)
def test_each_resample_is_the_oracles(statistic, rows, scale):
    human, *metrics = np.array(rows, dtype=float)
    with np.errstate(all="ignore"):
        expected = [ORACLES[statistic](human, metric) for metric in metrics]
    found = of_scores(statistic, human, scale * np.array(metrics))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", SYSTEM_STATISTICS)
def test_bounds_are_reached_by_full_agreement_and_by_its_opposite(name):
    human = 10 * np.arange(4.0) + np.random.default_rng(0).normal(size=(200, 4))
    statistic = SYSTEM_STATISTICS[name]
    means = human.mean(axis=0)
    found = [
        statistic.of_means(human, side * human)(means, side * means).item() for side in (-1, 1)
    ]
    assert found == pytest.approx(statistic.bounds, abs=1e-12)
    if statistic.needs_segments:
        exact = [soft_pairwise_accuracy(human, side * human) for side in (-1, 1)]
        assert exact == pytest.approx(statistic.bounds, abs=0.01)


@pytest.mark.parametrize("statistic", OF_SCORES)
def test_leading_axes_are_broadcast(statistic):
    human, metric = np.random.default_rng(0).normal(size=(2, 4, 1, 7))
    metric = metric.reshape(1, 4, 7)
    found = of_scores(statistic, human, metric)
    assert found.shape == (4, 4)
    for i, j in itertools.product(range(4), range(4)):
        expected = ORACLES[statistic](human[i, 0], metric[0, j])
        assert found[i, j] == pytest.approx(expected)


def test_by_hand():
    # Pairs: a b right, a c right, b c wrong, those with d: tied by the human with c, else right.
    human = pd.Series({"a": 4, "b": 3, "c": 1, "d": 1})
    metric = {"d": 0.1, "c": 0.6, "b": 0.5, "a": 0.9}
    assert system_agreement(human, metric) == pytest.approx(4 / 5)
    assert system_agreement(human, metric | {"b": 0.6}) == pytest.approx(4 / 5)  # a tie is wrong
    assert system_agreement(human, metric, statistic="kendall") == pytest.approx(3 / 30**0.5)


@pytest.mark.parametrize("statistic", OF_SCORES)
def test_rounding_does_not_order_systems(statistic):
    human = [0.1 + 0.2, 0.3, 1.0, 2.0]
    exact = of_scores(statistic, [0.3, 0.3, 1, 2], [1, 2, 3, 4])
    assert of_scores(statistic, human, [1, 2, 3, 4]) == pytest.approx(float(exact))
    constant = np.full(4, 0.3) + np.array([0, 5e-17, -5e-17, 1e-16])
    assert constant.std() > 0
    if statistic == "accuracy":
        assert of_scores(statistic, [1, 2, 3, 4], constant) == 0
    assert np.isnan(of_scores(statistic, constant, [1, 2, 3, 4]))


@pytest.mark.parametrize("statistic", OF_SCORES)
@pytest.mark.parametrize("scores", [{"a": 1}, {"a": 1, "b": 1, "c": 1}, {}])
def test_undefined_is_nan_with_a_warning(statistic, scores):
    with pytest.warns(UndefinedMetricWarning, match="agreement of systems"):
        assert np.isnan(system_agreement(scores, scores, statistic=statistic))


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall"])
def test_constant_metrics_are_nan(statistic):
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(system_agreement({"a": 1, "b": 2}, {"a": 3, "b": 3}, statistic=statistic))


@pytest.mark.parametrize("statistic", OF_SCORES)
def test_a_missing_score_is_nan(statistic):
    full, missing = np.array([1.0, 2, 3]), np.array([1.0, np.nan, 3])
    assert np.isnan(of_scores(statistic, full, missing))
    assert np.isnan(of_scores(statistic, missing, full))


@pytest.mark.parametrize("statistic", OF_SCORES)
def test_names_change_no_bit(statistic):
    rng = np.random.default_rng(5)
    human, metric = (pd.Series(rng.normal(size=9), index=list("abcdefghi")) for _ in range(2))
    value = system_agreement(human, metric, statistic=statistic)
    names = dict(zip("abcdefghi", "ihfgdebca", strict=True))
    renamed = [side.rename(names).sample(frac=1, random_state=2) for side in (human, metric)]
    assert system_agreement(*renamed, statistic=statistic) == value


@pytest.mark.parametrize(
    ("human", "metric", "message"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, "only one has b, c"),
        ({"a": 1, "b": np.nan}, {"a": 1, "b": 2}, "human has no finite score for system 'b'"),
        ({"a": 1}, {"a": np.inf}, "metric has no finite score for system 'a'"),
        ({"a": 1}, {"a": "x"}, "metric must be numbers"),
        (pd.Series([1, 2], index=["a", "a"]), {"a": 1}, "several scores for system 'a'"),
    ],
)
def test_bad_scores(human, metric, message):
    with pytest.raises(CandidateError, match=message):
        system_agreement(human, metric)


def test_bad_options():
    with pytest.raises(ValueError, match=r"statistic .*found "):
        system_agreement({"a": 1}, {"a": 1}, statistic="tau")
    with pytest.raises(ValueError, match=r"'spa'.* not scores of systems: call soft_pairwise_acc"):
        system_agreement({"a": 1}, {"a": 1}, statistic="spa")
    with pytest.raises(CandidateError, match="finite"):
        of_scores("pearson", [1, 2], [1, np.inf])
