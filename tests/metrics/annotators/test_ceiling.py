"""Ceilings against every weak order of a small segment; disagreements by comparing judgements."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import agreement_ceiling, disagreements, pairwise_accuracy

STATISTICS = ("wmt12", "wmt14", "eq", "tau-a", "acc_eq")
FEW = {"n_resamples": 20}


def ranks(tasks):
    """Ranks of [(segment, {system: rank}), …], one ranking task each."""
    rows = [
        (segment, k, system, rank)
        for k, (segment, task) in enumerate(tasks)
        for system, rank in task.items()
    ]
    frame = pd.DataFrame(rows, columns=["segment", "ranking", "system", "rank"])
    return frame.set_index(["segment", "ranking", "system"])["rank"]


def value_of(y, scores, statistic):
    groups = y.index.droplevel("system")
    if statistic == "acc_eq":
        return pairwise_accuracy(y, scores, groups=groups, average="pairs")
    return kendall_tau(y, scores, groups=groups, statistic=statistic, average="pairs")


# What a pair adds to the numerator: the metric agrees, opposes, ties; human ties: both, one.
WORTH = {
    "wmt12": (1, -1, -1, 0, 0),
    "wmt14": (1, -1, 0, 0, 0),
    "eq": (1, -1, -1, 1, -1),
    "tau-a": (1, -1, 0, 0, 0),
    "acc_eq": (1, 0, 0, 1, 0),
}


def best_of_all_orders(y, items, statistic):
    """The best value of all ways to score the items of one segment."""
    names = sorted(set(items))
    agrees, opposes, ties, both, one = WORTH[statistic]
    judged = []
    for _, task in y.groupby(["segment", "ranking"]):
        rows = y.index.get_indexer(task.index)
        judged += [
            (names.index(items[a]), names.index(items[b]), np.sign(y.iloc[b] - y.iloc[a]))
            for a, b in combinations(rows, 2)
        ]
    if statistic.startswith("wmt"):
        judged = [pair for pair in judged if pair[2]]
    if not judged:
        return np.nan

    def value(scores):
        total = 0
        for a, b, said in judged:
            prefers = (scores[a] > scores[b]) - (scores[a] < scores[b])
            if not said:
                total += one if prefers else both
            else:
                total += (ties, agrees, opposes)[int(prefers * said)]
        return total / len(judged)

    return max(map(value, product(range(len(names)), repeat=len(names))))


def test_by_hand():
    # A and B: 2 to 1; A and C: once, tied; B and C: none.
    y = ranks([(1, {"A": 1, "B": 2}), (1, {"A": 1, "B": 2}), (1, {"A": 3, "B": 2})])
    y = pd.concat([y, ranks([(2, {"A": 1, "C": 1})])])
    assert disagreements(y)[:3] == (2 / 3, 2, 3)
    assert agreement_ceiling(y)[:2] == pytest.approx((1 / 3, 1 / 3))
    # The tie has no disagreement; a metric could tie A and C in the second segment.
    assert agreement_ceiling(y, statistic="acc_eq").ceiling == 3 / 4
    assert agreement_ceiling(y, statistic="eq").ceiling == 2 / 4
    # The same text: it ties all, which strict tau counts as -1, wmt14 as 0.
    assert agreement_ceiling(y, texts=["same"] * 8)[:2] == (-1, -1)
    assert agreement_ceiling(y, texts=["same"] * 8, statistic="wmt14")[:2] == (0, 0)


def test_intransitive_majorities_are_why_it_is_a_bound():
    y = ranks([(1, {"A": 1, "B": 2}), (1, {"B": 1, "C": 2}), (1, {"C": 1, "A": 2})])
    found = agreement_ceiling(y)
    assert best_of_all_orders(y, list(y.index.get_level_values("system")), "wmt12") == 1 / 3
    assert found.ceiling == 1
    assert found.reached <= 1 / 3


tasks = st.lists(
    st.tuples(st.just(1), st.dictionaries(st.sampled_from("ABCD"), st.integers(1, 3), min_size=2)),
    min_size=1,
    max_size=6,
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("statistic", STATISTICS)
@settings(max_examples=25, deadline=None)
@given(tasks=tasks, same=st.sampled_from(["ABCD", "AACD", "AABB"]))
def test_lies_around_the_best_of_all_orders(statistic, tasks, same):
    y = ranks(tasks)
    of = dict(zip("ABCD", same, strict=True))
    texts = [of[system] for system in y.index.get_level_values("system")]
    best = best_of_all_orders(y, texts, statistic)
    found = agreement_ceiling(y, statistic=statistic, texts=texts, **FEW)
    if np.isnan(best):
        assert np.isnan(found.ceiling)
        assert np.isnan(found.reached)
    else:
        assert found.reached <= best + 1e-12
        assert best <= found.ceiling + 1e-12
        if len(set(texts)) == 2:  # two items are always transitive
            assert found.ceiling == pytest.approx(best)
            if statistic in ("wmt12", "wmt14"):
                assert found.reached == pytest.approx(best)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@settings(max_examples=60, deadline=None)
@given(
    tasks=st.lists(st.tuples(st.integers(1, 2), tasks.map(lambda t: t[0][1])), max_size=7),
    same=st.sampled_from(["ABCD", "AACD", "AAAA"]),
)
def test_disagreements_are_what_comparing_finds(tasks, same):
    of = dict(zip("ABCD", same, strict=True))
    said = []
    for number, (segment, task) in enumerate(tasks):
        once = sorted({(of[system], rank) for system, rank in task.items()})
        for (a, r), (b, s) in combinations(once, 2):
            if a != b:
                said.append((number, (segment, a, b), np.sign(r - s)))
    pairs = [(p, q) for (_, a, p), (_, b, q) in combinations(said, 2) if a == b]
    y = ranks(tasks).astype(float)
    texts = [of[system] for system in y.index.get_level_values("system")]
    found = disagreements(y, texts=texts, **FEW)
    assert found.n_comparisons == len(pairs)
    assert found.n_disagreeing == sum(p * q < 0 for p, q in pairs)
    expected = found.n_disagreeing / len(pairs) if pairs else np.nan
    assert found.proportion == pytest.approx(expected, nan_ok=True)


@pytest.fixture
def y():
    rng = np.random.default_rng(6)
    return ranks(
        [
            (k // 3, {s: rng.integers(1, 4) + (s == "E") for s in rng.choice([*"ABCDE"], 4, False)})
            for k in range(60)
        ]
    )


@pytest.mark.parametrize(
    "function",
    [
        disagreements,
        *(lambda y, s=s, **o: agreement_ceiling(y, statistic=s, **o) for s in STATISTICS),
    ],
)
def test_order_names_and_scale_do_not_matter(y, function):
    expected = function(y, n_resamples=300)
    shuffled = y.sample(frac=1, random_state=0)
    assert function(shuffled, n_resamples=300) == expected
    renamed = shuffled.reset_index()
    renamed["segment"] = renamed["segment"].map(lambda s: f"s{7 * s % 23}")
    renamed["ranking"] = renamed["ranking"].map(lambda r: 13 * r % 61)
    renamed["system"] = renamed["system"].map(dict(zip("ABCDE", "ZAMBK", strict=True)))
    renamed = renamed.set_index(["segment", "ranking", "system"])["rank"]
    assert function(np.exp(renamed), n_resamples=300) == expected
    by_text = function(y, n_resamples=300, texts=y.index.get_level_values("system"))
    assert by_text == expected
    assert expected.low < expected[0] < expected.high


def test_nothing_repeated_no_disagreement(y):
    once = y[y.index.get_level_values("ranking") % 3 == 0]
    with pytest.warns(UndefinedMetricWarning, match="disagreements"):
        assert np.isnan(disagreements(once).proportion)
    found = agreement_ceiling(once)
    assert (found.ceiling, found.low, found.high) == (1, 1, 1)
    with pytest.warns(UndefinedMetricWarning, match="ceiling"):
        assert np.isnan(agreement_ceiling(y * 0)).all()
    with pytest.warns(UndefinedMetricWarning, match="ceiling"):
        assert np.isnan(agreement_ceiling(y[:0])).all()


def test_bad_input(y):
    for function in (disagreements, agreement_ceiling):
        with pytest.raises(CandidateError, match="Series of ranks"):
            function([1, 2])
        with pytest.raises(CandidateError, match="texts has no label in row 0"):
            function(y, texts=[None] * len(y))
        with pytest.raises(CandidateError, match="texts has 1 entries"):
            function(y, texts=["a"])
        with pytest.raises(CandidateError, match="NaN"):
            function(y.where(y > 1))
        with pytest.raises(ValueError, match="confidence"):
            function(y, confidence=0)
    with pytest.raises(ValueError, match=r"statistic .*found "):
        agreement_ceiling(y, statistic="wmt13")


def test_mean_ranks_as_a_metric_stay_below_the_ceiling(data_dir):
    # Mean ranks over all judgements know more than any metric, and are no better than the bound.
    data = load_wmt(data_dir / "wmt12", "de-en")
    mean_ranks = -data.y.groupby(["segment", "system"]).transform("mean")
    for statistic in STATISTICS:
        found = agreement_ceiling(data.y, statistic=statistic, n_resamples=1)
        assert value_of(data.y, mean_ranks, statistic) <= found.ceiling
        assert found.reached <= found.ceiling
    # The gap to the best order is small: intransitive majorities are rare.
    strict = agreement_ceiling(data.y, n_resamples=1)
    assert strict.ceiling - strict.reached < 0.05
