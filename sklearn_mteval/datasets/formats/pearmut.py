"""Judgements of a campaign of pearmut."""

import json

from sklearn_mteval.datasets.formats._entry import Format
from sklearn_mteval.datasets.judgements import judgements_of


def _read(path, *, score="score"):
    """Load scores, the mean for each translation."""
    from sklearn_mteval.datasets.campaigns.pearmut import load_pearmut

    return judgements_of(load_pearmut(path, score=score, average_judges=True), better="higher")


def _recognised(line):
    """Tell from the names of an entry; lines that are no JSON object have none."""
    try:
        found = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and {"annotation", "item"} <= set(found)


FORMAT = Format(
    "pearmut", "annotations of pearmut, JSON lines or JSON", _read, recognised=_recognised
)
