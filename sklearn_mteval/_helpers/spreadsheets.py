"""Names in cells of tab-separated values: never a formula, and the same name when read back."""

import re

# What spreadsheets calculate where a cell begins so, even a quoted one (OWASP, "CSV injection").
_FORMULA = re.compile(r"'*(?:[=+@\t\r]|-(?!\Z))")  # "-", standard input, is none


def as_cell(value):
    """Write a number or a name as a cell: no formula, quoted where it has to be; NaN is empty."""
    if not isinstance(value, str):
        return "" if value != value else str(value)
    if _FORMULA.match(value):
        value = f"'{value}"
    quoted = value.replace('"', '""')
    return f'"{quoted}"' if any(sign in value for sign in '"#\t\r\n') else value


def name_in(cell):
    """Return the name that was written as a cell, without its quotes."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
