"""Reading text files so that a bad one gives one clear error, naming file and line."""

import csv
from pathlib import Path

from sklearn_mteval.exceptions import DataFileError


def read_lines(path):
    """Read a UTF-8 text file, one segment per line.

    A byte order mark is dropped, and so is a carriage return before a line feed; a line feed at
    the very end starts no further line.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    list of str
        Its lines.

    Raises
    ------
    DataFileError
        If the file cannot be read or is not UTF-8.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataFileError(path, f"cannot be read ({error.strerror}).") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        byte = error.object[error.start]
        raise DataFileError(
            path,
            f"expected UTF-8, found the byte 0x{byte:02x}. Convert the file, "
            "e.g. with iconv -f latin1 -t utf-8.",
            line,
        ) from None
    # Not splitlines: segments do contain other characters that it takes for line ends.
    lines = text.removesuffix("\n").split("\n") if text else []
    return [line.removesuffix("\r") for line in lines]


def check_same_length(path, lines, other_path, other_lines):
    """Raise unless two files have equally many lines.

    Parameters
    ----------
    path, other_path : path-like
        The file that would be at fault, and the one to compare it with.
    lines, other_lines : list of str
        Their lines.

    Raises
    ------
    DataFileError
        Naming the first line that is missing in one of them.
    """
    if len(lines) != len(other_lines):
        raise DataFileError(
            path,
            f"has {len(lines)} lines, but {other_path} has {len(other_lines)}: line n of every "
            "file must belong to segment n.",
            min(len(lines), len(other_lines)) + 1,
        )


def read_table(path, required, *, delimiter=",", quoted=True):
    """Read a table with a header line.

    Parameters
    ----------
    path : path-like
        The file.
    required : iterable of str
        Columns that must be there.
    delimiter : str, default=","
        What separates cells.
    quoted : bool, default=True
        Whether double quotes may stand around a cell; else they are characters like any other.

    Returns
    -------
    header : list of str
        Names of the columns.
    rows : list of (int, list of str)
        1-based line number and cells of each row; blank lines are left out.

    Raises
    ------
    DataFileError
        If the file cannot be read, a column is missing, or a row has another number of cells.
    """
    lines = read_lines(path)
    if quoted:
        table = _quoted_rows(path, lines, delimiter)
    else:
        table = ((k, line.split(delimiter)) for k, line in enumerate(lines, 1) if line)
    _, header = next(table, (1, []))
    for column in required:
        if header.count(column) != 1:
            raise DataFileError(
                path,
                f"expected one column {column!r} in the header, found {header.count(column)}; "
                f"the header is {header}.",
                1,
            )
    rows = []
    for line, cells in table:
        if len(cells) != len(header):
            raise DataFileError(
                path, f"expected {len(header)} cells as in the header, found {len(cells)}.", line
            )
        rows.append((line, cells))
    return header, rows


def _quoted_rows(path, lines, delimiter):
    """Generate line number and cells of each row that is not blank."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise DataFileError(path, f"not a well-formed table ({error}).", reader.line_num) from None
