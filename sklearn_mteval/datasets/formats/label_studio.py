"""Judgements of a campaign that Label Studio served."""

import re

from sklearn_mteval.datasets.formats._entry import OF_CAMPAIGNS, Format
from sklearn_mteval.datasets.judgements import judgements_of

_BEGUN = re.compile(r'\[\s*\{\s*"id": ?[0-9]+, ?"annotations": ?\[')


def _read(path, *, campaign, drop_failed=False):
    """Load scores, the mean for each translation."""
    from sklearn_mteval.datasets.campaigns.label_studio import load_label_studio

    found = load_label_studio(path, campaign, drop_failed=drop_failed, average_judges=True)
    said = found.DESCR.rpartition("Checks of attention: ")[2]
    return judgements_of(found, better="higher", warning=f"Checks of attention: {said}")


FORMAT = Format(
    "label-studio",
    "annotations of Label Studio, exported as JSON",
    _read,
    recognised=lambda line: _BEGUN.match(line) is not None,
    options=(OF_CAMPAIGNS[0]._replace(required=True), *OF_CAMPAIGNS[1:]),
)
