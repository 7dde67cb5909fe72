"""Files of WMT's rankings: a row for each task of several systems, or for each pair of a task."""

import re

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval.datasets._files import Place, columns_of_rows, read_lines, rows_of
from sklearn_mteval.datasets.own._judged_rows import first_rows, labels_of
from sklearn_mteval.datasets.own._tables import Column, Table, joined
from sklearn_mteval.exceptions import DataFileError

_NOT_JUDGED = -1
_LANGUAGES = ("srclang", "trglang")
_JUDGES = ("judgeId", "judgeID")
_OF_SYSTEMS = [f"system{number}{end}" for number in range(1, 100) for end in ("Id", "rank")]
REFERENCES = frozenset({"_ref", "ref", "reference"})  # never ranked


def read_rankings(path, max_bytes):
    """Read either ranking format: a table of judgements and their lines, in the file's order."""
    table, numbers = _table(path, max_bytes)
    segments = _integers(table, "srcIndex")
    tasks, labels = np.arange(table.n_rows), table.lines
    if "rankingID" in table.columns:
        tasks, labels = table.column("rankingID")
        segment_of = segments[first_rows(tasks)]
        row = _first(segment_of[tasks] != segments)
        if row is not None:
            raise table.error(
                f"ranking task {labels[tasks[row]]} is of segment {segment_of[tasks[row]]}, here "
                f"{segments[row]}.",
                row,
            )
    _check_languages(table)
    of_rows, systems, ranks = _of_systems(table, numbers)
    key = tasks[of_rows] * (int(systems[0].max(initial=0)) + 1) + systems[0]
    codes = pd.factorize(key)[0]
    first = first_rows(codes)
    one = _first(ranks != ranks[first][codes])
    if one is not None:
        known = int(first[codes[one]])
        raise table.error(
            f"system {systems[1][systems[0][one]]!r} has rank {ranks[one]} here and {ranks[known]} "
            f"in {table.place(of_rows[known])}, in the same ranking task.",
            of_rows[one],
        )
    if not len(first):
        raise DataFileError(path, "no judgement in the file.")
    of_rows = of_rows[first]
    judges = labels_of(table, next((name for name in _JUDGES if name in table.columns), None))
    campaign = path.name.removesuffix(".gz").removesuffix(".csv")
    return pd.DataFrame(
        {
            "segment": segments[of_rows],
            "ranking": [f"{campaign}:{labels[task]}" for task in tasks[of_rows]],
            "system": [systems[1][code] for code in systems[0][first]],
            "rank": ranks[first],
            "judge": judges[1][judges[0][of_rows]],
            "line": table.lines[of_rows],
        }
    )


def _table(path, max_bytes):
    """Read a file as columns of cells; also return the numbers of systems in the header."""
    lines = read_lines(path, max_bytes=max_bytes)
    optional = ["rankingID", *_LANGUAGES, *_JUDGES, *_OF_SYSTEMS]
    header, rows = rows_of(path, lines, ["srcIndex"], optional)
    found = (re.fullmatch(r"system([0-9]+)(Id|rank)", name) for name in header)
    numbers = list(dict.fromkeys(match[1] for match in found if match)) or ["1"]
    of_systems = [f"system{number}{end}" for number in numbers for end in ("Id", "rank")]
    for name in of_systems:
        if name not in header:
            raise Place(path, 1).error(f"no column {name}; the header is {header}.")
    read = [name for name in header if name in {"srcIndex", *optional, *of_systems}]
    lines, columns = columns_of_rows(rows, [header.index(name) for name in read])
    columns = {name: Column(*numbered(c)) for name, c in zip(read, columns, strict=True)}
    return Table(path, columns, np.array(lines, dtype=np.int64), len(lines)), numbers


def _first(mask):
    """Return the first row of a mask, or None."""
    return int(mask.argmax()) if mask.any() else None


def _integers(table, name):
    """Read a column of whole numbers."""
    codes, texts = table.column(name)
    for code, text in enumerate(texts):
        if not re.fullmatch(r"\s*-?[0-9]{1,9}\s*", text):
            problem = f"{name} must be a whole number, found {text!r}."
            raise table.error(problem, _first(codes == code))
    return np.array(list(map(int, texts)), dtype=np.int64)[codes]


def _check_languages(table):
    """Raise for rows of another language pair than the first."""
    for name in (name for name in _LANGUAGES if name in table.columns):
        codes, found = table.column(name)
        row = _first(codes > 0)
        if row is not None:
            raise table.error(
                f"expected one language pair, found the {name} {found[codes[row]]!r} here and "
                f"{found[0]!r} in {table.place(0)}.",
                row,
            )


def _of_systems(table, numbers):
    """List what was judged, row by row: the rows, codes and names of systems, ranks."""
    columns = [f"system{number}Id" for number in numbers]
    systems, names = joined([table.column(name) for name in columns])
    systems = np.column_stack(systems)
    ranks = np.column_stack([_integers(table, f"system{number}rank") for number in numbers])
    reference = np.array([name in REFERENCES for name in names], dtype=bool)
    compared = ~reference & np.array([name != "" for name in names], dtype=bool)
    _check_twice(table, np.where(compared[systems], systems, -1), names)
    rows, column = np.nonzero((ranks != _NOT_JUDGED) & ~reference[systems])
    systems, ranks = systems[rows, column], ranks[rows, column]
    low = _first(ranks < 1)
    if low is not None:
        problem = f"system{numbers[column[low]]}rank must be 1 or more (-1: no judgement)"
        raise table.error(f"{problem}, found {ranks[low]}.", rows[low])
    for one in first_rows(systems):
        Place(table.path, int(table.lines[rows[one]])).check_label(
            columns[column[one]], names[systems[one]]
        )
    return rows, (systems, names), ranks


def _check_twice(table, systems, names):
    """Raise for a system that one row has twice, judged or not; -1 is none."""
    ordered = np.sort(systems, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    row = _first(twice.any(axis=1))
    if row is not None:
        name = names[ordered[row, 1:][twice[row]][0]]
        raise table.error(f"the system {name!r} is twice in one row.", row)
