"""Permutation tests against all permutations one by one, and against their own laws."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_mteval.metrics
from sklearn_mteval.metrics import holm, kendall_tau, pairwise_accuracy, permutation_test
from sklearn_mteval.metrics import pearson as mean_pearson
from sklearn_mteval.metrics import spearman as mean_spearman
from sklearn_mteval.metrics.core.statistics import STATISTICS, Statistic
from sklearn_mteval.metrics.significance import permutation as module
from sklearn_mteval.metrics.significance.comparison import compared_rows
from sklearn_mteval.metrics.significance.permutation import (
    differences_of_pairs,
    exchange_of_rows,
    permutation_p_values,
)


def value_of(statistic, human, metric, groups, average, radii=None):
    if statistic == "acc_eq":
        if radii is not None:
            return accuracy_by_loop(human, metric, groups, average, radii)
        return pairwise_accuracy(human, metric, groups=groups, average=average)
    if statistic == "pdp":
        return mean_pearson(human, metric, groups=groups, average=average)
    if statistic in ("pearson", "spearman"):
        correlation = {"pearson": mean_pearson, "spearman": mean_spearman}[statistic]
        return correlation(human, metric, groups=groups)
    if not STATISTICS[statistic].is_tau:
        return getattr(sklearn_mteval.metrics, statistic)(human, metric, groups=groups)
    return kendall_tau(
        human, metric, groups=groups, statistic=statistic, average=average, threshold=2
    )


def accuracy_by_loop(human, metric, groups, average, radii):
    """acc_eq where a score ties with another within the sum of their radii."""
    by_group = []
    for group in np.unique(groups):
        right = []
        for i, j in itertools.combinations(np.flatnonzero(groups == group), 2):
            tied = abs(metric[i] - metric[j]) <= radii[i] + radii[j] + 1e-13
            by_metric = 0 if tied else np.sign(metric[i] - metric[j])
            right.append(by_metric == np.sign(human[j] - human[i]))
        by_group.append(right)
    if average == "pairs":
        return np.mean([r for group in by_group for r in group])
    return np.mean([np.mean(group) for group in by_group if group])


def brute_force(statistic, human, metrics, groups, average, units=None, epsilons=None):
    """Two-sided p over all swaps."""
    units = np.arange(len(human)) if units is None else units
    # Rounded: scores of two metrics may be equal but for the last bit.
    one, other = (stats.zscore(m).round(12) for m in metrics)
    radii = None
    if epsilons is not None:
        radii = [
            np.full(len(human), e / np.std(m) / 2) for e, m in zip(epsilons, metrics, strict=True)
        ]
    differences = []
    for flips in itertools.product([False, True], repeat=units.max() + 1):
        swapped = np.array(flips)[units]
        pair = []
        for a, b in ((0, 1), (1, 0)):
            vector = np.where(swapped, (one, other)[b], (one, other)[a])
            width = None if radii is None else np.where(swapped, radii[b], radii[a])
            pair.append(value_of(statistic, human, vector, groups, average, width))
        differences.append(pair[0] - pair[1])
    differences = np.array(differences)
    # What is undefined is taken for extreme.
    extreme = ~(np.abs(differences) < abs(differences[0]) - 1e-10)
    return differences[0], extreme.mean()


@pytest.fixture
def tiny():
    """Eight rows in three groups, metrics and judgements with ties."""
    rng = np.random.default_rng(5)
    human = rng.integers(1, 5, 8).astype(float)
    first = np.round(-human + rng.normal(size=8))
    return human, first, rng.integers(0, 4, 8) * 1.5, np.repeat([0, 1, 2], [4, 2, 2])


CASES = [
    (name, average)
    for name, statistic in STATISTICS.items()
    for average in ("pairs", "groups")
    if average == "groups" or statistic.pooled or not statistic.counted
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(("statistic", "average"), CASES)
@pytest.mark.parametrize("units", ["rows", "groups", "documents", "across groups"])
def test_all_permutations(tiny, statistic, average, units):
    human, first, second, groups = tiny
    numbers = {
        "rows": np.arange(8),
        "groups": groups,
        "documents": np.array([1, 0, 1])[groups],
        "across groups": np.array([0, 1, 2, 3, 4, 0, 1, 1]),
    }[units]
    options = {} if units == "groups" else {"documents": [f"d{-k}" for k in numbers]}
    found = permutation_test(
        human,
        {"one": first, "other": second},
        groups=groups,
        statistic=statistic,
        average=average,
        threshold=2,
        **options,
    )
    difference, p = brute_force(statistic, human, (first, second), groups, average, numbers)
    assert found.n_units == numbers.max() + 1
    assert found.n_permutations == 2**found.n_units
    assert found.differences[0, 1] == pytest.approx(difference)
    assert found.p_values[0, 1] == found.p_values[1, 0] == p


@pytest.mark.parametrize("statistic", ["pdp", "pearson"])
@pytest.mark.parametrize("units", [[0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 3, 4, 5, 6, 7]])
def test_metrics_whose_standardised_scores_have_other_ranges(statistic, units):
    """Sums of two metrics are exchanged: they must not be scaled metric by metric."""
    rng = np.random.default_rng(2)
    human = rng.permutation(24).astype(float)
    even, extreme = rng.permutation(24) % 3, rng.normal(size=24) ** 5
    units = np.repeat(units, 3)
    groups = np.arange(24) // 3
    found = permutation_test(
        human, {"A": even, "B": extreme}, groups=groups, documents=units, statistic=statistic
    )
    _, p = brute_force(statistic, human, (even, extreme), groups, "pairs", units)
    assert found.p_values[0, 1] == p


@pytest.mark.parametrize("average", ["pairs", "groups"])
def test_each_score_takes_its_tie_radius_along(tiny, average):
    human, first, second, groups = tiny
    found = permutation_test(
        human,
        np.column_stack([first, second]),
        groups=groups,
        documents=np.arange(8),
        statistic="acc_eq",
        average=average,
        epsilon=[1.0, 1.5],
    )
    difference, p = brute_force(
        "acc_eq", human, (first, second), groups, average, epsilons=(1.0, 1.5)
    )
    assert found.differences[0, 1] == pytest.approx(difference)
    assert found.p_values[0, 1] == found.p_values[1, 0] == p


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("statistic", ["wmt14", "wmt13", "tau-b", "acc_eq", "pearson"])
@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 1), st.integers(1, 3), st.integers(0, 3), st.integers(-9, 9)),
        min_size=2,
        max_size=6,
    )
)
# A constant second metric whose sums nearly cancel: Pearson's correlation took it for varying.
@example(rows=[(0, 1, 1, -1), (0, 2, 2, 4), (0, 3, 3, 9), (1, 1, 0, -7), (1, 2, 2, 7)])  # by 1e-9
@example(rows=[(0, 1, 0, -5), (0, 2, 1, -5), (1, 1, 3, 5), (1, 1, 3, 9), (1, 2, 3, 5)])
def test_all_permutations_of_any_table(statistic, rows):
    groups, human, first, second = np.array(rows, dtype=float).T
    metrics = np.column_stack([first, second])
    options = {"statistic": statistic, "average": "groups", "documents": np.arange(len(rows))}
    found = permutation_test(human, metrics, groups=groups, **options)
    if np.isnan(found.p_values[0, 1]):
        assert np.isnan(found.values).any() or (np.ptp(metrics, axis=0) == 0).any()
        return
    difference, p = brute_force(statistic, human, (first, second), groups, "groups")
    assert found.differences[0, 1] == pytest.approx(difference)
    assert found.p_values[0, 1] == found.p_values[1, 0] == p


def ratio_by_loop(weights, human, metric, groups, average, threshold):
    """A statistic of any weights, one pair after the other; of denominators the geometric mean."""
    sums = {}
    for i, j in itertools.combinations(range(len(human)), 2):
        if groups[i] == groups[j]:
            tied = abs(human[i] - human[j]) < threshold or human[i] == human[j]
            if metric[i] == metric[j]:
                kind = 4 if tied else 2
            else:
                kind = 3 if tied else int((human[i] < human[j]) != (metric[i] > metric[j]))
            group = None if average == "pairs" else groups[i]
            so_far = sums.get(group, [0] * len(weights))
            sums[group] = [total + row[kind] for total, row in zip(so_far, weights, strict=True)]
    values = [
        top / np.prod(bottoms) ** (1 / len(bottoms))
        for top, *bottoms in sums.values()
        if all(bottoms)
    ]
    return np.mean(values) if values else np.nan


counts_of = st.tuples(*5 * [st.integers(0, 2)])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@settings(max_examples=150, deadline=None)
@given(
    numerator=st.tuples(*5 * [st.integers(-2, 2)]),
    denominators=st.lists(counts_of, min_size=1, max_size=2),
    threshold=st.sampled_from([None, 2]),
    average=st.sampled_from(["pairs", "groups"]),
    rows=st.lists(
        st.tuples(st.integers(0, 1), st.integers(1, 4), st.integers(0, 2), st.integers(-2, 2)),
        min_size=3,
        max_size=6,
    ),
)
def test_a_new_statistic_gets_the_p_of_all_permutations(
    numerator, denominators, threshold, average, rows
):
    new = Statistic(
        "new",
        "New",
        "new",
        (-np.inf, np.inf),
        threshold=threshold is not None,
        numerator=numerator,
        denominators=tuple(denominators),
    )
    groups, human, *metrics = np.array(rows, dtype=float).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STATISTICS, "new", new)
        found = permutation_test(
            human,
            np.column_stack(metrics),
            groups=groups,
            documents=np.arange(len(groups)),
            statistic="new",
            average=average,
            threshold=2,
        )
    one, other = (stats.zscore(m).round(12) if np.ptp(m) else 0 * m for m in metrics)
    differences = []
    for swapped in itertools.product([False, True], repeat=len(human)):
        pair = [
            ratio_by_loop(
                (numerator, *denominators), human, vector, groups, average, threshold or 0
            )
            for vector in (np.where(swapped, other, one), np.where(swapped, one, other))
        ]
        differences.append(pair[0] - pair[1])
    if min(np.ptp(metrics, axis=1)) == 0 or np.isnan(differences[0]):
        assert np.isnan(found.p_values[0, 1])
        return
    extreme = np.mean(~(np.abs(differences) < abs(differences[0]) - 1e-10))
    assert found.differences[0, 1] == pytest.approx(differences[0])
    assert found.p_values[0, 1] == found.p_values[1, 0] == extreme


@pytest.fixture(scope="module")
def judged():
    """Forty segments of four systems, three metrics of falling quality."""
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(40), list("abcd")], names=["segment", "system"])
    human = pd.Series(rng.integers(1, 5, 160).astype(float), index=index)
    noise = pd.DataFrame(rng.normal(size=(160, 3)), index=index, columns=["A", "B", "C"])
    return human, noise.mul([0.5, 1, 5]).sub(human, axis=0).round(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "statistic", ["wmt12", "wmt13", "tau-b", "acc_eq", "pearson", "spearman", "pdp"]
)
@pytest.mark.parametrize("average", ["pairs", "groups"])
def test_sampled_p_is_near_another_sample(judged, statistic, average):
    human, scores = judged
    groups = human.index.get_level_values("segment")
    options = {"groups": groups, "statistic": statistic, "average": average}
    found = permutation_test(human, scores[["A", "B"]], n_permutations=400, **options)
    rng = np.random.default_rng(1)
    one, other = (stats.zscore(scores[name].to_numpy()) for name in "AB")
    as_extreme = 0
    for _ in range(400):
        kept = np.repeat(rng.random(40) < 0.5, 4)
        values = [
            value_of(statistic, human.to_numpy(), np.where(kept, a, b), groups, average)
            for a, b in ((one, other), (other, one))
        ]
        as_extreme += abs(values[0] - values[1]) >= abs(found.differences[0, 1]) - 1e-10
    assert found.n_permutations == 400
    assert found.p_values[0, 1] == pytest.approx((1 + as_extreme) / 401, abs=0.08)


def test_seeds_threads_and_blocks(judged):
    human, scores = judged
    options = {"groups": human.index.get_level_values("segment"), "n_permutations": 600}
    found = permutation_test(human, scores, **options)
    again = permutation_test(human, scores, n_jobs=2, **options)
    np.testing.assert_array_equal(found.p_values, again.p_values)
    other = permutation_test(human, scores, random_state=1, **options)
    assert (found.p_values != other.p_values).any()
    np.testing.assert_allclose(found.p_values, other.p_values, atol=0.1)


@pytest.mark.parametrize("statistic", ["wmt12", "tau-b", "pearson", "spearman", "pdp"])
@pytest.mark.parametrize("average", ["pairs", "groups"])
def test_order_and_names_do_not_matter(judged, statistic, average):
    human, scores = judged
    some = slice(0, 60)
    human, scores = human[some], scores[some]
    options = {"statistic": statistic, "average": average, "n_permutations": 50}
    found = permutation_test(
        human, scores, groups=human.index.get_level_values("segment"), **options
    )
    order = np.random.default_rng(0).permutation(len(human))
    labels = [f"s{7 * s % 41}" for s in human.index.get_level_values("segment")[order]]
    again = permutation_test(
        human.iloc[order],
        {f"metric {name}": scores[name].iloc[order] for name in scores},
        groups=labels,
        **options,
    )
    np.testing.assert_array_equal(found.p_values, again.p_values)


@pytest.mark.parametrize("statistic", ["wmt12", "tau-b", "acc_eq", "pearson", "spearman", "pdp"])
def test_no_difference_is_p_one(judged, statistic):
    human, scores = judged
    scores = {"A": scores["A"], "the same": scores["A"] * 3.7 + 11}
    found = permutation_test(
        human,
        scores,
        groups=human.index.get_level_values("segment"),
        statistic=statistic,
        n_permutations=30,
    )
    assert found.p_values[0, 1] == found.p_values[1, 0] == 1


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["wmt12", "tau-b", "pearson"])
def test_p_is_hardly_too_small_where_metrics_are_equally_good(statistic):
    """Nor much too large, though many differences of statistics that are counted are alike."""
    rng = np.random.default_rng(2)
    groups = np.arange(400) // 4
    p_values = []
    for _ in range(200):
        human = rng.normal(size=400)
        scores = -human[:, None] + rng.normal(size=(400, 2))
        found = permutation_test(
            human, scores, groups=groups, statistic=statistic, n_permutations=199
        )
        p_values.append(found.p_values[0, 1])
    assert stats.kstest(p_values, "uniform", alternative="greater").pvalue > 0.01
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.1
    assert np.mean(np.array(p_values) <= 0.5) > 0.35


def test_missing_scores_leave_rows_out_for_all(judged):
    human, scores = judged
    holes = scores.copy()
    holes.iloc[3, 0] = holes.iloc[50, 2] = np.nan
    groups = human.index.get_level_values("segment")
    with pytest.raises(ValueError, match=r"metric A has no score .* row 3; such rows: 2"):
        permutation_test(human, holes, groups=groups)
    found = permutation_test(human, holes, groups=groups, missing="skip", n_permutations=30)
    kept = np.delete(np.arange(160), [3, 50])
    expected = permutation_test(
        human.iloc[kept], scores.iloc[kept], groups=groups[kept], n_permutations=30
    )
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(found.p_values, expected.p_values)


def test_a_constant_metric_is_not_tested(judged):
    human, scores = judged
    scores = scores.assign(B=0.1)
    with pytest.warns(UndefinedMetricWarning, match="p of 2 pairs .* A and B"):
        found = permutation_test(
            human, scores, groups=human.index.get_level_values("segment"), n_permutations=30
        )
    assert found.values[1] == -1
    assert np.isnan(found.p_values[1]).all()
    assert np.isnan(found.p_values[:, 1]).all()
    assert found.p_values[0, 2] == 1 / 81  # one pair is tested, at a level of .05


@pytest.mark.parametrize("statistic", ["wmt12", "pearson", "tau-b"])
def test_nothing_to_compare(statistic):
    with pytest.warns(UndefinedMetricWarning):
        found = permutation_test(
            [1, 1, 1], {"A": [1, 2, 3], "B": [3, 2, 2]}, groups=[0, 0, 0], statistic=statistic
        )
    assert np.isnan(found.p_values).all()


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ({"A": [1, 2, 3]}, {}, "two metrics or more, found 1"),
        ({"A": [1, 2, 3], "B": ["x", "y", "z"]}, {}, "metric B must be numbers"),
        ({"A": [1, 2, 3], "B": [1, 2]}, {}, "metric B has scores of shape"),
        ({"A": [1, 2, 3], "B": [1, 2, np.inf]}, {}, "metric B has infinite"),
        (np.zeros(3), {}, "found shape"),
        (pd.DataFrame(np.eye(3)[:, :2], columns=["A", "A"]), {}, "same name: A"),
        (np.eye(3), {"groups": [0, 0]}, "3"),
        (np.eye(3), {"statistic": "rho"}, r"statistic .*found "),
        (np.eye(3), {"average": "mean"}, r"average .*found "),
        (np.eye(3), {"epsilon": 0.5}, "epsilon is for 'eq', 'acc_eq'"),
        (np.eye(3), {"epsilon": [1, 2], "statistic": "acc_eq"}, "3 of them"),
        (np.eye(3), {"epsilon": {"A": 1}, "statistic": "acc_eq"}, "epsilon has the metrics"),
        (np.eye(3), {"epsilon": -1, "statistic": "acc_eq"}, "epsilon must be"),
        (np.eye(3), {"documents": [0, 1]}, "2"),
        (np.eye(3), {"alpha": 0}, "alpha must be"),
        (np.eye(3), {"n_permutations": 0}, "n_permutations must be"),
        (np.eye(3), {"missing": "drop"}, r"missing .*found "),
    ],
)
def test_bad_input(scores, options, message):
    with pytest.raises(ValueError, match=message):
        permutation_test([1, 2, 3], scores, **{"groups": [0, 0, 0], **options})


def test_an_index_in_another_order_is_refused(judged):
    human, scores = judged
    with pytest.raises(ValueError, match="different indices"):
        permutation_test(human, scores.iloc[::-1], groups=None)


def test_an_exact_p_is_never_zero():
    """Standardised, the small scores of A are equal: what exchanges nothing is among the swaps."""
    scores = {"A": [-1e308, 2.0, 1.0], "B": [2.0, 1.0, 2.0]}
    options = {"documents": [0, 1, 2], "statistic": "mrr"}
    found = permutation_test([2, 3, 1], scores, groups=[0, 1, 1], **options)
    assert found.n_permutations == 8
    assert found.p_values[0, 1] >= 1 / 8 and found.p_values[1, 0] >= 1 / 8


@pytest.mark.parametrize("n_jobs", ["2", 0, 1.5, True])
def test_n_jobs_is_a_number_of_threads(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
        permutation_test([1, 2], {"a": [1, 2], "b": [2, 1]}, groups=None, n_jobs=n_jobs)


def test_no_more_threads_than_work():
    scores = {"a": [1, 2, 2], "b": [2, 1, 1]}
    many = permutation_test([1, 2, 3], scores, groups=None, n_jobs=10**9)
    assert repr(many) == repr(permutation_test([1, 2, 3], scores, groups=None))


@pytest.mark.parametrize(
    "epsilon", [b"", "x", None, -1, [0.1, -0.1], [0.1, None], {"a": "x", "b": 1}]
)
def test_epsilon_is_a_number_or_one_of_each_metric(epsilon):
    scores = {"a": [1, 2], "b": [2, 1]}
    with pytest.raises(ValueError, match="epsilon must be numbers"):
        permutation_test([1, 2], scores, groups=None, statistic="acc_eq", epsilon=epsilon)


@pytest.mark.parametrize("y_true", [np.array(0.5), 0.5, None, iter([1, 2]), {1: 2}])
def test_judgements_are_a_vector(y_true):
    with pytest.raises(ValueError, match="y_true must be a vector of ranks"):
        permutation_test(y_true, {"a": [1, 2], "b": [2, 1]}, groups=None)


def test_holm_can_answer_with_43_metrics():
    """All pairs of a good and a bad metric are found, and no p is below what its draws allow."""
    rng = np.random.default_rng(1)
    human = rng.permutation(4 * 60).astype(float)
    noise = np.where(np.arange(43) < 20, 10, 400)
    scores = -human[:, None] + noise * rng.normal(size=(240, 43))
    found = permutation_test(human, scores, groups=np.arange(240) // 4)
    n_pairs = 43 * 42 // 2
    assert found.n_permutations == 4 * n_pairs / 0.05
    corrected = holm(np.where(np.triu(np.ones((43, 43), dtype=bool), 1), found.p_values, np.nan))
    assert (corrected[:20, 20:] <= 0.05).all()
    assert np.nanmin(found.p_values) == 1 / (found.n_permutations + 1)
    plain = permutation_p_values_of(human, scores, alpha=None)
    decided = plain > 0.05
    assert decided.any()
    upper = np.triu_indices(43, 1)
    np.testing.assert_array_equal(found.p_values[upper][decided], plain[decided])


def permutation_p_values_of(human, scores, alpha):
    rows = compared_rows(
        human, scores, np.arange(len(human)) // 4, np.arange(len(human)) // 4, "error"
    )
    _, tested, difference = exchange_of_rows("wmt12", rows)
    drawn = {"n_permutations": 1000, "random_state": 0, "n_jobs": None}
    p_values, n_taken = permutation_p_values(
        difference, differences_of_pairs(tested), 60, alpha=alpha, **drawn
    )
    assert alpha is not None or n_taken == 1000
    return p_values[0]


@pytest.mark.parametrize("level", [0.001, 0.01, 0.05, 0.2])
def test_sequential_p_is_valid(level):
    """Where all orders of the draws are equally likely, P(p <= level) is at most the level."""
    rng, n_pairs = np.random.default_rng(0), 3000

    def difference(signs, some):  # as good as exchanges: independent, the observed one as well
        if signs.n_permutations == 1:
            return observed[some][:, np.newaxis]
        return rng.normal(size=(len(some), signs.n_permutations)).astype(np.float32)

    observed = rng.normal(size=n_pairs)
    options = {"n_permutations": 20, "random_state": 0, "n_jobs": None}
    # At most 400 draws, in rounds of 20, 20, 40, 80, 160 and 80, until 3 are as extreme.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FINENESS", 400 * 0.15 / n_pairs)
        p_values, n_taken = permutation_p_values(difference, observed, 64, alpha=0.15, **options)
    assert n_taken == 400
    assert np.mean(p_values[0] <= level) <= level + 3 * np.sqrt(level / n_pairs)
