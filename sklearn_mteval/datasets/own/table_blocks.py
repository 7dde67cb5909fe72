"""Tables of translations in files, read in blocks of whole segments."""

import os
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.files import MAX_WHOLE, STANDARD_INPUT, open_file
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets._files import pieces_of_lines
from sklearn_mteval.datasets._json import parse_json_lines
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.blocks import BLOCK, Blocks
from sklearn_mteval.datasets.own._arrow import explained
from sklearn_mteval.datasets.own._judged_rows import whole_numbers
from sklearn_mteval.datasets.own._names import names_of
from sklearn_mteval.datasets.own._reading import columns_of_records, is_parquet, read_any_table
from sklearn_mteval.datasets.own._tables import Column
from sklearn_mteval.datasets.own.tidy import candidates_of_rows
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.segments import Seen, cut

_ROWS = 1 << 11  # that are read at once
_NO_ROW = "there is no translation in it: expected one in each row."


def candidate_blocks(
    path: PathLike, *, segment: str | None = None, system: str | None = None,
    ranking: str | bool | None = None, source: str | bool | None = None,
    reference: str | list[str] | bool | None = None, hypothesis: str | bool | None = None,
    n_candidates: int = BLOCK, max_bytes: int | None = None
) -> Blocks:  # fmt: skip
    r"""Read a table of translations, one row for each, in blocks of whole segments.

    JSON lines and parquet are read piece by piece, so that memory does not grow with the file:
    there the rows of a segment must follow each other. Other files (CSV, TSV, a spreadsheet, one
    JSON list) are read whole.

    Parameters
    ----------
    path : path-like
        The file; of JSON lines also a pipe, or "-", standard input. A cell of references may be a
        list of several.
    segment, system, ranking, source, reference, hypothesis : see :func:`candidates_from_frame`
        Names of columns; customary ones are found.
    n_candidates : int, default=8192
        Candidates of a block, to which the rest of its last segment is added.
    max_bytes : int, optional
        The most that may be read, of a file and of a line. None: 64 GiB, and 16 MiB a line.

    Returns
    -------
    Blocks
        An iterable of candidate tables as of :func:`candidates_from_frame`; further columns are
        those of the first rows.

    Raises
    ------
    DataFileError
        If the file cannot be read, or, when its block is read, rows break the contract of a
        candidate table; if a segment comes again after others.
    MissingExtraError
        For parquet without the extra ``[parquet]``.

    Warns
    -----
    UserWarning
        As :func:`load_translations`, before the last block is returned.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.datasets import candidate_blocks
    >>> rows = [f'{{"segment": {k}, "system": "A", "mt": "No. {k}"}}' for k in range(3)]
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "candidates.jsonl")
    ...     _ = file.write_text("\n".join(rows))
    ...     [X.index.tolist() for X in candidate_blocks(file, n_candidates=2)]
    [[(0, 'A'), (1, 'A')], [(2, 'A')]]
    """
    path = Path(path)
    asked = {
        "segment": segment, "system": system, "ranking": ranking,
        "source": source, "reference": reference, "hypothesis": hypothesis,
    }  # fmt: skip
    if is_parquet(path):
        with open_file(path, max_bytes=max_bytes, lines=False):  # what it is, and how large
            parquet = import_extra("pyarrow.parquet", "parquet", f"{path}: reading parquet")
            with explained(path):
                file = parquet.ParquetFile(path)
        rows = partial(_rows_of_parquet, path, file, max_bytes)
        n_rows = file.metadata.num_rows
        return Blocks(lambda: _blocks(path, rows(), asked, n_candidates, "row"), n_rows)
    pieces = pieces_of_lines(path, max_bytes=max_bytes)
    first = next((piece for piece in pieces if "".join(piece).strip()), [])
    again = str(path) != STANDARD_INPUT and os.path.isfile(path)
    if not "".join(first).lstrip().startswith("{"):
        pieces.close()
        if not again:
            problem = "expected JSON lines: of a pipe, nothing else can be read piece by piece."
            raise DataFileError(path, problem)
        table = read_any_table(path, max_bytes=max_bytes)
        with _placed(path, "row", (0, table.n_rows - 1)):
            [(frame, _)] = _numbered([(_frame(table), None)], asked)
            X = _whole_numbered(candidates_of_rows(frame, asked))
        if not len(X):
            raise DataFileError(path, _NO_ROW)
        return Blocks(lambda: (X.iloc[rows] for rows in cut(X, n_candidates)), len(X))
    total, begun = None, chain([first], pieces)
    if again:
        pieces.close()
        total = sum(map(len, pieces_of_lines(path, max_bytes=max_bytes)))

    def tables():
        lines = pieces_of_lines(path, max_bytes=max_bytes) if again else begun
        rows = _rows_of_lines(path, chain.from_iterable(lines))
        return _blocks(path, rows, asked, n_candidates, "line")

    return Blocks(tables, total)


