"""Columns of files, read by pyarrow: of parquet, and of plain text where pyarrow is installed.

A column is codes, one for each row, and the distinct cells that they stand for.
"""

import re
from contextlib import contextmanager

import numpy as np

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.files import MAX_WHOLE
from sklearn_mteval.datasets._files import Place, check_header
from sklearn_mteval.exceptions import DataFileError

try:
    import pyarrow
    from pyarrow import csv
except ImportError:
    pyarrow = None

_LONGEST = 131_072  # characters of a cell that Python's csv module reads
_MOST_CELLS = MAX_WHOLE // 8  # of a parquet file, whose repeated values take next to no space
_BATCH = 1 << 16  # rows of a parquet file that are unpacked at once


def columns_of_text(text, delimiter, quoted):
    """Return the header, a list of the columns, and the number of rows.

    None if another reader must look at each line: for what may be quoted, for blank lines, single
    carriage returns and rows of another number of cells, or without pyarrow.
    """
    if pyarrow is None or (quoted and '"' in text):
        return None
    text = text.replace("\r\n", "\n")
    if "\r" in text or "\n\n" in text or text.startswith("\n"):
        return None
    header, _, rows = text.removesuffix("\n").partition("\n")
    data = rows.encode()
    header = header.split(delimiter)
    names = [str(k) for k in range(len(header))]
    of_texts = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    try:
        table = csv.read_csv(
            pyarrow.BufferReader(data),
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=dict.fromkeys(names, of_texts), null_values=[]),
        )
    except (pyarrow.ArrowException, OverflowError):  # no rows are none that it reads
        return None
    columns = [_distinct(column) for column in table.columns]
    if quoted and any(len(cell) > _LONGEST for _, cells in columns for cell in cells if cell):
        return None
    return header, columns, len(table)


def columns_of_parquet(path, content, known, max_bytes):
    """Return a dict from the names of columns to the flat ones, None if nested; and n_rows."""
    parquet = import_extra("pyarrow.parquet", "parquet", f"{path}: reading parquet")
    types, source = pyarrow.types, pyarrow.BufferReader(content)
    with explained(path):
        schema = parquet.ParquetFile(source).schema_arrow
        check_header(path, None, schema.names, [], known)
        texts = [field.name for field in schema if _is_text(types, field.type)]
        file = parquet.ParquetFile(source, read_dictionary=texts)
        n_rows, held = file.metadata.num_rows, 0
        if n_rows * len(schema) > (max_bytes or _MOST_CELLS):
            raise Place(path).error(
                f"{n_rows} rows of {len(schema)} columns are too many. If that is no mistake, "
                "raise the limit: max_bytes= of the function that reads the file, a byte a cell."
            )
        flat = {field.name: [] for field in schema if not types.is_nested(field.type)}
        for batch in file.iter_batches(_BATCH, columns=list(flat), use_threads=False):
            batch.validate(full=True)  # indices beyond a dictionary
            for column, parts in zip(batch.columns, flat.values(), strict=True):
                # Only dictionaries are unpacked: their number of rows says nothing of their size.
                if types.is_dictionary(column.type) and not (
                    parts and column.dictionary.equals(parts[-1].dictionary)
                ):
                    held += column.dictionary.nbytes
                if held > (max_bytes or MAX_WHOLE):
                    raise DataFileError(path, "it unpacks to more than 1 GiB, or max_bytes=.")
                parts.append(column)
        columns = dict.fromkeys(schema.names)
        for name, parts in flat.items():
            columns[name] = _distinct(pyarrow.chunked_array(parts or [pyarrow.nulls(0)]))
    return columns, n_rows


@contextmanager
def explained(path):
    """Name the file in what reading parquet raises."""
    try:
        yield
    except (pyarrow.ArrowException, OSError, OverflowError) as error:
        reason = re.sub(r"\s+", " ", str(error))[:200]
        raise DataFileError(path, f"no parquet file that can be read ({reason}).") from None


def _is_text(types, kind):
    """Tell whether a column's cells are texts, which a file may hold once for many rows."""
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _distinct(column):
    """Return the codes and the distinct cells, and None, of a column in parts."""
    try:
        column = column.dictionary_encode().unify_dictionaries().combine_chunks()
    except pyarrow.ArrowNotImplementedError:  # as of what pyarrow cannot compare
        return np.arange(len(column)), column.to_pylist()
    cells = [*column.dictionary.to_pylist(), None]
    return column.indices.fill_null(len(cells) - 1).to_numpy(), cells
