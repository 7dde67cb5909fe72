from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.scale import dealing
from sklearn_mteval.scale.dealing import ROW, SEGMENT, cut, in_order, label_hashes, row_hashes


def hashed(segments, rows=None):
    """A table of hashes, and of the numbers of its rows."""
    rows = range(len(segments)) if rows is None else rows
    return pa.table(
        {
            "number": pa.array(range(len(segments)), pa.int64()),
            SEGMENT: pa.array(np.array(segments, dtype=np.uint64)),
            ROW: pa.array(np.array(rows, dtype=np.uint64)),
        }
    )


def read(tables, name="number"):
    return [number for table in tables for number in table[name].to_pylist()]


@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.integers(0, 2**64 - 1),
                st.integers(0, 5),  # equal first bits: dealt again and again
                st.integers(0, 3).map(lambda k: k << 61),
            ),
            st.integers(0, 3),
        ),
        max_size=60,
    ),
    st.integers(1, 60),
    st.sampled_from([1, 100, 400, 1 << 20]),
)
def test_any_cut_and_any_memory_give_the_order_of_one_sort(tmp_path_factory, rows, n, held):
    folder = tmp_path_factory.mktemp("dealt")
    table = hashed([s for s, _ in rows], [r for _, r in rows])
    pieces = (table.slice(k, n) for k in range(0, len(rows), n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dealing, "MOST_HELD", held)
        found = list(in_order(pieces, folder))
    expected = sorted(range(len(rows)), key=rows.__getitem__)  # stable: as they came
    assert read(found) == expected
    assert not list(folder.iterdir())


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(1, 5), st.data())
def test_segments_are_cut_by_their_number(sizes, n_segments, data):
    table = hashed(np.repeat(np.arange(len(sizes)) * 7, sizes))
    # Pieces hold whole segments, as in_order yields them.
    ends = np.cumsum(sizes)
    cuts = sorted({0, len(table), *data.draw(st.lists(st.sampled_from(ends.tolist())))})
    pieces = [table.slice(a, b - a) for a, b in pairwise(cuts)]
    found = list(cut(pieces, n_segments))
    assert read(found) == list(range(len(table)))
    numbers = [len(set(part[SEGMENT].to_pylist())) for part in found]
    assert numbers[:-1] == [n_segments] * (len(found) - 1)
    assert 1 <= numbers[-1] <= n_segments


def test_nothing_is_cut_of_nothing(tmp_path):
    assert list(cut(in_order(iter([]), tmp_path), 3)) == []


def test_a_label_has_one_hash_whatever_its_type():
    kinds = [
        pd.Index([1, 2, 1]), pd.Index([1, 2, 1], dtype="int8"), pd.Index(["1", "2", "1"]),
        pd.Index(["1", "2", "1"], dtype=object), pd.Index([1, 2, 1], dtype=object),
    ]  # fmt: skip
    first, *others = [label_hashes(labels).tolist() for labels in kinds]
    assert all(other == first for other in others)
    assert first[0] == first[2] != first[1]
    assert label_hashes(pd.Index([], dtype=object)).tolist() == []


def test_the_hash_of_a_label_is_the_same_for_ever():
    """Folders that were written stay readable: SipHash-2-4 of the text, as pandas has it."""
    hashes = label_hashes(pd.Index(["wmt15:1", "ü"])).tolist()
    assert [f"{number:016x}" for number in hashes] == ["ef8389c7c922efc5", "5cd6c8d05a2193cb"]


def test_rows_are_hashed_by_all_labels():
    index = pd.MultiIndex.from_product([[1, 2], ["a", "b"], ["a", "b"]])
    assert len(set(row_hashes(index).tolist())) == 8
    order = np.array([3, 0, 7, 1, 2, 6, 5, 4])
    assert row_hashes(index[order]).tolist() == row_hashes(index)[order].tolist()
