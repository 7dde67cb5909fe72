"""Scores of metrics in files, of this package's or any other tool's, as a table."""

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.spreadsheets import name_in
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import Place, columns_of_rows, read_lines, rows_of
from sklearn_mteval.datasets._score_lines import (
    MISSING,
    comet_rows,
    number,
    numbers,
    rounding_of,
    score_blocks,
    score_rows,
)
from sklearn_mteval.datasets.own._judged_rows import first_rows
from sklearn_mteval.datasets.system_names import names_in_file, some_names
from sklearn_mteval.exceptions import DataFileError

_KEYS = ("system", "segment")
_OTHERS = ("flags", "errors")  # what stands next to scores
_SUFFIXES = (".seg", ".score", ".scores", ".tsv", ".csv", ".txt", ".json", ".gz")


def load_scores(
    path: PathLike, systems: Iterable[str], n_segments: int | None, *, column: str | None = None,
    others: Iterable[str] | None = (), max_bytes: int | None = None
) -> pd.DataFrame:  # fmt: skip
    r"""Read the scores that one or several metrics gave to the translations of a campaign.

    Three layouts are told apart by the first line:

    - lines ``SYSTEM SCORE``, the k-th of a system for its segment k (``.seg.score`` of the WMT
      metrics tasks), without gaps; the score ``None`` is a missing one.
    - a table, comma- or tab-separated, whose header has ``system``, ``segment`` (from 1) and
      columns of scores. Rows may be missing, and cells, empty or ``None``. Columns ``flags`` and
      ``errors``, as the command ``score`` writes them, are passed over.
    - what COMET writes by ``--to_json``.

    Parameters
    ----------
    path : path-like
        UTF-8 text, plain or compressed by gzip: a file, a pipe, or "-", standard input.
    systems : iterable of str
        The campaign's names of the systems, each of which must be there, under this name or
        one that is the same but for test set, language pair and ``.txt``:
        "newstest2015.online-E.0.de-en.txt" is "online-E.0". What could be several is refused.
    n_segments : int or None
        How many segments the test set has; None: systems need only have equally many lines.
    column : str, optional
        The one column of a table to read; None reads all.
    others : iterable of str or None, default=()
        Systems that may be there as well, such as references; their scores are read, too. None:
        any others.
    max_bytes : int, optional
        The most that may be read, of the file and of a line. None: 1 GiB, and 16 MiB a line.

    Returns
    -------
    DataFrame of shape (n_scores, n_metrics), float64
        Indexed by (segment, system), by the campaign's names; NaN is a missing score. A metric is
        named after its column, or the file, less endings such as ``.seg.score``.

    Raises
    ------
    DataFileError
        Naming file and line: scores that are no finite numbers, too few or too many lines; a
        system that does not exist, is missing, or has two names; two scores of one translation.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.datasets import load_scores
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "comet.seg.score"
    ...     _ = path.write_text("A 0.8\nA 0.7\nB 0.6\nB None\n")
    ...     load_scores(path, ["A", "B"], 2)["comet"].tolist()
    [0.8, 0.7, 0.6, nan]
    """
    file = _File(Path(path), max_bytes)
    columns = file.columns if column is None else [file.column(column)]
    return file.read(columns, list(systems), n_segments, others)


def named_scores(path, names, systems, n_segments, others):
    """Read a file once for all names, or the only one under it: a dict of Series, None: of all."""
    file = _File(Path(path), None)
    wanted = {name: file.columns if name is None else [file.called(name)] for name in names}
    read = dict.fromkeys(column for columns in wanted.values() for column in columns)
    table = file.read([*read], list(systems), n_segments, others)
    return {
        name: {column if name is None else name: table[column] for column in columns}
        for name, columns in wanted.items()
    }


