import datetime
import decimal
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refused_imports import run_refusing

from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.scale import tables
from sklearn_mteval.scale.tables import from_parquet, kinds_of, to_arrow, to_pandas, to_parquet

INDEX = pd.MultiIndex.from_arrays([[7, 7, 3], ["a", "ü", "a"]], names=["segment", "system"])
COLUMNS = {
    "texts of Python": np.array(["a", "", "line\nline\0🙂"], dtype=object),
    "some missing": np.array(["a", None, "b"], dtype=object),
    "all missing": np.array([None] * 3, dtype=object),
    "pandas' texts": pd.array(["a", np.nan, "c"], dtype=pd.StringDtype(na_value=np.nan)),
    "lists": pd.Series([["a", "b"], [], ["c"]], dtype=object).to_numpy(),
    "floats": np.array([np.nan, -0.0, np.inf]),
    "bool": np.array([True, False, True]),
    **{
        name: np.array([0, 1, 100], dtype=name)
        for name in ("int8", "int64", "uint8", "uint64", "float32")
    },
}
LEVELS = {
    "int32": np.array([1, 1, 2], dtype="int32"),
    "objects": pd.Index(["x", "x", "y"], dtype=object),
    "floats": [0.5, 0.5, 1.5],
}


def table(column=None, index=INDEX):
    """A table with a column of the very type that is given."""
    X = pd.DataFrame({"hypothesis": ["x", "y", "z"]}, index, dtype=object)
    if column is None:
        return X
    return X.assign(other=pd.Series(column, index, dtype=getattr(column, "dtype", None)))


def there_and_back(X, y=None):
    arrow = to_arrow(X, y)
    kinds = kinds_of(arrow.schema)
    read = from_parquet("part", to_parquet(arrow), kinds, len(X))
    return to_pandas(read, kinds, X.index.nlevels)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_come_back_as_they_were(name):
    X = table(COLUMNS[name])
    found, y = there_and_back(X)
    pd.testing.assert_frame_equal(found, X, check_exact=True)
    assert y is None
    assert found.index.equals(X.index)
    if name == "floats":
        assert np.signbit(found["other"].iloc[1])


@pytest.mark.parametrize("name", LEVELS)
def test_labels_come_back_as_they_were(name):
    labels = [LEVELS[name], ["r1", "r2", "r1"], ["a", "ü", "a"]]
    X = table(index=pd.MultiIndex.from_arrays(labels, names=["segment", "ranking", "system"]))
    found, _ = there_and_back(X)
    assert found.index.equals(X.index)
    assert found.index.dtypes.equals(X.index.dtypes)
    assert found.index.names == X.index.names


def test_ranks_come_back_with_the_index():
    found, y = there_and_back(table(), pd.Series([1.5, 2.0, 1.0]))
    assert y.tolist() == [1.5, 2.0, 1.0]
    assert y.index.equals(found.index)


def test_a_text_that_is_there_twice_is_one_object():
    X = table(np.array(["same", "same", "other"], dtype=object))
    found, _ = there_and_back(X)
    assert found["other"].iloc[0] is found["other"].iloc[1]


REFUSED = {
    "tuples": [("a", 1), ("b", 2), ("c", 3)],
    "bytes": [b"a", b"b", b"c"],
    "texts and lists": ["a", ["b"], "c"],
    "lists with None": [["a", None], ["b"], ["c"]],
    "half a character": ["\ud800", "a", "b"],
    "integers as objects": [1, 2, 3],
    "integers beyond 64 bits": [1 << 70, 2, 3],
    "decimals": [decimal.Decimal(1)] * 3,
    "dates": [datetime.date(2020, 1, 1)] * 3,
    "dicts": [{}, {}, {}],
    "of all types": ["a", 1, None],
}
REFUSED_TYPES = {
    "times": pd.date_range("2020", periods=3),
    "a category": pd.Categorical(["a", "b", "a"]),
    "pandas' integers": pd.array([1, 2, None], dtype="Int64"),
    "pandas' other texts": pd.array(["a", "b", pd.NA], dtype=pd.StringDtype(na_value=pd.NA)),
    "complex": np.array([1j, 1, 2]),
    "half precision": np.array([1, 2, 3], dtype="float16"),
    "another byte order": np.array([1, 2, 3], dtype=">f8"),
}


@pytest.mark.parametrize("name", [*REFUSED, *REFUSED_TYPES])
def test_what_would_not_come_back_is_refused_by_name(name):
    values = REFUSED_TYPES.get(name)
    if values is None:
        values = np.empty(3, dtype=object)
        values[:] = REFUSED[name]
    with pytest.raises(CandidateError, match=r"'other': expected texts.*found"):
        to_arrow(table(values))


