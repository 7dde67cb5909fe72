"""Lists of candidates, one list after another: n-best files, and outputs of systems in lines.

A file of lists is Moses' (``id ||| text ||| features ||| score``; also ``id ||| text`` and ``id |||
text ||| score``), ids counting up by one, or JSON lines, one list in a line: ``{"translations":
["…", {"text": "…", "score": -1.5, "weight": 0.2}], "segment": "…", "source": "…", "reference":
"…"}``, of which only ``translations`` must be there. Nothing is read further than the lists that
are handed out.
"""

from contextlib import ExitStack
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from sklearn_mteval.candidates import as_texts
from sklearn_mteval.datasets._files import Place, lines_in
from sklearn_mteval.datasets._json import is_number, parse_json
from sklearn_mteval.datasets._lines import named_systems
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.segments import Seen

_NUMBERS = ("score", "weight")  # that a candidate may have
_END = object()


class _List(NamedTuple):
    """The candidates of a segment in one file."""

    label: object  # of the segment; None: the file names none
    rows: list  # of each candidate its text, and by name its numbers
    shared: dict  # the texts of the segment that the file has: source, reference


def candidate_tables(
    lists=(), translations=(), source=None, references=(), *, n_pairs=1 << 17, max_bytes=None
):
    """Generate candidate tables of whole lists, in the order of the files.

    The k-th lists of the files ``lists`` are one; the k-th lines of ``translations``, outputs of
    systems, are more candidates of the k-th list, and so are those of ``source`` and
    ``references`` its texts. A table has ``n_pairs`` pairs of candidates at most, but one list at
    least. It is indexed by segment (as the files name it, else the number of the list, from 1) and
    system (the number of the candidate in the only file of lists, else ``FILE:NUMBER``; a system's
    file), with the columns ``hypothesis``, ``source``, ``reference``, ``score`` and ``weight``
    where they are known of every candidate.
    """
    lists, translations = (list(map(Path, paths)) for paths in (lists, translations))
    names = dict(zip([*lists, *translations], named_systems([*lists, *translations]), strict=True))
    readers = []  # files, and what each says of one segment after the other
    with ExitStack() as stack:
        for path in lists:
            prefix = f"{names[path]}:" if len(names) > 1 else ""
            readers.append((path, _lists_in(stack, path, prefix, max_bytes)))
        for path in translations:
            readers.append((path, _lists_of_lines(stack, path, max_bytes, system=names[path])))
        texts = [("source", Path(source))] if source is not None else []
        texts += [("reference", Path(path)) for path in references]
        for column, path in dict.fromkeys(texts):
            readers.append((path, _lists_of_lines(stack, path, max_bytes, column=column)))
        waiting, size = [], 0
        for label, rows, shared in _joined(readers):
            if waiting and size + len(rows) ** 2 > n_pairs:
                yield _table(waiting)
                waiting, size = [], 0
            waiting.append((label, rows, shared))
            size += len(rows) ** 2
        if waiting:
            yield _table(waiting)


def _joined(readers):
    """Generate what all files say of a segment: its label, candidates, shared texts."""
    for number in count(1):
        found = [(path, next(reader, _END)) for path, reader in readers]
        over = [path for path, part in found if part is _END]
        if len(over) == len(found):
            break
        if over:
            longer = next(path for path, part in found if part is not _END)
            raise Place(over[0]).error(
                f"ends after {number - 1} segment(s), but {longer} has more: the n-th list or line "
                "of every file must belong to segment n. A segment needs a list, of one candidate "
                "at least."
            )
        rows, shared = [row for _, part in found for row in part.rows], {}
        for _, part in found:
            for column, text in part.shared.items():
                shared.setdefault(column, []).append(text)
        yield _label(found, number), rows, _one_source(shared, number, found[0][0])
    if number == 1:
        raise DataFileError(readers[0][0], "the file is empty.")


def _label(found, number):
    """Return what the files call a segment, else its number; they must agree."""
    named = [(path, part.label) for path, part in found if part.label is not None]
    for path, label in named:
        if label != named[0][1]:
            raise Place(path).error(
                f"list {number} is of segment {label!r}, in {named[0][0]} of {named[0][1]!r}: the "
                "n-th list of every file must be of one segment."
            )
    return named[0][1] if named else number


def _one_source(shared, number, path):
    """Make cells of the texts of a segment that files have: one source, references."""
    cells = {}
    for column, texts in shared.items():
        texts = [text for part in texts for text in (part if isinstance(part, list) else [part])]
        if column == "source" and len(set(texts)) > 1:
            two = f"{texts[0][:60]!r} and {texts[1][:60]!r}"
            raise DataFileError(path, f"segment {number} has two sources, {two}.")
        cells[column] = texts[0] if column == "source" or len(texts) == 1 else texts
    return cells


