"""Candidate tables as parquet, and back without a difference: values, types, labels.

A column is of a *kind*: "text" (Python's strings, or None), "str" (pandas' type), "texts" (lists of
strings), or numpy's name of a number. Levels stand before the columns, the target behind them.
"""

import io

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.files import MAX_WHOLE
from sklearn_mteval.datasets.own._arrow import explained
from sklearn_mteval.exceptions import CandidateError, DataFileError

TARGET = "y"
_NUMBERS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "bool",
)  # fmt: skip
KINDS = ("text", "str", "texts", *_NUMBERS)

_ROWS = 1 << 14  # unpacked at once
MOST_BYTES = 4 << 30  # that a file may unpack to


def pyarrow(module="pyarrow"):
    """Import pyarrow, or a module of it."""
    return import_extra(module, "distributed", "Partitions: reading and writing parquet")


def to_arrow(X, y=None):
    """Make an Arrow table; CandidateError names a column that would not come back as it is."""
    names = [*X.index.names, *X.columns, *([] if y is None else [TARGET])]
    for place, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise CandidateError(f"Names in partitions are texts, found {name!r}: rename it.")
        if name in names[:place]:
            raise CandidateError(
                f"The name {name!r} is there twice, among index levels, columns and {TARGET!r} of "
                "the target: rename one of them."
            )
    levels = [X.index.get_level_values(k) for k in range(X.index.nlevels)]
    values = [*levels, *(X.iloc[:, k] for k in range(X.shape[1])), *([] if y is None else [y])]
    arrays = [_array(name, column) for name, column in zip(names, values, strict=True)]
    return pyarrow().table(dict(zip(names, arrays, strict=True)))


def _array(name, values):
    """Make an Arrow array of a column or an index level."""
    arrow, dtype = pyarrow(), values.dtype
    if isinstance(dtype, np.dtype) and dtype.name in _NUMBERS and dtype.isnative:
        return arrow.array(np.asarray(values))  # NaN stays NaN
    found = dtype
    try:
        if isinstance(dtype, pd.StringDtype) and dtype.na_value is np.nan:
            return arrow.array(values, arrow.large_string(), from_pandas=True)
        if isinstance(dtype, np.dtype) and dtype.kind == "O":
            array = arrow.array(np.asarray(values), from_pandas=True)
            kind = _kind(array.type)
            if arrow.types.is_null(array.type):
                return array.cast(arrow.string())
            if kind == "text" or (kind == "texts" and not array.flatten().null_count):
                return array
            found = f"objects, {array.type}"
    except (arrow.ArrowException, UnicodeEncodeError, OverflowError) as error:
        found = f"what is none of these ({error})"
    raise CandidateError(
        f"{name!r}: expected texts, lists of texts, or numbers of numpy's types, found {found}. "
        "Partitions hold what comes back the same. Where some cells are texts and some are lists, "
        f"make all lists; else convert it, as with X[{name!r}].astype(str)."
    )


def _kind(of):
    """Name the kind of an Arrow type; None if a partition does not hold it."""
    types = pyarrow().types
    if types.is_dictionary(of):
        of = of.value_type
    if types.is_string(of):
        return "text"
    if types.is_large_string(of):
        return "str"
    if types.is_list(of):
        return "texts" if _kind(of.value_type) == "text" else None
    name = {"float": "float32", "double": "float64"}.get(str(of), str(of))
    return name if name in _NUMBERS else None


def kinds_of(schema):
    """Return a dict from the names of an Arrow schema to kinds."""
    return {field.name: _kind(field.type) for field in schema}


def to_parquet(table):
    """Write a table as bytes, equal ones of equal tables; CandidateError if it is too large."""
    stream = io.BytesIO()
    pyarrow("pyarrow.parquet").write_table(
        table.combine_chunks(), stream, compression="zstd", row_group_size=max(1, len(table))
    )
    if table.nbytes > MOST_BYTES or stream.tell() > MAX_WHOLE:
        raise CandidateError(
            f"A file of {len(table):,} rows would have {table.nbytes:,} bytes, which is too many: "
            "write fewer segments to a file, segments_per_file=."
        )
    return stream.getvalue()


