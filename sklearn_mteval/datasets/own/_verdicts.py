"""Outcomes of comparisons, as users write them: names of systems, positions, words."""

import re

import numpy as np

from sklearn_mteval.datasets.own._judged_rows import is_missing
from sklearn_mteval.datasets.own._tables import texts_of
from sklearn_mteval.datasets.own.names import VERDICTS

_WORDS = {  # less case, spaces, hyphens, underscores and brackets
    "a": "a", "systema": "a", "modela": "a", "b": "b", "systemb": "b", "modelb": "b",
    "tie": "tie", "bothbad": "both_bad", "tiebothbad": "both_bad",
}  # fmt: skip


def unanswered(table, name, systems, verdicts):
    """Return a mask of the rows whose verdict is missing: no name of a system, no own word.

    ``systems`` are the codes of both, and labels, or None.
    """
    codes, words = texts_of(table, name, default="")
    known = {*(() if systems is None else systems[1]), *(verdicts if _is_own(verdicts) else ())}
    return np.array([is_missing(w) and w.strip() not in known for w in words], dtype=bool)[codes]


def outcomes(table, name, rows, systems, verdicts):
    """Read verdicts of some rows as places in VERDICTS.

    A file names either systems or positions throughout. ``systems`` are those of the rows.
    """
    codes, words = texts_of(table, name, default="")
    codes, words = codes[rows], [word.strip() for word in words]
    own = dict(verdicts) if _is_own(verdicts) else {}
    meant = [own.get(word, _WORDS.get(re.sub(r"[\s_()-]", "", word.casefold()))) for word in words]
    place = np.array([-1 if m is None else VERDICTS.index(m) for m in meant], dtype=np.int64)
    by_word = place[codes]
    if systems is None or verdicts == "positions":
        return _known(table, name, rows, words, codes, by_word, systems)
    by_name = _by_name(systems, codes, words)
    if verdicts == "names":
        by_name = np.where((by_name < 0) & (by_word > 1), by_word, by_name)
        return _known(table, name, rows, words, codes, by_name, systems)
    fixed = np.array([word in own for word in words], dtype=bool)[codes]
    by_name = np.where(fixed | ((by_name < 0) & (by_word > 1)), by_word, by_name)
    differ = (by_word >= 0) & (by_name >= 0) & (by_word != by_name)
    complete = [reading for reading in (by_word, by_name) if (reading >= 0).all()]
    if differ.any() and len(complete) != 1:
        row = int(differ.argmax())
        raise table.error(
            f"column {name!r}: {words[codes[row]]!r} is the name of a system here, and may be a "
            "position or a word as well. Pass verdicts='names' or verdicts='positions'.",
            int(rows[row]),
        )
    found = complete[0] if complete else by_word
    return _known(table, name, rows, words, codes, found, systems)


def _is_own(verdicts):
    """Tell whether verdicts map words of the table."""
    return verdicts not in (None, "names", "positions")


def _by_name(systems, codes, words):
    """Read verdicts that name the system that won."""
    place = {label: code for code, label in enumerate(systems[1])}
    named = np.array([place.get(word, -1) for word in words], dtype=np.int64)[codes]
    first, second = systems[0]
    return np.where(named < 0, -1, np.where(named == first, 0, np.where(named == second, 1, -1)))


def _known(table, name, rows, words, codes, outcome, systems):
    """Return outcomes; raise for the first that is unknown."""
    if (outcome < 0).any():
        row = int((outcome < 0).argmax())
        there = ""
        if systems is not None:
            there = ", ".join(repr(systems[1][codes[row]]) for codes in systems[0]) + ", "
        raise table.error(
            f"column {name!r}: unknown outcome {words[codes[row]][:60]!r}. Expected {there}'a', "
            "'b', 'tie' or 'both_bad', the same way in all rows. If it is meant, say which of "
            f"these it is: verdicts={{{words[codes[row]][:60]!r}: 'tie'}}.",
            int(rows[row]),
        )
    return outcome
