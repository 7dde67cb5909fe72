from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import sentence_bleu
from sklearn_mteval.metrics import kendall_tau_counts
from sklearn_mteval.metrics.core.pair_counts import (
    _LARGE,
    _count_by_loop,
    _count_by_tree,
    count_pairs,
)
from sklearn_mteval.metrics.segment.correlation import TauCounts

rows = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 3), st.sampled_from("abc")), min_size=2, max_size=14
)


@settings(max_examples=60, deadline=None)
@given(rows=rows, seed=st.integers(0, 99))
def test_row_order_labels_and_monotone_transforms_do_not_matter(rows, seed):
    human, metric, groups = map(np.array, zip(*rows, strict=True))
    counts = kendall_tau_counts(human, metric, groups=groups)
    order = np.random.default_rng(seed).permutation(len(rows))
    relabelled = np.array([{"a": 7, "b": -1, "c": 0}[g] for g in groups])
    assert counts == kendall_tau_counts(
        10 * human[order] - 3, np.exp(metric[order]), groups=relabelled[order]
    )


@settings(max_examples=60, deadline=None)
@given(rows=rows)
def test_negating_the_metric_swaps_concordant_and_discordant(rows):
    human, metric, groups = map(np.array, zip(*rows, strict=True))
    first = kendall_tau_counts(human, metric, groups=groups)
    second = kendall_tau_counts(human, -metric, groups=groups)
    assert second == TauCounts(first.discordant, first.concordant, *first[2:])


def test_without_ties_it_is_scipys_tau():
    rng = np.random.default_rng(0)
    human, metric = rng.permutation(50), rng.permutation(50)
    expected = kendalltau(-human, metric).statistic
    for variant in ("wmt12", "wmt13", "wmt14", "eq"):
        found = kendall_tau(human, metric, groups=np.zeros(50), statistic=variant)
        assert found == pytest.approx(expected)


def test_the_2012_papers_measure_worked_by_hand():
    # Section 3.6.2: human ties ignored, metric ties discordant; overall and mean segment tau.
    # Segment s: ranks 1 2 2, scores 9 9 5: pair 12 metric tie, 13 concordant, 23 human tie.
    # Segment t: ranks 1 3, scores 2 1: concordant.
    human, metric, groups = [1, 2, 2, 1, 3], [9, 9, 5, 2, 1], list("ssstt")
    assert kendall_tau_counts(human, metric, groups=groups) == (2, 0, 1, 1, 0)
    assert kendall_tau(human, metric, groups=groups) == pytest.approx((2 - 1) / 3)
    assert kendall_tau(human, metric, groups=groups, average="groups") == pytest.approx(
        ((1 - 1) / 2 + 1 / 1) / 2
    )


@pytest.mark.parametrize(
    ("variant", "expected"), [("wmt12", 1 / 3), ("wmt13", 1), ("wmt14", 2 / 3), ("eq", 0)]
)
def test_each_variant_by_hand(variant, expected):
    found = kendall_tau([1, 2, 2, 1, 3], [9, 9, 5, 2, 1], groups=list("ssstt"), statistic=variant)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("threshold", "pairs"), [(25, (4, 1)), (1, (4, 2)), (1.5, (4, 1))])
def test_darr_threshold(threshold, pairs):
    gold = np.array([10, 11, 100, 150])  # raw points, higher is better
    options = {"groups": [0] * 4, "statistic": "darr", "threshold": threshold}
    counts = kendall_tau_counts(-gold, [2, 1, 4, 3], **options)
    assert counts[:2] == pairs
    assert sum(counts) == 6
    expected = (pairs[0] - pairs[1]) / sum(pairs)
    assert kendall_tau(-gold, [2, 1, 4, 3], **options) == pytest.approx(expected)


def test_segments_without_a_pair_do_not_enter_the_average():
    tau = kendall_tau([1, 2, 1, 1, 5], [2, 1, 2, 1, 0], groups=list("aabbc"), average="groups")
    assert tau == 1


