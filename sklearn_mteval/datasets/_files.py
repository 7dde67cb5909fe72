"""Reading text files so that a bad one gives one clear error, naming file and line."""

import csv
import os
import re
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from sklearn_mteval._helpers.files import as_text, open_file, read_text
from sklearn_mteval.exceptions import DataFileError

_PIECE = 1 << 16  # bytes that are read at once
_BLOCK = 1 << 8  # rows of a text that are taken apart at once
# A cell of quotes that are all doubled inside, as CSV writes a text that has quotes.
_QUOTED = re.compile(r'"((?:[^"]|"")*""(?:[^"]|"")*)"')


class Place(NamedTuple):
    """A file, or a line of it, as errors name it."""

    path: Path
    line: int | None = None  # counted from 1

    def error(self, problem):
        """Make the error for what is wrong here."""
        return DataFileError(self.path, problem, self.line)

    def check_label(self, column, cell):
        """Raise unless a cell holds a name: printable, and no white space around it."""
        if not cell or cell != cell.strip():
            raise self.error(
                f"{column} must be a name without white space around it, found {cell!r}."
            )
        if not cell.isprintable():
            raise self.error(f"{column} must be a name that can be written, found {cell!r}.")


def read_lines(path, *, max_bytes=None):
    """List the lines of what :func:`read_text` reads; a carriage return before a line feed goes."""
    return lines_of(read_text(Path(path), max_bytes=max_bytes))


def lines_of(text):
    """Split a text into lines."""
    # Not splitlines: segments do contain other characters that it takes for line ends.
    lines = text.removesuffix("\n").split("\n") if text else []
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def pieces_of_lines(path, *, max_bytes=None, whole=False):
    """Generate the lines of a file as :func:`read_lines` reads them, some hundreds at a time."""
    with open_file(path, max_bytes=max_bytes, whole=whole, zipped=True, pipes=True) as file:
        line, rest = 1, []
        while data := file.read1(_PIECE):
            end = data.rfind(b"\n") + 1
            if end:
                content = b"".join([*rest, data[:end]])
                yield lines_of(as_text(path, content, line))
                line, rest = line + content.count(b"\n"), []
            rest.append(data[end:])
        if content := b"".join(rest):
            yield lines_of(as_text(path, content, line))


def lines_in(stack, path, max_bytes, *, whole=False):
    """Iterate over the lines of a file, which an ExitStack closes."""
    pieces = pieces_of_lines(path, max_bytes=max_bytes, whole=whole)
    stack.callback(pieces.close)
    return chain.from_iterable(pieces)


def check_same_length(path, n_lines, other_path, n_others):
    """Raise unless two files have equally many lines, naming the first that one, or both, lacks."""
    if n_lines != n_others:
        raise Place(path, min(n_lines, n_others) + 1).error(
            f"has {n_lines} lines, but {other_path} has {n_others}: line n of every file must "
            "belong to segment n."
        )


def records_of(path, lines, required, optional):
    """Read lines of a TSV without quoting: the header; of each row its place, cells by column."""
    header, rows = rows_of(path, lines, required, optional, delimiter="\t", quoted=False)
    return header, [(Place(path, line), dict(zip(header, row, strict=True))) for line, row in rows]


def unquoted(cell):
    """Return the text of a cell of a TSV without quoting that was written by CSV's rules before."""
    quoted = _QUOTED.fullmatch(cell)
    return quoted[1].replace('""', '"') if quoted else cell


def rows_of(path, lines, required, optional=(), *, delimiter=",", quoted=True, n_told=None):
    """Read a table whose columns ``required`` must and ``optional`` may be there: header and rows.

    Of each row that is not blank the 1-based line number and the cells; those after ``n_told`` may
    be left in one piece. Unless ``quoted``, double quotes are characters like any other.
    """
    longest = csv.field_size_limit()
    # Without any of these, cells stand as they are between what separates them.
    quoted = quoted and any('"' in x or "\r" in x or len(x) > longest for x in lines)
    if quoted:
        table = quoted_rows(path, lines, delimiter)
    else:
        table = ((k, line.split(delimiter)) for k, line in enumerate(lines, 1) if line)
    line, header = next(table, (1, []))
    check_header(path, line, header, list(required), optional)
    if quoted or n_told is None:
        return header, _whole_rows(path, table, len(header))
    table = enumerate(lines[line:], line + 1)
    return header, _first_cells(path, table, len(header), delimiter, n_told)


