"""The key of a campaign of annotation: what annotators must not see, and results are read with."""

import json
from bisect import bisect_left
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval.datasets._json import parse_json
from sklearn_mteval.datasets.selections import check_selection
from sklearn_mteval.exceptions import CandidateError, DataFileError

_FORMAT = "sklearn_mteval key of a campaign, 1"
_EQUAL = ("segment", "systems", "beside", "hypothesis", "source", "reference")
_ROUNDING = 1e-9  # of sums of probabilities


class CampaignKey(NamedTuple):
    """What results are read with.

    Attributes
    ----------
    campaign : str
        The campaign's name, of several batches that of the last.
    systems : dict
        Of each token the system.
    segments : dict
        Of each segment's name, as annotation tools have it, its label.
    documents : Series or None
        Of each segment the document.
    selection : DataFrame
        As of :func:`~sklearn_mteval.evaluation.select_segments`, of all batches.
    checks : dict
        Of the first token of a check the token of the sound translation, that of the corrupted
        one, and the kind of corruption.
    batches : dict
        Of each batch's name a selection: what was chosen in it, and how likely. No segment is in
        two, so that the probabilities of batches add up to that of being in any.
    texts : dict
        Of the translations of each system, the source and the reference a hash.
    equal : list of dict
        Translations that are equal, of which the first was shown: ``segment``; ``systems``;
        ``hypothesis``, ``source`` and ``reference``; ``beside``, segments whose judges say the same
        of this one, itself where anything else was shown of it, otherwise the next in a task.
    """

    campaign: str
    systems: dict
    segments: dict
    documents: pd.Series | None
    selection: pd.DataFrame
    checks: dict
    batches: dict
    texts: dict
    equal: list


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
    earlier = campaign.earlier
    batches = {} if earlier is None else dict(earlier.batches)
    if name in batches:
        raise ValueError(f"{name!r} is the name of an earlier batch: name the new one otherwise.")
    new = selection[["chosen", "probability"]].copy()
    for batch in batches.values():
        new["chosen"] &= ~batch["chosen"]
        new["probability"] -= batch["probability"]
    batches[name] = new.assign(probability=new["probability"].clip(0, 1))
    systems = dict(zip(judged["token"], map(str, judged["system"]), strict=True))
    documents = campaign.documents
    parts = {
        "format": _FORMAT,
        "campaign": name,
        "systems": systems if earlier is None else earlier.systems | systems,
        "segments": selection.index.tolist(),
        "documents": None if documents is None else [str(documents[s]) for s in selection.index],
        "batches": {name: batch.to_dict("list") for name, batch in batches.items()},
        "checks": checks if earlier is None else earlier.checks | checks,
        "texts": campaign.texts,
        "equal": [*([] if earlier is None else earlier.equal), *_equal(campaign, judged)],
    }
    return json.dumps(parts, ensure_ascii=False, indent=1) + "\n"


def _equal(campaign, judged):
    """List the equal translations of a campaign, as CampaignKey has them."""
    beside, found = _beside(judged), []
    for segment, groups in campaign.equal.items():
        rows = judged[judged["segment"] == segment].drop_duplicates("system").set_index("system")
        for systems in groups:
            texts = rows.loc[systems[0], ["hypothesis", "source", "reference"]].to_dict()
            names = list(map(str, systems))
            found.append({"segment": segment, "systems": names, "beside": beside[segment], **texts})
    return found


def _beside(judged):
    """Map segments to those in which something is compared: themselves, or the next in a task."""
    n_shown, beside = judged.groupby("segment")["system"].nunique(), {}
    for _, task in judged.groupby("annotator"):
        segments = task["segment"].unique().tolist()
        compared = [k for k, segment in enumerate(segments) if n_shown[segment] > 1]
        for k, segment in enumerate(segments):
            known = beside.setdefault(segment, [])
            next_ = compared[bisect_left(compared, k) :] or compared
            known += [segments[j] for j in next_[:1] if segments[j] not in known]
    return beside


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
        index = pd.Index(segments, name="segment")
        documents = found["documents"]
        if documents is not None:
            documents = pd.Series(documents, index)
        batches = {
            name: pd.DataFrame(columns, index).astype({"probability": float})
            for name, columns in found["batches"].items()
        }
        selection = _union(batches.values(), documents)
        check_selection(selection)
        checks = {first: tuple(map(str, check)) for first, check in found["checks"].items()}
        if any(len(check) != 3 for check in checks.values()):
            raise ValueError("a check has two tokens and a kind")
        return CampaignKey(
            str(found["campaign"]), dict(found["systems"]), {str(s): s for s in segments},
            documents, selection, checks, batches, dict(found["texts"]),
            [{name: each[name] for name in _EQUAL} for each in found["equal"]],
        )  # fmt: skip
    except (AttributeError, CandidateError, LookupError, TypeError, ValueError) as error:
        raise DataFileError(path, f"the key of the campaign is damaged ({error}).") from None


def tokens_of(key):
    """Return the tokens that a key knows, of systems and of checks."""
    return {*key.systems, *tokens_of_checks(key)}


def tokens_of_checks(key):
    """Return the tokens of a key's checks."""
    return {token for check in key.checks.values() for token in check[:2]}


def selection_of(key, segments):
    """Return the selection of those batches that have any of ``segments``, which were judged.

    ValueError for a segment that was not chosen, and if the other batches left segments to none.
    """
    segments = pd.Index(segments).unique()
    chosen = key.selection["chosen"]
    if not chosen[segments].all():
        raise ValueError(
            f"segment {segments[~chosen[segments]].tolist()[0]!r} was chosen in none of the "
            f"campaigns {', '.join(key.batches)}: is there a later one? Give the key of the last."
        )
    there = {n: batch for n, batch in key.batches.items() if batch["chosen"][segments].any()}
    if len(there) == len(key.batches):
        return key.selection
    found = _union(there.values(), key.documents)
    if (found["probability"] < _ROUNDING).any():
        absent = ", ".join(name for name in key.batches if name not in there)
        raise ValueError(
            f"the results of {absent} are missing, for which some segments were sure to be chosen: "
            "give them, too."
        )
    return found


def _union(batches, documents):
    """Return the selection of batches of which no segment is in two; of documents, if given."""
    batches = list(batches)
    index = batches[0].index
    chosen = np.add.reduce([batch["chosen"].to_numpy(dtype=int) for batch in batches])
    probability = np.add.reduce([batch["probability"].to_numpy() for batch in batches])
    if (chosen > 1).any():
        raise ValueError("a segment is in two batches")
    probability[probability > 1 - _ROUNDING] = 1.0
    found = pd.DataFrame({"chosen": chosen == 1, "probability": probability}, index)
    return found if documents is None else found.assign(document=documents)
