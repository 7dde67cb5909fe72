"""Which columns of a table hold what: by what the caller says, by name, or, to ask, by content."""

import datetime
import re
from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.datasets.own._judged_rows import is_missing
from sklearn_mteval.datasets.own._names import Names, bare, is_summary, listed, names_of

UNIT = re.compile(r"([+-]?[0-9.,]+)\s*(%|/\s*[0-9]+|[^\W\d_]+\.?)")
_DATE = re.compile(r"[0-9]{1,4}([-./])[0-9]{1,2}\1[0-9]{1,4}([ T].*)?")
_SENTENCE = re.compile(r"(\S+\s+){3}|.*[.!?。]$")
_MARKS = frozenset({"x", "✓", "✔", "*", "1", "ja", "yes", "si", "sí", "oui", "•"})
_DATES = (datetime.date, datetime.time)
_FEW = 15  # words of a column of verdicts
_LOOKED_AT = 2000  # distinct cells


class Layout(NamedTuple):
    """A layout of tables: how it is recognised and read."""

    name: str
    rows: str  # what they are, as a title
    header: str  # "a row is …", with its columns
    find: Callable  # (Search) → fields of Columns
    read: Callable  # (table, columns, segment, judge, options) → JudgedRows
    row: str | None = None  # the noun, if each may be a segment of its own, and is a ranking
    no_better: str | None = None  # why better= is not for it; else it is required
    verdicts: bool = False  # whether it has outcomes that can be written in several ways


class Columns(NamedTuple):
    """The columns to read: a name, None where there is none, or a list of names."""

    segment: str | None
    judge: str | None
    source: str | None
    reference: list  # several columns are several references
    judgement: str | list  # several, but in a wide table, are several annotators
    system: str | list | None = None
    hypothesis: str | list | None = None
    ranking: str | None = None
    names: list | None = None  # of the systems, where each has columns of its own
    annotators: list | None = None  # where each has a column of its own


class Search(NamedTuple):
    """What is looked for in a table."""

    table: object
    names: Names  # of the columns that the caller does not name
    asked: dict  # what the caller says of each role: None, False, names of columns
    only: bool  # whether it can be of this layout only
    missing: dict  # what is missing, with what it may be by its content: None, or column(s)
    doubtful: dict  # what may be one of several columns

    def refuse(self, problem):
        """Raise for what a layout cannot have; None where another one may be meant."""
        if self.only:
            raise ValueError(problem)

    def lacks(self):
        """Tell whether a column is asked for and not there; raise if no other layout is meant."""
        for key, value in self.asked.items():
            if not set(listed(value)) <= set(self.table.columns):
                if self.only:
                    raise _not_there(self.table, key, value)
                return True
        return False

    def one(self, key, *roles):
        """Return the column of a role, None if there is none."""
        asked = self.asked[key]
        if asked is not None:
            return asked or None
        for tier in (0, 1):
            alone = [name for role in roles or (key,) for name in self.names.alone[role][tier]]
            alone = [name for name in dict.fromkeys(alone) if not tier or self._fits(key, name)]
            if len(alone) > 1:
                self.doubtful[key] = alone
            if alone:
                return alone[0]
        parts = [name for role in roles or (key,) for name in self.names.of[role].values()]
        return parts[0] if len(parts) == 1 and key in ("source", "reference", "judgement") else None

    def _fits(self, key, name):
        """Tell by its cells whether a column may hold what a name says that is no customary one."""
        kind = kind_of(self.table, name)
        if key in ("source", "hypothesis", "reference"):
            return kind in ("texts", "names")
        if key == "judgement" and kind == "texts":  # verdicts of many words
            return len(words_in(self.table, name)) <= _FEW
        return key != "segment" or kind not in ("texts", "dates")

    def free(self, *kinds):
        """List the columns that have no role, and cells of one of some kinds."""
        free = [n for n in self.names.free if not is_summary(n) and value_of(n) is None]
        return [name for name in free if kind_of(self.table, name) in kinds]

    def numbers(self, named=()):
        """List columns of numbers, named and free, but for a first one that has segments."""
        found = [*named, *self.free("numbers")]
        return found[len(found) > 1 and not (self.one("segment") or self.one("source")) :]

    def annotators(self):
        """Map annotators to their columns, where each has one; else nothing."""
        asked = self.asked["judgement"]
        if asked is not None:
            return {name: name for name in asked} if isinstance(asked, list) else {}
        of = {name: c for name, c in self.names.of["judge"].items() if not is_summary(name)}
        return of if len(of) > 1 else {}


