"""The one form of errors that somebody marked in a translation, whatever file they are in."""

from itertools import accumulate
from numbers import Integral
from typing import NamedTuple

PLACES = TRANSLATION, SOURCE, OMISSION, UNKNOWN = "translation", "source", "omission", "unknown"
_KEYS = ("start", "end", "severity", "category", "place")


class ErrorSpan(NamedTuple):
    """One error.

    Attributes
    ----------
    start, end : int
        Its characters (code points), counted from 0, the end excluded; 0 where it has none.
    severity : str, default=""
        In small letters, such as "minor" or "major"; "" is unknown.
    category : str, default=""
        What kind of error; "" is unknown.
    place : {"translation", "source", "omission", "unknown"}, default="translation"
        Which text the characters are of; "omission": what should be there is missing; "unknown":
        the file does not say where the error is.
    """

    start: int
    end: int
    severity: str = ""
    category: str = ""
    place: str = TRANSLATION


def error_spans_of(cell):
    """Return ErrorSpans of a list of (start, end, severity), ErrorSpan or dict, else ValueError."""
    if isinstance(cell, str | dict) or not hasattr(cell, "__iter__"):
        raise ValueError(f"expected a list of spans, found {cell!r}")
    return [_error_span(value) for value in cell]


def _error_span(value):
    """Make an ErrorSpan of one."""
    value = _fields(value) if isinstance(value, dict) else value
    if not isinstance(value, tuple | list) or not 2 <= len(value) <= len(_KEYS):
        raise ValueError(f"expected a span (start, end, severity), found {value!r}")
    fields = list(value) + ["", "", TRANSLATION][len(value) - 2 :]
    start, end, severity, category, place = fields
    severity, category = ("" if text is None else text for text in (severity, category))
    if not isinstance(severity, str) or not isinstance(category, str) or place not in PLACES:
        raise ValueError(f"severity must be text, and place one of {PLACES}, found {value!r}")
    start, end = _characters(start, end, value)
    if start == end or place in (OMISSION, UNKNOWN):
        start, end, place = 0, 0, UNKNOWN if place == UNKNOWN else OMISSION
    return ErrorSpan(start, end, severity.strip().lower(), category.strip(), place)


def _fields(value):
    """Return what a dict says of a span, in the order of the names."""
    if not {"start", "end"} <= set(value) <= set(_KEYS):
        raise ValueError(f"expected a span with the names {_KEYS}, found {value!r}")
    return *(value.get(key, "") for key in _KEYS[:4]), value.get("place", TRANSLATION)


def _characters(start, end, value):
    """Check the characters of a span; None of both is none."""
    if start is None and end is None:
        return 0, 0
    if not all(isinstance(x, Integral) and not isinstance(x, bool) for x in (start, end)):
        raise ValueError(f"expected whole numbers start <= end, found {value!r}")
    if not 0 <= start <= end:
        raise ValueError(f"expected 0 <= start <= end, found {value!r}")
    return int(start), int(end)


def rows_with_marks(index, marks):
    """List of each label of an index its rows in a table of marks, as dicts, in their order.

    The table is indexed by all levels of the index or by some; ValueError for labels of neither.
    """
    if not {*marks.index.names} <= {*index.names}:
        raise ValueError(f"expected levels of {list(index.names)}, found {list(marks.index.names)}")
    labels = list(zip(*(index.get_level_values(name) for name in marks.index.names), strict=True))
    found = {label: [] for label in labels}
    of_marks = (marks.index.get_level_values(name) for name in marks.index.names)
    for *label, mark in zip(*of_marks, marks.to_dict("records"), strict=True):
        if tuple(label) not in found:
            raise ValueError(f"found a mark of {tuple(label)}, which is not there")
        found[tuple(label)].append(mark)
    return [found[label] for label in labels]


def unit_places(text):
    """List which character each UTF-16 unit of a text belongs to, as browsers count them."""
    return [k for k, character in enumerate(text) for _ in range(1 + (character > "\uffff"))]


def unit_ranges(text, ranges):
    """Turn ranges (start, end) of a text's characters into those of its UTF-16 units."""
    if text.isascii() or max(text) <= "\uffff":
        return list(ranges)
    places = list(accumulate((1 + (character > "\uffff") for character in text), initial=0))
    return [(places[start], places[end]) for start, end in ranges]
