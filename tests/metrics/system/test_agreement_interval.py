"""Intervals of system-level agreement: coverage, order, names, bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import (
    human_system_scores,
    soft_pairwise_accuracy,
    system_agreement,
    system_agreement_interval,
)
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.metrics.system.wins import win_counts

STATISTICS = ("accuracy", "pearson", "spearman", "kendall", "spa")


def test_every_statistic_of_the_registry_is_tested():
    assert set(STATISTICS) == set(SYSTEM_STATISTICS)


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    human = pd.DataFrame(rng.normal(size=(80, 6)) + np.arange(6) / 5, columns=list("abcdef"))
    metric = human + rng.normal(size=human.shape)
    return human, metric.mask(rng.random(metric.shape) < 0.1)


def value(human, metric, statistic):
    if statistic == "spa":
        return soft_pairwise_accuracy(human, metric)
    return system_agreement(human.mean(), metric.mean(), statistic=statistic)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_bounds_are_those_of_tables_put_together(tables, statistic):
    human, metric = tables
    low, high = system_agreement_interval(human, metric, statistic=statistic, n_resamples=500)
    rng = np.random.default_rng(5)
    values = []
    for rows in rng.integers(0, 80, (300, 80)):
        values.append(value(*(t.iloc[rows].reset_index(drop=True) for t in tables), statistic))
    expected = np.quantile(values, [0.025, 0.975])
    assert (low, high) == pytest.approx(tuple(expected), abs=0.08)
    assert low < high


@pytest.mark.parametrize("statistic", STATISTICS)
def test_order_and_names_change_nothing(tables, statistic):
    human, metric = tables
    found = system_agreement_interval(human, metric, statistic=statistic, n_resamples=50)
    names = dict(zip("abcdef", "fcabed", strict=True))
    other = [t.sample(frac=1, random_state=1).rename(columns=names) for t in tables]
    other[0] = other[0].sort_index(axis=1)
    assert system_agreement_interval(*other, statistic=statistic, n_resamples=50) == found


@pytest.fixture
def rankings(tables):
    """Three of six systems ranked on each segment."""
    human, metric = tables
    rng = np.random.default_rng(1)
    systems = np.concatenate([rng.choice(6, 3, replace=False) for _ in range(60)])
    segments = np.repeat(np.arange(60), 3)
    index = pd.MultiIndex.from_arrays([segments, human.columns[systems]])
    y = pd.Series(
        -human.to_numpy()[segments, systems].round(), index.set_names(["segment", "system"])
    )
    return y, metric


@pytest.mark.parametrize("statistic", STATISTICS[:-1])
def test_rankings(rankings, statistic):
    y, metric = rankings
    counts = win_counts(y.to_frame(), y)
    low, high = system_agreement_interval(counts, metric, statistic=statistic, n_resamples=300)
    scores = human_system_scores(y.to_frame(), y)
    judged = metric.loc[counts.segments].mean()
    assert low <= system_agreement(scores, judged, statistic=statistic) <= high
    assert low < high
    names = dict(zip("abcdef", "fcabed", strict=True))
    other = y.sample(frac=1, random_state=2).rename(index=names, level="system")
    other = other.rename(index=lambda s: (s * 7) % 80, level="segment")
    again = system_agreement_interval(
        win_counts(other.to_frame(), other),
        metric.rename(columns=names, index=lambda s: (s * 7) % 80),
        statistic=statistic,
        n_resamples=300,
    )
    assert again == pytest.approx((low, high), abs=1e-9)


def test_undefined_is_nan_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="interval of systems"):
        found = system_agreement_interval([[1], [2]], [[1], [2]], n_resamples=5)
    assert np.isnan(found).all()


def test_bad_input(tables, rankings):
    human, metric = tables
    y, _ = rankings
    counts = win_counts(y.to_frame(), y)
    with pytest.raises(ValueError, match=r"statistic .*found "):
        system_agreement_interval(human, metric, statistic="tau")
    with pytest.raises(ValueError, match="confidence"):
        system_agreement_interval(human, metric, confidence=1)
    with pytest.raises(ValueError, match="n_resamples"):
        system_agreement_interval(human, metric, n_resamples=0)
    with pytest.raises(ValueError, match="needs human scores of segments, not win counts"):
        system_agreement_interval(counts, metric, statistic="spa")
    with pytest.raises(CandidateError, match="only one side has f"):
        system_agreement_interval(counts, metric.drop(columns="f"))
    with pytest.raises(CandidateError, match="only one side has 3"):
        system_agreement_interval(counts, metric.drop(index=3))


def test_names_of_segments_change_nothing_where_only_whole_tables_differ():
    # Six segments in which A beats B beats C beats A, six the other way round: each system's wins
    # and losses and the metric's scores are the same in all. The last one is not like them.
    systems, rng = list("ABC"), np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(12), range(3), range(2)])
    index = index.append(pd.MultiIndex.from_product([[12], range(3, 9), range(2)]))
    segments, tasks = index.get_level_values(0).to_numpy(), index.get_level_values(1).to_numpy()
    names = [systems[((k if s < 12 else 2 * (k == 8)) + j) % 3] for s, k, j in index]
    y = pd.Series(
        np.where((segments < 6) | (segments == 12), 1, -1) * index.get_level_values(2),
        index=pd.MultiIndex.from_arrays([segments, tasks, names], names=["segment", "r", "system"]),
    )
    metric = pd.DataFrame([[1.0, 3, 2]] * 13, columns=systems)
    counts = win_counts(y.to_frame(), y)
    found = system_agreement_interval(counts, metric, statistic="pearson", n_resamples=50)
    for _ in range(5):
        names = np.append(rng.permutation(12), 12)
        other = y.rename(index=lambda s, names=names: names[s], level="segment")
        counts = win_counts(other.to_frame(), other)
        again = system_agreement_interval(counts, metric, statistic="pearson", n_resamples=50)
        assert again == found