@pytest.mark.parametrize("average", ["pairs", "groups"])
def test_no_pair_is_nan_with_a_warning(average):
    with pytest.warns(UndefinedMetricWarning, match="no comparable pair"):
        assert np.isnan(kendall_tau([1, 1, 2], [1, 2, 3], groups=[0, 0, 1], average=average))


def test_missing_scores_are_an_error_unless_skipped():
    human, metric, groups = [1, 2, 3], [3.0, np.nan, 1.0], [0, 0, 0]
    with pytest.raises(ValueError, match=r"row 1.*missing='skip'"):
        kendall_tau(human, metric, groups=groups)
    assert kendall_tau_counts(human, metric, groups=groups, missing="skip") == (1, 0, 0, 0, 0)


def test_infinite_scores_are_ordered():
    assert kendall_tau([1, 2, 3], [np.inf, 0, -np.inf], groups=[0, 0, 0]) == 1


@pytest.mark.parametrize(
    "groups",
    [
        np.array([5, 5, 2, 2]),
        ["x", "x", "y", "y"],
        pd.Index(["x", "x", "y", "y"]),
        pd.Series([1.5, 1.5, 2, 2], index=[9, 8, 7, 6]),
        pd.MultiIndex.from_tuples([(1, "a"), (1, "a"), (1, "b"), (1, "b")]),
        pd.Categorical(["x", "x", "y", "y"]),
    ],
    ids=lambda g: type(g).__name__,
)
def test_kinds_of_groups(groups):
    assert kendall_tau_counts([1, 2, 3, 4], [4, 3, 1, 2], groups=groups) == (1, 1, 0, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [1, 2]}, "inconsistent|entries"),
        ({"y_score": [1, 2]}, "inconsistent|entries"),
        ({"groups": [0, 0]}, "groups has 2 entries for 3 rows"),
        ({"groups": [0, 0, None]}, "no label in row 2"),
        ({"groups": [[0], [0], [0]]}, "1-D"),
        ({"y_true": [1, np.nan, 2]}, "NaN or infinity in 1 row.*row 1"),
        ({"y_true": ["first", "second", "third"]}, "numeric"),
        ({"y_score": ["a", "b", "c"]}, "numbers"),
        ({"y_score": [[1], [2], [3]]}, "1-D"),
        ({"statistic": "wmt11"}, r"statistic .*found "),
        ({"average": "systems"}, "average must be"),
        ({"missing": "drop"}, "missing must be"),
        ({"statistic": "darr", "threshold": -1}, "threshold"),
        ({"statistic": "darr", "threshold": np.nan}, "threshold"),
    ],
)
def test_bad_input(arguments, message):
    good = {"y_true": [1, 2, 3], "y_score": [1, 2, 3], "groups": [0, 0, 0]}
    with pytest.raises(ValueError, match=message):
        kendall_tau(**{**good, **arguments})


def test_misaligned_series_are_refused():
    human = pd.Series([1, 2], index=["a", "b"])
    with pytest.raises(ValueError, match="different indices"):
        kendall_tau(human, pd.Series([1, 2], index=["b", "a"]), groups=[0, 0])
    with pytest.raises(ValueError, match="y_true and groups have different indices"):
        kendall_tau(human, [1, 2], groups=pd.Series([0, 0], index=["b", "a"]))


def counts_by_hand(human, metric, threshold):
    """Concordant, discordant, tied by the metric only, by the human only, by both."""
    counts = [0] * 5
    for i, j in combinations(range(len(human)), 2):
        drop, rise = human[i] - human[j], metric[j] - metric[i]
        by_human, by_metric = drop != 0 and abs(drop) >= threshold, rise != 0
        if by_human and by_metric:
            counts[int(drop * rise < 0)] += 1
        else:
            counts[2 if by_human else 3 if by_metric else 4] += 1
    return counts


