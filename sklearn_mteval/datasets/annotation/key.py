"""The key of a campaign of annotation: what annotators must not see, and results are read with."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval.datasets._json import parse_json
from sklearn_mteval.datasets.selections import check_selection
from sklearn_mteval.exceptions import CandidateError, DataFileError

_FORMAT = "sklearn_mteval key of a campaign, 1"


class CampaignKey(NamedTuple):
    """What results are read with.

    Attributes
    ----------
    campaign : str
        The campaign's name.
    systems : dict
        Of each token the system.
    segments : dict
        Of each segment's name, as annotation tools have it, its label.
    documents : Series or None
        Of each segment the document.
    selection : DataFrame
        As of :func:`~sklearn_mteval.evaluation.select_segments`.
    checks : dict
        Of the first token of a check the token of the sound translation, that of the corrupted
        one, and the kind of corruption.
    """

    campaign: str
    systems: dict
    segments: dict
    documents: pd.Series | None
    selection: pd.DataFrame
    checks: dict


def key_path(path):
    """Return where the key of a campaign is: of campaign.json, campaign.key.json next to it."""
    path = Path(path)
    return str(path if path.name.endswith(".key.json") else path.with_suffix(".key.json"))


def key_text(campaign, name):
    """Write the key of an AnnotationCampaign as JSON; segments must be whole numbers or texts."""
    items, selection = campaign.items, campaign.selection
    judged = items[items["kind"] == "judged"]
    checks = {}
    for _, rows in items[items["kind"] != "judged"].groupby(["annotator", "place"], sort=False):
        sound = rows["system"] == "sound"
        tokens = rows["token"][sound].iloc[0], rows["token"][~sound].iloc[0]
        checks[rows["token"].iloc[0]] = [*tokens, rows["system"][~sound].iloc[0]]
    columns = {name: column.tolist() for name, column in selection.items()}
    columns["probability"] = [None if p != p else p for p in columns["probability"]]
    documents = campaign.documents
    parts = {
        "format": _FORMAT,
        "campaign": name,
        "systems": dict(zip(judged["token"], map(str, judged["system"]), strict=True)),
        "segments": selection.index.tolist(),
        "documents": None if documents is None else [str(documents[s]) for s in selection.index],
        "selection": columns,
        "checks": checks,
    }
    return json.dumps(parts, ensure_ascii=False, indent=1) + "\n"


def read_key(path):
    """Read the key of a campaign, given its path or the campaign's; DataFileError for none."""
    path = key_path(path)
    found = parse_json(path, read_text(path))
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise DataFileError(
            path,
            "expected the key of a campaign, which 'campaign' writes next to the file for "
            "annotators, as NAME.key.json.",
        )
    try:
        segments = found["segments"]
        columns = found["selection"]
        probability = [np.nan if p is None else p for p in columns["probability"]]
        selection = pd.DataFrame(
            columns | {"probability": np.array(probability, dtype=float)},
            index=pd.Index(segments, name="segment"),
        )
        check_selection(selection)
        documents = found["documents"]
        if documents is not None:
            documents = pd.Series(documents, selection.index)
        checks = {first: tuple(map(str, check)) for first, check in found["checks"].items()}
        if any(len(check) != 3 for check in checks.values()):
            raise ValueError("a check has two tokens and a kind")
        return CampaignKey(
            str(found["campaign"]), dict(found["systems"]), {str(s): s for s in segments},
            documents, selection, checks,
        )  # fmt: skip
    except (AttributeError, CandidateError, KeyError, TypeError, ValueError) as error:
        raise DataFileError(path, f"the key of the campaign is damaged ({error}).") from None
