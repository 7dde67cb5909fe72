"""Tables that users bring, as columns of cells."""

import reprlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.exceptions import CandidateError, DataFileError


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
    delimiter: str | None = None  # what separated cells, of a text
    sheets: tuple = ()  # of a spreadsheet, the one that was read and then the others
    header: int = 1  # the line of the header
    rows: np.ndarray | None = None  # where each row was, if rows were left out

    def error(self, problem, row=None):
        """Make the error for what is wrong, in a row or at large."""
        if self.path is None:
            where = "The table" if row is None else f"{self.begin(row)} of the table"
            return CandidateError(f"{where}: {problem}")
        if row is None or self.lines is None:
            where = "" if row is None else f"{self.place(row)}: "
            return DataFileError(self.path, where + problem)
        return DataFileError(self.path, problem, int(self.lines[row]))

    def place(self, row):
        """Name a row in the middle of a sentence."""
        return f"{'row' if self.lines is None else 'line'} {self._numbers()[row]}"

    def begin(self, row):
        """Name a row at the beginning of a sentence."""
        where = self.place(row)
        return where.capitalize() if self.path is None else f"{self.path}, {where}"

    def _numbers(self):
        """Return the line of each row, or its number, as it was read."""
        numbers = self.rows if self.lines is None else self.lines
        return np.arange(self.n_rows) if numbers is None else numbers

    def numbers(self):
        """Return what names each row: its line or number, of one in several rows also which."""
        numbers = self._numbers()
        if (numbers[1:] > numbers[:-1]).all():
            return numbers
        turn = pd.Series(numbers).groupby(numbers).cumcount()
        return as_object([f"{number}.{k + 1}" for number, k in zip(numbers, turn, strict=True)])

    def taken(self, rows):
        """Take some rows, or rows several times."""
        columns = {name: self.column(name) for name in self.columns}
        columns = {name: Column(codes[rows], cells) for name, (codes, cells) in columns.items()}
        numbers = {"rows" if self.lines is None else "lines": self._numbers()[rows]}
        return self._replace(columns=columns, n_rows=len(rows), **numbers)

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


def others_told(sheets):
    """Say which sheets a spreadsheet has besides the first of these, which was read."""
    if len(sheets) < 2:
        return ""
    read, *others = sheets
    return (
        f" This is the sheet {read!r}; there are also {', '.join(map(repr, others))}: pass "
        f"sheet={others[0]!r}, say."
    )


def as_text(cell):
    """Return a cell as text, whole numbers without a point, None if it is missing, or raise."""
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
    """Number a column's texts by first appearance: codes, texts; missing: ``default``, or raise."""
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
    return of_code[codes], as_object(texts)


def _by_appearance(codes, n_codes):
    """Number codes by first appearance; return the new ones, and the old one of each."""
    first = np.full(n_codes, len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    number = np.empty(n_codes, dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[codes], order


def joined(columns):
    """Let columns of codes and labels have the same labels: a list of codes, and the labels."""
    codes, labels = numbered([label for _, some in columns for label in some])
    ends = np.cumsum([0, *(len(some) for _, some in columns)])
    parts = [codes[start:][own] for start, (own, _) in zip(ends, columns, strict=False)]
    return parts, as_object(labels)
