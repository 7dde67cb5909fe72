"""Tables that users bring, as columns of cells: CSV, TSV, JSON lines, parquet, DataFrames."""

import reprlib
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.files import open_file, read_text
from sklearn_mteval.datasets._files import Place, bare_name, check_header, lines_of, rows_of
from sklearn_mteval.datasets._json import parse_json
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._arrow import (
    columns_of_parquet,
    columns_of_text,
    delimiter_of,
)
from sklearn_mteval.exceptions import CandidateError, DataFileError

__all__ = [
    "Table", "as_text", "joined", "numbered", "read_any_table", "texts_of",
]  # fmt: skip

_PARQUET = (".parquet", ".pq")
_FEW = 1 << 16  # characters of a text that is not worth more
_BLOCK = 1 << 8  # rows of a text that are taken apart at once


class Column(NamedTuple):
    """Cells of a column, most of them once."""

    codes: np.ndarray  # of each row, the place of its cell
    cells: list


class Table(NamedTuple):
    """Columns of cells, and how to name a row in an error."""

    path: Path | None  # None: a DataFrame
    columns: dict  # of each name a Column, or the cells, an array of shape (n_rows,)
    lines: np.ndarray | None  # 1-based line of each row; None: rows are counted from 0
    n_rows: int

    def error(self, problem, row=None):
        """Make the error for what is wrong, in a row or at large."""
        if self.path is None:
            where = "The table" if row is None else f"Row {row} of the table"
            return CandidateError(f"{where}: {problem}")
        if row is None or self.lines is None:
            where = "" if row is None else f"row {row}: "
            return DataFileError(self.path, where + problem)
        return DataFileError(self.path, problem, int(self.lines[row]))

    def place(self, row):
        """Name a row in the middle of a sentence."""
        return f"row {row}" if self.lines is None else f"line {self.lines[row]}"

    def numbers(self):
        """Return the number that names each row, or its line."""
        return np.arange(self.n_rows) if self.lines is None else self.lines

    def column(self, name):
        """Return a Column; cells that may be equal in Python and differ are not looked at."""
        cells = self.columns[name]
        if isinstance(cells, Column):
            return cells
        if cells.dtype != object:
            codes, distinct = pd.factorize(cells, use_na_sentinel=False)
            return Column(codes, distinct.tolist())
        if pd.api.types.infer_dtype(cells, skipna=False) == "string":
            return Column(*numbered(cells))
        return Column(np.arange(len(cells)), cells)


def read_any_table(path_or_frame, known, *, quoted=None, max_bytes=None):
    """Read a file or a DataFrame; names that differ from ``known`` by case or space are refused."""
    if isinstance(path_or_frame, pd.DataFrame):
        return _of_frame(path_or_frame, known)
    try:
        path = Path(path_or_frame)
    except TypeError:
        raise TypeError(
            f"expected a path or a DataFrame, found {type(path_or_frame).__name__}."
        ) from None
    if path.suffix.lower() in _PARQUET:
        return _of_parquet(path, known, max_bytes)
    text = read_text(path, max_bytes=max_bytes)
    if text.lstrip()[:1] in ("{", "["):
        return _of_json_lines(path, text, known)
    return _of_text(path, text, known, quoted)


def numbered(texts):
    """Number texts from 0 in order of first appearance: codes of shape (n,), and distinct texts.

    Python keeps the hash of a text and compares it with itself at once; pandas would read a long
    one again in every row.
    """
    places = {}
    codes = [places.setdefault(text, len(places)) for text in texts]
    return np.array(codes, dtype=np.int64), as_object(list(places))


def as_text(cell):
    """Return a cell as text, None if it is missing; TypeError for what is neither text nor number.

    Whole numbers are written without a point, however they are stored.
    """
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return None
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        if np.isnan(cell):
            return None
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**63 else repr(cell)
    raise TypeError(
        f"expected a text or a number, found {type(cell).__name__} {reprlib.repr(cell)}"
    )


def texts_of(table, name, *, default=None):
    """Read a column of texts, numbered by first appearance: codes of shape (n_rows,), and texts.

    What is missing becomes ``default``, or raises.
    """
    codes, cells = table.column(name)
    codes, order = _by_appearance(codes, len(cells))
    found = []
    for code, place in enumerate(order.tolist()):
        try:
            text = as_text(cells[place])
        except TypeError as error:
            row = int((codes == code).argmax())
            raise table.error(f"column {name!r}: {error}.", row) from None
        if text is None and default is None:
            raise table.error(
                f"column {name!r}: expected a text, found nothing. An empty text is ''.",
                int((codes == code).argmax()),
            )
        found.append(default if text is None else text)
    of_code, texts = numbered(found)  # 1 and 1.0 are one
    return of_code[codes], texts


