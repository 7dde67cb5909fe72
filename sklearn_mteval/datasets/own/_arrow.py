"""Tables that other packages read: openpyxl spreadsheets, pyarrow parquet and plain text.

What pyarrow reads of a column is codes, one a row, and the distinct cells that they stand for.
"""

import re
import warnings
import zipfile
from contextlib import contextmanager
from io import BytesIO

import numpy as np

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.files import MAX_RATIO, MAX_WHOLE, open_file
from sklearn_mteval.datasets._files import Place, check_header
from sklearn_mteval.datasets.own._header import LOOKED_AT, header_of
from sklearn_mteval.datasets.own._tables import others_told
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
    """Return the header, columns and number of rows; None if each line must be looked at."""
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


def columns_of_parquet(path, content, max_bytes):
    """Return a dict from the names of columns to the flat ones, None if nested; and n_rows."""
    parquet = import_extra("pyarrow.parquet", "parquet", f"{path}: reading parquet")
    types, source = pyarrow.types, pyarrow.BufferReader(content)
    with explained(path):
        schema = parquet.ParquetFile(source).schema_arrow
        check_header(path, None, schema.names)
        # Cells that are texts, which a file may hold once for many rows.
        kinds = (types.is_string, types.is_large_string, types.is_string_view)
        texts = [field.name for field in schema if any(kind(field.type) for kind in kinds)]
        file = parquet.ParquetFile(source, read_dictionary=texts)
        n_rows = file.metadata.num_rows
        if n_rows * len(schema) > (max_bytes or _MOST_CELLS):
            raise Place(path).error(
                f"{n_rows} rows of {len(schema)} columns are too many. If that is no mistake, "
                "raise the limit: max_bytes= of the function that reads the file, a byte a cell."
            )
        flat = [field.name for field in schema if not types.is_nested(field.type)]
        parts = _unpacked(path, file, flat, max_bytes or MAX_WHOLE)
        columns = dict.fromkeys(schema.names)
        for name, some in zip(flat, parts, strict=True):
            columns[name] = _distinct(pyarrow.chunked_array(some or [pyarrow.nulls(0)]))
    return columns, n_rows


def _unpacked(path, file, names, largest):
    """Unpack columns of a parquet file: a list of the parts of each."""
    found, held = [[] for _ in names], 0
    for batch in file.iter_batches(_BATCH, columns=names, use_threads=False):
        batch.validate(full=True)  # indices beyond a dictionary
        for column, parts in zip(batch.columns, found, strict=True):
            # Only dictionaries are unpacked: their number of rows says nothing of their size.
            if pyarrow.types.is_dictionary(column.type) and not (
                parts and column.dictionary.equals(parts[-1].dictionary)
            ):
                held += column.dictionary.nbytes
            if held > largest:
                raise DataFileError(path, "it unpacks to more than 1 GiB, or max_bytes=.")
            parts.append(column)
    return found


@contextmanager
def explained(path):
    """Name the file in what reading parquet raises."""
    try:
        yield
    except (pyarrow.ArrowException, OSError, OverflowError) as error:
        reason = re.sub(r"\s+", " ", str(error))[:200]
        raise DataFileError(path, f"no parquet file that can be read ({reason}).") from None


def _distinct(column):
    """Return the codes and the distinct cells, and None, of a column in parts."""
    try:
        column = column.dictionary_encode().unify_dictionaries().combine_chunks()
    except pyarrow.ArrowNotImplementedError:  # as of what pyarrow cannot compare
        return np.arange(len(column)), column.to_pylist()
    cells = [*column.dictionary.to_pylist(), None]
    return column.indices.fill_null(len(cells) - 1).to_numpy(), cells


_READ = (".xlsx", ".xlsm")
SPREADSHEETS = (*_READ, ".xls", ".xlsb", ".ods", ".numbers")
_MIN_UNPACKED = 4 << 20  # bytes, of a sheet of any size; openpyxl reads 1 MiB a second
_MOST_ROWS = 1 << 20  # as spreadsheets have them
_SHEET_CELLS = 1 << 24
_MERGED = re.compile(
    rb'<(?:\w+:)?mergeCell\s[^>]*ref="([A-Z]{1,3})([0-9]{1,7}):[A-Z]+([0-9]{1,7})"'
)