def _first_cells(path, lines, n_cells, delimiter, n_told):
    """Generate the first cells of rows without quotes, which must have as many as the header."""
    for k, line in lines:
        if line and line.count(delimiter) + 1 != n_cells:
            yield from _whole_rows(path, [(k, line.split(delimiter))], n_cells)
        elif line:
            yield k, line.split(delimiter, n_told)


def columns_of_rows(rows, places):
    """Return the line of each of some rows, and the cells of the columns at these places: lists."""
    lines, columns = [], [[] for _ in places]
    # Millions of lists at once would keep Python's garbage collector busy.
    while block := list(islice(rows, _BLOCK)):
        lines += [line for line, _ in block]
        for column, place in zip(columns, places, strict=True):
            column += [cells[place] for _, cells in block]
    return lines, columns


def _whole_rows(path, table, n_cells):
    """Generate rows, each of which must have as many cells as the header, and empty ones after."""
    for line, cells in table:
        if len(cells) > n_cells and not any(cells[n_cells:]):
            cells = cells[:n_cells]
        if len(cells) != n_cells:
            problem = f"expected {n_cells} cells as in the header, found {len(cells)}."
            raise DataFileError(path, problem, line)
        yield line, cells


def check_header(path, line, header, required=(), optional=()):
    """Raise unless the required columns are there, each one can be told from the others, and none
    is named like a known one but for case and white space, lest it be passed over.
    """
    at, places = Place(path, line), {}  # a name, but for case and white space → its first column
    for place, name in enumerate(header, 1):
        first = places.setdefault(_bare(name), place)
        if first != place and name.strip():
            raise at.error(
                f"columns {first} and {place} of the header have one name: {header[first - 1]!r} "
                f"and {name!r}. Which of them is meant? Rename or remove the other."
            )
    for column in required:
        if column not in header:
            raise at.error(
                f"expected one column {column!r} in the header, found 0; the header is {header}."
            )
    known = {_bare(column): column for column in (*optional, *required)}
    for name in header:
        column = known.get(_bare(name), name)
        if name not in (column, *optional):
            raise at.error(f"column {name!r} of the header must be {column!r}.")


def _bare(name):
    """Take from a name what is easily overlooked."""
    return " ".join(name.split()).casefold()


def files_in(folder):
    """Map the names of a folder's files, less ``.gz``, to the files; two of one name raise."""
    try:
        files = sorted(folder.iterdir())
    except OSError as error:  # a file where a folder should be, say
        raise DataFileError(folder, f"cannot be read as a folder ({error.strerror}).") from None
    found = {}
    for file in files:
        name = file.name.removesuffix(".gz")
        if name in found:
            problem = f"is there twice, as {found[name].name} and {file.name}: remove one of them."
            raise DataFileError(folder / name, problem)
        found[name] = file
    return found


def named_files(folder, prefix="", suffix=""):
    """Map what stands between prefix and suffix in names of a folder's files, if any, to these."""
    found = {}
    for name, file in files_in(folder).items() if os.path.exists(folder) else ():
        middle = name[len(prefix) : len(name) - len(suffix)]
        hidden = name.startswith(".")
        if not middle or hidden or name != f"{prefix}{middle}{suffix}":
            continue
        if not middle.isprintable():
            raise DataFileError(folder, f"the name {name!r} cannot be written: rename the file.")
        found[middle] = file
    return found


def names_of(option, value):
    """List an option's names, one or several; ValueError for what is none."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{option} must be a name or a list of names, found {value!r}.")
    return list(names)


def quoted_rows(path, lines, delimiter):
    """Generate line number and cells of each row that is not blank."""
    # A quoted cell may go on in the next line: the line feed belongs to it.
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        problem = f"not a well-formed table ({error})."
        if str(error).startswith("field larger than"):
            problem = (
                f"expected cells of at most {csv.field_size_limit()} characters, found a longer "
                "one. Is a quote not closed before it? Close it, or shorten the text."
            )
        raise DataFileError(path, problem, reader.line_num) from None
