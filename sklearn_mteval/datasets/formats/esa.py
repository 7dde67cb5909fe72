"""Scores (ESA, DA) as Appraise exports them."""

import re

from sklearn_mteval.datasets.formats._entry import (
    HUMAN_SYSTEMS,
    LANG_PAIR,
    LINES,
    LINES_BY,
    REFERENCE_SYSTEM,
    TEXTS,
    Format,
    given_by_name,
    taken_lines,
)
from sklearn_mteval.datasets.judgements import judgements_of

# Judge, system, line number, type of item: no header has these.
_ITEM = re.compile(r"[^,]+,[^,]+,[0-9]+,(TGT|BAD|CHK|REF),")


def _read(path, lang_pair=None, *, texts=None, reference_system=None, human_systems=False):
    """Load scores, the mean for each translation."""
    from sklearn_mteval.datasets.campaigns.esa import load_esa

    options = {"texts": texts, "reference": reference_system, "human_systems": human_systems}
    return judgements_of(load_esa(path, lang_pair, **options, average_judges=True), better="higher")


def _from_command(given):
    """Make one option of a folder of texts, or of files."""
    given = given_by_name(given)
    lines = taken_lines(given)
    if lines and "texts" in given:
        raise ValueError("--texts is a folder that has all texts: leave out -s, -r and -t.")
    if lines and "hypothesis" not in lines:
        raise ValueError("-s and -r go with the translations that were judged: give -t.")
    return given | ({"texts": lines} if lines else {})


FORMAT = Format(
    "esa",
    "scores (ESA, DA) as Appraise exports them, CSV",
    _read,
    options=(LANG_PAIR._replace(required=False), REFERENCE_SYSTEM, HUMAN_SYSTEMS, TEXTS, *LINES),
    recognised=_ITEM.match,
    texts_by={column: f"{option} or {TEXTS.flag}" for column, option in LINES_BY.items()},
    from_command=_from_command,
)
