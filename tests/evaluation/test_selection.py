"""Choices of segments: criteria by hand and by loops, balance, documents, what changes nothing."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sklearn_mteval.evaluation import select_segments, selection
from sklearn_mteval.evaluation.option_values import SELECTIONS
from sklearn_mteval.exceptions import CandidateError

SYSTEMS = list("ABCD")


def scores(n_segments=60, n_metrics=2, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product([range(n_segments), SYSTEMS], names=["segment", "system"])
    quality = np.tile([0.6, 0.3, 0.0, -0.3], n_segments) + np.repeat(rng.normal(size=n_segments), 4)
    values = quality[:, None] + rng.normal(size=(len(index), n_metrics))
    values[rng.random(values.shape) < missing] = np.nan
    return pd.DataFrame(values, index, [f"m{k}" for k in range(n_metrics)])


def standardised(table):
    return (table - table.mean()) / table.std(ddof=0)


def variance(segment):
    columns = [segment[name].dropna() for name in segment]
    return np.mean([np.var(column) for column in columns if len(column)])


def disagreement(segment):
    pairs = itertools.combinations(segment, 2)
    return -np.mean([np.corrcoef(segment[a], segment[b])[0, 1] for a, b in pairs])


def information(segment):
    mean = segment.mean(axis=1).to_numpy()
    differences = [a - b for a, b in itertools.combinations(mean, 2)]
    chances = [1 / (1 + np.exp(-d)) for d in differences if d == d]
    return sum(p * (1 - p) for p in chances)


@pytest.mark.parametrize(
    ("criterion", "missing"),
    [(variance, 0), (variance, 0.15), (disagreement, 0), (information, 0), (information, 0.15)],
)
def test_criteria_by_loops(criterion, missing):
    table = scores(n_metrics=3, missing=missing)
    values = standardised(table).groupby(level="segment").apply(criterion)
    expected = values.sort_values(ascending=False).index[:20]
    found = select_segments(table, 20, method=criterion.__name__)
    assert found.tolist() == expected.tolist()


def test_disagreement_of_pairs_that_both_metrics_scored():
    table = scores(missing=0.2)
    there = table.dropna()
    there = there[there.groupby(level="segment")["m0"].transform("size") > 2]
    values = standardised(table).loc[there.index].groupby(level="segment").apply(disagreement)
    expected = values.sort_values(ascending=False).index
    found = [s for s in select_segments(table, 59, method="disagreement") if s in expected]
    assert found[:30] == expected[:30].tolist()


def means_by_segment(table):
    """The metrics' mean score of each translation, a column for each system."""
    means = standardised(table).mean(axis=1).to_numpy().reshape(-1, len(SYSTEMS))
    return pd.DataFrame(means, table.index.unique("segment"), SYSTEMS)


def imbalance(table, chosen):
    """How far the metrics' mean scores of systems, above the segments' means, are off there."""
    mean = means_by_segment(table)
    deviations = mean.sub(mean.mean(axis=1), axis=0)
    return np.square(deviations.loc[chosen].mean() - deviations.mean()).sum()


def test_a_balanced_half_scores_systems_as_all_segments():
    table = scores()
    random = [
        imbalance(table, select_segments(table, method="random", random_state=k)) for k in range(30)
    ]
    balanced = [imbalance(table, select_segments(table, random_state=k)) for k in range(30)]
    assert np.mean(balanced) < np.mean(random) / 50


def test_no_single_exchange_would_balance_better():
    # What stops the search: giving up the segment missed least gains nothing.
    table = scores(20)
    chosen = set(select_segments(table, 8))
    least = imbalance(table, list(chosen))
    given_up = min(chosen, key=lambda s: imbalance(table, list(chosen - {s})) * 49)
    others = set(range(20)) - chosen
    assert all(imbalance(table, [*(chosen - {given_up}), s]) >= least * (1 - 1e-9) for s in others)


@pytest.mark.parametrize("method", ["balanced", "random"])
def test_documents_are_shared_out(method):
    table = scores(100)
    documents = pd.Series(np.repeat(list("abcdefghij"), 10), range(100))
    for size, each in ((50, 5), (0.2, 2)):
        found = select_segments(table, size, method=method, documents=documents, random_state=3)
        counts = documents[found].value_counts()
        assert len(counts) == 10 and ((counts - each).abs() <= 1).all()
        assert counts.sum() == 10 * each


