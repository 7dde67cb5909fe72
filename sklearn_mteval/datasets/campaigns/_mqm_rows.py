"""Rows of MQM files in both forms that campaigns publish: what one rater says of a translation."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sklearn_mteval._helpers.error_spans import SOURCE, TRANSLATION, UNKNOWN, ErrorSpan
from sklearn_mteval._helpers.options import check_number
from sklearn_mteval.datasets._files import Place, read_lines, records_of, unquoted
from sklearn_mteval.exceptions import DataFileError

MQM_COLUMNS = ("system", "seg_id", "rater", "source", "target", "category", "severity")
SPAN_COLUMNS = (
    "mt_system", "seg_id", "annotator_id", "source", "target", "start_ids", "end_ids", "errors",
)  # fmt: skip
# Freitag et al. 2021, section 3; critical: WMT21's English-Russian and biomedical annotations.
POINTS = {
    "non-translation": 25.0, "critical": 10.0, "major": 5.0, "minor": 1.0, "minor punctuation": 0.1
}  # fmt: skip
_SPAN = re.compile(r"</?v>")
_NO_ERROR = "no error"
_FREE = ("neutral", _NO_ERROR)
_CHECK = "hotw test"  # the severity of an error that was put in to see whether the rater looks
# Of Freitag et al. 2021 (table 1), then as the campaigns of WMT20 to 24 name them besides.
_CATEGORIES = {
    "accuracy": "addition, omission, mistranslation, untranslated text; untranslated, creative "
    "reinterpretation, source language fragment",
    "fluency": "punctuation, spelling, grammar, register, inconsistency, character encoding; "
    "display",
    "terminology": "inappropriate for context, inconsistent use; inconsistent use of terminology, "
    "inappropriate, inconsistent",
    "style": "awkward; unnatural or awkward, bad sentence structure, archaic or obscure word "
    "choice",
    "locale convention": "address format, currency format, date format, name format, telephone "
    "format, time format; address, currency, date, name, telephone, time",
    "other": "",
}
_KNOWN = {f"{top}/{sub}" for top, subs in _CATEGORIES.items() for sub in re.split("[,;] ", subs)}
_KNOWN |= {*_CATEGORIES, "source error", "source issue", "non translation", _NO_ERROR}


class Annotation(NamedTuple):
    """One row: errors that a rater marked in a translation, or that there is none."""

    at: Place
    document: str
    segment: str
    system: str
    rater: str
    source: str  # without marks
    target: str
    errors: list  # ErrorSpan
    points: float


def read_annotations(path, points, max_bytes):
    """Read Annotations, whether there are documents, and unknown categories; no rows of checks."""
    points = _checked(points)
    lines = read_lines(path, max_bytes=max_bytes)
    form = _SPANS if lines and set(SPAN_COLUMNS) <= set(lines[0].split("\t")) else _MARKS
    _, rows = records_of(path, lines, form.columns, ("doc", "doc_id"))
    rows = [(at, cells) for at, cells in rows if plain(cells.get("severity", "")) != _CHECK]
    if not rows:
        raise DataFileError(path, "no annotation in the file.")
    unknown, found = {}, []
    for at, cells in rows:
        for name in form.columns[:3]:
            at.check_label(name, cells[name])
        system, segment, rater = (cells[name] for name in form.columns[:3])
        texts, errors = form.errors(at, cells)
        for error in errors:
            if error.category and plain(error.category) not in _KNOWN:
                unknown[error.category] = unknown.get(error.category, 0) + 1
        # A row marks one error, in one place or several; of the other form each is one.
        counted = errors if form is _SPANS else errors[:1]
        total = sum(mqm_points(at, error.category, error.severity, points) for error in counted)
        document = cells.get(form.document, "")
        found.append(Annotation(at, document, segment, system, rater, *texts, errors, total))
    return found, form.document in rows[0][1], unknown


def mqm_points(at, category, severity, points=POINTS):
    """Return the penalty of one error."""
    kind, category = _severity(at, severity), plain(category)
    if kind in _FREE:
        return 0.0
    if kind != "minor" and category.startswith("non translation"):
        return points["non-translation"]
    if (kind, category) == ("minor", "fluency/punctuation"):
        return points["minor punctuation"]
    return points[kind]


def _severity(at, label):
    """Return a severity as all files spell it."""
    kind = plain(label)
    if kind not in (*_FREE, "critical", "major", "minor"):
        raise at.error(
            f"severity must be Critical, Major, Minor, Neutral or No-error, found {label[:60]!r}."
        )
    return kind


@lru_cache(maxsize=4096)
def plain(label):
    """Take from a label how it is spelled: case, white space, ``_`` and ``-``, marks at its end."""
    return " ".join(re.sub(r"[_\-\s]+", " ", label).split()).casefold().rstrip("!/- ")


def _checked(points):
    """Return what all kinds of errors cost, those of the campaigns where nothing is said."""
    if points is None:
        return POINTS
    if not isinstance(points, Mapping) or not set(points) <= set(POINTS):
        raise ValueError(
            f"points must map some of {', '.join(map(repr, POINTS))} to numbers, found {points!r}."
        )
    for name, value in points.items():
        check_number(f"points[{name!r}]", value, above=-1e-300)
    return POINTS | {name: float(value) for name, value in points.items()}


def _errors_of_marks(at, cells):
    """Return texts and errors of a row that marks one by ``<v>…</v>``, in the target mostly."""
    texts = [_SPAN.sub("", cells[column]) for column in ("source", "target")]
    severity, category = _severity(at, cells["severity"]), cells["category"].strip()
    if severity == _NO_ERROR:
        return texts, []
    found = [
        ErrorSpan(start, end, severity, category, place)
        for column, place in (("target", TRANSLATION), ("source", SOURCE))
        for start, end in ranges(cells[column])
    ]
    return texts, found or [ErrorSpan(0, 0, severity, category, UNKNOWN)]


def ranges(text):
    """Return where <v> and </v> stand around something, in the text without them."""
    found, start, removed = [], None, 0
    for tag in _SPAN.finditer(text):
        at = tag.start() - removed
        removed += len(tag[0])
        if tag[0] == "<v>":
            start = at
        elif start is not None:
            found += [(start, at)] * (at > start)
            start = None
    return found


def _errors_of_spans(at, cells):
    """Return texts and errors of a row that lists them by their places; -1: none is marked."""
    texts = [unquoted(cells[column]) for column in ("source", "target")]
    starts, ends = ([_place(at, x) for x in cells[c].split()] for c in ("start_ids", "end_ids"))
    severities = [_severity(at, label) for label in cells["errors"].split()]
    if not len(starts) == len(ends) == len(severities):
        raise at.error(
            f"expected as many start_ids as end_ids and errors, found {len(starts)}, {len(ends)} "
            f"and {len(severities)}."
        )
    length, found = len(texts[1]), []
    for start, end, severity in zip(starts, ends, severities, strict=True):
        if severity != _NO_ERROR:
            # An error of no character, or beyond the end, is in the source or an omission.
            end = min(end, length)
            place = TRANSLATION if 0 <= start < end else UNKNOWN
            where = (start, end) if place == TRANSLATION else (0, 0)
            found.append(ErrorSpan(*where, severity, "", place))
    return texts, found


def _place(at, text):
    """Read a place in a text, -1 if there is none."""
    if not re.fullmatch("-1|[0-9]{1,9}", text):
        raise at.error(f"start_ids and end_ids must be numbers, or -1, found {text[:60]!r}.")
    return int(text)


class _Form(NamedTuple):
    """How a file says who judged what, and where errors are."""

    columns: tuple  # those that must be there; first system, segment and rater
    document: str
    errors: object  # (place, cells) → texts, errors


_MARKS = _Form(MQM_COLUMNS, "doc", _errors_of_marks)
# WMT23's quality-estimation task.
_SPANS = _Form(SPAN_COLUMNS, "doc_id", _errors_of_spans)
