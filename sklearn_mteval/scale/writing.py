"""Partitions made of tables: whole segments in each file, however many tables they come in."""

import contextlib
import os
import shutil
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_candidates, check_ranks
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.scale.dealing import ROW, SEGMENT, cut, in_order, label_hashes, row_hashes
from sklearn_mteval.scale.manifest import (
    Manifest,
    part_name,
    part_of,
    unfinished_files,
    write_file,
    write_manifest,
)
from sklearn_mteval.scale.partitions import Partitions
from sklearn_mteval.scale.tables import kinds_of, pyarrow, to_arrow, to_parquet

_ROWS = 1 << 16  # that are turned into Arrow's form at once


def write_partitions(
    X: pd.DataFrame | Iterable, folder: PathLike, *, y: ArrayLike | None = None,
    segments_per_file: int = 5000, progress: bool = False
) -> Partitions:  # fmt: skip
    """Write candidates as a folder of parquet files, each of whole segments.

    Segments are dealt to files by a hash of their labels, and the rows of a file are in the order
    of such hashes: equal candidates are equal bytes, in any order of rows, and however they are cut
    into tables. What does not fit into memory is sorted on the disk of the folder, which takes up
    to as much room again for a while.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns), or iterable of such tables
        A candidate table, or tables that follow each other, or pairs of a table and its ranks.
        Tables have the same levels, columns and types; a segment may be in several. Labels and
        cells are texts, numbers or, of cells, lists of texts.
    folder : path-like
        New, empty, or left by a call that was interrupted.
    y : array-like of shape (n_candidates,), optional
        The target of one table, lower is better.
    segments_per_file : int, default=5000
        Whole segments in each file, fewer in the last. A task holds one file in memory, its
        features in blocks.
    progress : bool, default=False
        Whether the rows that have been read are shown.

    Returns
    -------
    Partitions
        What was written, to be read file by file.

    Raises
    ------
    CandidateError
        If a table breaks the contract, a row is there twice, tables differ in their columns, there
        is no row, or a label or a cell would not come back as it is.
    DataFileError
        If the folder holds something else, or cannot be written to, as when the disk is full: what
        was written is deleted.
    ImportError
        If the extra ``[distributed]`` is not installed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.scale import write_partitions
    >>> X, y = load_sample(return_X_y=True)
    >>> with TemporaryDirectory() as folder:
    ...     parts = write_partitions(X, folder, y=y, segments_per_file=50)
    ...     [len(table) for table, ranks in parts]
    [250, 250, 140]
    """
    check_integer("segments_per_file", segments_per_file, minimum=1)
    pyarrow()
    folder = Path(folder)
    made = not folder.exists()
    for path in unfinished_files(folder):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    parts, given = [], _checked(X, y)
    try:
        with working("candidates read", unit="rows", rated=True, shown=progress) as step:
            first = next(given, None)
            levels = [] if first is None else list(first[0].index.names)
            tables = _arrow_tables(chain([first] if levels else [], given), step)
            for table in cut(in_order(tables, folder), segments_per_file):
                _refuse_repeated(table, levels)
                columns = table.drop_columns([SEGMENT, ROW])
                content = to_parquet(columns)
                parts.append(part_of(part_name(len(parts)), content, table[SEGMENT].to_numpy()))
                write_file(folder / parts[-1].file, content)
        if not parts:
            raise CandidateError("There are no candidates to write: X has no row.")
        write_manifest(folder, Manifest(kinds_of(columns.schema), len(levels), parts))
    except BaseException as error:
        for part in parts:
            with contextlib.suppress(OSError):
                os.unlink(folder / part.file)
        if made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError) and not isinstance(error, ImportError):
            reason = error.strerror or error
            raise DataFileError(folder, f"cannot be written into ({reason}).") from error
        raise
    return Partitions(folder)


def _checked(X, y):
    """Generate tables that keep the contract, each with its ranks or None."""
    if isinstance(X, pd.DataFrame):
        X = [(X, y)]
    elif y is not None:
        raise CandidateError(
            "y is the target of one table: where X is an iterator, let it yield pairs (X, y)."
        )
    for item in X:
        table, ranks = item if isinstance(item, tuple) and len(item) == 2 else (item, None)
        check_candidates(table)
        if ranks is not None:
            numbers, ranks = check_ranks(ranks, table), np.asarray(ranks)
            ranks = pd.Series(ranks if ranks.dtype.kind in "iuf" else numbers)
        yield table, ranks


def _arrow_tables(given, step):
    """Generate Arrow tables, with hashes, of tables and their ranks."""
    first = None
    for k, (table, ranks) in enumerate(given):
        for start in range(0, len(table), _ROWS):
            rows = slice(start, start + _ROWS)
            part = table.iloc[rows]
            arrow = to_arrow(part, None if ranks is None else ranks.iloc[rows])
            kinds = (list(table.index.names), kinds_of(arrow.schema))
            first = first or kinds
            if kinds != first or list(kinds[1]) != list(first[1]):
                raise CandidateError(
                    f"Table {k} has other columns than those before, or of other types: expected "
                    f"{first[1]} with the index levels {first[0]}, found {kinds[1]} with "
                    f"{kinds[0]}. Make them the same, e.g. X[column].astype(str)."
                )
            hashes = {
                SEGMENT: label_hashes(part.index.get_level_values("segment")),
                ROW: row_hashes(part.index),
            }
            for name, values in hashes.items():
                arrow = arrow.append_column(name, pyarrow().array(values))
            yield arrow
            step.advance(len(part))


def _refuse_repeated(table, levels):
    """Raise CandidateError if a row of a sorted table has the index of the one before."""
    hashes = [table[name].to_numpy() for name in (SEGMENT, ROW)]
    for row in np.flatnonzero(np.all([h[1:] == h[:-1] for h in hashes], axis=0)):
        labels = table.slice(row, 2).select(levels).to_pylist()
        if labels[0] == labels[1]:
            found = tuple(labels[0].values())
            raise CandidateError(f"The index {found} is there twice: each row is one translation.")
