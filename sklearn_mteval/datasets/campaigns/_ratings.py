"""Raters' errors of translations, as mt-metrics-eval has them: lines ``SYSTEM JSON [RATER]``."""

import math

from sklearn_mteval._helpers.error_spans import SOURCE, TRANSLATION, UNKNOWN
from sklearn_mteval.datasets._files import Place, read_lines
from sklearn_mteval.datasets._json import are_objects, is_number, parse_json
from sklearn_mteval.datasets._score_lines import MISSING
from sklearn_mteval.datasets.campaigns._marked import marked
from sklearn_mteval.datasets.campaigns.mqm import mqm_points


def rating_rows(path, rater, max_bytes, *, penalties=True):
    """Read a file of ratings as rows (line, system, (penalty, rater, spans)); NaN is missing.

    ``rater`` is who judged where the line does not say. A penalty is the sum of the errors'
    own scores; an error without one costs what MQM says of its severity. Without ``penalties`` it
    is 0, and severities may have any names.
    """
    rows, signs = [], {}
    for line, text in enumerate(read_lines(path, max_bytes=max_bytes), 1):
        at, cells = Place(path, line), text.split("\t")
        if len(cells) not in (2, 3) or not cells[0].strip():
            raise at.error(f"expected SYSTEM, tab, JSON or {MISSING!r}, found {text[:60]!r}.")
        system, rating = cells[0].strip(), cells[1].strip()
        if rating == MISSING:
            rows.append((line, system, (math.nan, "", [])))
            continue
        found = parse_json(path, rating, line)
        errors = found.get("errors") if isinstance(found, dict) else None
        if not are_objects(errors):
            raise at.error(f"expected an object with a list 'errors', found {rating[:60]!r}.")
        points = [_points(at, error) if penalties else 0.0 for error in errors]
        for error, value in zip(errors, points, strict=True):
            if value and error.get("score") is not None:
                signs.setdefault(value > 0, at)
        who = cells[2].strip() if len(cells) == 3 else rater
        spans = [_span(at, error) for error in errors if not _is_none(error)]
        rows.append((line, system, (math.fsum(map(abs, points)), who, spans)))
    if len(signs) > 1:
        raise signs[False].error(
            f"errors cost points above 0 in line {signs[True].line} and below 0 here: which is "
            "worse?"
        )
    return rows


def _is_none(error):
    """Tell whether an entry says that there is no error."""
    labels = (str(error.get(name)).strip().casefold() for name in ("severity", "category"))
    return any(label in ("no-error", "no error") for label in labels)


def _span(at, error):
    """Return where an error is."""
    in_source = error.get("is_source_error", False)
    if not isinstance(in_source, bool):
        raise at.error(f"is_source_error must be true or false, found {in_source!r}.")
    labels = error.get("severity"), error.get("category")
    if "start" not in error and "end" not in error:
        return marked(at, (0, 0, *labels, UNKNOWN))
    places = error.get("start"), error.get("end")
    if None in places:
        raise at.error(f"expected an error's start and end, found {places}.")
    return marked(at, (*places, *labels, SOURCE if in_source else TRANSLATION))


def _points(at, error):
    """Return what an error costs."""
    score = error.get("score")
    if score is None:
        severity, category = (error.get(name) or "" for name in ("severity", "category"))
        return mqm_points(at, str(category), str(severity))
    if not is_number(score):
        raise at.error(f"the score of an error must be finite, found {score!r}.")
    return score
