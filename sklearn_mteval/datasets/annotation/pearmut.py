"""A campaign of annotation as pearmut reads it.

Zouhar and Kocmi 2026, "Pearmut: Human Evaluation of Translation Made Trivial". Its page shows texts
letter by letter, so that they are no markup, with two exceptions: what begins as a medium would is
put into the page as it is, before which a blank is put here, and tags such as ``<b>`` set type.
"""

import hashlib
import re

from sklearn_mteval._helpers.error_spans import unit_ranges
from sklearn_mteval.datasets.annotation.protocols import PROTOCOLS

_MEDIA = ("<audio ", "<video ", "<img ", "<iframe ")
_EXPLAINED = (
    "One of these translations says what the source says, and the other does not. Give the wrong "
    "one the lower score."
)


def as_pearmut(campaign, name, protocol, errors=None):
    """Return the dict of a campaign file.

    ``campaign`` is an AnnotationCampaign; ``errors``, by segment and system, are lists of dicts
    with ``start``, ``end`` and ``severity`` that annotators find marked and change.
    """
    items = campaign.items
    tasks, welcome = {}, []
    for (annotator, place), rows in items.groupby(["annotator", "place"], sort=True):
        # pearmut itself shuffles only documents all of whose segments show the same systems.
        digests = [_digest(annotator, place, token) for token in rows["token"]]
        rows = rows.assign(order=digests)
        document = [
            _item(segment, part.sort_values("order"), errors)
            for segment, part in rows.groupby("segment", sort=False)
        ]
        if annotator == 0:
            welcome.append(document)
        else:
            tasks.setdefault(annotator, []).append(document)
    info = {"assignment": "task-based", "protocol": PROTOCOLS[protocol], "shuffle": False}
    name = re.sub(r"[^\w .-]", "_", name)  # its dashboard would take it for markup
    found = {"campaign_id": name, "info": info, "data": list(tasks.values())}
    return found | ({"data_welcome": welcome} if welcome else {})


def _digest(*parts):
    """Digest parts to what is the same again, and says nothing of them."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _item(segment, rows, errors):
    """Return the dict of a segment with its translations."""
    first = rows.iloc[0]
    item = {"item_id": str(segment) if first["kind"] == "judged" else first["token"]}
    for key, column in (("src", "source"), ("ref", "reference")):
        if isinstance(first[column], str) and (column == "source" or first["kind"] == "judged"):
            item[key] = _shown(first[column])
    texts = map(_shown, rows["hypothesis"])
    item["tgt"] = dict(zip(rows["token"], texts, strict=True))
    if first["kind"] == "judged":
        if first["document"]:
            item["document"] = first["document"]
        if first["probability"] == first["probability"]:
            item["probability"] = float(first["probability"])
        if errors is not None:
            item["error_spans"] = {
                row.token: _marked(row.hypothesis, errors.get((segment, row.system), ()))
                for row in rows.itertuples()
            }
        return item
    sound = rows["token"][rows["system"] == "sound"].iloc[0]
    rule = {"score_greaterthan": rows["token"][rows["system"] != "sound"].iloc[0]}
    if first["kind"] == "tutorial":
        rule["warning"] = _EXPLAINED
        item |= {"skippable": True, "instructions": _EXPLAINED}
    return item | {"validation": {sound: rule}}


def _shown(text):
    """Put a blank before a text that the page would take for a medium."""
    return f" {text}" if text.startswith(_MEDIA) else text


def _marked(text, spans):
    """Return errors as pearmut has them: UTF-16 units, the last one within."""
    kept = [span for span in spans if span["end"] > span["start"]]
    ranges = unit_ranges(text, [(span["start"], span["end"]) for span in kept]) if kept else []
    more = len(_shown(text)) - len(text)
    return [
        {
            "start_i": start + more,
            "end_i": end - 1 + more,
            "severity": span["severity"],
            "category": None,
        }
        for span, (start, end) in zip(kept, ranges, strict=True)
    ]
