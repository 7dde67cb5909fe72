"""Raters' errors of translations, as mt-metrics-eval has them: lines ``SYSTEM JSON [RATER]``."""

import math

from sklearn_mteval.datasets._files import read_lines
from sklearn_mteval.datasets._json import is_number, parse_json
from sklearn_mteval.datasets._score_lines import MISSING
from sklearn_mteval.datasets.campaigns.mqm import mqm_points
from sklearn_mteval.exceptions import DataFileError

__all__ = ["rating_rows"]


def rating_rows(path, rater, max_bytes):
    """Read a file of ratings as rows (line, system, (penalty, rater, errors)); NaN is missing.

    ``rater`` is who judged where the line does not say. A penalty is the sum of the errors'
    own scores; an error without one costs what MQM says of its severity.
    """
    rows, signs = [], {}
    for line, text in enumerate(read_lines(path, max_bytes=max_bytes), 1):
        cells = text.split("\t")
        if len(cells) not in (2, 3) or not cells[0].strip():
            raise DataFileError(
                path, f"expected SYSTEM, tab, JSON or {MISSING!r}, found {text[:60]!r}.", line
            )
        system, rating = cells[0].strip(), cells[1].strip()
        if rating == MISSING:
            rows.append((line, system, (math.nan, "", [])))
            continue
        found = parse_json(path, rating, line)
        errors = found.get("errors") if isinstance(found, dict) else None
        if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            raise DataFileError(
                path, f"expected an object with a list 'errors', found {rating[:60]!r}.", line
            )
        points = [_points(path, line, error) for error in errors]
        for error, value in zip(errors, points, strict=True):
            if value and error.get("score") is not None:
                signs.setdefault(value > 0, line)
        who = cells[2].strip() if len(cells) == 3 else rater
        rows.append((line, system, (math.fsum(map(abs, points)), who, errors)))
    if len(signs) > 1:
        raise DataFileError(
            path,
            f"errors cost points above 0 in line {signs[True]} and below 0 here: which is worse?",
            signs[False],
        )
    return rows


def _points(path, line, error):
    """Return what an error costs."""
    score = error.get("score")
    if score is None:
        severity, category = (error.get(name) or "" for name in ("severity", "category"))
        return mqm_points(path, line, str(category), str(severity))
    if not is_number(score):
        raise DataFileError(path, f"the score of an error must be finite, found {score!r}.", line)
    return score
