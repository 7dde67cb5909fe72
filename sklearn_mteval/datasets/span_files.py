"""Errors that raters or metrics marked, in files of lines ``SYSTEM JSON [RATER]``.

mt-metrics-eval has them so; a metric's file has no raters. Those of a metric may also be a table or
JSON lines, with segments, as the commands ``score --marks`` and ``wmt-submit --task spans`` write
them.
"""

import math
from collections import Counter
from pathlib import Path

import pandas as pd

from sklearn_mteval._helpers.error_spans import SOURCE, TRANSLATION, UNKNOWN
from sklearn_mteval._helpers.spreadsheets import name_in
from sklearn_mteval.datasets._files import Place, read_lines, records_of, rows_of
from sklearn_mteval.datasets._json import are_objects, is_number, parse_json, parse_json_lines
from sklearn_mteval.datasets._score_lines import MISSING, score_blocks
from sklearn_mteval.datasets.campaigns._judged import marked
from sklearn_mteval.datasets.campaigns._mqm_rows import mqm_points
from sklearn_mteval.datasets.submissions.form import (
    JOINT,
    SEVERITIES,
    TASKS,
    answers_of_object,
    spans_of_cells,
)
from sklearn_mteval.datasets.system_names import names_in_file
from sklearn_mteval.exceptions import CandidateError

_TABLE = ("segment", "system", "errors")  # columns of what score --marks writes
_SUBMITTED = ("segment_id", "system_id", *TASKS["spans"].columns)  # to WMT's task


def load_spans(path, judgements, missing="error"):
    """Read a Series of errors like ``judgements.X``; without a line: raise, or None (skip)."""
    path, X = Path(path), judgements.X
    if judgements.spans is None:
        raise CandidateError(
            "expected judgements with marked errors, found none: ESA of Appraise or pearmut, or a "
            "rater's of mtme (gold='mqm.rater1')."
        )
    marked = _marked(path, judgements)
    texts = X["hypothesis"] if "hypothesis" in X else [None] * len(X)
    segments, systems = (X.index.get_level_values(name) for name in ("segment", "system"))
    found = []
    for segment, system, text in zip(segments.tolist(), systems, texts, strict=True):
        spans = marked.get((segment, system), marked.get((str(segment), system)))
        if spans is None and missing != "skip":
            raise Place(path).error(
                f"segment {segment} of {system!r} was judged, but has no line of errors: write "
                '{"errors": []} where there is none, or leave such translations out (--missing '
                "skip). Segments must be numbers from 1, or, in a table, named as judged."
            )
        if spans is not None and text is not None:
            check_within(path, spans, {TRANSLATION: text}, segment, system)
        found.append(spans)
    return pd.Series(found, X.index, dtype=object)


def _marked(path, judgements):
    """Map (segment, system) to the errors that a file has of it, None: none are known.

    Segments are numbers in lines of ratings, and texts in what ``score --marks`` writes.
    """
    lines = read_lines(path)
    first = next(iter(lines), "")
    header = {*first.split("\t")}
    of_items = _is_object(first) and "item_id" in parse_json(path, first, 1)
    submitted = of_items or header.issuperset(_SUBMITTED)
    written = submitted or _is_object(first) or header.issuperset(_TABLE)
    if submitted:
        read = _submitted_objects if of_items else _submitted_rows
        rows = _of_judged(path, read(path, lines), judgements)
    else:
        rows = list((_written_rows if written else _numbered_rows)(path, lines))
    lines_of_systems = {}
    for line, _, system, _ in rows:
        lines_of_systems.setdefault(system, line)
    systems, others = judgements.X.index.unique("system"), judgements.other_systems
    if others is not None:
        others = {*others, *judgements.translations.index.unique("system")}
    names = names_in_file(path, lines_of_systems, systems, others)
    found, n_segments = {}, judgements.n_segments
    for line, segment, system, spans in rows:
        key = segment, names[system]
        if key in found:
            cure = ": keep one language pair and test set, its segments numbered through"
            raise Place(path, line).error(
                f"a second list of errors of {system!r} in {segment}{cure * submitted}."
            )
        found[key] = spans
    if not written:
        score_blocks(path, [(line, names[system], 0.0) for line, _, system, _ in rows], n_segments)
    return found


def _is_object(line):
    """Tell a line of JSON from one of a rating, whose system's name ends at a tab."""
    return line.startswith("{") and "\t" not in line


def _numbered_rows(path, lines):
    """Yield lines of ratings as (line, segment, system, errors), None: none are known."""
    counts = Counter()
    for line, system, (penalty, _, spans) in rating_rows(path, lines, penalties=False):
        counts[system] += 1
        yield line, counts[system], system, None if math.isnan(penalty) else spans


