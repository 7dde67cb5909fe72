"""Tie calibration against every threshold tried one by one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.datasets import load_mqm, load_wmt
from sklearn_mteval.features import sentence_bleu
from sklearn_mteval.metrics import calibrate_ties, pairwise_accuracy
from sklearn_mteval.metrics.segment import ties


def right_pairs(human, metric, epsilon):
    """Pairs of one group that are right at a threshold, and all of them, one by one."""
    right = total = 0
    for i in range(len(human)):
        for j in range(i + 1, len(human)):
            high, low = max(metric[i], metric[j]), min(metric[i], metric[j])
            tie = high == low or float(high) - float(low) <= epsilon  # Python's: overflows to inf
            if human[i] == human[j]:
                right += tie
            else:
                better = i if human[i] < human[j] else j
                right += not tie and metric[better] == high
            total += 1
    return right, total


def accuracy(human, metric, groups, epsilon, average):
    counts = [
        right_pairs(human[groups == g], metric[groups == g], epsilon) for g in np.unique(groups)
    ]
    counts = [(right, total) for right, total in counts if total]
    if average == "pairs":
        return sum(right for right, _ in counts) / sum(total for _, total in counts)
    return float(np.mean([right / total for right, total in counts]))


def candidates(metric, groups):
    """All finite differences within groups, and 0."""
    found = {0.0}
    for group in np.unique(groups):
        scores = metric[groups == group]
        scores = scores[np.isfinite(scores)]
        with np.errstate(over="ignore"):
            found.update(np.abs(scores[:, None] - scores).ravel().tolist())
    return sorted(e for e in found if np.isfinite(e))


def best_one_by_one(human, metric, groups, average):
    tried = candidates(metric, groups)
    accuracies = [accuracy(human, metric, groups, e, average) for e in tried]
    best = max(accuracies)
    at = next(k for k, value in enumerate(accuracies) if value >= best - 1e-12)
    return tried[at], best


def check_against_all_thresholds(human, metric, groups, average):
    epsilon, best = best_one_by_one(human, metric, groups, average)
    found = calibrate_ties(human, metric, groups=groups, average=average)
    assert found.epsilon == epsilon
    assert found.accuracy == pytest.approx(best, abs=1e-12)
    assert (np.diff(found.epsilons) > 0).all()
    assert found.epsilons[0] == 0
    assert dict(zip(found.epsilons, found.accuracies, strict=True))[epsilon] == found.accuracy
    for at, value in list(zip(found.epsilons, found.accuracies, strict=True))[:8]:
        assert value == pytest.approx(accuracy(human, metric, groups, at, average), abs=1e-12)
    return found


def test_by_hand():
    # 4 and 6 are equally good, the smaller wins.
    human, metric = [4, 4, 4, 1], [0, 2, 6, 8]
    for average in ("groups", "pairs"):
        found = calibrate_ties(human, metric, groups=None, average=average)
        assert found.epsilon == 4
        assert found.accuracy == pytest.approx(4 / 6)
        assert found.epsilons.tolist() == [0, 2, 4, 6, 8]
        np.testing.assert_allclose(found.accuracies, np.array([3, 3, 4, 4, 3]) / 6)


def test_a_pair_of_a_small_group_weighs_more():
    # Group a: one pair that the human ties, difference 3. Group b: three decided pairs, all
    # rightly ordered, differences 1, 1 and 2. Segments: 3 gains 1 and loses 1; pairs: loses.
    human, metric, groups = [1, 1, 1, 2, 3], [3, 0, 2, 1, 0], list("aabbb")
    found = calibrate_ties(human, metric, groups=groups)
    assert (found.epsilon, found.accuracy) == (0, 0.5)
    np.testing.assert_allclose(found.accuracies, [1 / 2, 1 / 6, 0, 1 / 2])
    # One pair more that the human ties, at 2 as well: worth a third, against a whole pair.
    pooled = calibrate_ties(human, metric, groups=groups, average="pairs")
    np.testing.assert_allclose(pooled.accuracies, [3 / 4, 1 / 4, 0, 1 / 4])


scores = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1, 1),
    st.sampled_from([0.0, -0.0, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e-300]),
)
rows = st.lists(
    st.tuples(st.integers(1, 3), scores, st.integers(0, 3)), min_size=2, max_size=22
).filter(lambda rows: len({g for _, _, g in rows}) < len(rows))


@settings(max_examples=250, deadline=None)
@given(
    rows=rows,
    average=st.sampled_from(["groups", "pairs"]),
    sizes=st.sampled_from([(2**16, 18), (1, 18), (1, 3), (3, 1), (5, 7)]),
)
def test_brute_force(rows, average, sizes):
    # Small sizes: ranges are searched that otherwise only millions of pairs would reach.
    human, metric, groups = np.array(rows).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ties, "_HELD", sizes[0])
        patch.setattr(ties, "_BIN_BITS", sizes[1])
        check_against_all_thresholds(human, metric, groups, average)


@pytest.mark.parametrize("average", ["groups", "pairs"])
@pytest.mark.parametrize("held", [2**16, 100])
@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_brute_force_of_larger_groups(average, held, decimals, monkeypatch):
    monkeypatch.setattr(ties, "_HELD", held)
    rng = np.random.default_rng(decimals)
    groups = np.repeat([0, 1, 2, 3], [70, 5, 33, 1])
    human = rng.integers(0, 6, len(groups)) // 2.0
    metric = np.round(4 * rng.normal(size=len(groups)) - 3 * human, decimals)
    order = rng.permutation(len(groups))
    human, metric, groups = human[order], metric[order], groups[order]
    found = calibrate_ties(human, metric, groups=groups, average=average)
    # Counted by numpy, at all thresholds: too many for one by one.
    first, second = np.triu_indices(len(groups), 1)
    inside = groups[first] == groups[second]
    first, second = first[inside], second[inside]
    difference = np.abs(metric[first] - metric[second])
    tied = human[first] == human[second]
    agree = (human[first] - human[second]) * (metric[first] - metric[second]) < 0
    per_group = np.bincount(groups[first], minlength=4)
    weight = 1 / len(first)
    if average == "groups":
        weight = 1 / per_group[groups[first]] / 3
    tried = np.unique(np.append(difference, 0))
    expected = [np.sum(weight * np.where(difference <= epsilon, tied, agree)) for epsilon in tried]
    best = np.flatnonzero(np.array(expected) >= np.max(expected) - 1e-12)[0]
    assert found.epsilon == tried[best]
    assert found.epsilon > 0
    assert found.accuracy == pytest.approx(expected[best], abs=1e-12)
    for at, value in zip(found.epsilons, found.accuracies, strict=True):
        here = expected[np.searchsorted(tried, at, side="right") - 1]
        assert value == pytest.approx(here, abs=1e-12)


def test_many_pairs_are_searched_in_ranges():
    # 3.1 million pairs, of which no more than 65,536 are sorted at once.
    rng = np.random.default_rng(0)
    human = rng.integers(0, 4, 2500).astype(float)
    metric = rng.normal(size=2500) - human
    found = calibrate_ties(human, metric, groups=None)
    difference = np.abs(metric[:, None] - metric)[np.triu_indices(2500, 1)]
    tied = (human[:, None] == human)[np.triu_indices(2500, 1)]
    agree = ((human[:, None] - human) * (metric[:, None] - metric) < 0)[np.triu_indices(2500, 1)]
    order = np.argsort(difference)
    right = agree.sum() + np.cumsum(tied[order].astype(int) - agree[order])
    assert found.epsilon == difference[order][right.argmax()]
    assert found.accuracy == right.max() / len(right)
    assert found.accuracy > found.accuracies[0]
    assert 300 < len(found.epsilons) <= 1000
    assert found.accuracies.max() == found.accuracy
    for k in range(0, len(found.epsilons), 50):
        at = np.searchsorted(difference[order], found.epsilons[k], side="right")
        expected = right[at - 1] if at else agree.sum()
        assert found.accuracies[k] == pytest.approx(expected / len(right))


def test_a_pooled_metric_of_few_values():
    # More pairs of one difference than are held at once.
    rng = np.random.default_rng(0)
    human = rng.integers(0, 3, 1500).astype(float)
    metric = np.clip(rng.integers(0, 6, 1500) - human, 0, 4)
    metric[:900] *= human[:900] > 0
    check = calibrate_ties(human, metric, groups=None)
    tried = [
        pairwise_accuracy(human, metric, groups=None, epsilon=e, average="pairs") for e in range(5)
    ]
    assert check.epsilon == np.argmax(tried)
    assert check.accuracy == max(tried)


def test_infinite_scores():
    # The pair of infinities ties as the human has it; infinite and finite decide for good.
    found = calibrate_ties([1, 1, 2, 2], [np.inf, np.inf, 0, 9], groups=None)
    assert (found.epsilon, found.accuracy) == (9, 1)
    only = calibrate_ties([1, 2, 2], [np.inf, -np.inf, -np.inf], groups=None)
    assert (only.epsilon, only.accuracy, len(only.epsilons)) == (0, 1, 1)


def test_differences_that_overflow_never_tie():
    found = calibrate_ties([1, 1, 1], [1e308, -1e308, -0.9e308], groups=None)
    assert found.epsilon == 1e308 - 0.9e308
    assert found.accuracy == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("human", "metric", "accuracy"),
    [([2, 2, 2], [1, 1, 1], 1), ([1, 2, 3], [7, 7, 7], 0), ([5, 5], [0.0, -0.0], 1)],
)
def test_constant_scores(human, metric, accuracy):
    found = calibrate_ties(human, metric, groups=None)
    assert (found.epsilon, found.accuracy) == (0, accuracy)
    assert found.epsilons.tolist() == [0]


def test_a_human_who_always_ties():
    found = calibrate_ties([2, 2, 2], [1.0, 2.5, 4.5], groups=None)
    assert (found.epsilon, found.accuracy) == (3.5, 1)


@pytest.mark.parametrize("human", [[], [1], [1, 2]])
@pytest.mark.parametrize("average", ["groups", "pairs"])
def test_no_pair_is_nan_with_a_warning(human, average):
    with pytest.warns(UndefinedMetricWarning, match="no group has two rows"):
        found = calibrate_ties(human, human, groups=range(len(human)), average=average)
    assert np.isnan(found.epsilon) and np.isnan(found.accuracy)
    assert len(found.epsilons) == len(found.accuracies) == 0


def test_missing_scores():
    human, metric = [4, 4, 9, 4, 1], [0, 2, np.nan, 6, 8]
    with pytest.raises(ValueError, match=r"row 2.*missing='skip'"):
        calibrate_ties(human, metric, groups=None)
    found = calibrate_ties(human, metric, groups=None, missing="skip")
    assert (found.epsilon, found.accuracy) == (4, pytest.approx(4 / 6))


def test_unknown_options():
    with pytest.raises(ValueError, match=r"average .*found "):
        calibrate_ties([1, 2], [1, 2], groups=None, average="systems")
    with pytest.raises(ValueError, match=r"missing .*found "):
        calibrate_ties([1, 2], [1, 2], groups=None, missing="drop")


@pytest.mark.parametrize("average", ["groups", "pairs"])
def test_neither_order_nor_names_nor_scale_matter(average):
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "group": rng.integers(0, 60, 400),
            "human": rng.integers(1, 3, 400),
            "metric": rng.integers(0, 2000, 400) / 64,
        }
    )

    def calibrated(table, scale=1.0):
        return calibrate_ties(
            table.human, scale * table.metric, groups=table.group, average=average
        )

    found = calibrated(table)
    assert found.epsilon > 0
    shuffled = table.sample(frac=1, random_state=0)
    renamed = shuffled.assign(group=shuffled.group.map(lambda g: f"g{97 * g % 61}"))
    for other in (calibrated(shuffled), calibrated(renamed)):
        assert other.epsilon == found.epsilon
        # The mean over groups in another order may differ in its last bit.
        assert other.accuracy == pytest.approx(found.accuracy, abs=1e-15)
        np.testing.assert_array_equal(other.epsilons, found.epsilons)
    for scale in (2.0**-900, 2.0**900):
        assert calibrated(table, scale).epsilon == scale * found.epsilon


def test_weights_whose_common_multiple_is_too_large():
    # Sizes 2 to 70: the common multiple of their pairs has more than 62 bits.
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(69), np.arange(2, 71))
    human = rng.integers(0, 4, len(groups)).astype(float)
    metric = rng.normal(size=len(groups)) - human
    found = calibrate_ties(human, metric, groups=groups)
    tried = rng.choice(found.epsilons, 50)
    assert found.accuracy >= max(
        pairwise_accuracy(human, metric, groups=groups, epsilon=e) for e in tried
    )
    assert found.accuracy == pairwise_accuracy(human, metric, groups=groups, epsilon=found.epsilon)
    for at, value in list(zip(found.epsilons, found.accuracies, strict=True))[::100]:
        expected = pairwise_accuracy(human, metric, groups=groups, epsilon=at)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["groups", "pairs"])
def test_wmt12_rankings(data_dir, average):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    bleu, groups = sentence_bleu(X), X.index.droplevel("system")
    found = calibrate_ties(y, bleu, groups=groups, average=average)
    assert len(found.epsilons) <= 1000
    assert found.accuracy == found.accuracies.max()
    for at in range(0, len(found.epsilons), 40):
        expected = pairwise_accuracy(
            y, bleu, groups=groups, average=average, epsilon=found.epsilons[at]
        )
        assert found.accuracies[at] == pytest.approx(expected, abs=1e-12)


def test_fitted_on_one_half_and_applied_to_the_other(data_dir):
    X, y = load_mqm(data_dir / "mqm" / "mqm_ted_zhen.tsv", reference_system="ref", return_X_y=True)
    score = pd.Series(sentence_bleu(X), index=X.index)
    first = X.index.get_level_values("segment").isin(X.index.unique("segment")[::2])
    found, own = (
        calibrate_ties(y[part], score[part], groups=X.index[part].droplevel("system"))
        for part in (first, ~first)
    )
    groups = X.index[~first].droplevel("system")
    held_out, without = (
        pairwise_accuracy(y[~first], score[~first], groups=groups, epsilon=e)
        for e in (found.epsilon, 0)
    )
    assert without < held_out <= own.accuracy
