"""Texts of a test set, the k-th of each file for segment k, and candidate tables of them.

Texts are lines of a text file or, in mt-metrics-eval since WMT24++, JSON lines: ``NAME.jsonl``
holds objects with the text as "source", "target" (of a reference) or "hypothesis", and more.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.files import real_path
from sklearn_mteval.candidates import TEXT_COLUMNS
from sklearn_mteval.datasets._files import Place, check_same_length, named_files, read_lines
from sklearn_mteval.datasets._json import parse_json_lines
from sklearn_mteval.datasets.system_names import match_systems
from sklearn_mteval.exceptions import CandidateError, DataFileError

_ENDINGS = (".txt", ".jsonl")
_NOT_SUPPLIED = "[No translation supplied]"  # mt-metrics-eval's word for a text that is missing


class SegmentTexts(NamedTuple):
    """The texts of a file; None for a segment without."""

    texts: list[str | None]
    records: list[dict[str, Any]] | None  # what JSON lines say besides


def text_files(folder, prefix=""):
    """Map the names of a folder's files of texts, less prefix and ending, to the files."""
    found = {}
    for ending in _ENDINGS:
        for name, file in named_files(folder, prefix, ending).items():
            if name in found:
                twice = f"is there twice, as {found[name].name} and {file.name}"
                raise Place(folder / f"{prefix}{name}").error(f"{twice}: remove one of them.")
            found[name] = file
    return dict(sorted(found.items(), key=lambda item: item[1].name))


def read_texts(file, field, max_bytes):
    """Read a file's texts, of JSON lines those in ``field``."""
    if not file.name.removesuffix(".gz").endswith(".jsonl"):
        lines = read_lines(file, max_bytes=max_bytes)
        return SegmentTexts([None if t.rstrip() == _NOT_SUPPLIED else t for t in lines], None)
    texts, records = [], read_records_of_segments(file, max_bytes)
    for line, record in enumerate(records, 1):
        text = record.get(field, 0)
        if text is not None and not isinstance(text, str):
            found = f"{field!r} is no text" if field in record else f"the names {[*record][:20]}"
            raise Place(file, line).error(
                f"expected an object with a text {field!r}, or null for none, found {found}."
            )
        texts.append(None if text is None or text.rstrip() == _NOT_SUPPLIED else text)
    return SegmentTexts(texts, [{k: v for k, v in r.items() if k != field} for r in records])


def read_records_of_segments(file, max_bytes):
    """Read JSON lines, an object for each segment."""
    return parse_json_lines(file, enumerate(read_lines(file, max_bytes=max_bytes), 1))


def candidates_of_lines(outputs, sources=None, references=(), *, first=1):
    """Make a candidate table of lines of all systems, of sources and of each of the references."""
    segments = range(first, first + len(next(iter(outputs.values()))))
    labels = pd.MultiIndex.from_product([segments, [*outputs]], names=["segment", "system"])
    columns = {} if sources is None else {"source": as_object(sources).repeat(len(outputs))}
    if references:
        columns["reference"] = reference_cells(references).repeat(len(outputs))
    columns["hypothesis"] = in_rows(map(as_object, outputs.values()))
    return pd.DataFrame(columns, labels, dtype=object)


def named_systems(paths):
    """Name systems after their files, less ``.gz``, or after the paths where that is not enough."""
    names = [path.name.removesuffix(".gz") for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    files = [real_path(path) for path in paths]
    for path, file, name in zip(paths, files, names, strict=True):
        if files.count(file) > 1:
            raise CandidateError(f"The system output {path} is given twice.")
        if not name.isprintable():
            raise CandidateError(
                f"The file name {name!r} names a system, but cannot be written into a table: "
                "rename the file."
            )
    return names


def read_aligned(paths, max_bytes):
    """Read files of equally many lines: {path: lines}. A pipe can be read only once."""
    lines = {path: read_lines(path, max_bytes=max_bytes) for path in dict.fromkeys(paths)}
    return _checked_lengths(lines)


def _checked_lengths(lines):
    """Return {path: lines}; raise unless all have equally many."""
    first = next(iter(lines))
    for path, found in lines.items():
        check_same_length(path, len(found), first, len(lines[first]))
    return lines


def in_rows(columns):
    """Put arrays of systems, a cell for each segment, into the order of the table's rows."""
    return np.column_stack(list(columns)).ravel()


def reference_cells(references):
    """Make cells of the lines of each reference: texts of one, lists of several."""
    if len(references) == 1:
        return as_object(references[0])
    return as_object(list(map(list, zip(*references, strict=True))))


def as_object(cells):
    """Make an object array of cells, lists among them too."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def check_texts_option(texts):
    """Return the files of each kind as {kind: [path] or {system: path}}."""
    if texts is None:
        return {}
    if not isinstance(texts, dict) or not set(texts) <= set(TEXT_COLUMNS):
        raise ValueError(
            f"texts must be a dict with keys of {list(TEXT_COLUMNS)}, found {texts!r:.200}."
        )
    found = {}
    for kind, given in texts.items():
        named = kind == "hypothesis" and isinstance(given, dict)
        several = named or (kind != "source" and isinstance(given, list | tuple))
        paths = [*(given.values() if named else given)] if several else [given]
        for path in paths:
            if not isinstance(path, str | os.PathLike):
                raise ValueError(f"texts[{kind!r}]: expected a path, found {path!r:.100}.")
        if not paths:
            raise ValueError(f"texts[{kind!r}] names no file.")
        found[kind] = paths = list(map(Path, paths))
        if kind == "hypothesis":
            names = list(given) if named else [path.name for path in paths]
            if len(set(names)) < len(names):
                raise ValueError(f"texts['hypothesis'] has two files of one name, {names}.")
            found[kind] = dict(zip(names, paths, strict=True))
    return found


def names_of_files(files, systems):
    """Map what files of systems' texts are called to the names of systems, as far as they match."""
    try:
        return match_systems(files, systems)
    except CandidateError as error:
        raise ValueError(f"texts['hypothesis']: {error}") from None


def lines_of_texts(texts, max_bytes):
    """Read the files of :func:`check_texts_option`, equally many lines each: {path: lines}."""
    lines = {}
    for kind, files in texts.items():
        for path in files.values() if kind == "hypothesis" else files:
            lines[path] = read_lines(path, max_bytes=max_bytes)
            if lines[path][:1] == [kind]:
                problem = f"{kind!r} looks like a header: line n must be the text of segment n."
                raise DataFileError(path, problem, 1)
    return _checked_lengths(lines)
