"""How many more judgements tell two systems apart: exact power, and simulated leaderboards."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.metrics.system.paired import system_pairs
from sklearn_mteval.models import score_systems


def scores(difference, deviation, n, rng):
    """Draw scores of two systems whose difference has exactly this mean and deviation."""
    drawn = rng.normal(size=n)
    drawn = (drawn - drawn.mean()) / drawn.std(ddof=1)
    common = rng.normal(70, 30, n)
    return pd.DataFrame({"A": common + difference + deviation * drawn, "B": common})


def power(difference, deviation, n, alpha):
    """Return the chance that a paired t-test says so: of the noncentral t distribution."""
    moved = difference / deviation * np.sqrt(n)
    bound = stats.t.isf(alpha / 2, n - 1)
    return stats.nct.sf(bound, n - 1, moved) + stats.nct.cdf(-bound, n - 1, moved)


@pytest.mark.parametrize(("difference", "n"), [(2, 20), (5, 40), (8, 15), (0.1, 100)])
def test_so_many_have_a_power_of_four_in_five(difference, n):
    pairs = system_pairs(scores(difference, 20, n, np.random.default_rng(0)))
    needed = pairs.needed[0, 1] * n
    assert pairs.needed[1, 0] == pairs.needed[0, 1]
    assert power(difference, 20, needed, 0.05) == pytest.approx(0.8, abs=0.005)


def test_several_pairs_share_the_level_as_holm_has_it():
    rng = np.random.default_rng(1)
    table = scores(4, 20, 50, rng)
    table["C"] = table["B"] + 500 + rng.normal(size=50)
    pairs = system_pairs(table[["C", "A", "B"]])
    assert np.isnan(pairs.needed[0]).all()  # told apart: one pair is left
    assert power(4, 20, pairs.needed[1, 2] * 50, 0.05) == pytest.approx(0.8, abs=0.005)
    table["C"] = table["B"] + 2 + rng.normal(0, 30, 50)
    pairs = system_pairs(table[["A", "C", "B"]])
    assert power(4, 20, pairs.needed[0, 2] * 50, 0.05 / 3) == pytest.approx(0.8, abs=0.005)


def test_documents_count_as_what_varies():
    """Each segment of a document says the same: as many more documents as of segments alone."""
    table = scores(5, 20, 30, np.random.default_rng(2))
    four = table.loc[np.repeat(table.index, 4)].reset_index(drop=True)
    found = system_pairs(four, np.repeat(np.arange(30), 4)).needed[0, 1]
    assert found == pytest.approx(system_pairs(table).needed[0, 1])


def test_no_number_tells_equal_ones_apart_and_nobody_asks_of_what_is_untested():
    equal = pd.DataFrame({"A": [1.0, 3.0, 2.0, 2.0], "B": [2.0, 2.0, 1.0, 3.0]})
    assert system_pairs(equal).needed[0, 1] == np.inf
    assert system_pairs(equal.assign(B=equal["A"])).needed[0, 1] == np.inf
    apart = pd.DataFrame({"A": [1.0, np.nan], "B": [np.nan, 2.0]})
    assert np.isnan(system_pairs(apart).needed).all()
    # Of three that all say the same the test says nothing yet; more than three are needed.
    assert system_pairs(pd.DataFrame({"A": [2.0] * 3, "B": [1.0] * 3})).needed[0, 1] > 1


def battles(won):
    """Make a leaderboard's X and y of comparisons that A wins (1) or loses (0)."""
    index = pd.MultiIndex.from_product([range(len(won)), ["A", "B"]], names=["segment", "system"])
    return pd.DataFrame(index=index), pd.Series(np.column_stack([2 - won, 1 + won]).ravel(), index)


@pytest.mark.parametrize("by", ["win-rate", "strength", "mean"])
def test_simulated_campaigns_tell_apart_what_was_foretold(by):
    """Of a pilot of 100 segments A wins 58; 100 campaigns of the number that it asks for."""
    rng = np.random.default_rng(3)

    def of(won):
        X, y = battles(won)
        y = y * 10.5 if by == "mean" else y  # scores, no ranks
        return leaderboard(X, y, by=by, n_resamples=20)

    found = of((np.arange(100) < 58).astype(int))
    (pair,) = found.pairs.to_dict("records")
    assert pair["p_value"] > 0.05
    n = 100 + int(pair["more_segments"])
    assert 250 < n < 350
    told = np.mean([of(rng.binomial(1, 0.58, n)).paired.differ[0, 1] for _ in range(100)])
    assert told == pytest.approx(0.8, abs=0.12)  # three standard errors


def test_squares_of_large_differences_do_not_overflow():
    index = pd.MultiIndex.from_product([range(4), ["A", "B"]], names=["segment", "system"])
    scores = pd.Series([0, 1.0, 0, 1.0, 0, 0, -1e308, 1e-300], index)
    found = score_systems(scores, n_resamples=5)  # warnings are errors
    assert found.index.tolist() == ["B", "A"]
