"""Lines ``SYSTEM SCORE``, the k-th of a system for its segment k, as mt-metrics-eval has them."""

import math
import re
from decimal import Decimal
from pathlib import PurePath

import numpy as np

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval._helpers.numbers import is_exact
from sklearn_mteval.datasets._files import Place, lines_of
from sklearn_mteval.datasets._json import is_number, parse_json
from sklearn_mteval.exceptions import DataFileError

MISSING = "None"  # mt-metrics-eval's word for a translation that has no score
# Python's own float would also read "nan", "infinity", "1_000" and digits of other scripts, none of
# which a metric writes on purpose.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMET = "COMET"  # what comet-score calls a score, whatever the model
_ABSENT = object()
_CHARACTERS = re.compile(r"[0-9.+eE\s-]*")
_EXACT = 2.0**53  # all whole numbers below are numbers of float64


def read_score_lines(path):
    """Read a file, which must be no pipe, as :func:`score_rows` reads its lines."""
    return score_rows(path, lines_of(read_text(path, pipes=False)))


def score_rows(path, lines, missing=()):
    """Read lines ``SYSTEM SCORE``, or ``SCORE``, as the first is, split at the last tab or space:
    line number, system or None, score, NaN if ``missing``; blank lines at the end are left out.
    """
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise DataFileError(path, "expected scores, found an empty file.")
    named = len(lines[0].split()) > 1
    rows = []
    for line_number, line in enumerate(lines, start=1):
        system, score = None, line.strip()
        if named:
            system, _, score = score.rpartition("\t" if "\t" in score else " ")
            system = system.strip()
        value = number(score, missing)
        if value is None or system == "":
            expected = "a system and a finite score" if named else "a finite score"
            hint = f" A score that is missing is written {missing[0]!r}." if missing else ""
            raise Place(path, line_number).error(
                f"expected {expected}, found {line.strip()[:60]!r}.{hint}{rounding_of(score)}"
            )
        rows.append((line_number, system, value))
    return rows


def comet_rows(path, text):
    """Read what comet-score writes by --to_json as rows (None, system, score); null is NaN."""
    at, found = Place(path), parse_json(path, text)
    if not isinstance(found, dict) or not found:
        raise at.error(
            "expected COMET's JSON, an object from systems' files to lists of segments, found "
            f"{type(found).__name__} of {len(found) if isinstance(found, dict | list) else 1}. "
            "COMET 1.0 names no system: score with a later one."
        )
    rows, files = [], {}
    for file, segments in found.items():
        system = PurePath(file).name
        if files.setdefault(system, file) != file:
            raise at.error(f"{files[system]!r} and {file!r} both name the system {system!r}.")
        if not isinstance(segments, list) or not segments or not system.strip():
            raise at.error(f"expected a list of segments of the system {file[:60]!r}.")
        for k, segment in enumerate(segments, 1):
            rows.append((None, system, _comet_score(at, file, k, segment)))
    return rows


def _comet_score(at, file, number, segment):
    """Read the score of a segment, NaN if it is missing."""
    score = segment.get(_COMET, _ABSENT) if isinstance(segment, dict) else _ABSENT
    if score is not None and not is_number(score):
        raise at.error(
            f"segment {number} of {file[:60]!r}: expected an object with a finite {_COMET!r}, "
            f"found {str(segment if score is _ABSENT else score)[:60]!r}."
        )
    return math.nan if score is None else float(score)


def number(text, missing=()):
    """Read a plain number; NaN for a missing one, None for none, or one that float64 rounds."""
    text = text.strip()
    if text in missing:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) and not rounding_of(text) else math.inf
    return value if math.isfinite(value) else None


def numbers(texts, missing=()):
    """Read many texts as :func:`number`: float64, and the place of the first that is none."""
    there = np.array([text not in missing for text in texts], dtype=bool)
    given = texts if there.all() else [text for text in texts if text not in missing]
    # Of these characters alone, what is a number to Python is one here, too.
    if _CHARACTERS.fullmatch("\n".join(given)):
        values = np.full(len(texts), np.nan)
        try:
            values[there] = list(map(float, given))
        except ValueError:
            pass
        else:
            if not (np.abs(values) >= _EXACT).any():
                return values, None
    values = [number(text, missing) for text in texts]
    bad = values.index(None) if None in values else None
    return np.array(values, dtype=float), bad


def rounding_of(text):
    """Say of a text that it is a whole number that float64 does not hold; "" of any other."""
    text = text.strip().lstrip("+-")
    rounded = text.isdecimal() and not is_exact(Decimal(text))
    return " float64 does not hold this number: beyond 2^53 it has not all." if rounded else ""


def score_blocks(path, rows, n_segments):
    """Collect rows (line, system, value): {system: a value of each segment}, all equally many."""
    values = {}
    for line, system, value in rows:
        values.setdefault(system, []).append(value)
        if n_segments is not None and len(values[system]) > n_segments:
            raise Place(path, line).error(
                f"score number {len(values[system])} of {system!r}, but the test set has "
                f"{n_segments} segments. Is the system there twice, or the file of another "
                "test set?"
            )
    expected = max(map(len, values.values())) if n_segments is None else n_segments
    for system, scores in values.items():
        if len(scores) < expected:
            raise Place(path).error(
                f"{len(scores)} score(s) of {system!r}, expected {expected}: the k-th line of "
                "every system must belong to segment k."
            )
    return values
