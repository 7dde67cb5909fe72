"""Reading tables that users bring: CSV, TSV, spreadsheets, JSON, parquet, DataFrames."""

import re
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.files import open_file, read_text
from sklearn_mteval.datasets._files import (
    Place,
    check_header,
    columns_of_rows,
    lines_of,
    quoted_rows,
    rows_of,
)
from sklearn_mteval.datasets._json import are_objects, parse_json, parse_json_lines
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._arrow import (
    SPREADSHEETS,
    columns_of_parquet,
    columns_of_text,
    rows_of_sheet,
)
from sklearn_mteval.datasets.own._dialect import delimiter_of
from sklearn_mteval.datasets.own._header import LOOKED_AT, header_of
from sklearn_mteval.datasets.own._tables import Column, Table
from sklearn_mteval.exceptions import CandidateError, DataFileError

# What spreadsheets are told in a first line; its end stays, so that lines are counted as they are.
_DECLARED = re.compile(r"sep=(?P<delimiter>[,;\t])(?=\r?\n)", re.IGNORECASE)
_FEW = 1 << 16  # characters of a text that is not worth more
_SAMPLE = 1 << 16  # characters that show what separates cells


def read_any_table(path_or_frame, *, delimiter=None, sheet=None, quoted=None, max_bytes=None):
    """Read a file or a DataFrame."""
    path_or_frame = as_pandas(path_or_frame)
    if isinstance(path_or_frame, pd.DataFrame):
        return _of_frame(path_or_frame)
    try:
        path = Path(path_or_frame)
    except TypeError:
        raise TypeError(
            f"expected a path or a DataFrame, found {type(path_or_frame).__name__}."
        ) from None
    suffix = path.suffix.lower()
    if sheet is not None and suffix not in SPREADSHEETS:
        raise ValueError(f"sheet={sheet!r} is for spreadsheets, not for {path.name!r}.")
    if suffix in SPREADSHEETS:
        return _of_spreadsheet(path, sheet, max_bytes)
    if is_parquet(path):
        return _of_parquet(path, max_bytes)
    text = read_text(path, max_bytes=max_bytes)
    json = text.lstrip()[:1] in ("[", "{")
    return _of_json(path, text) if json else _of_text(path, text, delimiter, quoted)


def as_pandas(table):
    """Return a table of polars or Arrow as a DataFrame of pandas, anything else as it is."""
    return table.to_pandas() if hasattr(table, "to_pandas") else table


def is_parquet(path):
    """Tell by its name whether a file is of parquet."""
    return path.suffix.lower() in (".parquet", ".pq")


def _of_frame(frame):
    """Take the columns of a DataFrame, and of its index those levels that have a name."""
    named = [name for name in frame.index.names if isinstance(name, str)]
    doubled = [name for name in named if name in frame.columns]
    if doubled:
        raise CandidateError(
            f"The table has {doubled[0]!r} both as a column and as an index level: drop one."
        )
    names = [*named, *frame.columns]
    for name in names:
        if not isinstance(name, str):
            raise CandidateError(f"The table: names of columns must be texts, found {name!r}.")
        if names.count(name) > 1:
            problem = f"two columns have one name, {name!r}. Rename or drop one."
            raise CandidateError(f"The table: {problem}")
    columns = {name: frame.index.get_level_values(name) for name in named}
    columns |= {name: frame[name] for name in frame.columns}
    columns = {name: _cells(values) for name, values in columns.items()}
    return Table(None, columns, None, len(frame))


def _cells(values):
    """Return the values of a Series or an Index: numbers of one type, or objects."""
    numbers = isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf"
    return values.to_numpy() if numbers else as_object(values.tolist())