def _table(lists):
    """Make a candidate table of lists, with the columns that all candidates have."""
    rows = [row | shared | {"segment": label} for label, rows, shared in lists for row in rows]
    columns = {}
    for name in ("text", "source", "reference", *_NUMBERS):
        if all(name in row for row in rows):
            dtype = "float64" if name in _NUMBERS else object
            columns[name] = pd.Series([row[name] for row in rows], dtype=dtype)
    levels = [_level([row[name] for row in rows]) for name in ("segment", "system")]
    index = pd.MultiIndex.from_arrays(levels, names=["segment", "system"])
    return pd.DataFrame(columns).rename(columns={"text": "hypothesis"}).set_index(index)


def _level(labels):
    """Keep numbers as numbers, and anything else as it is."""
    small = all(isinstance(label, int) and abs(label) < 2**62 for label in labels)
    return pd.Index(labels, dtype="int64" if small else object)


def _lists_of_lines(stack, path, max_bytes, *, system=None, column=None):
    """Generate of each segment the one candidate that a system has, or a text of a column."""
    for line in lines_in(stack, path, max_bytes):
        candidates = [{"text": line, "system": system}] if column is None else []
        yield _List(None, candidates, {} if column is None else {column: line})


def _lists_in(stack, path, prefix, max_bytes):
    """Generate the lists of a file; what it begins with says its format."""
    numbered = enumerate(lines_in(stack, path, max_bytes), 1)
    lines = ((Place(path, n), line) for n, line in numbered if line.strip())
    first = next(lines, None)
    if first is None:
        return
    read = _json_lines if first[1].lstrip().startswith("{") else _moses
    for found in read(chain([first], lines)):
        for number, row in enumerate(found.rows, 1):
            row["system"] = f"{prefix}{number}" if prefix else number
        yield found


def _moses(lines):
    """Generate the lists of Moses' format."""
    label, rows = None, []
    for at, line in lines:
        current, row = _moses_row(at, line)
        if rows and ("score" in row) != ("score" in rows[0]):
            raise at.error("expected a score in all lines or in none: lines differ in it.")
        if not rows and current not in (0, 1):
            raise at.error(f"expected the list 0, or 1, first, found {current}.")
        if rows and current not in (label, label + 1):
            raise at.error(
                f"expected the list {label} to go on, or {label + 1} to begin, found {current}: "
                "lists must stand in the order of their ids, and each segment needs one. "
                "sort -s -n -k1,1 brings lines into order."
            )
        if rows and current != label:
            yield _List(label, rows, {})
            rows = []
        label = current
        rows.append(row)
    yield _List(label, rows, {})


def _moses_row(at, line):
    """Read a line: the id and the candidate."""
    fields = [field.strip() for field in line.split("|||")]
    if len(fields) < 2 or not (fields[0].isascii() and fields[0].isdigit()) or len(fields[0]) > 18:
        raise at.error(
            "expected 'id ||| text ||| features ||| score', the id a whole number, or a list in "
            f'JSON, {{"translations": [...]}}; found {line[:60]!r}. Outputs of systems, one '
            "translation a line, are given with -t."
        )
    row = {"text": fields[1]}
    if len(fields) > 2:
        score = fields[3 if len(fields) > 3 else 2]
        try:
            row["score"] = float(score) if "_" not in score else float("nan")
        except ValueError:
            row["score"] = float("nan")
        if not is_number(row["score"]):
            raise at.error(f"expected a finite score, found {score[:60]!r}.")
    return int(fields[0]), row


def _json_lines(lines):
    """Generate the lists of JSON lines: all of them name their segments, or none does."""
    seen, named = Seen(), None
    for at, line in lines:
        found = _json_list(at, line)
        named = found.label is not None if named is None else named
        if named != (found.label is not None):
            raise at.error("expected 'segment' in all lines or in none.")
        if named and seen.add([found.label]).any():
            raise at.error(f"segment {found.label!r} has been before.")
        yield found


def _json_list(at, line):
    """Read a line."""
    found = parse_json(at.path, line, at.line)

    def refuse(expected, value):
        raise at.error(f"expected {expected}, found {str(value)[:60]!r}.")

    candidates = found.get("translations") if isinstance(found, dict) else None
    if not isinstance(candidates, list) or not candidates:
        refuse("an object with a list 'translations' of one candidate or more", line)
    rows = [_candidate(candidate, refuse) for candidate in candidates]
    label = found.get("segment")
    if not isinstance(label, str | int | None) or isinstance(label, bool):
        refuse("a text or a whole number as 'segment'", label)
    shared = {column: found[column] for column in ("source", "reference") if column in found}
    for column, cell in shared.items():
        if not (isinstance(cell, str) or (column == "reference" and as_texts(cell))):
            refuse(f"a text as {column!r}", cell)
    return _List(label, rows, shared)


def _candidate(candidate, refuse):
    """Read a candidate of a list: its text, and its numbers by name."""
    row = {"text": candidate} if isinstance(candidate, str) else candidate
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        refuse("a text, or an object with a text 'text', for each candidate", candidate)
    row = {name: row[name] for name in ("text", *_NUMBERS) if name in row}
    for name in _NUMBERS:
        if name in row and not is_number(row[name]):
            refuse(f"a finite number as {name!r}", row[name])
    return row
