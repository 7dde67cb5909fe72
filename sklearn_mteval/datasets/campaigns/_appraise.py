"""Items of an export of the annotation tool Appraise, read and checked line by line."""

import math
import re

import pandas as pd

from sklearn_mteval._helpers.error_spans import OMISSION, TRANSLATION, unit_places
from sklearn_mteval.datasets._files import Place, quoted_rows, read_lines
from sklearn_mteval.datasets._json import are_objects, parse_json
from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.datasets.campaigns._judged import marked
from sklearn_mteval.exceptions import DataFileError

_COLUMNS = (
    "judge", "system", "line number", "item type", "source language", "target language", "score",
    "document", "whole document", "error spans", "start", "end",
)  # fmt: skip
_JUDGED, _DAMAGED, _OTHERS = ("TGT", "CHK"), "BAD", ("REF",)  # CHK: shown again
_TRUTH = {"true": True, "false": False, "1": True, "0": False}
_MISSING = "missing"  # the position of a span that is not there: an omission
_ITEM = [
    "line", "judge", "system", "segment", "document", "languages", "judged", "damaged", "score",
    "spans", "start", "end", "seconds",
]  # fmt: skip


def read_items(path, max_bytes):
    """Read an export as a table of its items, segments from 1, that are ``judged`` or, spoilt to
    see whether the judge notices, ``damaged``; others are neither.
    """
    rows = []
    for line, cells in quoted_rows(path, read_lines(path, max_bytes=max_bytes), ","):
        at = Place(path, line)
        if len(cells) == len(_COLUMNS) - 1:
            cells.insert(_COLUMNS.index("error spans"), "")
        if len(cells) != len(_COLUMNS):
            raise at.error(
                f"expected {len(_COLUMNS)} cells ({', '.join(_COLUMNS)}), or one less without "
                f"error spans, found {len(cells)}. Is it an export of Appraise?"
            )
        rows.append(_item(at, *cells, header=not rows))
    if not rows:
        raise DataFileError(path, "expected judgements, found an empty file.")
    return pd.DataFrame(rows, columns=_ITEM)


def _item(at, *cells, header):
    """Check one line's cells; ``header`` says that it is the first and may be one by mistake."""
    judge, system, place, kind, source, target, score, document, whole, spans, start, end = cells
    value = number(score)
    if header and value is None and not place.isdecimal():
        raise at.error("found a header, and exports of Appraise have none: remove the line.")
    at.check_label("judge", judge)
    at.check_label("system", system)
    if not re.fullmatch("[0-9]{1,9}", place):
        raise at.error(f"line number must count from 0, found {place[:60]!r}.")
    if kind not in (*_JUDGED, _DAMAGED, *_OTHERS):
        types = ", ".join((*_JUDGED, _DAMAGED, *_OTHERS))
        raise at.error(f"item type must be one of {types}, found {kind[:60]!r}.")
    if value is None or not 0 <= value <= 100:
        raise at.error(f"score must lie between 0 and 100, found {score[:60]!r}.")
    if whole.casefold() not in _TRUTH:
        raise at.error(f"whole document must be True or False, found {whole[:60]!r}.")
    times = [number(time, ("",)) for time in (start, end)]
    if None in times:
        raise at.error(f"start and end must be seconds, found {start[:60]!r} and {end[:60]!r}.")
    seconds = times[1] - times[0]
    of_segment = not _TRUTH[whole.casefold()]
    judged, damaged = of_segment and kind in _JUDGED, of_segment and kind == _DAMAGED
    document = document.partition("#")[0]
    return (
        at.line, judge, system, int(place) + 1, document, f"{source}-{target}", judged, damaged,
        value, _spans(at, spans), *times, seconds if seconds >= 0 else math.nan,
    )  # fmt: skip


def _spans(at, cell):
    """Read error spans, a JSON list of objects; until texts are known in UTF-16 units."""
    spans = parse_json(at.path, cell, at.line) if cell.strip() else []
    if not are_objects(spans):
        raise at.error(f"error spans must be a JSON list, found {cell[:60]!r}.")
    found = []
    for span in spans:
        labels = span.get("severity"), span.get("error_type")
        if _MISSING in (span.get("start_i"), span.get("end_i")):
            found.append(marked(at, (0, 0, *labels, OMISSION)))
            continue
        for name in ("start_i", "end_i"):
            place = span.get(name)
            if isinstance(place, bool) or not isinstance(place, int):
                raise at.error(
                    f"{name} of a span must be a number or {_MISSING!r}, found {place!r}."
                )
        found.append(marked(at, (span["start_i"], span["end_i"] + 1, *labels)))
    return found


def in_characters(at, spans, text):
    """Return spans whose UTF-16 units are turned into characters of the text."""
    places = unit_places(text)
    found = []
    for span in spans:
        if span.end > len(places):
            raise at.error(
                f"a span ends at {span.end - 1}, beyond the text {text[:60]!r} of {len(places)}: "
                "are the texts of another test set?"
            )
        if span.place == TRANSLATION:
            span = span._replace(start=places[span.start], end=places[span.end - 1] + 1)
        found.append(span)
    return found
