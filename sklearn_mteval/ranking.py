"""Ranking a user's own text files: from files to a candidate table, from ranks to lines."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import check_same_length, read_lines
from sklearn_mteval.exceptions import CandidateError, DataFileError

__all__ = ["load_translations", "rank_candidates", "rank_systems", "segment_lines"]

# So many different lines are not all perfect translations, word by word: shorter files may be.
_MANY_LINES = 20


def load_translations(translations, source=None, references=()):
    """Read the outputs of several systems, one segment per line.

    Parameters
    ----------
    translations : list of path-like
        One file for each system, at least two; a system is named after its file.
    source : path-like, optional
        Source sentences.
    references : list of path-like, default=()
        Reference translations.

    Returns
    -------
    DataFrame of shape (n_segments * n_systems, n_columns)
        A candidate table indexed by (segment, system), segments counted from 1; columns
        ``hypothesis`` and, if given, ``source`` and ``reference``.

    Raises
    ------
    DataFileError
        For files of unequal length, bytes that are not UTF-8, missing files.
    CandidateError
        For fewer than two systems, one given twice, or a reference given as a system.
    """
    paths = [Path(path) for path in translations]
    if len(paths) < 2:
        raise CandidateError(
            f"Ranking needs the outputs of two or more systems, found {len(paths)}."
        )
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    files = [path.resolve() for path in paths]
    for path, file, name in zip(paths, files, names, strict=True):
        if files.count(file) > 1:
            raise CandidateError(f"The system output {path} is given twice.")
        if not name.isprintable():
            raise CandidateError(
                f"The file name {name!r} names a system, but cannot be written into a table: "
                "rename the file."
            )
    others = [Path(path) for path in (source, *references) if path is not None]
    lines = {path: read_lines(path) for path in [*others, *paths]}
    first = next(iter(lines))
    for path, texts in lines.items():
        check_same_length(path, texts, first, lines[first])
    if not lines[first]:
        raise DataFileError(first, "the file is empty.")
    for reference in map(Path, references):
        for path in paths:
            same_lines = lines[path] == lines[reference] and len(set(lines[path])) >= _MANY_LINES
            if same_lines or path.resolve() == reference.resolve():
                raise CandidateError(
                    f"{path} has the same lines as the reference {reference}: a reference is not "
                    "ranked. Give it with -r only, and systems with -t."
                )
    n_segments, n_systems = len(lines[first]), len(paths)
    index = pd.MultiIndex.from_product(
        [range(1, n_segments + 1), names], names=["segment", "system"]
    )
    table = {}
    if source is not None:
        table["source"] = np.repeat(np.array(lines[Path(source)], dtype=object), n_systems)
    if references:
        columns = [lines[Path(path)] for path in references]
        cells = np.empty(n_segments, dtype=object)
        cells[:] = columns[0] if len(columns) == 1 else list(map(list, zip(*columns, strict=True)))
        table["reference"] = np.repeat(cells, n_systems)
    outputs = np.array([lines[path] for path in paths], dtype=object)
    table["hypothesis"] = outputs.T.ravel()
    return pd.DataFrame(table, index=index, dtype=object)


def rank_candidates(model, X):
    """Rank every candidate among its comparable rivals.

    Parameters
    ----------
    model : fitted estimator
        With ``decision_function``.
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table.

    Returns
    -------
    DataFrame of shape (n_candidates, 2)
        With the index of X: ``rank`` (1 is best, equal strengths share a rank, as
        ``predict`` gives it) and ``strength`` (higher is better). Features are computed once.
    """
    strength = pd.Series(model.decision_function(X), index=X.index)
    rank = (-strength).groupby(comparable_groups(X)).rank(method="min").astype(np.int64)
    return pd.DataFrame({"rank": rank, "strength": strength})


def rank_systems(ranked):
    """Summarise segment ranks by system.

    Parameters
    ----------
    ranked : DataFrame of shape (n_candidates, 2)
        As :func:`rank_candidates` returns it.

    Returns
    -------
    DataFrame of shape (n_systems, 4)
        Indexed by system, best first: ``mean_rank``, ``mean_strength``, ``best`` (share of
        segments in which no system is stronger), ``segments``.
    """
    table = ranked.assign(best=ranked["rank"] == 1).groupby(level="system")
    summary = pd.DataFrame(
        {
            "mean_rank": table["rank"].mean(),
            "mean_strength": table["strength"].mean(),
            "best": table["best"].mean(),
            "segments": table.size(),
        }
    )
    return summary.sort_values(["mean_rank", "mean_strength"], ascending=[True, False])


def segment_lines(ranked, form):
    """Write segment ranks as lines of text.

    Parameters
    ----------
    ranked : DataFrame of shape (n_candidates, 2)
        As :func:`rank_candidates` returns it, indexed by (segment, system).
    form : {"tsv", "jsonl"}
        Tab-separated, a header and one line for each translation; or JSON lines, one
        object for each segment, its translations best first.

    Yields
    ------
    str
        A line, without its end.
    """
    if form == "tsv":
        yield "segment\tsystem\trank\tstrength"
        for row in ranked.itertuples():
            segment, system = row.Index
            yield f"{segment}\t{system}\t{row.rank}\t{round(row.strength, 6) + 0.0:.6f}"
        return
    if form != "jsonl":
        raise ValueError(f"form must be 'tsv' or 'jsonl', found {form!r}.")
    segments = {}
    for row in ranked.itertuples():
        segment, system = row.Index
        entry = {"system": system, "rank": row.rank, "strength": round(row.strength, 6) + 0.0}
        segments.setdefault(segment, []).append(entry)
    for segment, entries in segments.items():
        entries.sort(key=lambda entry: entry["rank"])
        yield json.dumps({"segment": segment, "translations": entries}, ensure_ascii=False)