def from_parquet(path, content, kinds, n_rows):
    """Read an Arrow table of these kinds and rows; DataFileError if it is another, or huge."""
    with explained(path):
        source = pyarrow().BufferReader(content)
        found = kinds_of(pyarrow("pyarrow.parquet").read_schema(source))
        if list(found.items()) != list(kinds.items()):
            raise DataFileError(path, f"expected the columns {kinds}, found {found}.")
        table = _bounded(path, source, kinds)
    for name, column in zip(kinds, table.columns, strict=True):
        if column.null_count and kinds[name] not in ("text", "str"):
            raise DataFileError(path, f"{name!r}: some rows have no number.")
    if len(table) != n_rows:
        raise DataFileError(path, f"expected {n_rows} rows, found {len(table)}.")
    return table


def _bounded(path, source, kinds):
    """Read the rows of a parquet file, in batches, as long as they do not unpack to too much."""
    texts = [name for name, kind in kinds.items() if kind in ("text", "str")]
    texts += [f"{name}.list.element" for name, kind in kinds.items() if kind == "texts"]
    file = pyarrow("pyarrow.parquet").ParquetFile(source, read_dictionary=texts)
    groups = [file.metadata.row_group(k) for k in range(file.num_row_groups)]
    _check_size(
        path, sum(g.column(k).total_uncompressed_size for g in groups for k in range(g.num_columns))
    )
    batches, held = [], 0
    for batch in file.iter_batches(_ROWS, use_threads=False):
        batch.validate(full=True)  # indices beyond a dictionary
        held += sum(_unpacked(column) for column in batch.columns)
        _check_size(path, held)
        batches.append(batch)
    return pyarrow().Table.from_batches(batches, file.schema_arrow)


def _check_size(path, n_bytes):
    """Raise for a file that unpacks to too much."""
    if n_bytes > MOST_BYTES:
        raise DataFileError(path, f"it unpacks to more than {MOST_BYTES >> 20:,} MiB.")


def _unpacked(array):
    """Count the bytes of an array's values, repeated ones as often as they are there."""
    arrow = pyarrow()
    if arrow.types.is_list(array.type):
        return _unpacked(array.flatten())
    if not arrow.types.is_dictionary(array.type):
        return array.nbytes
    lengths = pyarrow("pyarrow.compute").binary_length(array.dictionary)
    return int(np.append(lengths.fill_null(0), 0)[array.indices.fill_null(-1)].sum(dtype=np.int64))


def to_pandas(table, kinds, levels):
    """Return X, whose first ``levels`` columns are its index, and y or None, of an Arrow table."""
    columns = {
        name: _values(column, kind)
        for (name, kind), column in zip(kinds.items(), table.columns, strict=True)
    }
    # Types are named throughout: of objects pandas would make strings of its own.
    names = list(kinds)[:levels]
    labels = [columns.pop(name) for name in names]
    index = pd.MultiIndex.from_arrays([pd.Index(v, dtype=v.dtype) for v in labels], names=names)
    y = columns.pop(TARGET, None)
    columns = {name: pd.Series(v, index, dtype=v.dtype) for name, v in columns.items()}
    return pd.DataFrame(columns, index), None if y is None else pd.Series(y, index, name=TARGET)


def _values(column, kind):
    """Return the values of an Arrow column; a text that is there twice is one Python object."""
    if kind == "text":
        column = column.unify_dictionaries().combine_chunks()
        known = np.append(column.dictionary.to_numpy(zero_copy_only=False), [None])
        return known[column.indices.fill_null(len(known) - 1).to_numpy()]
    if kind == "texts":
        cells = np.empty(len(column), dtype=object)
        cells[:] = column.to_pylist()
        return cells
    if kind == "str":
        return column.cast(pyarrow().large_string()).to_pandas().array
    return column.to_numpy()
