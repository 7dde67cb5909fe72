"""Whole numbers that float64 does not hold are refused, in statistics, features and readers."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import RankRecomposer, kendall_tau
from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval.datasets import load_rankings, load_scores
from sklearn_mteval.evaluation import evaluate_metrics
from sklearn_mteval.exceptions import CandidateError, DataFileError

LARGE = 2**53 + 1  # the first whole number that float64 rounds: to 2**53

LOST = {
    "a list": [1, LARGE],
    "a list with fractions": [0.5, LARGE],
    "a list with NaN": [float("nan"), -LARGE],
    "a list with None": [None, LARGE],
    "unsigned": np.array([1, 2**64 - 1], dtype=np.uint64),
    "numpy integers among objects": np.array([np.int64(LARGE), None], dtype=object),
    "a column": pd.Series([1, LARGE]),
    "a column with missing values": pd.Series([None, LARGE], dtype="Int64"),
    "a table of integers and fractions": pd.DataFrame({"a": [0.5], "b": [LARGE]}),
    "decimals": [Decimal(LARGE)],
    "a masked array": np.ma.MaskedArray([1, LARGE], [True, False]),
    "extended precision": np.array([LARGE], dtype=np.longdouble),
}


@pytest.mark.parametrize("case", LOST)
def test_what_float64_would_round_is_refused(case):
    if case == "extended precision" and np.finfo(np.longdouble).nmant < 63:
        pytest.skip("float64 is the longest here")
    with pytest.raises(ValueError, match=r"found -?[0-9.]+, .* 2\^53") as caught:
        as_numbers(LOST[case])
    assert str(LARGE) in str(caught.value) or str(2**64 - 1) in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        [2**53, -(2**53)], [2**53 + 2, 2**60], [2**63, -1], [1e300, 2.0**60 + 1], [10**22, None],
        np.array([2**62]), np.array([1e300]), pd.Series([2**54, None], dtype="Int64"),
        np.ma.MaskedArray([LARGE, 1], [True, False]),
    ],
)  # fmt: skip
def test_what_float64_holds_is_itself(given):
    found = as_numbers(given)
    cells = given if isinstance(given, list) else given.tolist()
    for before, after in zip(cells, found, strict=True):
        assert np.isnan(after) if before is None or before is pd.NA else before == after


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [([1, 2], [LARGE, LARGE - 1]), ([LARGE, LARGE - 1], [1, 2]), ([0.5, LARGE], [1, 2])],
)
def test_statistics(ranks, scores):
    with pytest.raises(ValueError, match=r"float64 .* 2\^53"):
        kendall_tau(ranks, scores, groups=None)
    few = [value - LARGE for value in ranks], [value - LARGE for value in scores]
    assert abs(kendall_tau(*few, groups=None)) == 1


def table(values):
    index = pd.MultiIndex.from_product([[1], ["A", "B"]], names=["segment", "system"])
    return pd.Series(values, index)


def test_scores_of_metrics():
    with pytest.raises(CandidateError, match=r"scores of 'm' must be numbers.* 2\^53"):
        evaluate_metrics(table([1, 2]), {"m": table([LARGE, LARGE - 1])})


def test_features():
    X = table([LARGE, LARGE - 1]).to_frame("f")
    with pytest.raises(CandidateError, match=r"Column 'f': .* 2\^53"):
        RankRecomposer().fit(X, [1, 2])


def test_readers(tmp_path):
    scores = tmp_path / "scores"
    scores.write_text(f"A {LARGE}\n")
    with pytest.raises(DataFileError, match=f"line 1: expected .*{LARGE}'.* float64 does not hold"):
        load_scores(scores, ["A"], 1)
    rows = pd.DataFrame({"segment": [1], "system": ["A"], "score": [LARGE]})
    with pytest.raises(CandidateError, match=r"at most 2\^53"):
        load_rankings(rows, better="higher")
    scores.write_text(f"A {LARGE - 1}\nA 1e+22\nA {LARGE}.0\n")
    assert load_scores(scores, ["A"], 3).iloc[:, 0].tolist() == [2**53, 1e22, 2.0**53]
