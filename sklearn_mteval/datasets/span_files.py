"""Errors that raters or metrics marked, in files of lines ``SYSTEM JSON [RATER]``.

mt-metrics-eval has them so; a metric's file has no raters.
"""

import math
from pathlib import Path

import pandas as pd

from sklearn_mteval._helpers.error_spans import SOURCE, TRANSLATION, UNKNOWN
from sklearn_mteval.datasets._files import Place, read_lines
from sklearn_mteval.datasets._json import are_objects, is_number, parse_json
from sklearn_mteval.datasets._score_lines import MISSING, score_blocks
from sklearn_mteval.datasets.campaigns._judged import marked
from sklearn_mteval.datasets.campaigns._mqm_rows import mqm_points
from sklearn_mteval.exceptions import CandidateError


def load_spans(path, judgements, missing="error"):
    """Read a Series of errors like ``judgements.X``; without a line: raise, or None (skip)."""
    path, X = Path(path), judgements.X
    if judgements.spans is None:
        raise CandidateError(
            "expected judgements with marked errors, found none: ESA of Appraise or pearmut, or a "
            "rater's of mtme (gold='mqm.rater1')."
        )
    rows = rating_rows(path, "", None, penalties=False)
    _check_systems(path, rows, judgements)
    blocks, found = score_blocks(path, rows, judgements.n_segments), []
    texts = X["hypothesis"] if "hypothesis" in X else [None] * len(X)
    segments, systems = (X.index.get_level_values(name) for name in ("segment", "system"))
    for segment, system, text in zip(segments.tolist(), systems, texts, strict=True):
        cells = blocks.get(system, ())
        numbered = isinstance(segment, int) and 1 <= segment <= len(cells)
        penalty, _, spans = cells[segment - 1] if numbered else (math.nan, "", [])
        if math.isnan(penalty):
            if missing != "skip":
                raise Place(path).error(
                    f"segment {segment} of {system!r} was judged, but has no line of errors: write "
                    '{"errors": []} where there is none, or leave such translations out (--missing '
                    "skip). Segments must be numbers from 1."
                )
            spans = None
        elif text is not None:
            check_within(path, spans, {TRANSLATION: text}, segment, system)
        found.append(spans)
    return pd.Series(found, X.index, dtype=object)


def _check_systems(path, rows, judgements):
    """Raise for a system that the judgements do not know."""
    systems, others = set(judgements.X.index.unique("system")), judgements.other_systems
    known = systems | set(judgements.translations.index.unique("system"))
    for line, system, _ in rows:
        if others is not None and system not in known and system not in others:
            raise Place(path, line).error(
                f"the judgements know no system {system[:60]!r}, but {sorted(systems)}."
            )


def check_within(path, spans, texts, segment, system):
    """Raise for an error beyond the text that it is of; ``texts``, by place, may leave some out."""
    for span in spans:
        length = len(texts.get(span.place) or "")
        if span.place in texts and span.end > length:
            raise Place(path).error(
                f"an error of {system!r} in segment {segment} ends at {span.end}, but the "
                f"{span.place} has {length} characters."
            )


def rating_rows(path, rater, max_bytes, *, penalties=True):
    """Read rows (line, system, (penalty, rater, spans)), NaN missing; a penalty is the errors' own
    scores, or MQM's of severities; without ``penalties`` 0, and severities have any names.
    """
    rows, signs = [], {}
    for line, text in enumerate(read_lines(path, max_bytes=max_bytes), 1):
        at, cells = Place(path, line), [cell.strip() for cell in text.split("\t")]
        if len(cells) not in (2, 3) or not cells[0]:
            raise at.error(f"expected SYSTEM, tab, JSON or {MISSING!r}, found {text[:60]!r}.")
        system, rating, who = [*cells, rater][:3]
        if rating == MISSING:
            rows.append((line, system, (math.nan, "", [])))
            continue
        errors = _errors(at, rating)
        points = [_points(at, error) if penalties else 0.0 for error in errors]
        for error, value in zip(errors, points, strict=True):
            if value and error.get("score") is not None:
                signs.setdefault(value > 0, at)
        spans = [_span(at, error) for error in errors if not _is_none(error)]
        rows.append((line, system, (math.fsum(map(abs, points)), who, spans)))
    if len(signs) > 1:
        raise signs[False].error(
            f"errors cost points above 0 in line {signs[True].line} and below 0 here: which is "
            "worse?"
        )
    return rows


def _errors(at, rating):
    """List the errors of a rating, objects."""
    found = parse_json(at.path, rating, at.line)
    errors = found.get("errors") if isinstance(found, dict) else None
    if not are_objects(errors):
        raise at.error(f"expected an object with a list 'errors', found {rating[:60]!r}.")
    return errors


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
