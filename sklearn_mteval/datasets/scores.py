"""Scores of metrics in files, of this package's or any other tool's, as a table."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.spreadsheets import name_in
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._comet import comet_rows
from sklearn_mteval.datasets._files import Place, read_lines, rows_of
from sklearn_mteval.datasets._score_lines import (
    MISSING,
    number,
    rounding_of,
    score_blocks,
    score_rows,
)
from sklearn_mteval.datasets.system_names import match_systems
from sklearn_mteval.exceptions import CandidateError, DataFileError

_KEYS = ("system", "segment")
_FLAGS = "flags"  # sentences next to the scores
_SUFFIXES = (".seg", ".score", ".scores", ".tsv", ".csv", ".txt", ".json", ".gz")


def load_scores(
    path: PathLike, systems: Iterable[str], n_segments: int | None, *, column: str | None = None,
    others: Iterable[str] | None = (), max_bytes: int | None = None
) -> pd.DataFrame:  # fmt: skip
    r"""Read the scores that one or several metrics gave to the translations of a campaign.

    Three layouts are told apart by the first line:

    - lines ``SYSTEM SCORE``, split at a tab or the last space: the k-th line of a system is its
      segment k (``.seg.score`` files of the WMT metrics tasks and mt-metrics-eval). Every
      system has a line for every segment; the score ``None`` is a missing one.
    - a table, comma- or tab-separated, whose header has ``system``, ``segment`` (counted from
      1) and one or several columns of scores. Rows may be missing; a cell that is empty or
      ``None`` is a missing score. A column ``flags``, as the command ``score`` writes it, is
      passed over.
    - what COMET writes by ``--to_json``: an object from the names of systems' files to lists of
      one object for each segment, whose ``COMET`` is the score.

    Parameters
    ----------
    path : path-like
        UTF-8 text, plain or compressed by gzip: a file; a pipe, which is read once; or "-",
        standard input.
    systems : iterable of str
        The campaign's names of the systems, each of which must be there, under this name or
        one that is the same but for test set, language pair and ``.txt``:
        "newstest2015.online-E.0.de-en.txt", "newstest2015.online-E.0.de-en" and "online-E.0" are
        one system. What could be several is refused.
    n_segments : int or None
        How many segments the test set has; None, if that is not known: then systems need
        only have equally many lines.
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
        named after its column; without columns, after the file, less endings such as
        ``.seg.score``.

    Raises
    ------
    DataFileError
        Naming file and line: scores that are not plain finite numbers, too few or too many
        lines of a system, a system that does not exist, is missing, has two names, or two
        scores for one segment, a segment beyond the test set, columns of one name.

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
    path, systems = Path(path), list(systems)
    others = None if others is None else set(others)
    lines = read_lines(path, max_bytes=max_bytes)
    first = next(iter(lines), "")
    delimiter = "\t" if "\t" in first else ","
    if all(key in (cell.strip('"') for cell in first.split(delimiter)) for key in _KEYS):
        header, rows = rows_of(path, lines, _KEYS, delimiter=delimiter)
        rows, place = list(rows), header.index("system")
        for _, cells in rows:
            cells[place] = name_in(cells[place])
        name_of = _names_of(path, ((line, cells[place]) for line, cells in rows), systems, others)
        scores = _of_table(path, header, rows, column, name_of, n_segments)
    elif column is not None:
        raise Place(path, 1).error(
            f"has no column {column!r}: expected a header with the columns 'system', 'segment' "
            f"and {column!r}, found {first[:60]!r}."
        )
    elif all(key in first.casefold() for key in _KEYS) and number(first.split()[-1]) is None:
        raise Place(path, 1).error(
            "expected a header, separated by commas or tabs, with the columns 'system' and "
            f"'segment', found {first[:60]!r}."
        )
    else:
        if first.lstrip()[:1] in ("{", "["):
            rows = comet_rows(path, "\n".join(lines))
        else:
            rows = score_rows(path, lines, [MISSING])
        if rows[0][1] is None:
            raise Place(path, 1).error(
                "expected lines 'SYSTEM SCORE', or a table whose header has the columns "
                "'system' and 'segment'; found a line of one word."
            )
        name_of = _names_of(path, ((line, name) for line, name, _ in rows), systems, others)
        blocks = score_blocks(path, ((k, name_of[name], v) for k, name, v in rows), n_segments)
        index = pd.MultiIndex.from_product(
            [blocks, range(1, len(next(iter(blocks.values()))) + 1)], names=_KEYS
        )
        values = np.concatenate(list(blocks.values()))
        scores = pd.DataFrame({_metric_name(path): values}, index=index).swaplevel()
    there = set(name_of.values())
    missing = [system for system in systems if system not in there]
    if missing:
        raise DataFileError(
            path, f"has no score of the system {missing[0]!r}, only of {_some(name_of)}."
        )
    return scores


