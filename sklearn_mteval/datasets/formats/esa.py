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
    from sklearn_mteval.datasets.campaigns._judged import target_of
    from sklearn_mteval.datasets.campaigns.esa import load_esa

    esa = load_esa(
        path,
        lang_pair,
        texts=texts,
        reference=reference_system,
        human_systems=human_systems,
        average_judges=True,
    )
    return judgements_of(esa, target_language=target_of(esa.lang_pair))


FORMAT = Format(
    "esa",
    "scores (ESA, DA) as Appraise exports them, CSV",
    _read,
    options=(LANG_PAIR._replace(required=False), REFERENCE_SYSTEM, HUMAN_SYSTEMS, TEXTS),
    recognised=_ITEM.match,
    texts_by={"hypothesis": TEXTS.flag, "source": TEXTS.flag, "reference": REFERENCE_SYSTEM.flag},
)