def _by_appearance(codes, n_codes):
    """Number codes by first appearance; return the new ones, and the old one of each."""
    first = np.full(n_codes, len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    number = np.empty(n_codes, dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[codes], order


def joined(columns):
    """Let columns of codes and labels share their labels: a list of codes, and the labels."""
    codes, labels = numbered([label for _, some in columns for label in some])
    ends = np.cumsum([0, *(len(some) for _, some in columns)])
    return [codes[start:][own] for start, (own, _) in zip(ends, columns, strict=False)], labels


def _of_frame(frame, known):
    """Take the columns of a DataFrame, and of its index those levels that have a name."""
    named = [name for name in frame.index.names if isinstance(name, str)]
    doubled = [name for name in named if name in frame.columns]
    if doubled:
        raise CandidateError(
            f"The table has {doubled[0]!r} both as a column and as an index level: drop one."
        )
    names = [*named, *frame.columns]
    bare = {}
    for name in names:
        if not isinstance(name, str):
            raise CandidateError(f"The table: names of columns must be texts, found {name!r}.")
        other = bare.setdefault(bare_name(name), name)
        if names.count(name) > 1 or other != name:
            raise CandidateError(
                f"The table: two columns have one name, {other!r} and {name!r}. Which of them is "
                "meant? Rename or drop the other."
            )
    for column in known:
        if bare.get(bare_name(column), column) != column:
            raise CandidateError(
                f"The table: column {bare[bare_name(column)]!r} must be {column!r}."
            )
    columns = {name: frame.index.get_level_values(name) for name in named}
    columns |= {name: frame[name] for name in frame.columns}
    columns = {name: _cells(values) for name, values in columns.items()}
    return Table(None, columns, None, len(frame))


def _cells(values):
    """Return the values of a Series or an Index: numbers of one type, or objects."""
    numbers = isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf"
    return values.to_numpy() if numbers else as_object(values.tolist())


def _of_text(path, text, known, quoted):
    """Read CSV or TSV, whichever the header is."""
    found = columns_of_text(text, quoted is not False) if len(text) > _FEW else None
    if found is not None:
        header, columns, n_rows = found
        check_header(path, 1, header, [], known)
        named = zip(header, columns, strict=True)
        columns = {name: Column(*column) for name, column in named if name.strip()}
        return Table(path, columns, np.arange(2, n_rows + 2), n_rows)
    lines = lines_of(text)
    delimiter = delimiter_of(next((line for line in lines if line), ""))
    header, rows = rows_of(path, lines, (), known, delimiter=delimiter, quoted=quoted is not False)
    numbers, columns = [], [[] for _ in header]
    # Millions of lists at once would keep Python's garbage collector busy.
    while block := list(islice(rows, _BLOCK)):
        numbers += [line for line, _ in block]
        for column, cells in zip(
            columns, zip(*(row for _, row in block), strict=True), strict=True
        ):
            column += cells
    numbers = np.array(numbers, dtype=np.int64)
    table = Table(path, {}, numbers, len(numbers))
    for name, cells in zip(header, columns, strict=True):
        if name.strip():
            table.columns[name] = as_object(cells)
        if delimiter == "\t" and quoted is None:
            _check_merged(table, cells)
    return table


def _check_merged(table, cells):
    """Raise for a cell of a TSV that holds a line end and a tab.

    Where quotes are characters like any other, one that opens a text and one that ends a later one
    would swallow all rows between them without a word.
    """
    for row, cell in enumerate(cells):
        if "\n" in cell and "\t" in cell:
            raise table.error(
                f"a quote opens a cell that holds tabs and goes on over lines: {cell[:60]!r}. Pass "
                "quoted=False if quotes are characters like any other, quoted=True if the cell is "
                "as it should be.",
                row,
            )


def _of_json_lines(path, text, known):
    """Read one JSON object a line."""
    if text.lstrip().startswith("["):
        raise Place(path).error(
            "expected one JSON object a line, found a list. pandas writes lines: "
            "pd.read_json(path).to_json(other, orient='records', lines=True)."
        )
    columns, numbers = {}, []
    for number, line in enumerate(lines_of(text), 1):
        if not line.strip():
            continue
        found = parse_json(path, line, number)
        if not isinstance(found, dict):
            raise DataFileError(
                path, f"expected one JSON object a line, found {type(found).__name__}.", number
            )
        for name, value in found.items():
            column = columns.setdefault(name, [])
            column += [None] * (len(numbers) - len(column))  # rows that had no such name
            column.append(value)
        numbers.append(number)
    check_header(path, 1, list(columns), [], known)
    for column in columns.values():
        column += [None] * (len(numbers) - len(column))
    columns = {name: as_object(cells) for name, cells in columns.items()}
    return Table(path, columns, np.array(numbers, dtype=np.int64), len(numbers))


def _of_parquet(path, known, max_bytes):
    """Read the flat columns of a parquet file."""
    with open_file(path, max_bytes=max_bytes, whole=True, lines=False, pipes=True) as file:
        content = file.read()
    columns, n_rows = columns_of_parquet(path, content, known, max_bytes)
    nested = np.zeros(n_rows, dtype=np.int64), [_Nested()]
    columns = {name: Column(*(column or nested)) for name, column in columns.items()}
    return Table(path, columns, None, n_rows)


class _Nested:
    """A cell of lists or objects in a parquet file, which is not read."""

    def __repr__(self):
        return "..."
