"""The outputs of several systems as plain text, one segment per line."""

from pathlib import Path

import pandas as pd

from sklearn_mteval._helpers.files import STANDARD_INPUT, real_path
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import check_same_length, read_lines
from sklearn_mteval.datasets._lines import candidates_of_lines, named_systems, read_aligned
from sklearn_mteval.datasets.nbest import candidate_tables
from sklearn_mteval.datasets.suspicious import warn_of_texts
from sklearn_mteval.exceptions import CandidateError, DataFileError

__all__ = ["check_same_length", "load_translations", "read_lines"]

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
        files call them, systems are the numbers of candidates, FILE:NUMBER of several files, and
        there are columns ``score`` and ``weight`` where all candidates have one.

    Raises
    ------
    DataFileError
        For files of unequal length, that are missing, too large, or no UTF-8 text; for lists that
        break their format, ids that do not count up by one, scores that are no finite numbers.
    CandidateError
        For fewer systems, one or standard input given twice, or a reference given as a
        system.

    Warns
    -----
    UserWarning
        Of what :func:`suspicious_texts` finds: empty lines, copies, another language.
    """
    paths = [Path(path) for path in translations]
    if nbest:
        tables = candidate_tables(paths, (), source, references, max_bytes=max_bytes)
        return pd.concat(list(tables)).dropna(axis="columns")  # what not all lists have
    if len(paths) < min_systems:
        number = {1: "one", 2: "two"}.get(min_systems, min_systems)
        raise CandidateError(
            f"Expected the outputs of {number} or more systems, found {len(paths)}."
        )
    names = named_systems(paths)
    source_paths = [] if source is None else [Path(source)]
    references = [Path(path) for path in references]
    everything = [*source_paths, *references, *paths]
    if everything.count(Path(STANDARD_INPUT)) > 1:
        raise CandidateError('Standard input, "-", is given twice, but can be read only once.')
    lines = read_aligned(everything, max_bytes)
    first = everything[0]
    if not lines[first]:
        raise DataFileError(first, "the file is empty.")
    for reference in references:
        for path in paths:
            same_lines = lines[path] == lines[reference] and len(set(lines[path])) >= _MANY_LINES
            if same_lines or real_path(path) == real_path(reference):
                raise CandidateError(
                    f"{path} has the same lines as the reference {reference}: a reference is not "
                    "ranked. Give it with -r only, and systems with -t."
                )
    outputs = {name: lines[path] for name, path in zip(names, paths, strict=True)}
    sources = lines[source_paths[0]] if source_paths else None
    X = candidates_of_lines(outputs, sources, [lines[path] for path in references])
    warn_of_texts(X)
    return X