def _whole_numbered(X):
    """Make numbers of the segments of a table of texts, if all are whole ones."""
    level = X.index.names.index("segment")
    labels = X.index.levels[level]
    if not all(isinstance(label, str) for label in labels):
        return X
    _, numbers = whole_numbers(np.arange(len(labels)), labels.to_numpy(dtype=object))
    return X.set_axis(X.index.set_levels(numbers, level=level))


def _frame(table):
    """Make a DataFrame of the columns of a table that was read whole."""
    columns = {
        name: as_object(column.cells)[column.codes] if isinstance(column, Column) else column
        for name, column in table.columns.items()
    }
    return pd.DataFrame(columns).infer_objects()


def _rows_of_lines(path, lines):
    """Yield rows of JSON lines, some at a time: a DataFrame, and its first and last line."""
    numbered = ((k, line) for k, line in enumerate(lines, 1) if line.strip())
    while some := list(islice(numbered, _ROWS)):
        rows = parse_json_lines(path, some)
        yield pd.DataFrame(columns_of_records(rows)).infer_objects(), (some[0][0], some[-1][0])


def _rows_of_parquet(path, file, max_bytes):
    """Yield the rows of a parquet file, some at a time, as :func:`_rows_of_lines` does."""
    first = 0
    with explained(path):
        for batch in file.iter_batches(_ROWS, use_threads=False):
            batch.validate(full=True)
            if batch.nbytes > (max_bytes or MAX_WHOLE):
                raise DataFileError(path, f"{len(batch)} rows unpack to more than 1 GiB.")
            columns = zip(batch.schema.names, batch.columns, strict=True)
            found = {name: as_object(column.to_pylist()) for name, column in columns}
            yield pd.DataFrame(found).infer_objects(), (first, first + len(batch) - 1)
            first += len(batch)


def _blocks(path, rows, asked, n_candidates, unit):
    """Yield candidate tables of whole segments; the rows of one follow each other."""
    seen, columns, held = Seen(), None, []
    for frame, place in _numbered(rows, asked):
        with _placed(path, unit, place):
            X = candidates_of_rows(frame, asked)
            columns = X.columns if columns is None else columns
            new = X.columns.difference(columns)
            if len(new):
                raise CandidateError(f"a column {new[0]!r}, which rows before have not.")
            held.append((X.reindex(columns=columns), place))
        segments = X.index.get_level_values("segment").to_numpy(dtype=object)
        others = np.flatnonzero(segments != segments[-1])
        # The last segment may go on; it may also be all that there is of this piece.
        if sum(len(part) for part, _ in held) < n_candidates or not len(others):
            continue
        X, end = held.pop()[0], int(others[-1]) + 1
        yield _joined(path, unit, [*held, (X.iloc[:end], place)], seen)
        held = [(X.iloc[end:], place)]
    if not held:
        raise DataFileError(path, _NO_ROW)
    yield _joined(path, unit, held, seen)


def _numbered(rows, asked):
    """Number segments by their sources, and translations of each, where rows name neither."""
    segment, turn, last, column = 0, 0, None, None
    for k, (frame, place) in enumerate(rows):
        if k == 0 and asked["segment"] is None and asked["system"] is None:
            found = names_of(list(map(str, frame.columns))).alone
            if not any(found["segment"] + found["system"]):
                column = next((name for names in found["source"] for name in names), None)
        if column is None or column not in frame:
            yield frame, place
            continue
        numbers = []
        for text in frame[column]:
            segment, turn = (segment, turn + 1) if text == last else (segment + 1, 1)
            last = text
            numbers.append((segment, str(turn)))
        segments, systems = zip(*numbers, strict=True)
        yield frame.assign(segment=segments, system=systems), place


def _joined(path, unit, parts, seen):
    """Join parts of a table to a block, none of whose segments has been in one before."""
    place = parts[0][1][0], parts[-1][1][1]
    X = pd.concat([part for part, _ in parts])
    with _placed(path, unit, place):
        check_candidates(X)
        segments = X.index.unique("segment")
        again = seen.add(segments)
        if again.any():
            raise CandidateError(
                f"segment {segments[again].tolist()[0]!r} has been before, and other segments "
                "after it: rows of one segment must follow each other. Sort the file by segment."
            )
    return X


@contextmanager
def _placed(path, unit, place):
    """Name the file, and the lines or rows, in what is wrong with a table."""
    try:
        yield
    except CandidateError as error:
        first, last = place
        problem = f"{unit}s {first} to {last}, rows counted from 0: "
        raise DataFileError(path, problem + str(error)[:1].lower() + str(error)[1:]) from None
