import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval._helpers.pairs import pairs_of_rows, pairs_within


@pytest.mark.parametrize("ordered", [True, False])
@given(st.lists(st.integers(0, 6), max_size=6))
def test_pairs_against_itertools(ordered, sizes):
    enumerate_pairs = itertools.permutations if ordered else itertools.combinations
    expected, first = [], 0
    for size in sizes:
        expected += enumerate_pairs(range(first, first + size), 2)
        first += size
    i, j = pairs_within(sizes, ordered=ordered)
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == sorted(expected)
    assert i.dtype == j.dtype == np.int64


@pytest.mark.parametrize("ordered", [True, False])
@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.data())
def test_ranges_of_rows_make_up_the_whole(ordered, sizes, data):
    cut = data.draw(st.integers(0, sum(sizes)))
    whole = pairs_within(sizes, ordered=ordered)
    parts = [
        pairs_within(sizes, 0, cut, ordered=ordered),
        pairs_within(sizes, cut, ordered=ordered),
    ]
    for k in (0, 1):
        np.testing.assert_array_equal(np.concatenate([part[k] for part in parts]), whole[k])


@given(sizes=st.lists(st.integers(1, 5), max_size=6))
def test_pairs_are_those_of_itertools(sizes):
    groups = np.repeat(np.arange(len(sizes)) * 3, sizes)
    first, second = pairs_of_rows(groups)
    expected = [
        (i, j) for i, j in itertools.combinations(range(len(groups)), 2) if groups[i] == groups[j]
    ]
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == expected
