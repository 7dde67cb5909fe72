"""Permutations of segments' scores between metrics, judged by systems' means."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.metrics.system.permutation import system_permutation_test


def accuracy(human, metric):
    right = [
        np.sign(human[i] - human[j]) == np.sign(round(metric[i] - metric[j], 12))
        for i, j in itertools.combinations(range(len(human)), 2)
        if human[i] != human[j]
    ]
    return np.mean(right)


STATISTICS = {
    "pearson": lambda h, m: stats.pearsonr(h, m).statistic,
    "spearman": lambda h, m: stats.spearmanr(h, m.round(12)).statistic,
    "kendall": lambda h, m: stats.kendalltau(h, m.round(12)).statistic,
    "accuracy": accuracy,
}


def zscore(table):
    return (table - np.nanmean(table)) / np.nanstd(table)


@pytest.mark.filterwarnings("ignore::scipy.stats.ConstantInputWarning")
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("documents", [None, ["a", "b", "a", "", "", "b", "c"]])
def test_all_exchanges(statistic, holes, documents):
    rng = np.random.default_rng(3)
    human = np.array([3.0, 1.0, 2.0, 2.0])
    one, other = human + rng.normal(size=(7, 4)), rng.normal(size=(7, 4))
    if holes:
        one[0, 1] = other[1, 2] = one[4, 3] = np.nan
    tables = {"A": one, "B": other}
    found = system_permutation_test(human, tables, statistic=statistic, documents=documents)
    units = np.arange(7) if documents is None else np.array([0, 1, 0, 2, 3, 1, 4])
    a, b = zscore(one), zscore(other)
    differences = []
    for flips in itertools.product([False, True], repeat=units.max() + 1):
        swapped = np.array(flips)[units][:, None]
        first, second = np.where(swapped, b, a), np.where(swapped, a, b)
        values = [STATISTICS[statistic](human, np.nanmean(m, axis=0)) for m in (first, second)]
        differences.append(values[0] - values[1])
    differences = np.array(differences)
    assert found.n_permutations == 2 ** (units.max() + 1)
    assert found.differences[0, 1] == pytest.approx(differences[0])
    p = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-9)
    assert found.p_values[0, 1] == found.p_values[1, 0] == p


@pytest.fixture(scope="module")
def campaign():
    rng = np.random.default_rng(0)
    human = pd.Series(rng.normal(size=8), index=list("abcdefgh"))
    tables = {
        name: pd.DataFrame(human.to_numpy() + noise * rng.normal(size=(40, 8)), columns=human.index)
        for name, noise in (("A", 1.0), ("B", 3.0), ("C", 20.0))
    }
    return human, tables


@pytest.mark.parametrize("statistic", STATISTICS)
def test_order_names_seeds_and_threads_do_not_matter(campaign, statistic):
    human, tables = campaign
    options = {"statistic": statistic, "n_permutations": 300}
    found = system_permutation_test(human, tables, **options)
    rng = np.random.default_rng(1)
    shuffled = {
        f"metric {name}": table.sample(frac=1, random_state=2)[rng.permutation(list("abcdefgh"))]
        for name, table in tables.items()
    }
    renamed = {
        name: t.rename(columns=str.upper, index=lambda i: -i) for name, t in shuffled.items()
    }
    again = system_permutation_test(
        human.iloc[::-1].rename(str.upper), renamed, n_jobs=2, **options
    )
    np.testing.assert_array_equal(found.p_values, again.p_values)
    arrays = {name: table.to_numpy() for name, table in tables.items()}
    np.testing.assert_array_equal(
        found.p_values, system_permutation_test(human.to_numpy(), arrays, **options).p_values
    )
    other = system_permutation_test(human, tables, random_state=1, **options)
    assert not np.array_equal(found.p_values, other.p_values, equal_nan=True)
    np.testing.assert_allclose(found.p_values, other.p_values, atol=0.15)


@pytest.mark.slow
def test_p_is_uniform_where_metrics_are_equally_good():
    rng = np.random.default_rng(2)
    p_values = []
    for _ in range(150):
        human = rng.normal(size=8)
        tables = {name: human + 3 * rng.normal(size=(20, 8)) for name in "AB"}
        found = system_permutation_test(human, tables, n_permutations=99)
        p_values.append(found.p_values[0, 1])
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_no_difference_is_p_one(campaign):
    human, tables = campaign
    found = system_permutation_test(
        human, {"A": tables["A"], "again": tables["A"] * 3 + 1}, n_permutations=20
    )
    assert found.p_values[0, 1] == found.p_values[1, 0] == 1


def test_a_metric_that_cannot_be_tested(campaign):
    human, tables = campaign
    for bad in (tables["B"] * 0 + 0.1, tables["B"].assign(c=np.nan)):
        with pytest.warns(UndefinedMetricWarning, match="p of 1 pairs"):
            found = system_permutation_test(human, {"A": tables["A"], "bad": bad})
        assert np.isnan(found.p_values).all()


@pytest.mark.parametrize(
    ("human", "change", "message"),
    [
        ([1, 2], {}, "Either human is a Series"),
        (None, {"B": np.zeros((40, 8))}, "Either human is a Series"),
        (None, {"B": pd.DataFrame(np.eye(8))}, "segments of the metric B"),
        (None, {"B": pd.DataFrame(np.zeros((40, 8)))}, "systems of the metric B"),
        (pd.Series([np.nan] * 8, index=list("abcdefgh")), {}, "must be finite"),
    ],
)
def test_bad_input(campaign, human, change, message):
    ours, tables = campaign
    with pytest.raises(ValueError, match=message):
        system_permutation_test(ours if human is None else human, {**tables, **change})


def test_bad_arrays():
    table = np.eye(3)
    with pytest.raises(ValueError, match="two metrics or more"):
        system_permutation_test([1, 2, 3], {"A": table})
    with pytest.raises(ValueError, match="must map names"):
        system_permutation_test([1, 2, 3], [table, table])
    with pytest.raises(ValueError, match="metric B has scores of shape"):
        system_permutation_test([1, 2, 3], {"A": table, "B": table[:, :2]})
    with pytest.raises(ValueError, match="metric B has infinite"):
        system_permutation_test([1, 2, 3], {"A": table, "B": np.full((3, 3), np.inf)})
    with pytest.raises(ValueError, match="must be numbers"):
        system_permutation_test([1, 2, 3], {"A": table, "B": [["x"] * 3] * 3})
    with pytest.raises(ValueError, match=r"statistic .*found "):
        system_permutation_test([1, 2, 3], {"A": table, "B": table}, statistic="wmt12")
    with pytest.raises(ValueError, match="a label for each of 3 segments"):
        system_permutation_test([1, 2, 3], {"A": table, "B": table}, documents=["a"])
    with pytest.raises(ValueError, match=r"'spa'.* not scores of systems: call soft_pairwise_acc"):
        system_permutation_test([1, 2, 3], {"A": table, "B": table}, statistic="spa")
