"""Files of WMT's rankings: a row for each task of several systems, or for each pair of a task."""

import re

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval.datasets._files import Place, columns_of_rows, read_lines, rows_of
from sklearn_mteval.datasets.own._judged_rows import first_rows
from sklearn_mteval.exceptions import DataFileError

_NOT_JUDGED = -1
_LANGUAGES = ("srclang", "trglang")
_JUDGES = ("judgeId", "judgeID")
_OF_SYSTEMS = [f"system{number}{end}" for number in range(1, 100) for end in ("Id", "rank")]
REFERENCES = frozenset({"_ref", "ref", "reference"})  # never ranked


def read_rankings(path, max_bytes):
    """Read either ranking format: a table of judgements and their lines, in the file's order."""
    rows = _Rows(path, max_bytes)
    segments = rows.integers("srcIndex")
    tasks, labels = np.arange(len(rows.lines)), rows.lines
    if "rankingID" in rows.cells:
        tasks, labels = numbered(rows.cells["rankingID"])
        segment_of = segments[first_rows(tasks)]
        row = rows.first(segment_of[tasks] != segments)
        if row is not None:
            raise rows.at(row).error(
                f"ranking task {labels[tasks[row]]} is of segment {segment_of[tasks[row]]}, here "
                f"{segments[row]}."
            )
    rows.check_languages()
    of_rows, systems, ranks = rows.of_systems()
    key = tasks[of_rows] * (int(systems[0].max(initial=0)) + 1) + systems[0]
    codes = pd.factorize(key)[0]
    first = first_rows(codes)
    differ = ranks != ranks[first][codes]
    if differ.any():
        one = int(differ.argmax())
        known = int(first[codes[one]])
        raise rows.at(of_rows[one]).error(
            f"system {systems[1][systems[0][one]]!r} has rank {ranks[one]} here and {ranks[known]} "
            f"in line {rows.lines[of_rows[known]]}, in the same ranking task."
        )
    if not len(first):
        raise DataFileError(path, "no judgement in the file.")
    of_rows, judges = of_rows[first], rows.judges()
    campaign = path.name.removesuffix(".gz").removesuffix(".csv")
    return pd.DataFrame(
        {
            "segment": segments[of_rows],
            "ranking": [f"{campaign}:{labels[task]}" for task in tasks[of_rows]],
            "system": [systems[1][code] for code in systems[0][first]],
            "rank": ranks[first],
            "judge": [judges[row] for row in of_rows],
            "line": np.array(rows.lines)[of_rows],
        }
    )


class _Rows:
    """The rows of a file of rankings, column by column."""

    def __init__(self, path, max_bytes):
        self.path, optional = path, ["rankingID", *_LANGUAGES, *_JUDGES, *_OF_SYSTEMS]
        lines = read_lines(path, max_bytes=max_bytes)
        header, rows = rows_of(path, lines, ["srcIndex"], optional)
        found = (re.fullmatch(r"system([0-9]+)(Id|rank)", name) for name in header)
        self.numbers = list(dict.fromkeys(match[1] for match in found if match)) or ["1"]
        for name in (f"system{number}{end}" for number in self.numbers for end in ("Id", "rank")):
            if name not in header:
                raise Place(path, 1).error(f"no column {name}; the header is {header}.")
        self.lines, columns = columns_of_rows(rows, range(len(header)))
        self.cells = dict(zip(header, columns, strict=True))

    def at(self, row):
        """Return the place of a row."""
        return Place(self.path, self.lines[row])

    @staticmethod
    def first(mask):
        """Return the first row of a mask, or None."""
        return int(mask.argmax()) if mask.any() else None

    def integers(self, name):
        """Read a column of whole numbers."""
        codes, texts = numbered(self.cells[name])
        for code, text in enumerate(texts):
            if not re.fullmatch(r"\s*-?[0-9]{1,9}\s*", text):
                raise self.at(self.first(codes == code)).error(
                    f"{name} must be a whole number, found {text!r}."
                )
        return np.array(list(map(int, texts)), dtype=np.int64)[codes]

    def check_languages(self):
        """Raise for rows of another language pair than the first."""
        columns = [self.cells[name] for name in _LANGUAGES if name in self.cells]
        codes, pairs = numbered(zip(*columns, strict=True))
        row = self.first(codes > 0)
        if row is not None:
            raise self.at(row).error(
                f"expected one language pair, found {[*pairs[codes[row]]]} here and {[*pairs[0]]} "
                f"in line {self.lines[0]}."
            )

    def judges(self):
        """Return who judged each row; "" where there is no such column."""
        name = next((name for name in _JUDGES if name in self.cells), None)
        if name is None:
            return [""] * len(self.lines)
        codes, labels = numbered(self.cells[name])
        for code, label in enumerate(labels):
            self.at(self.first(codes == code)).check_label(name, label)
        return self.cells[name]

    def of_systems(self):
        """List what was judged, row by row: the rows, codes and names of systems, ranks."""
        columns = [f"system{number}Id" for number in self.numbers]
        codes, names = numbered(cell for name in columns for cell in self.cells[name])
        systems = codes.reshape(len(columns), -1).T
        ranks = np.column_stack([self.integers(f"system{number}rank") for number in self.numbers])
        reference = np.array([name in REFERENCES for name in names], dtype=bool)
        compared = ~reference & np.array([name != "" for name in names], dtype=bool)
        self._check_twice(np.where(compared[systems], systems, -1), names)
        rows, column = np.nonzero((ranks != _NOT_JUDGED) & ~reference[systems])
        systems, ranks = systems[rows, column], ranks[rows, column]
        low = self.first(ranks < 1)
        if low is not None:
            raise self.at(rows[low]).error(
                f"system{self.numbers[column[low]]}rank must be 1 or more (-1: no judgement), "
                f"found {ranks[low]}."
            )
        for one in first_rows(systems):
            self.at(rows[one]).check_label(columns[column[one]], names[systems[one]])
        return rows, (systems, names), ranks

    def _check_twice(self, systems, names):
        """Raise for a system that one row has twice, judged or not; -1 is none."""
        ordered = np.sort(systems, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
        row = self.first(twice.any(axis=1))
        if row is not None:
            name = names[ordered[row, 1:][twice[row]][0]]
            raise self.at(row).error(f"the system {name!r} is twice in one row.")