class _File:
    """The lines of a file of scores, of any layout."""

    def __init__(self, path, max_bytes):
        self.path = path
        self.header = None  # of a table
        self.columns = [_metric_name(path)]  # of scores; one after the file but of a table
        self._lines = read_lines(path, max_bytes=max_bytes)
        self._first = first = next(iter(self._lines), "")
        delimiter = "\t" if "\t" in first else ","
        if all(key in (cell.strip('"') for cell in first.split(delimiter)) for key in _KEYS):
            self._rows = partial(rows_of, path, self._lines, _KEYS, delimiter=delimiter)
            self.header, _ = self._rows()
            self.columns = [name for name in self.header if name not in (*_KEYS, *_OTHERS)]
        elif all(key in first.casefold() for key in _KEYS) and number(first.split()[-1]) is None:
            raise self._at_first(
                "expected a header, separated by commas or tabs, with the columns 'system' and "
                f"'segment', found {first[:60]!r}."
            )

    def _at_first(self, problem):
        """Make the error for what is wrong in the first line."""
        return Place(self.path, 1).error(problem)

    def column(self, name):
        """Return the name of a table's column, or raise."""
        if self.header is None:
            raise self._at_first(
                f"has no column {name!r}: expected a header with the columns 'system', 'segment' "
                f"and {name!r}, found {self._first[:60]!r}."
            )
        if name not in self.header or name in _KEYS:
            raise self._at_first(f"has no column {name!r}; the header is {self.header}.")
        return name

    def called(self, name):
        """Return the column that a name means: the one that has it, or the only one."""
        if name in self.columns:
            return name
        if len(self.columns) > 1:
            raise ValueError(
                f"{self.path} has no column {name!r}, but {', '.join(map(repr, self.columns))}."
            )
        return self.columns[0] if self.columns else name

    def read(self, columns, systems, n_segments, others):
        """Read some columns: a table indexed by segment and system, by the campaign's names."""
        others = None if others is None else set(others)
        wrong = [name for name in columns if not (name.strip() and name.isprintable())]
        if wrong or not columns:
            found = f"{wrong[0]!r} {columns.count(wrong[0])} times" if wrong else "none"
            raise self._at_first(
                f"expected columns of scores, each with a name of its own, found {found}. Names "
                "must be there once and have no characters that cannot be written."
            )
        layout = self._of_lines if self.header is None else self._of_table
        table, name_of = layout(columns, systems, n_segments, others)
        there = set(name_of.values())
        missing = [system for system in systems if system not in there]
        if missing:
            problem = f"has no score of the system {missing[0]!r}, only of {some_names(name_of)}."
            raise DataFileError(self.path, problem)
        return table

    def _of_lines(self, columns, systems, n_segments, others):
        """Read lines of systems and scores, or COMET's JSON; also return the names of systems."""
        if self._first.lstrip()[:1] in ("{", "["):
            rows = comet_rows(self.path, "\n".join(self._lines))
        else:
            rows = score_rows(self.path, self._lines, [MISSING])
        if rows[0][1] is None:
            raise self._at_first(
                "expected lines 'SYSTEM SCORE', or a table whose header has the columns 'system' "
                "and 'segment'; found a line of one word."
            )
        first_line = {}
        for line, name, _ in rows:
            first_line.setdefault(name, line)
        name_of = names_in_file(self.path, first_line, systems, others)
        blocks = score_blocks(self.path, ((k, name_of[name], v) for k, name, v in rows), n_segments)
        index = pd.MultiIndex.from_product(
            [blocks, range(1, len(next(iter(blocks.values()))) + 1)], names=_KEYS
        )
        values = np.concatenate(list(blocks.values()))
        return pd.DataFrame(dict.fromkeys(columns, values), index=index).swaplevel(), name_of

    def _of_table(self, columns, systems, n_segments, others):
        """Read columns of a table; also return the names of systems."""
        places = [self.header.index(name) for name in (*_KEYS, *columns)]
        _, rows = self._rows(n_told=max(places) + 1)
        lines, (named, segments, *cells) = columns_of_rows(rows, places)
        if not lines:
            raise DataFileError(self.path, "has a header, but no scores.")
        of_row, names = numbered(named)
        first_line = {}
        for row, name in zip(first_rows(of_row), map(name_in, names), strict=True):
            first_line.setdefault(name, lines[row])
        name_of = names_in_file(self.path, first_line, systems, others)
        systems = np.array([name_of[name_in(name)] for name in names], dtype=object)[of_row]
        index = pd.MultiIndex.from_arrays(
            [self._segments(lines, segments, n_segments), systems], names=_KEYS[::-1]
        )
        if not index.is_unique:
            row = int(index.duplicated().argmax())
            problem = "a second score of segment {} by {!r}.".format(*index[row])
            raise Place(self.path, lines[row]).error(problem)
        columns = zip(columns, cells, strict=True)
        found = {name: self._numbers(lines, name, texts) for name, texts in columns}
        return pd.DataFrame(found, index), name_of

    def _segments(self, lines, texts, n_segments):
        """Read the numbers of segments."""
        of_row, distinct = numbered(texts)
        values = np.zeros(len(distinct), dtype=np.int64)
        for code, text in enumerate(distinct):
            if re.fullmatch("[1-9][0-9]{0,8}", text):
                values[code] = int(text)
        wrong = (values < 1) | (values > (np.inf if n_segments is None else n_segments))
        if wrong.any():
            row = int(wrong[of_row].argmax())
            end = "" if n_segments is None else f" to {n_segments}"
            raise Place(self.path, lines[row]).error(
                f"segment must be a line number from 1{end}, found {texts[row]!r}."
            )
        return values[of_row]

    def _numbers(self, lines, name, texts):
        """Read a column of scores."""
        values, bad = numbers(texts, ("", MISSING))
        if bad is not None:
            raise Place(self.path, lines[bad]).error(
                f"column {name!r}: expected a finite number, found "
                f"{texts[bad].strip()[:60]!r}.{rounding_of(texts[bad])} A score that is missing is "
                f"an empty cell or {MISSING!r}; a column that holds no scores is passed over when "
                "the one to read is named."
            )
        return values


def _metric_name(path):
    """Name a metric after its file."""
    name = path.name
    while Path(name).suffix in _SUFFIXES:
        name = Path(name).stem
    if not name.isprintable():
        raise Place(path).error("its name names a metric, but cannot be written: rename the file.")
    return name
