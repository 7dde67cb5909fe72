"""Scores as COMET writes them by ``--to_json`` (``comet-score`` of COMET 1.1 to 2)."""

import math
from pathlib import PurePath

from sklearn_mteval.datasets._files import Place
from sklearn_mteval.datasets._json import is_number, parse_json

_SCORE = "COMET"  # whatever the model
_ABSENT = object()


def comet_rows(path, text):
    """Read COMET's JSON as rows (line, system, score); a system is named as its file.

    A score that is null is missing, NaN. There are no lines to name: the object's are given.
    """
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
        for number, segment in enumerate(segments, 1):
            score = segment.get(_SCORE, _ABSENT) if isinstance(segment, dict) else _ABSENT
            if score is not None and not is_number(score):
                raise at.error(
                    f"segment {number} of {file[:60]!r}: expected an object with a finite "
                    f"{_SCORE!r}, found {str(segment if score is _ABSENT else score)[:60]!r}."
                )
            rows.append((None, system, math.nan if score is None else float(score)))
    return rows
