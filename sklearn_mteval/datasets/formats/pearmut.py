"""Judgements of a campaign of pearmut."""

import json

from sklearn_mteval.datasets.formats._entry import OF_CAMPAIGNS, Format
from sklearn_mteval.datasets.judgements import judgements_of


def _read(path, *, score="score", campaign=None, drop_failed=False):
    """Load scores, the mean for each translation."""
    from sklearn_mteval.datasets.campaigns.pearmut import load_pearmut

    found = load_pearmut(
        path, score=score, campaign=campaign, drop_failed=drop_failed, average_judges=True
    )
    said = "" if campaign is None else found.DESCR.rpartition("Checks of attention: ")[2]
    warning = f"Checks of attention: {said}" * bool(said)
    return judgements_of(found, better="higher", warning=warning)


def _recognised(line):
    """Tell from the names of an entry; lines that are no JSON object have none."""
    try:
        found = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and {"annotation", "item"} <= set(found)


FORMAT = Format(
    "pearmut", "annotations of pearmut, JSON lines or JSON", _read, recognised=_recognised,
    options=OF_CAMPAIGNS,
)  # fmt: skip