def _of_text(path, text, delimiter, quoted):
    """Read cells that are separated by commas, semicolons or tabs."""
    declared = _DECLARED.match(text)
    if declared:
        text, delimiter = text[declared.end() :], delimiter or declared["delimiter"]
    delimiter = delimiter or delimiter_of(path, lines_of(text[:_SAMPLE]))
    n_above, header = _header_of_text(text[:_SAMPLE], delimiter, quoted is not False)
    found = None
    if len(text) > _FEW and not declared and not n_above:
        found = columns_of_text(text, delimiter, quoted is not False)
    if found is not None:
        header, columns, n_rows = found
        check_header(path, 1, header)
        columns = _named(header, [Column(*column) for column in columns])
        return Table(path, columns, np.arange(2, n_rows + 2), n_rows, delimiter)
    lines = lines_of(text)
    if n_above:  # blank lines, so that the others are counted as they are
        check_header(path, n_above, header)
        lines[:n_above] = [""] * (n_above - 1) + [delimiter.join(map(str, range(len(header))))]
    first, rows = rows_of(path, lines, (), delimiter=delimiter, quoted=quoted is not False)
    header = header if n_above else first
    numbers, columns = columns_of_rows(rows, range(len(header)))
    numbers = np.array(numbers, dtype=np.int64)
    table = Table(path, {}, numbers, len(numbers), delimiter, header=n_above or 1)
    table = table._replace(columns=_named(header, list(map(as_object, columns))))
    for cells in columns:
        if delimiter == "\t" and quoted is None:
            _check_merged(table, cells)
    return table


def _named(header, columns):
    """Map names to columns; one without a name is told by its place, or is none if it is empty."""
    cells = [column.cells if isinstance(column, Column) else column for column in columns]
    named = zip(enumerate(header, 1), columns, cells, strict=True)
    return {
        name if name.strip() else f"column {k}": column
        for (k, name), column, some in named
        if name.strip() or any(cell not in (None, "") for cell in some)
    }


def _header_of_text(text, delimiter, quoted):
    """Return the lines up to the header, 0 if it is the first row, and the header."""
    lines = lines_of(text)
    try:
        rows = ((k, line.split(delimiter)) for k, line in enumerate(lines, 1) if line)
        rows = list(islice(quoted_rows(None, lines, delimiter) if quoted else rows, LOOKED_AT))
    except DataFileError:  # whoever reads all of it says so
        return 0, []
    at, header = header_of([cells for _, cells in rows])
    return (rows[at][0], header) if at else (0, [])


def _check_merged(table, cells):
    """Raise for a cell of a TSV that holds a line end and a tab."""
    # Where quotes are characters like any other, two of them would swallow the rows between them.
    for row, cell in enumerate(cells):
        if "\n" in cell and "\t" in cell:
            raise table.error(
                f"a quote opens a cell that holds tabs and goes on over lines: {cell[:60]!r}. Pass "
                "quoted=False if quotes are characters like any other, quoted=True if the cell is "
                "as it should be.",
                row,
            )


def _of_json(path, text):
    """Read one JSON list of objects, or one object a line; what one has not is missing there."""
    if text.lstrip().startswith("["):
        rows, lines = parse_json(path, text), None
        if not are_objects(rows):
            found = next(type(row).__name__ for row in rows if not isinstance(row, dict))
            problem = f"expected a JSON list of objects, found one that holds {found}."
            raise Place(path).error(problem)
    else:
        numbered = [(k, line) for k, line in enumerate(lines_of(text), 1) if line.strip()]
        rows = parse_json_lines(path, numbered)
        lines = np.array([k for k, _ in numbered], dtype=np.int64)
    columns = columns_of_records(rows)
    check_header(path, None, list(columns))
    return Table(path, columns, lines, len(rows))


def columns_of_records(rows):
    """Make columns of dicts, by name; what one has not is None there."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: as_object([row.get(name) for row in rows]) for name in names}


def _of_spreadsheet(path, sheet, max_bytes):
    """Read a sheet of a spreadsheet, whose header stands below titles."""
    header, rows, lines, sheets, at = rows_of_sheet(path, sheet, max_bytes)
    check_header(path, None, header)
    cells = zip(*rows, strict=True) if rows else [()] * len(header)
    columns = _named(header, list(map(as_object, cells)))
    return Table(
        path, columns, np.array(lines, dtype=np.int64), len(rows), sheets=sheets, header=at
    )


def _of_parquet(path, max_bytes):
    """Read the flat columns of a parquet file."""
    with open_file(path, max_bytes=max_bytes, whole=True, lines=False, pipes=True) as file:
        content = file.read()
    columns, n_rows = columns_of_parquet(path, content, max_bytes)
    nested = np.zeros(n_rows, dtype=np.int64), [_Nested()]
    columns = {name: Column(*(column or nested)) for name, column in columns.items()}
    return Table(path, columns, None, n_rows)


class _Nested:
    """A cell of lists or objects in a parquet file, which is not read."""

    def __repr__(self):
        return "..."