def _names_of(path, named, systems, others):
    """Map the names of systems in a file, given with their lines, to the campaign's names."""
    lines = {}
    for line, name in named:
        lines.setdefault(name, line)
    try:
        names = match_systems(lines, systems)
    except CandidateError as error:
        raise DataFileError(path, str(error)) from None
    for name, line in lines.items():
        if others is not None and name not in {*names, *others}:
            raise Place(path, line).error(
                f"the system {name[:60]!r} does not exist; there are {_some({*systems, *others})}."
            )
    return {name: names.get(name, name) for name in lines}


def _metric_name(path):
    """Name a metric after its file."""
    name = path.name
    while Path(name).suffix in _SUFFIXES:
        name = Path(name).stem
    return name


def _of_table(path, header, rows, column, name_of, n_segments):
    """Make a table of columns system, segment and scores."""
    if not rows:
        raise DataFileError(path, "has a header, but no scores.")
    places = _score_columns(Place(path, 1), header, column)
    system_place, segment_place = header.index("system"), header.index("segment")
    scores = {}
    for line, cells in rows:
        system, text = name_of[cells[system_place]], cells[segment_place]
        segment = int(text) if re.fullmatch("[1-9][0-9]{0,8}", text) else None
        if segment is None or (n_segments is not None and segment > n_segments):
            end = "" if n_segments is None else f" to {n_segments}"
            raise Place(path, line).error(
                f"segment must be a line number from 1{end}, found {text!r}."
            )
        if (segment, system) in scores:
            raise Place(path, line).error(f"a second score of segment {segment} by {system!r}.")
        scores[segment, system] = values = []
        for name, place in places.items():
            values.append(number(cells[place], ("", MISSING)))
            if values[-1] is None:
                raise Place(path, line).error(
                    f"column {name!r}: expected a finite number, found "
                    f"{cells[place].strip()[:60]!r}.{rounding_of(cells[place])} A score that is "
                    f"missing is an empty cell or {MISSING!r}; a column that holds no scores is "
                    "passed over when the one to read is named."
                )
    index = pd.MultiIndex.from_tuples(scores, names=_KEYS[::-1])
    return pd.DataFrame(list(scores.values()), index=index, columns=list(places))


def _score_columns(at, header, column):
    """Find the columns to read: names to places."""
    named = (*_KEYS, *([_FLAGS] if column is None else []))
    names = [name for name in header if name not in named]
    if column is not None:
        if column not in names:
            raise at.error(f"has no column {column!r}; the header is {header}.")
        names = [column]
    doubled = [name for name in names if header.count(name) > 1 or not name.strip()]
    if doubled or not names:
        found = f"{doubled[0]!r} {header.count(doubled[0])} times" if doubled else "none"
        raise at.error(f"expected columns of scores, each with a name of its own, found {found}.")
    return {name: header.index(name) for name in names}


def _some(names):
    """List names."""
    return ", ".join(map(repr, sorted(names)))
