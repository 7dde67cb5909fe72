"""Sheets of spreadsheets, as rows of cells."""

import warnings
import zipfile
from io import BytesIO

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.files import MAX_WHOLE, open_file
from sklearn_mteval.datasets._files import Place
from sklearn_mteval.exceptions import DataFileError

_READ = (".xlsx", ".xlsm")
SPREADSHEETS = (*_READ, ".xls", ".xlsb", ".ods", ".numbers")


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
        content = BytesIO(file.read())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is drawn and coloured there
        try:
            _check_size(path, content, max_bytes or MAX_WHOLE)
            book = openpyxl.load_workbook(content, read_only=True, data_only=True)
            cells = _sheet(path, book, sheet).iter_rows(values_only=True)
            found = [(k, row) for k, row in enumerate(cells, 1) if any(map(_is_there, row))]
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


def _check_size(path, content, largest):
    """Raise for what unpacks to more than memory should hold."""
    size = sum(part.file_size for part in zipfile.ZipFile(content).infolist())
    if size > largest:
        raise Place(path).error(
            f"it unpacks to {size} bytes, more than {largest}. If that is no mistake, raise the "
            "limit: max_bytes= of the function that reads the file."
        )


def _sheet(path, book, name):
    """Find a sheet of cells by its name, or the first."""
    names = [sheet.title for sheet in book.worksheets]
    if not names or name not in (None, *names):
        raise Place(path).error(f"there is no sheet {name!r}, only {', '.join(map(repr, names))}.")
    return book[names[0] if name is None else name]


def _is_there(cell):
    """Tell whether a cell has anything to read."""
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))
