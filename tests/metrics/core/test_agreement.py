"""Statistics of rows, and of resampled segments against tables put together."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval import kendall_tau
from sklearn_mteval._helpers.order import content_order
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import (
    agreement_interval,
    pairwise_accuracy,
    pearson,
    permutation_test,
    spearman,
    system_agreement,
)
from sklearn_mteval.metrics.core.agreement import statistic_of_rows, statistic_of_weights
from sklearn_mteval.metrics.core.correlations import midranks
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.significance.williams import williams_comparison
from sklearn_mteval.metrics.system.permutation import system_permutation_test


def ours(statistic, human, metric, groups):
    if statistic.startswith("tau"):
        return kendall_tau(human, metric, groups=groups, statistic=statistic, average="groups")
    return {"pearson": pearson, "spearman": spearman}[statistic](human, metric, groups=groups)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "tau-b", "tau-c"])
@pytest.mark.parametrize("constant", [0.1, 1e-300, 1e15])
def test_constants_are_nan_with_a_warning(statistic, constant):
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(ours(statistic, np.arange(7.0), np.full(7, constant), None))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(ours(statistic, np.full(7, constant), np.arange(7.0), None))


def test_pearson_is_exact_far_from_zero():
    rng = np.random.default_rng(0)
    human, metric = rng.normal(size=(2, 500))
    expected = stats.pearsonr(-human, metric).statistic
    assert pearson(human + 1e6, metric - 1e6) == pytest.approx(expected, abs=1e-9)


def test_infinite_scores_have_ranks_but_no_pearson():
    assert spearman([1, 2, 3], [np.inf, 0, -np.inf]) == pytest.approx(1)
    with pytest.raises(ValueError, match="finite"):
        pearson([1, 2, 3], [np.inf, 0, 1])


def test_missing_scores():
    human, metric = [1, 2, 3, 4, 9], [4.0, 3, 1, 2, np.nan]
    with pytest.raises(ValueError, match="missing='skip'"):
        pearson(human, metric)
    assert pearson(human, metric, missing="skip") == pearson(human[:4], metric[:4])


def test_tau_c_has_no_pool():
    with pytest.raises(ValueError, match="no pooled form"):
        kendall_tau([1, 2, 1, 2], [1, 2, 3, 4], groups=[0, 0, 1, 1], statistic="tau-c")


def test_pairwise_accuracy_by_hand():
    # Deutsch et al. 2023; the pairs: three tied by the human, differences 2, 6, 4, and three
    # decided, 8, 6, 2.
    human, metric = [4, 4, 4, 1], [0, 2, 6, 8]
    accuracies = {0: 3, 2: 3, 4: 4, 5: 4, 6: 4, 8: 3}
    for epsilon, right in accuracies.items():
        found = pairwise_accuracy(human, metric, groups=[0] * 4, epsilon=epsilon)
        assert found == pytest.approx(right / 6)
    two = pairwise_accuracy([1, 2, 1, 1, 1], [2, 1, 1, 2, 2], groups=list("aabbb"))
    assert two == pytest.approx((1 + 1 / 3) / 2)
    pooled = pairwise_accuracy(
        [1, 2, 1, 1, 1], [2, 1, 1, 2, 2], groups=list("aabbb"), average="pairs"
    )
    assert pooled == pytest.approx(2 / 4)


def test_midranks_are_scipys():
    rng = np.random.default_rng(0)
    groups = np.sort(rng.integers(0, 9, 60))
    numbers = rng.integers(0, 4, 60).astype(float)
    expected = np.concatenate([stats.rankdata(numbers[groups == g]) for g in np.unique(groups)])
    np.testing.assert_array_equal(midranks(numbers, groups), expected)


@pytest.fixture
def table():
    """Eight segments with two rankings of two to four of five systems each."""
    rng = np.random.default_rng(1)
    rows = [
        (segment, 2 * segment + ranking, system)
        for segment in range(8)
        for ranking in range(2)
        for system in rng.choice(5, rng.integers(2, 5), replace=False)
    ]
    segment, ranking, system = np.array(rows).T
    human = rng.integers(1, 5, len(rows)).astype(float)
    metric = rng.integers(0, 6, len(rows)).astype(float)
    return pd.DataFrame(
        {"segment": segment, "ranking": ranking, "system": system, "h": human, "m": metric}
    )


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("average", ["pairs", "groups"])
@pytest.mark.parametrize("grouping", ["ranking", "system", "none"])
def test_weights_count_copies_of_segments(table, statistic, average, grouping):
    chosen = STATISTICS[statistic]
    if average == "pairs" and chosen.counted and not chosen.pooled:
        grouping = "none"
    table = table.assign(none=0).sort_values(grouping, kind="stable")
    columns = (table[c].to_numpy() for c in ("h", "m", grouping, "segment"))
    options = {"average": average, "threshold": 2, "epsilon": 1 if statistic == "acc_eq" else 0}
    of_weights = statistic_of_weights(statistic, *columns, 8, **options)
    weights = np.random.default_rng(2).multinomial(8, np.full(8, 1 / 8), size=6).astype(float)
    weights[0] = 1
    expected = []
    for counts in weights:
        parts = []
        for segment, times in enumerate(counts):
            for copy in range(int(times)):
                part = table[table.segment == segment]
                # Relabelled: the rankings of two copies must not merge.
                parts.append(part.assign(ranking=part.ranking + 100 * copy))
        together = pd.concat(parts).sort_values(grouping, kind="stable")
        groups = together[grouping].to_numpy()
        expected.append(
            statistic_of_rows(
                statistic, together.h.to_numpy(), together.m.to_numpy(), groups, **options
            )
        )
    np.testing.assert_allclose(of_weights(weights), expected, atol=1e-12)


@pytest.mark.parametrize("statistic", ["wmt12", "tau-b", "acc_eq", "pearson", "spearman", "pdp"])
def test_intervals_do_not_depend_on_order_or_names(table, statistic):
    def interval(table):
        return agreement_interval(
            table.h,
            table.m,
            groups=table.ranking,
            documents=table.segment,
            statistic=statistic,
            n_resamples=200,
        )

    shuffled = table.sample(frac=1, random_state=0)
    renamed = shuffled.assign(
        ranking=shuffled.ranking.map(lambda r: f"r{97 * r % 31}"),
        segment=shuffled.segment.map(lambda s: "hgfedcba"[s]),
    )
    assert interval(table) == interval(shuffled) == interval(renamed)


def test_one_group_needs_segments_to_draw():
    with pytest.raises(ValueError, match="documents must say what is resampled"):
        agreement_interval([1, 2, 3], [3, 2, 1], groups=None)


def test_order_by_content_tells_groupings_apart():
    # The same rows in each segment, grouped in another way.
    segments = np.repeat([0, 1], 4)
    human, metric = np.tile([1.0, 1, 2, 2], 2), np.tile([5.0, 5, 6, 6], 2)
    groups = np.array([0, 0, 1, 1, 2, 3, 2, 3])
    rows, group_numbers, numbers = content_order(segments, groups, human, metric)
    back = slice(None, None, -1)
    again = content_order(1 - segments[back], 3 - groups[back], human[back], metric[back])
    np.testing.assert_array_equal(again[2], numbers)
    np.testing.assert_array_equal(again[1], group_numbers)
    np.testing.assert_array_equal(segments[back][again[0]], segments[rows])


@pytest.mark.parametrize("value", [None, "25", float("nan"), -1])
def test_a_threshold_is_a_number(value):
    with pytest.raises(ValueError, match="threshold must be a number >= 0"):
        kendall_tau([1, 2, 3], [3, 2, 1], groups=None, statistic="darr", threshold=value)
    with pytest.raises(ValueError, match="epsilon must be a number >= 0"):
        pairwise_accuracy([1, 2, 3], [3, 2, 1], groups=None, epsilon=value)


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-170, 1e160, 1e300])
def test_no_magnitude_is_too_large_or_too_small(scale):
    rng = np.random.default_rng(0)
    n, groups = 48, np.repeat(np.arange(12), 4)
    human = rng.integers(1, 5, n).astype(float)
    metrics = {"good": -human + rng.normal(size=n), "bad": rng.normal(size=n)}
    scaled = {name: scores * scale for name, scores in metrics.items()}
    expected = stats.pearsonr(-human, metrics["good"]).statistic
    assert pearson(human, scaled["good"]) == pytest.approx(expected)
    assert pearson(human * scale, scaled["good"]) == pytest.approx(expected)
    options = {"groups": groups, "statistic": "pearson", "random_state": 3}
    of_groups = [
        stats.pearsonr(-human[groups == g], metrics["good"][groups == g]).statistic
        for g in range(12)
        if len(set(human[groups == g])) > 1
    ]
    assert pearson(human, scaled["good"], groups=groups) == pytest.approx(np.mean(of_groups))
    low, high = agreement_interval(human, scaled["good"], **options, n_resamples=50)
    assert low < np.mean(of_groups) < high
    found = williams_comparison(human, scaled)
    np.testing.assert_allclose(found.values[0], expected)
    np.testing.assert_allclose(found.p_values, williams_comparison(human, metrics).p_values)
    series = pd.Series(human[:9]), pd.Series(metrics["good"][:9])
    assert system_agreement(*(s * scale for s in series), statistic="pearson") == pytest.approx(
        stats.pearsonr(*series).statistic
    )


@pytest.mark.parametrize("scale", [1e-300, 1e300])
@pytest.mark.parametrize("statistic", ["pearson", "pdp", "spearman", "wmt12", "tau-b", "acc_eq"])
def test_permutations_do_not_depend_on_magnitudes(statistic, scale):
    human = np.array([1, 2, 3, 4, 5, 2, 1, 4.0])
    metrics = {"a": [7, 7, 5, 3, 1, 4, 9, 2.5], "b": [3, 1, 4, 1, 5, 9, 2, 6.0]}
    scaled = {name: np.array(scores) * scale for name, scores in metrics.items()}
    expected = permutation_test(human, metrics, groups=None, statistic=statistic)
    assert expected.n_permutations == 2**8  # all of them, so that no draw matters
    for found in (
        permutation_test(human, scaled, groups=None, statistic=statistic),
        permutation_test(human * scale, scaled, groups=None, statistic=statistic),
    ):
        np.testing.assert_allclose(found.values, expected.values)
        np.testing.assert_allclose(found.p_values, expected.p_values)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_permutations_of_systems_do_not_depend_on_magnitudes(scale):
    human = np.array([1.0, 2, 4])
    one, other = np.array([[1, 3, 4], [2, 2, 5.0]]), np.array([[3, 1, 4], [1, 5, 9.0]])
    tables = {"a": np.vstack([one, other, one]), "b": np.vstack([other, one, 1 / other])}
    scaled = {name: table * scale for name, table in tables.items()}
    expected = system_permutation_test(human, tables)
    assert expected.n_permutations == 2**6
    assert expected.p_values[0, 1] < 1
    for found in (
        system_permutation_test(human, scaled),
        system_permutation_test(human * scale, tables),
    ):
        np.testing.assert_allclose(found.values, expected.values)
        np.testing.assert_allclose(found.p_values, expected.p_values)


NO_NUMBERS = {
    "text of digits": ["1_0", "2"],
    "bytes": [b"1", b"2"],
    "text and a number": np.array(["1", 2.0], dtype=object),
    "pandas text": pd.Series(["1", "2"], dtype="string"),
    "beyond any float": [10**400, 1],
    "signalling NaN": [Decimal("sNaN"), Decimal(1)],
    "fields": np.array([(1.0,), (2.0,)], dtype=[("a", float)]),
}


@pytest.mark.parametrize("scores", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_is_no_vector_of_numbers_is_refused(scores):
    for call in (
        lambda: kendall_tau([1, 2], scores, groups=None),
        lambda: permutation_test([1, 2], {"a": [1, 2], "b": scores}, groups=None),
        lambda: system_agreement(pd.Series([1.0, 2.0]), dict(enumerate(scores))),
    ):
        with pytest.raises(CandidateError, match="must be numbers"):
            call()


def test_a_single_number_is_no_vector_of_judgements():
    with pytest.raises(ValueError, match=r"1d array|entries|must be"):
        kendall_tau(np.array(0.5), [1.0, 2.0], groups=None)
