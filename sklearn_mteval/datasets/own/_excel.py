"""Sheets of spreadsheets, as rows of cells."""

import warnings
import zipfile
from io import BytesIO

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.files import MAX_RATIO, MAX_WHOLE, open_file
from sklearn_mteval.datasets._files import Place
from sklearn_mteval.exceptions import DataFileError

_READ = (".xlsx", ".xlsm")
SPREADSHEETS = (*_READ, ".xls", ".xlsb", ".ods", ".numbers")
_MIN_UNPACKED = (
    4 << 20
)  # bytes that a sheet of any size may unpack to; openpyxl reads 1 MiB a second
_MOST_ROWS = 1 << 20  # as spreadsheets have them
_MOST_CELLS = 1 << 24


def rows_of_sheet(path, sheet, max_bytes):
    """Return header, rows of cells and the number of each row, of a sheet, by default the first.

    Cells are texts, numbers, dates or None; formulas are what they were when the file was saved.
    Empty rows are left out.
    """
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
            found = _filled_rows(path, _sheet(path, book, sheet))
        except DataFileError:
            raise
        except Exception as error:  # whatever a reader of damaged XML may raise
            reason = " ".join(str(error).split())[:200]
            raise Place(path).error(
                f"no spreadsheet that can be read ({reason}). Is it damaged, or protected?"
            ) from None
    if not found:
        raise Place(path).error("the sheet is empty. Name another one by sheet='NAME'.")
    (_, header), *found = found
    header = ["" if name is None else str(name) for name in header]
    width = max(k + 1 for k, name in enumerate(header) if name.strip())
    rows, lines = [], []
    for line, row in found:
        if any(map(_is_there, row[width:])):
            raise Place(path, line).error(
                f"expected {width} cells as in the header, found more. Is there another table next "
                "to the first?"
            )
        rows.append((*row[:width], *[None] * (width - len(row))))
        lines.append(line)
    return header[:width], rows, lines


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
    found, n_cells = [], 0
    for line, row in enumerate(sheet.iter_rows(values_only=True), 1):
        n_cells += len(row)
        if line > _MOST_ROWS or n_cells > _MOST_CELLS:
            raise Place(path).error(
                f"expected at most {_MOST_ROWS} rows and {_MOST_CELLS} cells, found more. Delete "
                "what stands far to the right of the table or below it."
            )
        if any(map(_is_there, row)):
            found.append((line, row))
    return found


def _sheet(path, book, name):
    """Find a sheet of cells by its name, or the first."""
    names = [sheet.title for sheet in book.worksheets]
    if not names or name not in (None, *names):
        raise Place(path).error(f"there is no sheet {name!r}, only {', '.join(map(repr, names))}.")
    return book[names[0] if name is None else name]


def _is_there(cell):
    """Tell whether a cell has anything to read."""
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))