@pytest.mark.parametrize("threshold", [0.0, 2.0])
@pytest.mark.parametrize("starts", [[0], [0, 1, 7, 30, 70], [0, 47, 95, 95, 140, 200], [0, 48]])
def test_groups_of_all_sizes_are_counted_by_hand(starts, threshold):
    rng = np.random.default_rng(1)
    n = starts[-1]
    human, metric = rng.integers(1, 5, n).astype(float), rng.integers(0, 4, n).astype(float)
    found = count_pairs(human, metric, np.array(starts), threshold, 0.0)
    assert found.tolist() == [
        counts_by_hand(human[first:last], metric[first:last], threshold)
        for first, last in pairwise(starts)
    ]


def test_the_compiled_loop_is_its_python_self():
    rng = np.random.default_rng(1)
    human, metric = rng.integers(1, 5, 60).astype(float), rng.integers(0, 4, 60).astype(float)
    expected = counts_by_matrix(human, metric, 0.0)
    assert _count_by_loop.py_func(human, metric, 0, 60, 0.0, 0.0) == expected
    assert _count_by_tree.py_func(human, metric, 0.0) == expected


def counts_by_matrix(human, metric, epsilon):
    """All pairs at once, with numpy: what the kernels return."""
    first, second = np.triu_indices(len(human), 1)
    drop = human[first] - human[second]
    with np.errstate(invalid="ignore", over="ignore"):
        rise = metric[second] - metric[first]
    by_metric = np.where(rise > epsilon, 1, np.where(rise < -epsilon, -1, 0))
    both = np.sign(drop) * by_metric
    return (both > 0).sum(), (drop != 0).sum(), (by_metric != 0).sum(), (both != 0).sum()


scores = st.sampled_from([0.0, -0.0, 0.5, 1.0, 1.5, 4.0, np.inf, -np.inf, 1e308, -1e308, 5e-324])


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(1, 4), scores), min_size=1, max_size=30),
    epsilon=st.sampled_from([0.0, 5e-324, 0.5, 1.0, 3.9, 1e308, np.inf]),
)
def test_loop_and_tree_are_brute_force(rows, epsilon):
    human, metric = np.array(rows, dtype=float).T
    expected = counts_by_matrix(human, metric, epsilon)
    assert _count_by_loop(human, metric, 0, len(rows), 0.0, epsilon) == expected
    assert _count_by_tree(human, metric, epsilon) == expected


@pytest.mark.parametrize("n", [_LARGE - 1, _LARGE, 129, 511])
@pytest.mark.parametrize("levels", [2, 7, 10_000])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 50.0])
def test_large_groups_are_counted_like_small_ones(n, levels, epsilon):
    rng = np.random.default_rng(n)
    human, metric = rng.integers(0, levels, (2, n)).astype(float)
    expected = counts_by_matrix(human, metric, epsilon)
    assert _count_by_tree(human, metric, epsilon) == expected
    (found,) = count_pairs(human, metric, np.array([0, n]), 0.0, epsilon)
    assert found.sum() == n * (n - 1) // 2
    concordant, discordant, tied_metric, tied_human, _ = found
    decided = concordant + discordant
    assert (concordant, decided + tied_metric, decided + tied_human, decided) == expected


def test_a_large_group_against_scipys_tau_b():
    rng = np.random.default_rng(0)
    human, metric = rng.integers(0, 50, (2, 3000))
    c, d, tied_metric, tied_human, _ = kendall_tau_counts(human, metric, groups=np.zeros(3000))
    expected = (c - d) / np.sqrt((c + d + tied_metric) * (c + d + tied_human))
    assert kendalltau(-human, metric).statistic == pytest.approx(expected)


@pytest.mark.parametrize(("pair", "tau"), [("cs-en", 15.7), ("de-en", 18.3)])
def test_sentence_bleu_on_wmt12(data_dir, pair, tau):
    X, y = load_wmt(data_dir / "wmt12", pair, return_X_y=True)
    found = kendall_tau(y, sentence_bleu(X), groups=X.index.droplevel("system"))
    assert 100 * found == pytest.approx(tau, abs=0.1)