def rows_of_sheet(path, sheet, max_bytes):
    """Return header, rows, their lines, the sheets, the first being read, and the header's line."""
    if path.suffix.lower() not in _READ:
        raise Place(path).error(
            f"{path.suffix} is not read: save it as .xlsx, or export the sheet as CSV (UTF-8)."
        )
    openpyxl = import_extra("openpyxl", "excel", f"{path}: reading a spreadsheet")
    with open_file(path, max_bytes=max_bytes, whole=True, lines=False, archive=True) as file:
        content = file.read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is drawn and coloured there
        try:
            _check_size(path, content, max_bytes)
            book = openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=True)
            names = [its.title for its in book.worksheets]
            if not names or sheet not in (None, *names):
                there = ", ".join(map(repr, names))
                raise Place(path).error(f"there is no sheet {sheet!r}, only {there}.")
            sheet = sheet or names[0]
            found = _filled_rows(path, book[sheet])
        except DataFileError:
            raise
        except Exception as error:  # whatever a reader of damaged XML may raise
            reason = " ".join(str(error).split())[:200]
            raise Place(path).error(
                f"no spreadsheet that can be read ({reason}). Is it damaged, or protected?"
            ) from None
    others = [name for name in names if name != sheet]
    if not found:
        raise Place(path).error(f"the sheet {sheet!r} is empty.{others_told((sheet, *others))}")
    at, header = header_of([row for _, row in found[:LOOKED_AT]])
    line_of_header, found = found[at][0], found[at + 1 :]
    header = [" ".join(name.split()) for name in header]
    width = max((k + 1 for k, name in enumerate(header) if name), default=0)
    rows, lines = [], []
    for line, row in found:
        if any(map(_is_there, row[width:])):
            raise Place(path, line).error(
                f"expected {width} cells as in the header, found more. Is there another table next "
                "to the first?"
            )
        rows.append((*row[:width], *[None] * (width - len(row))))
        lines.append(line)
    return header[:width], rows, lines, (sheet, *others), line_of_header


def _check_size(path, content, max_bytes):
    """Raise for what unpacks to more than memory should hold, or takes long to look through."""
    size = sum(part.file_size for part in zipfile.ZipFile(BytesIO(content)).infolist())
    largest = max_bytes or min(MAX_WHOLE, max(_MIN_UNPACKED, MAX_RATIO * len(content)))
    if size > largest:
        raise Place(path).error(
            f"it unpacks to {size} bytes, more than {largest}. If that is no mistake, raise the "
            "limit: max_bytes= of the function that reads the file."
        )


def _filled_rows(path, sheet):
    """List the rows that are not empty, and their numbers, whatever size the sheet declares."""
    sheet.reset_dimensions()
    found, n_cells = {}, 0
    for line, row in enumerate(sheet.iter_rows(values_only=True), 1):
        n_cells += len(row)
        if any(map(_is_there, row)):
            found[line] = list(row)
        _check_cells(path, line, n_cells)
    with sheet._get_source() as file:
        merged = _MERGED.findall(file.read())
    for letters, first, last in merged:  # all have what stands in the first
        column = 0
        for letter in letters:
            column = 26 * column + letter - 64
        cell = found.get(int(first), [])[column - 1 : column]
        for line in range(int(first) + 1, min(int(last), max(found, default=0)) + 1):
            n_cells += 1
            _check_cells(path, line, n_cells)
            if cell and line in found:
                found[line] += [None] * (column - len(found[line]))
                found[line][column - 1] = cell[0]
    return list(found.items())


def _check_cells(path, line, n_cells):
    """Raise for more rows or cells than a table has."""
    if line > _MOST_ROWS or n_cells > _SHEET_CELLS:
        raise Place(path).error(
            f"expected at most {_MOST_ROWS} rows and {_SHEET_CELLS} cells, found more. Delete what "
            "stands far to the right of the table or below it."
        )


def _is_there(cell):
    """Tell whether a cell has anything to read."""
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))
