"""Dealing and holding out whole segments, shared by all that does so."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval._helpers.order import by_content
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.segments import (
    deal,
    hold_out,
    joined,
    units_of_pairs,
    units_of_rows,
)


def table(rows, columns=("reference",)):
    """Rows of a segment, a system and cells."""
    index = pd.MultiIndex.from_tuples([row[:2] for row in rows], names=["segment", "system"])
    return pd.DataFrame([row[2:] for row in rows], index=index, columns=list(columns))


def test_units_of_rows_by_hand():
    X = table([
        (1, "A", "r"), (1, "B", ["s", "r"]), (2, "A", ["s"]), (3, "A", ""), (4, "A", ""),
        (5, "A", ["", "r"]), (6, "A", ["t", "r"]), (3, "B", ["u", "r"]),
    ])  # fmt: skip
    # Only first references count, and the empty one is none.
    assert units_of_rows(X).tolist() == [0, 0, 0, 1, 2, 3, 4, 1]
    assert units_of_rows(X.drop(columns="reference")).tolist() == [0, 0, 1, 2, 3, 4, 5, 2]
    assert units_of_rows(X, "source").tolist() == units_of_rows(X[[]]).tolist()
    numbers = X.assign(reference=1.0)
    assert units_of_rows(numbers).tolist() == units_of_rows(X[[]]).tolist()
    with pytest.raises(CandidateError, match="index level 'segment'"):
        units_of_rows(X.reset_index())
    with pytest.raises(CandidateError, match="one column 'reference', found 2"):
        units_of_rows(X.iloc[:, [0, 0]])


def test_units_of_pairs_by_hand():
    candidates = np.array([7, 8, 5, 5, 8, 9, 5, 6])  # 7–8, 8–9, 5–5, 5–6
    assert units_of_pairs(np.zeros((4, 2)), candidates).tolist() == [0, 0, 1, 1]
    rows = [(k, "A", text) for k, text in enumerate("xyyx")]
    assert units_of_pairs(table(rows, ["t1__reference"]), candidates).tolist() == [0, 1, 1, 0]
    assert units_of_pairs(table(rows, ["t1__other"]), candidates).tolist() == [0, 1, 2, 3]


def test_joined_by_hand():
    segments = np.array([0, 0, 1, 2, 3, 3])
    references = np.array([5, 1, 1, 0, 2, 2])
    # Rows 0 and 1 share a segment, 1 and 2 a reference.
    assert joined(segments, references).tolist() == [0, 0, 0, 1, 2, 2]
    assert joined(segments).tolist() == [0, 0, 1, 2, 3, 3]
    assert joined(segments[:0], references[:0]).tolist() == []


def test_joined_by_a_loop():
    rng = np.random.default_rng(0)
    first, second = rng.integers(40, size=(2, 50))
    numbers = np.arange(50)
    for _ in range(50):
        for codes in (first, second):
            for code in set(codes):
                numbers[codes == code] = numbers[codes == code].min()
    found = joined(first, second)
    assert (found[:, np.newaxis] == found).tolist() == (numbers[:, np.newaxis] == numbers).tolist()
    assert 5 < len(set(found)) < 40


def test_what_has_no_code_shares_none():
    assert joined(np.array([-1, 0, 0, -1]), np.array([2, 1, -1, -1])).tolist() == [0, 1, 1, 2]


def test_order_by_content():
    units = np.array([0, 1, 0, 2, 1])
    hashes = np.array([5, 9, 3, 7, 2], dtype=np.uint64)
    order = by_content(hashes, units)
    assert sorted(order) == [0, 1, 2]
    again = by_content(hashes[::-1], np.array([2, 1, 0])[units][::-1])
    assert again.tolist() == np.array([2, 1, 0])[order].tolist()


def test_dealt_by_hand():
    order = np.array([3, 0, 4, 1, 2])
    assert deal(order, 2).tolist() == [1, 1, 0, 0, 0]
    assert deal(order, 2, runs=True).tolist() == [0, 1, 1, 0, 0]
    with pytest.raises(CandidateError, match="6 folds need as many segments, found 5"):
        deal(order, 6)


@pytest.mark.parametrize(
    ("n", "fraction", "expected"),
    [(10, 0.26, 3), (10, 0.24, 2), (10, 0.01, 1), (10, 0.99, 9), (2, 0.1, 1), (1, 0.5, 0),
     (0, 0.5, 0)],
)  # fmt: skip
def test_one_is_held_out_and_one_is_left(n, fraction, expected):
    order = np.arange(n) + 5
    held_out = hold_out(order, fraction, np.random.RandomState(0))
    assert len(set(held_out)) == len(held_out) == expected
    assert set(held_out) <= set(order)
    more = hold_out(order, fraction, np.random.RandomState(0), rounded=lambda x: int(x) + 1)
    assert len(more) == max(0, min(int(fraction * n) + 1, n - 1))
