"""Orders by content: what they must not depend on, and what they must tell apart."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sklearn_mteval._helpers.order import (
    content_order,
    hash_cells,
    hash_rows,
    hash_sets,
    sparse_order,
)


def test_one_nan_one_zero_and_any_shape():
    other_nan = np.frombuffer(np.uint64(0xFFF8000000000001).tobytes(), np.float64)[0]
    assert np.isnan(other_nan)
    hashes = hash_cells(np.array([[0.0, -0.0], [np.nan, other_nan]]))
    assert hashes.shape == (2, 2)
    assert (hashes[:, 0] == hashes[:, 1]).all()
    assert hashes[0, 0] != hashes[1, 0]
    assert hash_cells(np.float32([0.5])).dtype == np.uint64


def test_columns_are_not_interchangeable():
    a, b = np.array([1.0, 2.0]), np.array([2.0, 1.0])
    hashes = hash_rows([a, b], 2)
    assert hashes[0] != hashes[1]
    assert hash_rows([], 2).tolist() == [0, 0]


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=6), st.randoms())
def test_sets_are_told_apart_by_their_rows_and_how_often(groups, random):
    rows = [(code, value) for code, group in enumerate(groups) for value in group]
    random.shuffle(rows)
    codes = np.array([code for code, _ in rows], dtype=np.int64)
    hashes = hash_cells(np.array([float(value) for _, value in rows]))
    sums = hash_sets(hashes, codes)
    for one, other in itertools.combinations(range(len(sums)), 2):
        assert (sums[one] == sums[other]) == (sorted(groups[one]) == sorted(groups[other]))


def test_rows_that_cancel_out_in_a_plain_sum_do_not():
    """{1, 4} and {2, 3} have the same sum; hashes may, too."""
    hashes = np.array([1, 4, 2, 3], dtype=np.uint64)
    one, other = hash_sets(hashes, np.array([0, 0, 1, 1]))
    assert one == 1 + 1 + 16 + 4 != other == 4 + 2 + 9 + 3


judgements = st.lists(
    st.tuples(*[st.integers(0, 2)] * 2, st.integers(0, 2), st.sampled_from([0, 1, np.nan])),
    max_size=20,
)


@given(judgements, st.randoms())
def test_the_ordered_table_is_the_same_for_any_order_and_names(rows, random):
    def ordered(rows, segment_names, group_names):
        segments = np.array([segment_names[row[0]] for row in rows], dtype=np.int64)
        groups = np.array([group_names[row[0]][row[1]] for row in rows], dtype=np.int64)
        human, metric = (np.array([float(row[k]) for row in rows]) for k in (2, 3))
        order, new_groups, new_segments = content_order(segments, groups, human, metric)
        assert sorted(order) == list(range(len(rows)))
        assert (np.diff(new_groups) >= 0).all()
        assert set(new_segments) == set(range(len(set(segments))))
        # The same rows stand together as before.
        assert len({*zip(groups[order], new_groups, strict=True)}) == len(set(groups))
        assert len({*zip(segments[order], new_segments, strict=True)}) == len(set(segments))
        content = [f"{h} {m}" for h, m in zip(human[order], metric[order], strict=True)]
        members = [
            [
                [content[k] for k in np.flatnonzero(new_groups == group)]
                for group in np.unique(new_groups[new_segments == segment])
            ]
            for segment in range(len(set(segments)))
        ]
        return content, members

    names = [[3 * segment + group for group in range(3)] for segment in range(3)]
    expected = ordered(rows, range(3), names)
    random.shuffle(rows)
    renamed = random.sample(range(12), 12)
    others = [[renamed[name] for name in group] for group in names]
    found = ordered(rows, random.sample(range(3), 3), others)
    assert found == expected


def test_equal_groups_of_unlike_segments_have_their_places():
    """Their rows may be ordered differently, so that sums over both may differ in the last bit."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        human, metric = np.ones(6), np.array([0, 1, 0, 1, 0, np.nan])
        groups, segments = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 1, 1])
        orders = []
        for names in (np.arange(3), rng.permutation(3)):
            shuffled = rng.permutation(6)
            given = segments[shuffled], names[groups[shuffled]], human, metric[shuffled]
            orders.append(shuffled[content_order(*given)[0]].tolist())
        assert orders[0] == orders[1]


def test_segments_of_equal_rows_are_told_apart_by_their_groups():
    """Both have the rows 1, 2, 3, 4: one in the groups {1, 2} and {3, 4}, the other otherwise."""
    human = np.array([1.0, 2, 3, 4, 1, 3, 2, 4])
    groups = np.repeat(np.arange(4), 2)
    segments = np.repeat([0, 1], 4)
    firsts = []
    for names in ([0, 1], [1, 0]):
        order, _, numbers = content_order(np.array(names)[segments], groups, human)
        firsts.append(set(segments[order][numbers == 0]))
    assert firsts[0] == firsts[1]


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows(n_rows):
    codes = np.zeros(n_rows, dtype=np.int64)
    assert [len(part) for part in content_order(codes, codes, np.ones(n_rows))] == [n_rows] * 3


@given(st.integers(0, 999), st.integers(1, 12), st.integers(1, 6))
def test_sparse_rows_are_ordered_as_whole_ones(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (n_rows, n_columns)) * rng.integers(0, 2, (n_rows, n_columns))
    found = sparse_order(csr_array(table.astype(np.float32)))
    np.testing.assert_array_equal(found, np.lexsort(table.T[::-1]))
