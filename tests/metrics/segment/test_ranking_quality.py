"""NDCG against scikit-learn's, all statistics against every order of the tied rows."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import ndcg_score

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import agreement_interval, best_system_rate, err, mrr, ndcg

QUALITIES = {"ndcg": ndcg, "mrr": mrr, "err": err, "best_system_rate": best_system_rate}


def of_order(name, human):
    """A quality of judgements in the metric's order, as the papers define it."""
    places = np.arange(1, len(human) + 1)
    grades = max(human) - np.array(human)
    if name == "ndcg":
        discounts = np.log2(places + 1)
        return np.sum(grades / discounts) / np.sum(np.sort(grades)[::-1] / discounts)
    if name == "mrr":
        return 1 / places[np.array(human) == min(human)][0]
    if name == "best_system_rate":
        return float(human[0] == min(human))
    value, reads_on = 0.0, 1.0
    for place, grade in zip(places, grades, strict=True):
        stops = (2.0**grade - 1) / 2.0 ** max(grades)
        value += reads_on * stops / place
        reads_on *= 1 - stops
    return value


def by_all_orders(name, human, metric):
    """The mean over all orders that the metric allows."""
    values = [
        of_order(name, [human[k] for k in order])
        for order in permutations(range(len(human)))
        if all(metric[a] >= metric[b] for a, b in pairwise(order))
    ]
    return np.mean(values)


def test_by_hand():
    # Ranks 1, 3, 2 in the metric's order: gains 2, 0, 1.
    human, metric = [3, 1, 2], [0.5, 0.9, 0.1]
    ideal = 2 + 1 / np.log2(3)
    assert ndcg(human, metric, groups=None) == pytest.approx((2 + 1 / 2) / ideal)
    assert mrr(human, metric, groups=None) == 1
    assert best_system_rate(human, metric, groups=None) == 1
    # Stops with 3/4, 0, 1/4.
    assert err(human, metric, groups=None) == pytest.approx(3 / 4 + 1 / 4 * 1 / 4 / 3)
    # All tied: a coin's toss.
    assert mrr([1, 2], [0, 0], groups=None) == pytest.approx((1 + 1 / 2) / 2)
    assert best_system_rate([1, 2, 1], [0, 0, 0], groups=None) == pytest.approx(2 / 3)


rows = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2)), min_size=2, max_size=6)


@pytest.mark.parametrize("name", QUALITIES)
@settings(max_examples=60, deadline=None)
@given(rows=rows.filter(lambda rows: len({human for human, _ in rows}) > 1))
def test_ties_are_all_orders(name, rows):
    human, metric = zip(*rows, strict=True)
    expected = by_all_orders(name, human, metric)
    assert QUALITIES[name](human, metric, groups=None) == pytest.approx(expected, abs=1e-12)


def test_ndcg_is_scikit_learns():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 40, 400)
    human, metric = rng.integers(1, 6, 400), rng.normal(size=400).round()
    expected = [
        ndcg_score([human[groups == g].max() - human[groups == g]], [metric[groups == g]])
        for g in np.unique(groups)
    ]
    assert ndcg(human, metric, groups=groups) == pytest.approx(np.mean(expected))


