"""Layouts of tables of judgements: each module here is one, and holds its entry, ``LAYOUT``."""

import sys

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.datasets._entries import entries_in
from sklearn_mteval.datasets.own._columns import SHARED, check_asked, numeric_columns

_LAYOUTS = entries_in(sys.modules[__name__], "LAYOUT")


def known_names():
    """List the customary names of columns, of all layouts."""
    names = [name for several in SHARED.values() for name in several]
    return [*names, *(name for layout in _LAYOUTS.values() for name in layout.known)]


def _example(table):
    """Write what could be passed, of columns that have no customary name; nothing without one."""
    left = [name for name in table.columns if name not in known_names()]
    if "winner" in table.columns and len(left) > 1:
        return f"format='pairwise' with system={left[:2]}"
    if len(left) > 1 and len(left) == len(table.columns) - 1 and numeric_columns(table) == left:
        return f"format='wide' with system={left}"
    return f"segment={left[0]!r}" if left else ""


def find_layout(table, format, asked):
    """Return the entry of a format; None: of the only one that the header can be of, or raise.

    ``asked`` has what the caller says of each column, None: nothing, False: not to be read.
    """
    check_asked(asked)
    if not len(table.columns):
        raise table.error("it is empty: expected a header, and below it the judgements.")
    if format is None:
        found = [layout for layout in _LAYOUTS.values() if layout.matches(table.columns, asked)]
        if len(found) == 1:
            return found[0]
        hints = [
            f"format={layout.name!r} (a row is {layout.header})" for layout in _LAYOUTS.values()
        ]
        example = _example(table)
        names = f", and the names of columns that are named otherwise, such as {example}"
        raise table.error(
            f"the header {list(table.columns)} does not say for certain what the rows are. Pass "
            f"{', '.join(hints[:-1])} or {hints[-1]}{names if example else ''}."
        )
    check_one_of("format", format, _LAYOUTS)
    return _LAYOUTS[format]