def _written_rows(path, lines):
    """Yield a table or JSON lines of ``score --marks`` as (line, segment, system, errors)."""
    if _is_object(lines[0]):
        for line, found in enumerate(parse_json_lines(path, enumerate(lines, 1)), 1):
            at, translations = Place(path, line), found.get("translations")
            if "segment" not in found or not are_objects(translations):
                raise at.error("expected an object with 'segment' and a list 'translations'.")
            for one in translations:
                if not isinstance(one.get("system"), str):
                    raise at.error(f"expected the name of a system, found {one.get('system')!r}.")
                yield line, str(found["segment"]), one["system"], _spans(at, _errors(at, one))
        return
    header, rows = rows_of(path, lines, _TABLE, delimiter="\t")
    places = [header.index(name) for name in _TABLE]
    for line, cells in rows:
        segment, system, rating = (cells[place] for place in places)
        errors = _errors(Place(path, line), parse_json(path, rating, line))
        yield line, name_in(segment), name_in(system), _spans(Place(path, line), errors)


def _submitted_rows(path, lines):
    """Yield rows that are submitted to WMT's task as (line, segment, system, errors)."""
    for at, row in records_of(path, lines, _SUBMITTED, ())[1]:
        cells = tuple(row[name] for name in TASKS["spans"].columns)
        try:
            spans = spans_of_cells(cells)
        except ValueError as error:
            raise at.error(str(error)) from None
        errors = [dict(zip(("start", "end", "severity"), span, strict=True)) for span in spans]
        yield at.line, row["segment_id"], row["system_id"], _spans(at, errors)


def _submitted_objects(path, lines):
    """Yield JSON lines that are submitted to WMT's task as (line, item_id, system, errors)."""
    for line, found in enumerate(parse_json_lines(path, enumerate(lines, 1)), 1):
        at = Place(path, line)
        item, answers = answers_of_object(at, found, "spans")
        for system, answer in answers.items():
            spans, omission = _spans(at, _errors(at, answer)), answer.get("omission")
            if omission not in (None, *SEVERITIES):
                raise at.error(f"omission must be null or one of {SEVERITIES}, not {omission!r}.")
            if omission is not None:
                spans.append(marked(at, (0, 0, omission)))
            yield line, item, system, spans


def _of_judged(path, rows, judgements):
    """List rows that were submitted, with the segment as judgements name it: the last part of an
    item's id, unless they have the whole.
    """
    judged, n = {*judgements.X.index.unique("segment")}, judgements.n_segments
    found = []
    for line, item, system, spans in rows:
        segment = item if item in judged else item.rpartition(JOINT)[2]
        if n is not None and not (segment.isdecimal() and 1 <= int(segment) <= n):
            raise Place(path, line).error(
                f"the segment is {segment!r}, but the test set that was judged has the segments 1 "
                f"to {n}: number segments so, and keep the lines of this test set."
            )
        found.append((line, segment, system, spans))
    return found


def check_within(path, spans, texts, segment, system):
    """Raise for an error beyond the text that it is of; ``texts``, by place, may leave some out."""
    for span in spans:
        length = len(texts.get(span.place) or "")
        if span.place in texts and span.end > length:
            raise Place(path).error(
                f"an error of {system!r} in segment {segment} ends at {span.end}, but the "
                f"{span.place} has {length} characters."
            )


def rating_rows(path, lines, rater="", *, penalties=True):
    """Read lines as rows (line, system, (penalty, rater, spans)), NaN missing; a penalty is the
    errors' own scores, or MQM's of severities; without ``penalties`` 0, and severities have any
    names.
    """
    rows, signs = [], {}
    for line, text in enumerate(lines, 1):
        at, cells = Place(path, line), [cell.strip() for cell in text.split("\t")]
        if len(cells) not in (2, 3) or not cells[0]:
            raise at.error(f"expected SYSTEM, tab, JSON or {MISSING!r}, found {text[:60]!r}.")
        system, rating, who = [*cells, rater][:3]
        if rating == MISSING:
            rows.append((line, system, (math.nan, "", [])))
            continue
        errors = _errors(at, parse_json(path, rating, line))
        points = [_points(at, error) if penalties else 0.0 for error in errors]
        for error, value in zip(errors, points, strict=True):
            if value and error.get("score") is not None:
                signs.setdefault(value > 0, at)
        rows.append((line, system, (math.fsum(map(abs, points)), who, _spans(at, errors))))
    if len(signs) > 1:
        raise signs[False].error(
            f"errors cost points above 0 in line {signs[True].line} and below 0 here: which is "
            "worse?"
        )
    return rows


def _errors(at, found):
    """List the errors of a rating, objects."""
    errors = found.get("errors") if isinstance(found, dict) else None
    if not are_objects(errors):
        raise at.error(f"expected an object with a list 'errors', found {str(found)[:60]!r}.")
    return errors


def _spans(at, errors):
    """Make ErrorSpans of the errors of a rating."""
    return [_span(at, error) for error in errors if not _is_none(error)]


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
