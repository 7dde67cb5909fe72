"""Texts of judged rows, of the table itself or from line-aligned files."""

import reprlib

import numpy as np

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval.datasets._lines import (
    as_object,
    lines_of_texts,
    names_of_files,
    reference_cells,
)
from sklearn_mteval.datasets.own._judged_rows import combined, first_rows, joint
from sklearn_mteval.datasets.own._tables import as_text, texts_of


def texts_of_lines(table, judged, texts, max_bytes):
    """Read files of texts; return the cells of judged rows by kind, and the number of lines."""
    if not texts:
        return {}, None
    lines = lines_of_texts(texts, max_bytes)
    first = next(iter(lines))
    n_lines = len(lines[first])
    codes, labels = judged.segment
    place = labels[codes]
    text = labels.dtype == object
    wrong = np.full(len(place), True) if text else (place < 1) | (place > n_lines)
    if wrong.any():
        row = int(wrong.argmax())
        raise table.error(
            f"segment {place[row]} is no line of {first}: with texts=, segments must be "
            f"line numbers from 1 to {n_lines}.",
            int(judged.place[row]),
        )
    place = place - 1
    cells = {}
    if "source" in texts:
        cells["source"] = as_object(lines[texts["source"][0]])[place]
    if "reference" in texts:
        cells["reference"] = reference_cells([lines[path] for path in texts["reference"]])[place]
    if "hypothesis" in texts:
        cells["hypothesis"] = _hypotheses(table, judged, texts["hypothesis"], lines, place)
    return cells, n_lines


def _hypotheses(table, judged, files, lines, place):
    """Take the translations of judged rows from a file for each system."""
    codes, labels = judged.system
    used = np.unique(codes)
    path_of = {meant: files[name] for name, meant in names_of_files(files, labels[used]).items()}
    found = np.empty(len(codes), dtype=object)
    for code in used:
        rows = np.flatnonzero(codes == code)
        if labels[code] not in path_of:
            raise table.error(
                f"texts['hypothesis'] has no file of the system {labels[code]!r}, only of "
                f"{', '.join(map(repr, sorted(map(str, files))))}.",
                int(judged.place[rows[0]]),
            )
        found[rows] = as_object(lines[path_of[labels[code]]])[place[rows]]
    return found


def texts_of_table(table, columns, judged):
    """Read the texts that the table holds, for each judged row: codes, and distinct ones."""
    cells = {}
    if columns.source is not None:
        cells["source"] = texts_of(table, columns.source)
    if columns.reference:
        cells["reference"] = _references(table, columns.reference)
    cells = {name: (codes[judged.place], texts) for name, (codes, texts) in cells.items()}
    return cells if judged.hypothesis is None else cells | {"hypothesis": judged.hypothesis}


def _references(table, names):
    """Read one or several columns of references; in one, a cell of a frame may be a list."""
    if len(names) == 1:
        codes, cells = table.column(names[0])
        if not any(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
            return texts_of(table, names[0])
        lists = [_listed(table, names[0], row, cell) for row, cell in enumerate(cells)]
    else:
        columns = [texts_of(table, name, default="") for name in names]
        codes = combined(*(of_row for of_row, _ in columns))
        rows = first_rows(codes)
        several = zip(*(texts[of_row[rows]] for of_row, texts in columns), strict=True)
        lists = [[text for text in texts if text] for texts in several]
        if not all(lists):
            row = next(row for row, texts in zip(rows, lists, strict=True) if not texts)
            raise table.error(f"columns {names}: expected a reference, found none.", row)
    of_code, keys = numbered(list(map(str, lists)))
    distinct = np.empty(len(keys), dtype=object)
    distinct[of_code] = as_object(lists)
    return of_code[codes], distinct


def _listed(table, name, row, cell):
    """Read a cell of one or several references."""
    try:
        texts = [as_text(text) for text in ([cell] if isinstance(cell, str) else cell)]
    except TypeError:
        texts = []
    if not texts or None in texts:
        raise table.error(f"column {name!r}: expected texts, found {reprlib.repr(cell)}.", row)
    return texts


def check_alike(table, judged, cells):
    """Raise unless rows of a segment share source and reference, and those of a system its text."""
    segments = judged.segment[0]
    systems = joint(segments, judged.system[0])
    cures = {
        "source": "Segments of several files or language pairs need labels of their own.",
        "reference": "Several references stand in columns of their own: reference=['ref1', 'ref2'],"
        " say.",
        "hypothesis": "Two translations of a segment need systems of two names.",
    }
    for name, (codes, texts) in cells.items():
        of_row = combined(systems if name == "hypothesis" else segments)
        first = first_rows(of_row)
        differ = codes != codes[first][of_row]
        if differ.any():
            row = int(differ.argmax())
            label = judged.segment[1][segments[row]]
            whose = ""
            if name == "hypothesis":
                whose = f" of {judged.system[1][judged.system[0][row]]!r}"
            before = table.place(judged.place[first[of_row[row]]])
            raise table.error(
                f"segment {label}: the {name}{whose} is {texts[codes[row]]!r:.50} here, and "
                f"{texts[codes[first[of_row[row]]]]!r:.50} in {before}. {cures[name]}",
                int(judged.place[row]),
            )