@pytest.fixture
def table():
    """Thirty groups of two to five rows, with ties; one of them has no preference."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(30), rng.integers(2, 6, 30))
    frame = pd.DataFrame({"group": group, "human": rng.integers(1, 6, len(group))})
    frame["metric"] = rng.integers(0, 4, len(group)) / 10
    frame.loc[frame["group"] == 7, "human"] = 2
    return frame


@pytest.mark.parametrize("name", QUALITIES)
def test_means_of_groups_in_any_order(table, name):
    def compute(table, **options):
        return QUALITIES[name](table["human"], table["metric"], groups=table["group"], **options)

    expected = compute(table)
    by_group = [
        by_all_orders(name, part["human"].tolist(), part["metric"].tolist())
        for _, part in table.groupby("group")
        if part["human"].max() > part["human"].min()
    ]
    assert expected == pytest.approx(np.mean(by_group))
    assert 0 < expected < 1
    shuffled = table.sample(frac=1, random_state=0)
    assert compute(shuffled) == expected
    assert (
        compute(shuffled.assign(group=shuffled["group"].map(lambda g: f"{g * 7 % 31}"))) == expected
    )
    assert compute(table.assign(metric=np.exp(5 * table["metric"]))) == expected
    assert compute(table.assign(human=table["human"] + 3)) == pytest.approx(expected)
    missing = table.assign(metric=table["metric"].where(table["group"] != 3))
    with pytest.raises(CandidateError, match="missing='skip'"):
        compute(missing)
    assert compute(missing, missing="skip") == compute(table[table["group"] != 3])


@pytest.mark.parametrize("name", QUALITIES)
def test_intervals(table, name):
    def interval(table, **options):
        return agreement_interval(
            table["human"],
            table["metric"],
            groups=table["group"],
            documents=table["group"] // 2,
            statistic=name,
            n_resamples=500,
            **options,
        )

    low, high = interval(table)
    value = QUALITIES[name](table["human"], table["metric"], groups=table["group"])
    assert low < value < high
    assert interval(table.sample(frac=1, random_state=0)) == (low, high)


@pytest.mark.parametrize("name", QUALITIES)
def test_a_perfect_and_a_reversed_metric(table, name):
    def compute(metric):
        return QUALITIES[name](table["human"], metric, groups=table["group"])

    best, worst = compute(-table["human"]), compute(table["human"])
    assert best > compute(table["metric"]) > worst
    assert best == pytest.approx(1) or name == "err"


@pytest.mark.parametrize("name", QUALITIES)
@pytest.mark.parametrize(
    "case", ["one row", "one system", "no preference", "no row", "all missing"]
)
def test_undefined_is_nan_with_a_warning(name, case):
    human, metric, groups = {
        "one row": ([1], [0.5], ["a"]),
        "one system": ([1, 2], [0.5, 0.1], ["a", "b"]),
        "no preference": ([2, 2, 2], [0.5, 0.1, 0.1], ["a", "a", "a"]),
        "no row": (np.empty(0), np.empty(0), np.empty(0)),
        "all missing": ([1, 2], [np.nan, np.nan], ["a", "a"]),
    }[case]
    with pytest.warns(UndefinedMetricWarning, match="prefers none"):
        value = QUALITIES[name](human, metric, groups=groups, missing="skip")
    assert np.isnan(value)


@pytest.mark.parametrize("name", QUALITIES)
def test_penalties_infinite_scores_and_long_groups(name):
    # Penalties are no whole numbers and may be large; ERR's powers must not overflow.
    human = np.array([0.1, 900.0, 3.5, 2.0])
    value = QUALITIES[name](human, [np.inf, -np.inf, 0, -1], groups=None)
    assert value == pytest.approx(by_all_orders(name, human, [3, 0, 2, 1]))
    assert QUALITIES[name](human * 10, [3, 0, 2, 1], groups=None) > 0.5
    # A long tie: mean places are those of random orders.
    rng = np.random.default_rng(2)
    human = rng.integers(1, 6, 40)
    sampled = [of_order(name, rng.permutation(human).tolist()) for _ in range(400)]
    error = 5 * np.std(sampled) / np.sqrt(len(sampled))
    value = QUALITIES[name](human, np.zeros(40), groups=None)
    assert value == pytest.approx(np.mean(sampled), abs=error)


@pytest.mark.parametrize("name", QUALITIES)
def test_bad_input(name):
    quality = QUALITIES[name]
    with pytest.raises(CandidateError, match="y_score must be numbers"):
        quality([1, 2], ["good", "bad"], groups=None)
    with pytest.raises(CandidateError, match="numeric ranks"):
        quality(["first", "second"], [1, 2], groups=None)
    with pytest.raises(CandidateError, match="3 entries for 2 rows"):
        quality([1, 2, 3], [1, 2], groups=None)
    with pytest.raises(CandidateError, match="groups has 1 entries"):
        quality([1, 2], [1, 2], groups=["a"])
    with pytest.raises(ValueError, match=r"missing .*found "):
        quality([1, 2], [1, 2], groups=None, missing="drop")


def test_ndcg_of_wmt12_is_scikit_learns(data_dir):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    X, y = X.iloc[:1500], y.iloc[:1500]
    length = X["hypothesis"].str.len()  # with ties
    groups = X.index.droplevel("system")
    expected = []
    for _, ranks in y.groupby(["segment", "ranking"]):
        if ranks.max() > ranks.min():
            gains = ranks.max() - ranks
            expected.append(ndcg_score([gains], [length.loc[ranks.index]]))
    assert ndcg(y, length, groups=groups) == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e300, 5.9e307])
def test_ndcg_has_no_unit(unit):
    ranks, scores = np.array([3.0, -3.0, 1.0, -1.0]), [0.1, 0.4, 0.4, 0.2]
    assert ndcg(ranks * unit, scores, groups=None) == pytest.approx(
        ndcg(ranks, scores, groups=None), rel=1e-14
    )
