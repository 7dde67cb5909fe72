"""How a table writes its cells: what stands between them, and what before decimals."""

import csv
import re
from itertools import islice

from sklearn_mteval.datasets._files import Place

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
DECIMALS = {".": "points", ",": "commas"}
_LOOKED_AT = 50  # lines
_NUMBER = r"\s*[+-]?[0-9]*{}[0-9]+([eE][+-]?[0-9]+)?\s*"
_IN_THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+\s*")


def delimiter_of(path, lines):
    """Tell what separates cells: as the header has it, or, below a title, most of the rows."""
    lines = list(islice((line for line in lines if line.strip()), _LOOKED_AT))
    header = lines[0] if lines else ""
    found = "\t" if "\t" in header else ";" if ";" in header and "," not in header else ","
    if "," in header and ";" in header and found != "\t":
        even = [mark for mark in ",;" if len(set(_widths(lines, mark))) == 1]
        if len(even) != 1:
            raise Place(path, 1).error(
                f"cells may be separated by commas or by semicolons: {header[:60]!r}. Say which: "
                "delimiter=',' or delimiter=';'."
            )
        return even[0]
    if _widths(lines, found)[:1] in ([1], []) or _usual(lines, found) == 1:
        others = [mark for mark in DELIMITERS if _usual(lines, mark) > 1]
        return others[0] if len(others) == 1 else found
    return found


def _usual(lines, delimiter):
    """Return how many cells most rows have."""
    widths = _widths(lines, delimiter)
    usual = max(set(widths), key=widths.count, default=1)
    return usual if widths.count(usual) > len(widths) / 2 else 1


def _widths(lines, delimiter):
    """Count the cells of each row; none where they cannot be told."""
    try:
        return [len(cells) for cells in csv.reader(lines, delimiter=delimiter)]
    except csv.Error:
        return [1, 2]


def decimal_of(table, names, asked):
    """Tell which mark stands before decimals in some columns of texts."""
    if asked == ".":
        return asked  # a comma is then in no number
    cells = {cell for name in names for cell in table.column(name).cells if isinstance(cell, str)}
    found = {}
    for mark in DECIMALS:
        written = re.compile(_NUMBER.format(re.escape(mark)))
        found[mark] = list(filter(written.fullmatch, cells))
    columns = f"column(s) {', '.join(map(repr, names[:5]))}"
    if asked is None:
        problem = _ambiguity(table, found)
        if problem:
            raise table.error(
                f"{columns}: {problem}. Say which mark stands before decimals: decimal='.' or "
                "decimal=','."
            )
        return "," if found[","] else "."
    if found["."]:
        raise table.error(
            f"{columns}: {min(found['.'])!r} has a point, but commas stand before decimals. If it "
            "is between thousands, remove it."
        )
    return asked


def _ambiguity(table, found):
    """Say why numbers, by the mark that they have, may be read in two ways; "" if they may not."""
    shown = [min(some) for some in found.values() if some]
    if len(shown) == 2:
        return f"numbers are written both as {shown[0]!r} and as {shown[1]!r}"
    # A point between thousands is for those who separate cells by semicolons.
    marks = "," if table.delimiter in (None, ",", "\t") else ",."
    if any(found[mark] and all(map(_IN_THOUSANDS.fullmatch, found[mark])) for mark in marks):
        return f"{shown[0]!r} may be a number of thousands, or have three decimals"
    return ""
