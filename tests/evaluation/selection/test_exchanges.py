"""Exchanges that balance a sample: what they gain, and where they stop."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_scores import SYSTEMS, chosen, scores, standardised

from sklearn_mteval.evaluation import select_segments
from sklearn_mteval.evaluation.selection import balance


def choose(table, size=0.5, **options):
    """List the chosen segments of a balanced sample."""
    return chosen(select_segments(table, size, method="balanced", **options))


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
        imbalance(table, chosen(select_segments(table, method="random", random_state=k)))
        for k in range(30)
    ]
    found = [imbalance(table, choose(table, random_state=k)) for k in range(30)]
    assert np.mean(found) < np.mean(random) / 50


def test_no_single_exchange_would_balance_better():
    # What stops the search: giving up the segment missed least gains nothing.
    table = scores(20)
    found = set(choose(table, 8))
    least = imbalance(table, list(found))
    given_up = min(found, key=lambda s: imbalance(table, list(found - {s})) * 49)
    others = set(range(20)) - found
    assert all(imbalance(table, [*(found - {given_up}), s]) >= least * (1 - 1e-9) for s in others)


def test_segments_with_missing_scores_are_shared_out():
    """A sample has about as many scores of the systems as all, not only as good ones."""
    table = scores(40)
    table.iloc[:80] = np.nan  # of the first half of the segments all is missing
    for seed in range(10):
        assert (np.array(choose(table, 10, random_state=seed)) < 20).sum() == 5


def test_the_rest_balances_what_is_judged():
    table = scores()
    mean = means_by_segment(table)
    judged = mean.index[(mean["A"] - mean.mean(axis=1)).argsort()[-6:]].tolist()  # A looks good
    found = choose(table, 30, judged=judged)
    at_random = chosen(select_segments(table, 30, method="random", judged=judged))
    assert imbalance(table, found) < imbalance(table, at_random) / 20
    others = mean.sub(mean.mean(axis=1), axis=0).loc[[*set(found) - set(judged)], "A"].mean()
    assert others < mean.sub(mean.mean(axis=1), axis=0)["A"].mean()


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 40), seed=st.integers(0, 999), part=st.sampled_from([3, 99]))
def test_exchanges_keep_what_is_judged_and_the_numbers_of_documents(n, seed, part):
    rng = np.random.default_rng(seed)
    deviations = rng.normal(size=(n, 3))
    strata = np.unique(rng.integers(0, 3, n), return_inverse=True)[1]
    fixed = rng.random(n) < 0.3
    chosen = ~fixed & (rng.random(n) < 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(balance, "_PART", part)
        found = balance.balanced(deviations, strata, fixed, chosen)
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
    found = balance.balanced(deviations, strata, fixed, chosen)
    assert (found == exchanged_one_by_one(deviations, strata, fixed, chosen)).all()


def test_exchanges_go_on_until_none_is_left():
    """What was balanced is balanced: another search exchanges nothing."""
    moved = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        deviations, strata = rng.normal(size=(40, 3)), np.repeat([0, 1], 20)
        fixed, chosen = np.zeros(40, dtype=bool), rng.random(40) < 0.5
        found = balance.balanced(deviations, strata, fixed, chosen)
        assert (balance.balanced(deviations, strata, fixed, found) == found).all()
        moved += (found != chosen).sum()
    assert moved > 20
