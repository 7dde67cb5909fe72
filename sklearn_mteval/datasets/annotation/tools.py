"""Which files a campaign of annotation is, for each tool that annotators work with."""

import json
from pathlib import Path

from sklearn_mteval.datasets.annotation.key import key_path, key_text
from sklearn_mteval.datasets.annotation.label_studio import as_label_studio
from sklearn_mteval.datasets.annotation.pearmut import as_pearmut
from sklearn_mteval.datasets.annotation.sheet import as_sheet
from sklearn_mteval.datasets.annotation.tokens import with_own_tokens


def campaign_paths(output, tool):
    """List the paths of a campaign's files, given the first; the last is the key."""
    more = [str(Path(output).with_suffix(".xml"))] if tool == "label-studio" else []
    return [output, *more, key_path(output)]


def campaign_texts(campaign, tool, name, protocol, errors=None):
    """Write the files of an AnnotationCampaign, in the order of the paths.

    ``errors``, by segment and system, are lists of dicts with ``start``, ``end`` and ``severity``
    that annotators find marked and change.
    """
    if tool == "pearmut":
        texts = [_json(as_pearmut(campaign, name, protocol, errors))]
    else:
        campaign = with_own_tokens(campaign)
        if tool == "sheet":
            texts = [as_sheet(campaign)]
        else:
            tasks, view = as_label_studio(campaign, protocol, errors)
            texts = [_json(tasks), view]
    return [*texts, key_text(campaign, name)]


def _json(made):
    """Write JSON."""
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"