def kind_of(table, name):
    """Tell what cells of a column are: "numbers", "dates", "names", "texts", "marks", "nothing"."""
    cells = words_in(table, name)
    if any(isinstance(cell, _DATES) for cell in table.column(name).cells[:_LOOKED_AT]) or (
        cells and all(map(_DATE.fullmatch, cells))
    ):
        return "dates"
    if cells and len(cells) == 1 and cells[0].casefold() in _MARKS and _has_gaps(table, name):
        return "marks"
    if all(value_of(cell) is not None for cell in cells):
        return "numbers" if cells else "nothing"
    return "texts" if any(map(_SENTENCE.match, cells)) else "names"


def words_in(table, name):
    """List the distinct texts of a column's cells, but for what is missing."""
    cells = table.column(name).cells[:_LOOKED_AT]
    cells = [str(cell).strip() for cell in cells if cell is not None and cell is not pd.NA]
    return list(dict.fromkeys(cell for cell in cells if not is_missing(cell)))


def _has_gaps(table, name):
    """Tell whether cells of a column are empty."""
    cells = table.column(name).cells
    return any(cell is None or cell is pd.NA or is_missing(str(cell)) for cell in cells)


def value_of(text):
    """Return the number that a cell has, perhaps with a unit; None if it is none."""
    unit = UNIT.fullmatch(text)
    return number((unit[1] if unit else text).replace(",", "."))


def asked_for(table, asked):
    """Return what is asked for, spelled as in the table; raise for what is not there."""
    found = {}
    for key, value in asked.items():
        if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
            value = _whole_names(table, list(value))
            value = value[0] if len(value) == 1 < len(asked[key]) else value
        _check_asked(key, value)
        names = [_written(table, name) for name in listed(value)]
        # Of a wide table, these may be systems, and what stands before them.
        if None in names and key not in ("system", "judgement", "hypothesis"):
            raise _not_there(table, key, value)
        names = [name or wanted for name, wanted in zip(names, listed(value), strict=True)]
        several = isinstance(value, list | tuple)
        found[key] = names if several else names[0] if names else value
    return found


def _whole_names(table, names):
    """Join what a command took apart at commas that are within the names of columns."""
    for k in range(len(names), 1, -1):
        if ",".join(names[:k]) in table.columns:
            return [",".join(names[:k]), *_whole_names(table, names[k:])]
    return [*names[:1], *_whole_names(table, names[1:])] if names else []


def _not_there(table, key, value):
    """Make the error for a column that is asked for and is not there."""
    name = next(name for name in listed(value) if _written(table, name) is None)
    return table.error(
        f"there is no column {name!r}, as {key}={value!r} says, but {list(table.columns)}."
    )


def _written(table, name):
    """Return the name of a column as the table has it; None if it has none."""
    alike = [each for each in table.columns if bare(each) == bare(name)]
    return name if name in table.columns else alike[0] if len(alike) == 1 else None


def _check_asked(key, value):
    """Raise unless columns are named by a text, or a list of texts."""
    if value is False and key == "judgement":
        raise ValueError("judgement=False: without judgements there is nothing to load.")
    if value is None or value is False:
        return
    lists = key in ("system", "hypothesis", "reference", "judgement")
    texts = list(value) if lists and isinstance(value, list | tuple) else [value]
    if not texts or not all(isinstance(text, str) for text in texts):
        expected = "the name of a column" + ", or a list of names," * lists
        raise ValueError(f"{key} must be {expected} found {value!r}.")
    if len(set(texts)) < len(texts):
        raise ValueError(f"{key}={value!r} names a column twice.")


def search_in(table, asked, *, only=False):
    """Begin to look for columns."""
    asked = asked_for(table, asked)
    taken = {name for value in asked.values() for name in listed(value)}
    names = names_of([name for name in table.columns if name not in taken])
    return Search(table, names, asked, only, {}, {})
