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
from sklearn_mteval.metrics.system.soft_accuracy import soft_accuracy_of_means
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
def test_without_noise_bounds_are_the_value(statistic):
    human = np.repeat([[1.0, 2, 3, 4, 5]], 40, axis=0)
    metric = human[:, [0, 2, 1, 4, 3]]
    found = system_agreement_interval(human, metric, statistic=statistic, n_resamples=50)
    assert found == pytest.approx(2 * (value(*map(pd.DataFrame, (human, metric)), statistic),))


def test_pearson_is_that_of_resamples_less_their_noise(tables):
    human, _ = tables
    metric = human + np.random.default_rng(3).normal(size=human.shape)
    documents = np.arange(80) // 4
    rng, parts = np.random.default_rng(5), np.split(np.hstack([human, metric]), 20)
    means = np.array(
        [np.mean([parts[k] for k in rng.integers(0, 20, 20)], (0, 1)) for _ in range(4000)]
    )
    noise = np.cov(means.T) * 20 / 19
    values = []
    for mean in means:
        products = np.cov(mean.reshape(2, 6)) * 5
        for (i, j), _ in np.ndenumerate(products):
            block = noise[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
            products[i, j] -= 2 * (np.trace(block) - block.mean() * 6)
        values.append(products[0, 1] / np.sqrt(products[0, 0] * products[1, 1]))
    expected = np.quantile(np.clip(values, -1, 1), [0.025, 0.975])
    found = system_agreement_interval(
        human, metric, documents=documents, statistic="pearson", n_resamples=4000
    )
    assert found == pytest.approx(expected, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", STATISTICS)
def test_intervals_hold_the_truth_of_documents(statistic):
    """Systems' true means are known; noise is shared by the segments of a document."""
    rng, n_held, n_draws = np.random.default_rng(0), 0, 200
    truth = rng.normal(size=(2, 10)) * [[0.1], [0.8]] + np.arange(10) / 8
    documents = np.arange(120) // 4
    for _ in range(n_draws):
        noise = 1.5 * rng.normal(size=(30, 2, 10))[documents] + rng.normal(size=(120, 2, 10))
        human, metric = (truth + noise).swapaxes(0, 1)
        low, high = system_agreement_interval(
            human, metric, documents=documents, statistic=statistic, n_resamples=200
        )
        if statistic == "spa":  # of means that are exact, in tables that vary as they do
            true = soft_accuracy_of_means(human, metric)(*truth)
        else:
            true = system_agreement(*map(pd.Series, truth), statistic=statistic)
        n_held += low - 1e-9 <= true <= high + 1e-9
    assert n_held / n_draws > 0.9


def test_documents_are_labels_or_a_series(tables):
    human, metric = tables
    labels = [f"d{k // 8}" for k in range(80)]
    options = {"statistic": "pearson", "n_resamples": 50}
    found = system_agreement_interval(human, metric, documents=labels, **options)
    by_segment = pd.Series(labels, range(80)).sample(frac=1, random_state=0)
    again = system_agreement_interval(
        human, metric.sample(frac=1, random_state=1), documents=by_segment, **options
    )
    assert again == found
    alone = system_agreement_interval(human, metric, documents=[""] * 80, **options)
    assert alone == system_agreement_interval(human, metric, **options)
    with pytest.raises(CandidateError, match=r"segments without one: \[79\]"):
        system_agreement_interval(human, metric, documents=by_segment.drop(79))
    with pytest.warns(UndefinedMetricWarning, match="fewer than 10 documents"):
        few = system_agreement_interval(human, metric, documents=np.arange(80) // 9)
    assert np.isnan(few).all()


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


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("statistic", SYSTEM_STATISTICS)
def test_systems_that_a_metric_cannot_tell_apart(statistic):
    """Their scores move together, or not at all: a covariance without inverse."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=(30, 5)) + np.arange(5)
    for column in (rng.normal(size=30), np.zeros(30)):
        metric = np.repeat(column[:, np.newaxis], 5, axis=1)
        low, high = system_agreement_interval(human, metric, statistic=statistic, n_resamples=50)
        assert np.isnan([low, high]).all() or -1 <= low <= high <= 1


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
