"""Tables as people keep them made plain: no summaries, no merged cells, an annotator a row."""

import re

import numpy as np

from sklearn_mteval.datasets.own._columns import UNIT
from sklearn_mteval.datasets.own._judged_rows import is_missing, joint
from sklearn_mteval.datasets.own._names import is_summary, listed
from sklearn_mteval.datasets.own._tables import Column


def tidied(table, columns):
    """Return a table and its columns as layouts read them, and sentences on what was changed."""
    remarks = []
    table = _without_blanks(table, columns)
    table = _without_summaries(table, columns, remarks)
    table = _filled_down(table, columns, remarks)
    if columns.annotators is not None:
        table, columns = _melted(table, columns)
    _drop_unit(table, listed(columns.judgement))
    return table, columns, remarks


def _mask(table, name, says):
    """Tell of each row whether a cell says something; it is asked once of equal ones."""
    codes, cells = table.column(name)
    found = np.array([bool(says(cell)) for cell in cells], dtype=bool)
    return found[codes] if found.any() else np.zeros(table.n_rows, dtype=bool)


def _is_empty(cell):
    if isinstance(cell, str):
        return not cell.strip()
    return cell is None or (isinstance(cell, float) and cell != cell)


def _without_blanks(table, columns):
    """Leave out rows of empty cells."""
    blank = np.ones(table.n_rows, dtype=bool)
    for name in dict.fromkeys([*listed(columns.judgement), *table.columns]):
        if blank.any():
            blank &= _mask(table, name, _is_empty)
    return table.taken(np.flatnonzero(~blank)) if blank.any() else table


def _without_summaries(table, columns, remarks):
    """Leave out rows that are called as what sums up others, where segments or annotators are."""
    texts = [columns.source, *columns.reference, *listed(columns.hypothesis)]
    systems = [] if columns.names else listed(columns.system)
    first = next(iter(table.columns))
    out, unnamed = np.zeros(table.n_rows, dtype=bool), np.ones(table.n_rows, dtype=bool)
    if columns.segment is not None:
        unnamed = _mask(table, columns.segment, _is_empty)
    for name in dict.fromkeys([first, columns.segment, columns.judge, *systems, columns.source]):
        if name is None or (name in texts and name != columns.source):
            continue
        found = _mask(table, name, lambda cell: isinstance(cell, str) and is_summary(cell))
        if found.any() and name in systems:
            found &= unnamed & (columns.segment is not None)
        elif found.any() and name == columns.source:  # it may be a text, but below all others
            for text in texts:
                found &= text in (None, name) or _mask(table, text, _is_empty)
            found &= np.logical_and.accumulate((found | out)[::-1])[::-1]
        out |= found
    if not out.any():
        return table
    remarks.append(
        f"{table.begin(int(out.argmax()))}: {int(out.sum())} row(s) left out that sum up others, "
        "as an average or a total."
    )
    return table.taken(np.flatnonzero(~out))


def _filled_down(table, columns, remarks):
    """Let empty cells take what stands above them, as where cells were merged, if that is safe."""
    if columns.names is not None or table.n_rows < 2:
        return table
    key = columns.segment or columns.source
    of_systems, long = listed(columns.system), isinstance(columns.system, str)
    names = [key, *of_systems]
    if long or (key and _mask(table, key, _is_empty).any()):
        names.append(columns.judge)
    found = _empty_cells(table, names)
    if any(empty[0] or (name in of_systems and not long) for name, empty in found.items()):
        return table
    whole = _from_above(table, found)
    if found:  # no system may be there twice, as if rows of two segments were taken for one
        named = [name for name in (key, columns.judge, columns.ranking, *of_systems) if name]
        rows = joint(*(whole.column(name).codes for name in named))
        if len(np.unique(rows)) < len(rows):
            return table
    texts = {}
    if key is not None:
        of_key = whole.column(key).codes
        begins = np.append(True, of_key[1:] != of_key[:-1])
        names = (name for name in (columns.source, *columns.reference) if name != key)
        texts = _empty_cells(table, names)
        texts = {name: empty for name, empty in texts.items() if not (empty & begins).any()}
    found |= texts
    if found:
        row = int(np.logical_or.reduce(list(found.values())).argmax())
        n = sum(int(empty.sum()) for empty in found.values())
        remarks.append(
            f"{table.begin(row)}: {n} empty cell(s) of {', '.join(map(repr, found))} take what "
            "stands above them, as where cells were merged."
        )
    return _from_above(whole, texts)


def _empty_cells(table, names):
    """Map those of some columns that have empty cells to masks of these."""
    masks = {name: _mask(table, name, _is_empty) for name in names if name}
    return {name: empty for name, empty in masks.items() if empty.any()}


def _from_above(table, found):
    """Let empty cells, masks by column, take those of the last row above that has one."""
    filled = dict(table.columns)
    for name, empty in found.items():
        codes, cells = table.column(name)
        last = np.maximum.accumulate(np.where(empty, 0, np.arange(len(codes))))
        filled[name] = Column(codes[last], cells)
    return table._replace(columns=filled)


def _melted(table, columns):
    """Make a row of each annotator's judgement, where each annotator has a column."""
    names, k = columns.judgement, len(columns.judgement)
    rows = np.repeat(np.arange(table.n_rows), k)
    parts = [table.column(name) for name in names]
    codes = np.concatenate([[0], np.cumsum([len(cells) for _, cells in parts])])[:k]
    judged = np.column_stack([part.codes for part in parts]) + codes
    label = " / ".join(names)
    longer = table.taken(rows)
    longer.columns[label] = Column(judged.ravel(), [cell for _, cells in parts for cell in cells])
    longer.columns["/ "] = Column(np.tile(np.arange(k), table.n_rows), list(columns.annotators))
    there = ~_mask(longer, label, lambda cell: _is_empty(cell) or is_missing(str(cell)))
    columns = columns._replace(judgement=label, judge="/ ", annotators=None)
    return longer.taken(np.flatnonzero(there)), columns


def _drop_unit(table, names):
    """Take from cells the unit that all of them have, such as "%" or "/5"."""
    units = set()
    for cell in (cell for name in names for cell in table.column(name).cells):
        if not (_is_empty(cell) or (isinstance(cell, str) and is_missing(cell))):
            found = UNIT.fullmatch(cell.strip()) if isinstance(cell, str) else None
            units.add(found and re.sub(r"\s", "", found[2]))
    if len(units) == 1 and None not in units:
        for name in names:
            codes, cells = table.column(name)
            parts = [UNIT.fullmatch(cell.strip()) if cell else None for cell in cells]
            cells = [part[1] if part else cell for part, cell in zip(parts, cells, strict=True)]
            table.columns[name] = Column(codes, cells)