@pytest.mark.parametrize(
    ("X", "problem"),
    [
        (table().rename(columns={"hypothesis": 3}), "Names .* are texts, found 3"),
        (table().rename(columns={"hypothesis": "segment"}), "'segment' is there twice"),
        (table(1)[["other", "other"]], "'other' is there twice"),
        (table().rename(columns={"hypothesis": "y"}), "'y' is there twice"),
        (table().rename_axis([None, "system"]), "Names .* are texts, found None"),
    ],
)
def test_names_must_be_distinct_texts(X, problem):
    with pytest.raises(CandidateError, match=problem):
        to_arrow(X, pd.Series([1, 2, 3]))


def test_equal_tables_are_equal_bytes():
    X = table(COLUMNS["lists"])
    assert to_parquet(to_arrow(X)) == to_parquet(to_arrow(X.copy()))
    halves = pa.concat_tables([to_arrow(X[:1]), to_arrow(X[1:])])
    assert to_parquet(halves) == to_parquet(to_arrow(X))


KINDS = {"segment": "int64", "system": "str", "hypothesis": "text", "other": "float64"}


def content(X=None, **changes):
    X = table([1.0, 2.0, 3.0]) if X is None else X
    return to_parquet(to_arrow(X.assign(**changes)))


def written(arrow):
    stream = io.BytesIO()
    pq.write_table(arrow, stream)
    return stream.getvalue()


HOSTILE = {
    "empty": (b"", "no parquet file"),
    "texts": (b"segment,system\n", "no parquet file"),
    "cut": (content()[:-20], "no parquet file"),
    "its middle lost": (content()[:40] + content()[80:], "no parquet file"),
    "rows": (content(table([1.0, 2.0, 3.0])[:2]), "expected 3 rows, found 2"),
    "another column": (content(more=1), "expected the columns"),
    "another type": (content(other=[1, 2, 3]), "expected the columns"),
    "another order": (content(table()[[]].assign(other=1.0, hypothesis="x")), "expected the col"),
    "objects": (written(pa.table({"a": [{"b": 1}] * 3})), "expected the columns"),
    "no number": (
        written(
            to_arrow(table([1.0, 2.0, 3.0])).set_column(3, "other", pa.array([1.0, None, 3.0]))
        ),
        "'other': some rows have no number",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_not_as_it_should_be_is_refused(name):
    given, problem = HOSTILE[name]
    with pytest.raises(DataFileError, match=f"part: .*{problem}"):
        from_parquet("part", given, KINDS, 3)


def parquet_size(content):
    """What the file itself says that it unpacks to."""
    group = pq.ParquetFile(pa.BufferReader(content)).metadata.row_group(0)
    return sum(group.column(k).total_uncompressed_size for k in range(group.num_columns))


@pytest.mark.parametrize("column", ["x" * 10_000, ["x" * 9_000, "y" * 1000]])
def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(column, monkeypatch):
    n_rows = 500  # one text, in all rows
    index = pd.MultiIndex.from_product([range(n_rows), ["a"]], names=["segment", "system"])
    arrow = to_arrow(pd.DataFrame({"other": pd.Series([column] * n_rows, index, dtype=object)}))
    small, kinds = to_parquet(arrow), kinds_of(arrow.schema)
    assert len(small) < 100_000
    assert parquet_size(small) < 1_000_000
    assert len(from_parquet("part", small, kinds, n_rows)) == n_rows
    monkeypatch.setattr(tables, "MOST_BYTES", 1_000_000)
    with pytest.raises(DataFileError, match="unpacks to more than"):
        from_parquet("part", small, kinds, n_rows)


def test_what_could_not_be_read_again_is_not_written(monkeypatch):
    arrow = to_arrow(table())
    content = to_parquet(arrow)
    monkeypatch.setattr(tables, "MAX_WHOLE", len(content))
    assert to_parquet(arrow) == content
    monkeypatch.setattr(tables, "MAX_WHOLE", len(content) - 1)
    with pytest.raises(CandidateError, match=r"A file of 3 rows .* write fewer segments"):
        to_parquet(arrow)


def test_a_file_that_says_it_unpacks_to_too_much_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(tables, "MOST_BYTES", 100)
    with pytest.raises(DataFileError, match="unpacks to more than"):
        from_parquet("part", content(), KINDS, 3)


@pytest.mark.slow
def test_without_the_extra_it_is_named():
    code = "from sklearn_mteval.scale import write_partitions\nwrite_partitions(None, 'x')"
    run = run_refusing(["pyarrow"], code)
    assert 'pip install "sklearn-mteval[distributed]"' in run.stderr
