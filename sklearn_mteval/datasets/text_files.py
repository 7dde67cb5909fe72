"""The outputs of several systems as plain text, one segment per line."""

import os
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pandas as pd

from sklearn_mteval._helpers.files import STANDARD_INPUT, real_path
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import check_same_length, lines_in, pieces_of_lines
from sklearn_mteval.datasets._lines import candidates_of_lines, named_systems
from sklearn_mteval.datasets.blocks import BLOCK, Blocks
from sklearn_mteval.datasets.nbest import candidate_tables
from sklearn_mteval.datasets.suspicious.findings import warn_of_texts
from sklearn_mteval.exceptions import CandidateError, DataFileError

# So many different lines are not all perfect translations, word by word: shorter files may be.
_MANY_LINES = 20


def load_translations(
    translations: list[PathLike], source: PathLike | None = None, references: list[PathLike] = (),
    *, min_systems: int = 2, nbest: bool = False, max_bytes: int | None = None
) -> pd.DataFrame:  # fmt: skip
    """Read the outputs of several systems, one segment per line, or lists of candidates.

    Parameters
    ----------
    translations : list of path-like
        One file for each system; a system is named after its file, less ``.gz``. Each file may
        be a pipe, and one of all "-", standard input.
    source : path-like, optional
        Source sentences.
    references : list of path-like, default=()
        Reference translations.
    min_systems : int, default=2
        How many systems there must be.
    nbest : bool, default=False
        Whether the files of translations hold lists instead, for ``models.rerank``: Moses'
        ``id ||| text ||| features ||| score``, or JSON lines such as ``{"translations": ["a",
        {"text": "b", "score": -1.5}]}``, which may also have ``segment``, ``source``, ``reference``
        and, of a candidate, ``weight``. The k-th lists of all files are one. There may be one file
        only, and lists of any lengths.
    max_bytes : int, optional
        The most that may be read, of a file and of a line. None: 1 GiB, and 16 MiB a line.

    Returns
    -------
    DataFrame of shape (n_segments * n_systems, n_columns)
        A candidate table indexed by (segment, system), segments counted from 1; columns
        ``hypothesis`` and, if given, ``source`` and ``reference``. Of lists, segments are what the
        files call them, systems are the numbers of candidates, ``FILE:NUMBER`` of several files,
        and there are columns ``score`` and ``weight`` where all candidates have one.

    Raises
    ------
    DataFileError
        For files of unequal length, that cannot be read, or lists that break their format.
    CandidateError
        For fewer systems, one or standard input given twice, or a reference given as a
        system.

    Warns
    -----
    UserWarning
        Of what :func:`suspicious_texts` finds: copies, shifted lines, another language.
    """
    if nbest:
        tables = candidate_tables(translations, (), source, references, max_bytes=max_bytes)
        return pd.concat(list(tables)).dropna(axis="columns")  # what not all lists have
    options = {"min_systems": min_systems, "max_bytes": max_bytes, "n_candidates": None}
    (X,) = translation_blocks(translations, source, references, **options).tables()
    warn_of_texts(X)
    return X


