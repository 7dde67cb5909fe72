"""The paired bootstrap against tables put together draw by draw."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.metrics import (
    agreement_interval,
    kendall_tau,
    paired_bootstrap,
    pairwise_accuracy,
    pearson,
)
from sklearn_mteval.metrics.core.units import resamples
from sklearn_mteval.metrics.significance.comparison import compared_rows


@pytest.fixture(scope="module")
def judged():
    """Thirty segments, in each two rankings of three systems, two metrics."""
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product(
        [range(30), range(2), range(3)], names=["segment", "ranking", "system"]
    )
    human = pd.Series(rng.integers(1, 5, 180).astype(float), index=index)
    noise = pd.DataFrame(rng.normal(size=(180, 2)), index=index, columns=["A", "B"])
    return human, noise.mul([2, 4]).sub(human, axis=0).round(1)


def rankings(human):
    return human.index.droplevel("system"), human.index.get_level_values("segment")


@pytest.mark.slow
def test_intervals_and_p_are_near_those_of_tables_put_together(judged):
    human, scores = judged
    groups, segments = rankings(human)
    found = paired_bootstrap(human, scores, groups=groups, documents=segments)
    rng = np.random.default_rng(1)
    table = np.column_stack([human, scores]).reshape(30, 6, 3)
    differences = []
    for _ in range(300):
        resampled = table[rng.integers(0, 30, 30)].reshape(180, 3).T
        # Each copy's two rankings of three rows have labels of their own.
        taus = [kendall_tau(resampled[0], m, groups=np.arange(180) // 3) for m in resampled[1:]]
        differences.append(taus[0] - taus[1])
    low, high = np.quantile(differences, [0.025, 0.975])
    assert found.low[0, 1] == pytest.approx(low, abs=0.05)
    assert found.high[0, 1] == pytest.approx(high, abs=0.05)
    worse = np.mean(np.array(differences) < 0)
    assert found.p_values[0, 1] == pytest.approx(2 * min(worse, 1 - worse), abs=0.06)
    assert found.values[0] == kendall_tau(human, scores["A"], groups=groups)
    assert found.n_resamples == 1000
    assert found.n_permutations is None


def test_directions_mirror_each_other(judged):
    human, scores = judged
    groups, segments = rankings(human)
    found = paired_bootstrap(human, scores, groups=groups, documents=segments)
    assert found.p_values[0, 1] == found.p_values[1, 0]
    assert found.low[0, 1] == -found.high[1, 0]
    np.testing.assert_array_equal(found.differences, -found.differences.T)


def test_resamples_are_paired(judged):
    human, scores = judged
    groups, segments = rankings(human)
    shifted = {"A": scores["A"], "again": scores["A"] * 2 - 1}
    found = paired_bootstrap(human, shifted, groups=groups, documents=segments)
    assert found.low[0, 1] == found.high[0, 1] == 0
    assert found.p_values[0, 1] == found.p_values[1, 0] == 1


def test_a_difference_from_a_constant_is_the_value_itself(judged):
    """acc_eq of a constant metric does not vary where all segments are alike."""
    human, scores = judged
    ranks = np.tile([1.0, 2, 3], 60)
    groups, segments = rankings(human)
    found = paired_bootstrap(
        ranks,
        {"A": scores["A"].to_numpy(), "constant": np.zeros(180)},
        groups=groups,
        documents=segments,
        statistic="acc_eq",
    )
    low, high = agreement_interval(
        ranks, scores["A"].to_numpy(), groups=groups, documents=segments, statistic="acc_eq"
    )
    assert found.low[0, 1] == pytest.approx(low, abs=0.02)
    assert found.high[0, 1] == pytest.approx(high, abs=0.02)


@pytest.mark.parametrize("statistic", ["wmt12", "tau-b", "acc_eq", "pearson", "spearman", "pdp"])
def test_order_and_names_do_not_matter(judged, statistic):
    human, scores = judged
    groups, segments = rankings(human)
    options = {"statistic": statistic, "n_resamples": 50}
    found = paired_bootstrap(human, scores, groups=groups, documents=segments, **options)
    order = np.random.default_rng(0).permutation(len(human))
    again = paired_bootstrap(
        human.iloc[order],
        {"x": scores["A"].iloc[order], "y": scores["B"].iloc[order]},
        groups=groups[order].map(lambda label: f"{7 * label[0] % 31} {label[1]}"),
        documents=[-s for s in segments[order]],
        **options,
    )
    np.testing.assert_array_equal(found.p_values, again.p_values)
    np.testing.assert_array_equal(found.low, again.low)
    other = paired_bootstrap(
        human, scores, groups=groups, documents=segments, random_state=1, **options
    )
    assert (found.low != other.low)[0, 1]


def test_epsilons_are_each_metrics_own(judged):
    human, scores = judged
    groups, segments = rankings(human)
    options = {"groups": groups, "documents": segments, "statistic": "acc_eq", "n_resamples": 20}
    both = paired_bootstrap(human, scores, epsilon={"B": 0.5, "A": 2.0}, **options)
    for epsilon, value in zip((2.0, 0.5), both.values, strict=True):
        assert value in paired_bootstrap(human, scores, epsilon=epsilon, **options).values


def test_nothing_to_compare():
    with pytest.warns(UndefinedMetricWarning):
        found = paired_bootstrap(
            [1, 1, 1, 1], {"A": [1, 2, 3, 4], "B": [3, 2, 2, 1]}, groups=[0, 0, 1, 1]
        )
    assert np.isnan(found.p_values).all()
    assert np.isnan(found.low).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": None}, "documents must say"),
        ({"confidence": 1}, "confidence must lie"),
        ({"n_resamples": 0}, "n_resamples must be"),
        ({"statistic": "rho"}, r"statistic .*found "),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        paired_bootstrap([1, 2, 3, 4], np.eye(4), **{"groups": [0, 0, 1, 1], **options})


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 9999), statistic=st.sampled_from(["wmt12", "tau-b", "acc_eq", "pearson"])
)
def test_it_is_naive_resampling(seed, statistic):
    """Tables put together from the segments drawn, each copy with a name of its own."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 20)  # of groups, of which each two are a segment
    groups = np.repeat(np.arange(20), sizes)
    human = rng.integers(1, 4, len(groups))
    scores = {name: rng.integers(0, 4, len(groups)) * 1.0 for name in "AB"}
    options = {"groups": groups, "documents": groups // 2, "statistic": statistic}
    average = "groups" if statistic in ("pearson", "tau-b") else "pairs"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = paired_bootstrap(
            human, scores, **options, average=average, n_resamples=9, random_state=seed
        )
        rows = compared_rows(human, scores, groups, groups // 2, "error")
        n_segments = rows.units.max() + 1
        (drawn,) = resamples(n_segments, 9, np.random.RandomState(seed))
        differences = []
        for times in drawn.astype(int):
            copies = [
                (rows.places[k], (rows.groups[k], copy))
                for k in range(len(rows.human))
                for copy in range(times[rows.units[k]])
            ]
            taken = [place for place, _ in copies]
            names = [str(name) for _, name in copies]
            one, other = (
                float("nan")
                if not taken
                else value_of(statistic, human[taken], scores[name][taken], names, average)
                for name in "AB"
            )
            differences.append(one - other)
    kept = np.array(differences)[~np.isnan(differences)]
    if not len(kept):
        assert np.isnan(found.p_values[0, 1])
        return
    kept = np.where(np.abs(kept) < 1e-10, 0, kept)
    worse = np.mean((kept < 0) + (kept == 0) / 2)
    assert found.p_values[0, 1] == pytest.approx(2 * min(worse, 1 - worse))
    bounds = found.low[0, 1], found.high[0, 1]
    assert bounds == pytest.approx(tuple(np.quantile(kept, [0.025, 0.975])), abs=1e-9)


def value_of(statistic, human, scores, groups, average):
    if statistic == "pearson":
        return pearson(human, scores, groups=groups)
    if statistic == "acc_eq":
        return pairwise_accuracy(human, scores, groups=groups, average=average)
    return kendall_tau(human, scores, groups=groups, statistic=statistic, average=average)
