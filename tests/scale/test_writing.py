import errno
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.scale import Partitions, collect, dealing, write_partitions


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def written(sample, tmp_path):
    X, y = sample
    return write_partitions(X, tmp_path / "sample", y=y, segments_per_file=50)


def test_a_table_is_cut_into_whole_segments_and_comes_back(sample, written):
    X, y = sample
    found = list(written)
    assert [len(table) for table, _ in found] == [250, 250, 140]  # 128 segments of five
    assert len(written) == 3
    segments = [set(table.index.get_level_values("segment")) for table, _ in found]
    assert sum(map(len, segments)) == len(set.union(*segments)) == 128
    pd.testing.assert_frame_equal(collect(written.folder).loc[X.index], X)
    ranks = pd.concat([ranks for _, ranks in found])
    assert ranks.loc[X.index].tolist() == y.tolist()


def test_partitions_are_read_as_often_as_wanted(written):
    first, second = (pd.concat([X for X, _ in written]) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


@settings(max_examples=15)
@given(data=st.data())
def test_any_order_and_any_tables_are_the_same_bytes(sample, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("written")
    X, y = (table.iloc[:200] for table in sample)
    write_partitions(X, folder / "whole", y=y, segments_per_file=7)
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(len(X))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(X)), max_size=9)))
    parts = [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(X)], strict=True)]
    pairs = ((X.iloc[rows], y.iloc[rows].to_numpy()) for rows in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dealing, "MOST_HELD", data.draw(st.sampled_from([9_000, 20_000, 1 << 30])))
        write_partitions(pairs, folder / "cut", segments_per_file=7)
    assert contents(folder / "cut") == contents(folder / "whole")


def test_tables_without_ranks_may_come_one_by_one(sample, tmp_path):
    X, _ = sample
    found = write_partitions(iter([X[:100], X[:0], X[100:]]), tmp_path / "a")
    assert [(len(table), ranks) for table, ranks in found] == [(640, None)]


def rows(segments, systems="a", **columns):
    index = [(segment, system) for segment in segments for system in systems]
    index = pd.MultiIndex.from_tuples(index, names=["segment", "system"])
    return pd.DataFrame({"hypothesis": "x", **columns}, index)


REFUSED = {
    "no table": (["a"], "Expected a pandas DataFrame"),
    "no row": ([rows([])], "X has no row"),
    "no tables": ([], "X has no row"),
    "a row twice": ([rows([1, 2]), rows([3, 1])], r"The index \(1, 'a'\) is there twice"),
    "other columns": ([rows([1]), rows([2], source="s")], "Table 1 has other columns"),
    "other types": ([rows([1]), rows(["2"])], "Table 1 has other columns"),
    "ranks of some": ([(rows([1]), [1]), rows([2])], "Table 1 has other columns"),
    "too few ranks": ([(rows([1, 2]), [1])], "y has 1 entries for 2 rows"),
    "ranks missing": ([(rows([1]), [np.nan])], "y has NaN"),
    "other levels": (
        [rows([1]), rows([2]).rename_axis(["segment", "x"])],
        "index level 'system' is missing",
    ),
    "tuples as labels": ([rows([(1, 2)])], "'segment': expected texts"),
}


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize("name", REFUSED)
def test_what_breaks_the_contract_leaves_nothing(name, made, tmp_path):
    tables, problem = REFUSED[name]
    folder = tmp_path / "new"
    if not made:
        folder.mkdir()
    with pytest.raises(CandidateError, match=problem):
        write_partitions(tables, folder, segments_per_file=1)
    assert (not folder.exists()) if made else not list(folder.iterdir())


def test_ranks_of_an_iterator_come_with_its_tables(tmp_path):
    with pytest.raises(CandidateError, match="let it yield pairs"):
        write_partitions(iter([rows([1])]), tmp_path / "a", y=[1])


@pytest.mark.parametrize("n", [0, -1, 2.5, "5", None])
def test_segments_per_file_is_a_count(n, tmp_path):
    with pytest.raises(ValueError, match="segments_per_file must be an integer"):
        write_partitions(rows([1]), tmp_path / "a", segments_per_file=n)


def test_a_folder_that_holds_something_is_not_written_into(written, tmp_path):
    before = contents(written.folder)
    with pytest.raises(DataFileError, match=r"sample: it holds partitions already"):
        write_partitions(rows([1]), written.folder)
    assert contents(written.folder) == before
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataFileError, match=r"it holds 'notes.txt' already"):
        write_partitions(rows([1]), tmp_path)
    with pytest.raises(DataFileError, match="cannot be used as a folder"):
        write_partitions(rows([1]), tmp_path / "notes.txt")


def test_what_a_kill_has_left_is_no_folder_of_partitions_and_goes(written, tmp_path):
    (written.folder / "partitions.json").unlink()  # it is written last
    (written.folder / ".x.mteval-tmp").mkdir()
    (written.folder / ".x.mteval-tmp" / "00").write_bytes(b"dealt")
    (written.folder / ".y.mteval-tmp").write_bytes(b"half")
    with pytest.raises(DataFileError, match=r"no partitions.json in it. What writes it was inter"):
        Partitions(written.folder)
    found = write_partitions(rows([1]), written.folder)
    assert len(found) == 1
    assert sorted(contents(written.folder)) == ["part-000000.parquet", "partitions.json"]


@pytest.mark.parametrize("nth", [1, 3, 4])  # a part, a later one, the manifest
def test_a_full_disk_is_told_and_leaves_nothing(nth, sample, tmp_path, monkeypatch):
    calls = []

    def full(handle):
        calls.append(handle)
        if len(calls) == nth:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    monkeypatch.delattr("os.O_DIRECTORY")  # whose fsync counts not
    with pytest.raises(DataFileError, match=r"cannot be written \(No space left on device\)"):
        write_partitions(sample[0], tmp_path / "a", segments_per_file=50)
    assert not (tmp_path / "a").exists()


def test_a_full_disk_while_tables_are_dealt_is_told(sample, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(dealing, "MOST_HELD", 1)
    monkeypatch.setattr(dealing._Files, "deal", full)
    with pytest.raises(DataFileError, match=r"a: cannot be written into \(No space left"):
        write_partitions(sample[0], tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("of the reader")])
def test_an_interrupt_leaves_nothing(error, sample, tmp_path):
    def tables():
        yield sample[0][:100]
        raise error

    with pytest.raises(type(error)):
        write_partitions(tables(), tmp_path / "a", segments_per_file=1)
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only_is_told(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DataFileError, match="Permission denied"):
        write_partitions(rows([1]), tmp_path / "a")