def translation_blocks(
    translations: list[PathLike], source: PathLike | None = None, references: list[PathLike] = (),
    *, min_systems: int = 2, max_bytes: int | None = None, n_candidates: int | None = BLOCK
) -> Blocks:  # fmt: skip
    r"""Read the outputs of several systems, one segment per line, in blocks of segments.

    Parameters
    ----------
    translations, source, references, min_systems : see :func:`load_translations`
        The same.
    max_bytes : int, optional
        The most that may be read, of a file and of a line. None: 64 GiB, and 16 MiB a line.
    n_candidates : int, optional
        Candidates of a block, about; None: one block of all.

    Returns
    -------
    Blocks
        An iterable of candidate tables as of :func:`load_translations`.

    Raises
    ------
    DataFileError, CandidateError
        As :func:`load_translations`; what only a pipe shows, when its block is read. That a
        reference is given as a system is told by the first block.

    Warns
    -----
    UserWarning
        As :func:`load_translations`, before the last block is returned.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.datasets import translation_blocks
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "A.en")
    ...     _ = file.write_text("One.\nTwo.\nThree.\n")
    ...     blocks = translation_blocks([file], min_systems=1, n_candidates=2)
    ...     blocks.n_candidates, [X.index.tolist() for X in blocks]
    (3, [[(1, 'A.en'), (2, 'A.en')], [(3, 'A.en')]])
    """
    systems, sources, references = _checked_paths(translations, source, references, min_systems)
    paths = list(dict.fromkeys([*sources, *references, *systems.values()]))
    n_segments = per_block = None
    if n_candidates is not None:
        n_segments = _n_lines(paths, max_bytes)
        per_block = max(1, n_candidates // len(systems))

    def tables():
        """Read all files side by side."""
        first = 1
        for lines in _aligned(paths, per_block, max_bytes):
            if first == 1:
                _check_no_reference(systems, references, lines)
            outputs = {name: lines[path] for name, path in systems.items()}
            given = lines[sources[0]] if sources else None
            X = candidates_of_lines(outputs, given, [lines[p] for p in references], first=first)
            first += len(lines[paths[0]])
            yield X

    return Blocks(tables, None if n_segments is None else n_segments * len(systems))


def _checked_paths(translations, source, references, min_systems):
    """Check which files are named; return systems by name, and lists of sources and references."""
    paths = [Path(path) for path in translations]
    if len(paths) < min_systems:
        number = {1: "one", 2: "two"}.get(min_systems, min_systems)
        raise CandidateError(
            f"Expected the outputs of {number} or more systems, found {len(paths)}."
        )
    systems = dict(zip(named_systems(paths), paths, strict=True))
    sources = [] if source is None else [Path(source)]
    references = [Path(path) for path in references]
    if [*sources, *references, *paths].count(Path(STANDARD_INPUT)) > 1:
        raise CandidateError('Standard input, "-", is given twice, but can be read only once.')
    return systems, sources, references


def _n_lines(paths, max_bytes):
    """Count the lines of files, looking at all texts; None if some can be read only once."""
    if not all(str(path) != STANDARD_INPUT and os.path.isfile(path) for path in paths):
        return None
    numbers = {}
    for path in tracked(paths, "looking through", "files"):
        numbers[path] = sum(map(len, pieces_of_lines(path, max_bytes=max_bytes)))
        check_same_length(path, numbers[path], paths[0], numbers[paths[0]])
    return numbers[paths[0]]


def _aligned(paths, n_lines, max_bytes):
    """Read so many lines, or all, of each file at a time: dicts from paths to lines."""
    with ExitStack() as stack:
        files = {}
        for path in paths:
            files[path] = lines_in(stack, path, max_bytes, whole=n_lines is None)
        read = 0
        while True:
            lines = {path: list(islice(file, n_lines)) for path, file in files.items()}
            first = lines[paths[0]]
            for path, found in lines.items():
                _check_lines(path, read + len(found), paths[0], read + len(first), n_lines)
            if not read and not first:
                raise DataFileError(paths[0], "the file is empty.")
            if first:
                yield lines
            read += len(first)
            if n_lines is None or len(first) < n_lines:
                return


def _check_lines(path, n, other, n_of_other, n_at_once):
    """Raise unless as many lines have been read of two files, of which one may have more."""
    if n_at_once is None or n == n_of_other:
        return check_same_length(path, n, other, n_of_other)
    (n, path), (_, other) = sorted([(n, path), (n_of_other, other)])
    problem = f"has {n} lines, but {other} has more: line n of every file must belong to segment n."
    raise DataFileError(path, problem, n + 1)


def _check_no_reference(systems, references, lines):
    """Raise if a system has the lines of a reference."""
    for reference in references:
        for path in systems.values():
            same_lines = lines[path] == lines[reference] and len(set(lines[path])) >= _MANY_LINES
            if same_lines or real_path(path) == real_path(reference):
                raise CandidateError(
                    f"{path} has the same lines as the reference {reference}: a reference is not "
                    "ranked. Give it with -r only, and systems with -t."
                )
