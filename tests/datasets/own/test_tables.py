"""How tables are read: two readers of text agree on anything, damaged parquet is refused."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sklearn_mteval.datasets import load_rankings
from sklearn_mteval.datasets._files import lines_of
from sklearn_mteval.datasets.own import _arrow, _judged_rows, _reading, _tables
from sklearn_mteval.datasets.own._dialect import delimiter_of
from sklearn_mteval.exceptions import DataFileError

cells = st.text(st.sampled_from("ab1 é\u2028\x0b\\'"), max_size=3)
rows = st.lists(st.tuples(cells, cells, cells), max_size=6)


def table_of(path, quoted):
    """Read a table: its columns row by row and the lines, or the error."""
    try:
        table = _reading.read_any_table(path, quoted=quoted)
    except DataFileError as error:
        return str(error)
    columns = {}
    for name in table.columns:
        codes, texts = _tables.texts_of(table, name, default=None)
        columns[name] = texts[codes].tolist()
        assert list(dict.fromkeys(columns[name])) == texts.tolist()  # by first appearance
    return columns, table.lines.tolist(), table.n_rows


def read_twice(path, text, quoted):
    """Read a text by pyarrow, if it can, and by Python; tell whether it could."""
    path.write_bytes(text.encode())
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for few in (-1, 10**9):
            patch.setattr(_reading, "_FEW", few)
            found.append(table_of(path, quoted))
    assert found[0] == found[1], text
    plain = path.read_bytes().decode("utf-8-sig")
    delimiter = delimiter_of(path, lines_of(plain))
    return _arrow.columns_of_text(plain, delimiter, quoted is not False) is not None


@given(
    rows=rows, delimiter=st.sampled_from(",\t"), end=st.sampled_from(["\n", "\r\n"]),
    tail=st.sampled_from(["", "\n", "\r\n", "\n\n", "\r", "x", '"', "\ufeff"]),
    quoted=st.sampled_from([None, True, False]),
)  # fmt: skip
@example([("1", "2", "3")] * 3 + [("", "", "")], ",", "\n", "\n", None)
@example([("1", "2", "3"), ("1", "2,3", "3")], ",", "\n", "", None)
@example([("1", '"2"', "3")], ",", "\n", "", False)
@example([("1", "2\r3", "3")], "\t", "\n", "\n", False)
def test_both_readers_of_text_agree(tmp_path_factory, rows, delimiter, end, tail, quoted):
    path = tmp_path_factory.mktemp("tables") / "mine.csv"
    lines = [delimiter.join(row) for row in [("a", "b", "c"), *rows]]
    read_twice(path, end.join(lines) + tail, quoted)


@given(text=st.text(st.sampled_from('ab,\t\r\n" '), max_size=30))
def test_both_readers_agree_on_any_text(tmp_path_factory, text):
    for quoted in (None, True, False):
        read_twice(tmp_path_factory.mktemp("tables") / "mine.csv", text, quoted)


def test_what_pyarrow_reads(tmp_path):
    """Lines of equally many cells, without quotes, and no cell that is too long for Python."""
    read = [
        read_twice(tmp_path / "mine.csv", text, quoted)
        for text, quoted in [
            ("a,b\n1,2\n,NULL\n", None), ("a\tb\r\n1\t2\r\n", None), ('a,b\n1,"2"\n', False),
            ('a,b\n1,"2"\n', None), ("a,b\n\n1,2\n", None), ("a,b\n1,2,3\n", None),
            ("a,b\n1,2\r3\n", None), ("a,b\n", None), (f"a,b\n1,{'x' * 131_073}\n", None),
            (f"a,b\n1,{'x' * 131_073}\n", False),
        ]
    ]  # fmt: skip
    assert read == [True] * 3 + [False] * 6 + [True]


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setattr(_arrow, "pyarrow", None)
    assert not read_twice(tmp_path / "mine.csv", "a,b\n1,2\n", None)


INDICES = {  # of 16 cells in a dictionary of three: bits of an index, how often it follows, index
    "the first beyond": bytes([32, 32]) + (3).to_bytes(4, "little"),
    "far beyond": bytes([32, 32]) + (4).to_bytes(4, "little"),
    "negative": bytes([32, 32]) + (-2).to_bytes(4, "little", signed=True),
    "in bits": bytes([2, 5]) + b"\xff" * 4,
}


@pytest.mark.parametrize("case", INDICES)
def test_indices_out_of_a_dictionary(tmp_path, case):
    path = tmp_path / "mine.parquet"
    system = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0] * 4, pa.int32()), ["A", "B", "C"])
    columns = {"segment": pa.array(range(16)), "system": system, "rank": pa.array([1] * 16)}
    schema = pa.schema([pa.field(name, c.type, nullable=False) for name, c in columns.items()])
    table = pa.table(columns, schema=schema)
    pyarrow.parquet.write_table(table, path, compression="NONE", write_statistics=False)
    systems = load_rankings(path, better="lower").X.index.get_level_values("system")
    assert systems.tolist() == ["A", "B", "C", "A"] * 4
    content, indices = path.read_bytes(), bytes([2, 5]) + bytes([0b00100100] * 4)
    assert content.count(indices) == 1
    path.write_bytes(content.replace(indices, INDICES[case]))
    with pytest.raises(DataFileError, match=r"no parquet file that can be read \(.*out of bounds"):
        load_rankings(path, better="lower")


def test_cells_of_parquet_over_many_batches(tmp_path, monkeypatch):
    """Texts, numbers and what is missing, in dictionaries that change from batch to batch."""
    monkeypatch.setattr(_arrow, "_BATCH", 3)
    texts = ["a", "b", None, "a", "c", "c", "b", "", "d", "a", None]
    numbers = [1, None, 2**60, 1, 3, 3, 4, 5, 1, None, 0]
    path = tmp_path / "mine.parquet"
    table = pa.table({"t": texts, "n": numbers, "f": [0.5] * 10 + [None]})
    pyarrow.parquet.write_table(table, path, row_group_size=7)
    table = _reading.read_any_table(path)
    for name, cells in (("t", texts), ("n", numbers), ("f", [0.5] * 10 + [None])):
        codes, found = _tables.texts_of(table, name, default="-")
        assert found[codes].tolist() == ["-" if cell is None else str(cell) for cell in cells]


def test_combinations_beyond_64_bits_stay_apart():
    first = np.array([0, 2**22, 1])
    found = _judged_rows.joint(first, np.array([0, 0, 2**21 - 1]), np.array([0, 0, 2**21 - 1]))
    assert len(set(found.tolist())) == 3
