"""Sums of systems: exact, the same however segments are cut, and what the table makes of them."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sklearn_mteval._helpers.exact_sums import quotient
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.system.difference_sums import added, difference_sums
from sklearn_mteval.metrics.system.paired import system_pairs
from sklearn_mteval.metrics.system.tables import score_table
from sklearn_mteval.models import rank_systems, score_systems, system_sums
from sklearn_mteval.models.system_sums import SystemSums

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=20), st.integers(0, 20))
def test_sums_are_those_of_fractions(rows, cut):
    """Sums of differences of floats, and of their squares, without any rounding."""
    rows = [(one / 1e160, other / 1e160) for one, other in rows]
    values = np.array(rows)

    def sums(part):
        segment, system = np.divmod(np.arange(part.size), 2)
        return difference_sums(part.ravel(), segment, system, 2)

    found = added(sums(values[cut:]), sums(values[:cut]))
    assert found == sums(values)
    of_pair = [Fraction(one - other) for one, other in rows]
    for key, numbers in (((0, 1), of_pair), ((0,), [Fraction(one) for one, _ in rows])):
        n, total, squares = found[key]
        assert n == len(rows) and quotient(total, 3) == sum(numbers) / 3
        if all(number == 0 or 1e-100 < abs(number) < 1e140 for number in numbers):
            assert quotient(squares, 1) == sum(number**2 for number in numbers)


def test_pairs_are_found_whichever_system_comes_first():
    """Sums say what a table does, to rounding, and parts of them the same, to the bit."""
    scores = ranked(40)["score"].drop([(5, "C"), (6, "C"), (7, "A")])
    systems = SystemSums.of(scores).result()
    expected = systems.pairs.table()
    table = score_table(scores, *(scores.index.get_level_values(k) for k in (0, 1)))
    of_table = system_pairs(table[systems.table.index]).table()
    pd.testing.assert_frame_equal(expected, of_table, rtol=1e-12, check_index_type=False)
    turned = [scores.loc[:9], scores.loc[10:].iloc[::-1]]
    found = (SystemSums.of(turned[1]) + SystemSums.of(turned[0])).result().pairs.table()
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def ranked(n_segments, seed=0):
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [range(n_segments), list("ABC")], names=["segment", "system"]
    )
    found = {"rank": rng.integers(1, 4, len(index)), "strength": 0.0}
    return pd.DataFrame(found | {"score": rng.normal(0.1, 0.3, len(index))}, index)


@pytest.mark.parametrize("most", [20_000, 10])
@pytest.mark.parametrize("table", [rank_systems, score_systems])
def test_parts_add_up_to_the_whole(table, most, monkeypatch):
    monkeypatch.setattr(system_sums, "MOST_RESAMPLED", most)
    whole = ranked(60).drop([(5, "C"), (6, "C")])
    whole = whole if table is rank_systems else whole["score"]
    expected = table(whole, n_resamples=200)
    assert whole.groupby("system").size().to_dict() == expected["segments"].to_dict()
    segments = whole.index.get_level_values("segment")
    for cuts in ([7], [30, 31], [59, 20, 1]):
        parts = np.searchsorted(sorted(cuts), segments, side="right")
        sums = [SystemSums.of(whole[parts == part]) for part in np.unique(parts)[::-1]]
        found = sum(sums, SystemSums()).result(n_resamples=200).table
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
        if most == 10:  # what is saved is enough
            saved = [SystemSums.from_dict(json.loads(json.dumps(s.to_dict()))) for s in sums]
            found = sum(saved, SystemSums()).result().table
            pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_the_interval_of_many_segments_is_that_of_a_mean(monkeypatch):
    whole = ranked(3000)
    drawn = rank_systems(whole, n_resamples=4000)
    monkeypatch.setattr(system_sums, "MOST_RESAMPLED", 100)
    found = rank_systems(whole)
    assert found["score"].equals(drawn["score"])
    assert found["low"].to_numpy() == pytest.approx(drawn["low"].to_numpy(), abs=8e-4)
    assert found["high"].to_numpy() == pytest.approx(drawn["high"].to_numpy(), abs=8e-4)
    for system, row in found.iterrows():
        column = whole["score"].xs(system, level="system")
        low, high = norm.interval(0.95, column.mean(), column.std() / np.sqrt(len(column)))
        assert [row["low"], row["high"]] == pytest.approx([low, high], rel=1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_any_names_of_systems():
    names = [("a", 1), "b", 3, -0.5, (2,)]
    labels = pd.Index(names, dtype=object, tupleize_cols=False)
    index = pd.MultiIndex.from_arrays([range(5), labels], names=["segment", "system"])
    found = SystemSums.of(pd.Series([5.0, 4, 3, 2, 1], index)).result(n_resamples=2).table
    assert found.index.tolist() == names and found["score"].tolist() == [5, 4, 3, 2, 1]


def test_names_that_an_index_rounds():
    """Large whole numbers among fractions: pandas makes one float of two of them."""
    names = [2**62, 2**62 + 1, -0.5]
    labels = pd.Index(names, dtype=object)
    rows = pd.MultiIndex.from_product([range(3), labels], names=["segment", "system"])
    found = SystemSums.of(pd.Series([3.0, 2, 1, 3, 2, 1, 3, 1, 2], rows)).result(n_resamples=2)
    assert found.pairs.differences[0, 1:].tolist() == pytest.approx([4 / 3, 5 / 3])
    assert len(found.table) == 3


def test_scores_near_the_largest():
    found = ranked(5)["score"] * 0 + 1.7e308
    table = SystemSums.of(found).result(n_resamples=2).table
    assert table["score"].tolist() == [1.7e308] * 3


def test_mistakes():
    with pytest.raises(ValueError, match="expected sums of systems"):
        SystemSums.from_dict({"systems": [{"system": "A", "segments": "1"}]})
    with pytest.raises(ValueError, match="expected sums of systems"):
        SystemSums.from_dict([])
    with pytest.raises(CandidateError, match="infinite"):
        SystemSums.of(ranked(3)["score"].replace(ranked(3)["score"].iloc[4], np.inf))