def test_different_seeds_choose_others_the_same_seed_the_same():
    table = scores()
    first = select_segments(table, random_state=1)
    assert first.equals(select_segments(table, random_state=1))
    assert not first.equals(select_segments(table, random_state=2))
    assert first.is_monotonic_increasing and len(first) == 30


@pytest.mark.parametrize("method", SELECTIONS)
def test_neither_order_nor_names_change_the_choice(method):
    table = scores(missing=0.1)
    documents = pd.Series(np.arange(60) // 7, range(60))
    given = {"method": method, "documents": documents, "judged": [3, 7]}
    found = select_segments(table, 0.4, **given)
    rows = np.random.default_rng(0).permutation(len(table))
    index = pd.MultiIndex.from_tuples(
        [(f"s{99 - s}", "wxyz"["ACBD".index(n)]) for s, n in table.index[rows]],
        names=table.index.names,
    )
    other = select_segments(
        table.iloc[rows].set_axis(index),
        0.4,
        method=method,
        documents=documents.rename(lambda s: f"s{99 - s}"),
        judged=["s96", "s92"],
    )
    assert {f"s{99 - s}" for s in found} == set(other)


@pytest.mark.parametrize("method", SELECTIONS)
def test_judged_segments_are_counted_and_not_chosen(method):
    table = scores()
    judged = [0, 5, 59]
    found = select_segments(table, 20, method=method, judged=judged)
    assert len(found) == 17 and not set(found) & set(judged)


def test_a_proportion_is_rounded_to_the_nearest_number():
    assert [len(select_segments(scores(9), size)) for size in (0.3, 0.38, 0.4)] == [3, 3, 4]


def test_segments_with_missing_scores_are_shared_out():
    """A sample has about as many scores of the systems as all, not only as good ones."""
    table = scores(40)
    table.iloc[:80] = np.nan  # of the first half of the segments all is missing
    for seed in range(10):
        chosen = select_segments(table, 10, random_state=seed)
        assert (chosen < 20).sum() == 5


def test_the_rest_balances_what_is_judged():
    table = scores()
    mean = means_by_segment(table)
    judged = mean.index[(mean["A"] - mean.mean(axis=1)).argsort()[-6:]].tolist()  # A looks good
    found = select_segments(table, 30, judged=judged)
    alone = [s for s in select_segments(table, 30, method="random") if s not in judged][:24]
    assert imbalance(table, [*judged, *found]) < imbalance(table, [*judged, *alone]) / 20
    others = mean.sub(mean.mean(axis=1), axis=0).loc[found, "A"].mean()
    assert others < mean.sub(mean.mean(axis=1), axis=0)["A"].mean()


def test_a_metric_that_is_constant_or_missing_says_nothing():
    table = scores()
    with_more = table.assign(flat=1.0, none=np.nan)
    found = select_segments(table, 10, method="information")
    assert len(select_segments(with_more, 10)) == 10
    assert len(select_segments(with_more, 10, method="variance")) == 10
    assert len(found) == 10


BAD = [
    ({"method": "best"}, ValueError, "method must be one of"),
    ({"size": 0}, ValueError, "size .*found 0"),
    ({"size": 1.5}, ValueError, "size .*found 1.5"),
    ({"size": True}, ValueError, "size .*found True"),
    ({"size": 61}, ValueError, "there are only 60 segments"),
    ({"size": 0.001}, ValueError, "leaves nothing to choose"),
    ({"size": 2, "judged": [1, 2]}, ValueError, "leaves nothing to choose: 2 are judged"),
    ({"judged": [77]}, ValueError, "judged has 77, which is no segment"),
    ({"documents": ["a"] * 60}, CandidateError, "documents must be a Series"),
    ({"documents": pd.Series(["a"], [0])}, CandidateError, "documents has no entry of segment"),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD)
def test_bad_options(given, error, message):
    with pytest.raises(error, match=message):
        select_segments(scores(), **given)


def test_bad_tables():
    table = scores()
    with pytest.raises(CandidateError, match="scores must be a DataFrame"):
        select_segments(table["m0"])
    with pytest.raises(CandidateError, match="MultiIndex"):
        select_segments(table.reset_index(drop=True))
    with pytest.raises(CandidateError, match="infinite"):
        select_segments(table.replace(table.iloc[0, 0], np.inf))
    with pytest.raises(CandidateError, match="found the levels"):
        select_segments(table.set_index(np.arange(len(table)), append=True))
    with pytest.raises(ValueError, match="needs two metrics"):
        select_segments(table[["m0"]], method="disagreement")
    with pytest.raises(CandidateError, match="texts"):
        select_segments(table.astype(str))


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 40), seed=st.integers(0, 999), part=st.sampled_from([3, 99]))
def test_exchanges_keep_what_is_judged_and_the_numbers_of_documents(n, seed, part):
    rng = np.random.default_rng(seed)
    deviations = rng.normal(size=(n, 3))
    strata = np.unique(rng.integers(0, 3, n), return_inverse=True)[1]
    fixed = rng.random(n) < 0.3
    chosen = ~fixed & (rng.random(n) < 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_PART", part)
        found = selection._balanced(deviations, strata, fixed, chosen)
    assert not (found & fixed).any()
    assert sorted(strata[found]) == sorted(strata[chosen])
    before, after = (np.square(deviations[c | fixed].sum(axis=0)).sum() for c in (chosen, found))
    assert after <= before * (1 + 1e-9)
    # What stops the search: in no part does an exchange of the one missed least gain anything.
    if part == 99:
        total = deviations[found | fixed].sum(axis=0)
        for k in np.unique(strata):
            inside, outside = (np.flatnonzero((strata == k) & c) for c in (found, ~found & ~fixed))
            left = [total - deviations[i] for i in inside]
            least = min(left, key=lambda v: v @ v, default=None)
            for o in outside if len(inside) else ():
                assert (v := least + deviations[o]) @ v >= after * (1 - 2e-9)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 30),
    method=st.sampled_from(SELECTIONS),
    size=st.floats(0.1, 0.95),
    seed=st.integers(0, 999),
)
def test_what_is_chosen_are_so_many_other_segments_whatever_scale(n, method, size, seed):
    # Two systems that are left correlate by 1 or -1, in many segments alike.
    table = scores(n, seed=seed, missing=0.0 if method == "disagreement" else 0.1)
    judged = np.random.default_rng(seed).permutation(n)[: n // 5].tolist()
    n_more = round(size * n) - len(judged)
    assume(n_more > 0)
    given = {"method": method, "judged": judged, "random_state": seed}
    found = select_segments(table, size, **given)
    assert len(found) == n_more and found.is_unique
    assert set(found) <= set(range(n)) - set(judged)
    # Metrics count by their standardised scores: powers of two change no bit of them, but the
    # order of rows that seeds sample from.
    if method not in ("balanced", "random"):
        assert set(found) == set(select_segments(table * [4.0, 0.5], size, **given))


def exchanged_one_by_one(deviations, strata, fixed, chosen):
    """The search that looks at one stratum after the other."""
    chosen = chosen.copy()
    total = deviations[chosen | fixed].sum(axis=0)
    improved = True
    while improved:
        improved = False
        for stratum in range(strata.max() + 1):
            free = (strata == stratum) & ~fixed
            inside, outside = np.flatnonzero(free & chosen), np.flatnonzero(free & ~chosen)
            if not len(inside) or not len(outside):
                continue
            without = total - deviations[inside]
            gone = np.square(without).sum(axis=1).argmin()
            lengths = np.square(without[gone] + deviations[outside]).sum(axis=1)
            come = lengths.argmin()
            if lengths[come] < np.square(total).sum() * (1 - 1e-9):
                total = without[gone] + deviations[outside[come]]
                chosen[[inside[gone], outside[come]]] = False, True
                improved = True
    return chosen


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 120), n_strata=st.integers(1, 40), seed=st.integers(0, 999))
def test_strata_searched_together_exchange_what_one_by_one_would(n, n_strata, seed):
    rng = np.random.default_rng(seed)
    deviations = rng.normal(size=(n, 2)).round(1)  # of many equals the first is exchanged
    strata = np.unique(rng.integers(0, n_strata, n), return_inverse=True)[1]
    fixed = rng.random(n) < 0.2
    chosen = ~fixed & (rng.random(n) < 0.5)
    found = selection._balanced(deviations, strata, fixed, chosen)
    assert (found == exchanged_one_by_one(deviations, strata, fixed, chosen)).all()
