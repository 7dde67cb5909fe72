"""Sums of systems: exact, the same however segments are cut, and what the table makes of them."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sklearn_mteval._helpers.exact_sums import exact_sums, quotient
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import rank_systems, score_systems, system_sums
from sklearn_mteval.models.system_sums import SystemSums

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(FINITE, st.integers(0, 3)), max_size=40), st.integers(0, 40))
def test_sums_are_those_of_fractions(rows, cut):
    values = np.array([value for value, _ in rows], dtype=np.float64)
    codes = np.array([code for _, code in rows], dtype=np.int64)
    found = exact_sums(values, codes, 4)
    parts = [exact_sums(values[part], codes[part], 4) for part in (np.s_[cut:], np.s_[:cut])]
    assert found == [one + other for one, other in zip(*parts, strict=True)]
    for code, total in enumerate(found):
        expected = sum((Fraction(value) for value, c in rows if c == code), Fraction(0))
        assert quotient(total, 3) == expected / 3


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
        found = sum(sums, SystemSums()).table(n_resamples=200)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
        if most == 10:  # what is saved is enough
            saved = [SystemSums.from_dict(json.loads(json.dumps(s.to_dict()))) for s in sums]
            found = sum(saved, SystemSums()).table()
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
    found = SystemSums.of(pd.Series([5.0, 4, 3, 2, 1], index)).table(n_resamples=2)
    assert found.index.tolist() == names and found["score"].tolist() == [5, 4, 3, 2, 1]


def test_scores_near_the_largest():
    found = ranked(5)["score"] * 0 + 1.7e308
    table = SystemSums.of(found).table(n_resamples=2)
    assert table["score"].tolist() == [1.7e308] * 3


def test_mistakes():
    with pytest.raises(ValueError, match="expected sums of systems"):
        SystemSums.from_dict({"systems": [{"system": "A", "segments": "1"}]})
    with pytest.raises(ValueError, match="expected sums of systems"):
        SystemSums.from_dict([])
    with pytest.raises(CandidateError, match="infinite"):
        SystemSums.of(ranked(3)["score"].replace(ranked(3)["score"].iloc[4], np.inf))
