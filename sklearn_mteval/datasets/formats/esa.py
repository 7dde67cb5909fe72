"""Scores (ESA, DA) as Appraise exports them."""

import re

from sklearn_mteval.datasets.formats._entry import (
    HUMAN_SYSTEMS,
    LANG_PAIR,
    REFERENCE_SYSTEM,
    TEXTS,
    Format,
)
from sklearn_mteval.datasets.judgements import judgements_of

# Judge, system, line number, type of item: no header has these.
_ITEM = re.compile(r"[^,]+,[^,]+,[0-9]+,(TGT|BAD|CHK|REF),")


def _read(path, lang_pair=None, *, texts=None, reference_system=None, human_systems=False):
    """Load scores, the mean for each translation."""
    from sklearn_mteval.datasets.campaigns.esa import load_esa

    options = {"texts": texts, "reference": reference_system, "human_systems": human_systems}
    return judgements_of(load_esa(path, lang_pair, **options, average_judges=True), better="higher")


FORMAT = Format(
    "esa",
    "scores (ESA, DA) as Appraise exports them, CSV",
    _read,
    options=(LANG_PAIR._replace(required=False), REFERENCE_SYSTEM, HUMAN_SYSTEMS, TEXTS),
    recognised=_ITEM.match,
    texts_by={"hypothesis": TEXTS.flag, "source": TEXTS.flag, "reference": REFERENCE_SYSTEM.flag},
)
