"""One row for each comparison of two systems, or two texts."""

import re

import numpy as np

from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own import VERDICTS
from sklearn_mteval.datasets.own._columns import TRANSLATIONS, Layout, column_of, is_there
from sklearn_mteval.datasets.own._judged_rows import (
    JudgedRows,
    check_judged,
    is_missing,
    joint,
    labels_of,
    repetitions,
    taken,
)
from sklearn_mteval.datasets.own._tables import joined, texts_of

_WORDS = {  # less case, spaces, hyphens, underscores and brackets
    "a": "a", "systema": "a", "modela": "a", "b": "b", "systemb": "b", "modelb": "b",
    "tie": "tie", "bothbad": "both_bad", "tiebothbad": "both_bad",
}  # fmt: skip


def unanswered(table, name, systems, verdicts):
    """Return a mask of the rows whose verdict is missing: no name of a system, no own word."""
    codes, words = texts_of(table, name, default="")
    known = {*(() if systems is None else systems[1]), *(verdicts if _is_own(verdicts) else ())}
    return np.array([is_missing(w) and w.strip() not in known for w in words], dtype=bool)[codes]


def outcomes(table, name, rows, systems, verdicts):
    """Read verdicts of some rows as places in VERDICTS; all name systems, or all positions."""
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


NAMES = {
    "system": tuple((f"{name}_a", f"{name}_b") for name in ("system", "model")),
    "judgement": ("winner",),
    "hypothesis": tuple((f"{name}_a", f"{name}_b") for name in TRANSLATIONS),
}
_RANKS = np.array([(1, 2), (2, 1), (1, 1), (1, 1)])  # of VERDICTS


def _matches(there, asked):
    there = [*there, *map(str.casefold, there)]  # as _find reads them
    found = {key: is_there(there, names, asked[key]) for key, names in NAMES.items()}
    return found["judgement"] and (found["system"] or found["hypothesis"])


def _needs(there, asked):
    there = [*there, *map(str.casefold, there)]
    texts = asked["hypothesis"] or is_there(there, NAMES["hypothesis"], asked["hypothesis"])
    pairs = [] if texts and asked["hypothesis"] is not False else ["system"]
    return [(key, NAMES[key]) for key in (*pairs, "judgement")]


def _find(table, asked):
    for key in ("system", "hypothesis"):
        pair = asked[key]
        if pair not in (None, False) and (isinstance(pair, str) or len(pair) != 2):
            raise ValueError(f"{key}={pair!r}: format='pairwise' has two such columns.")
    for name in [name for pair in NAMES["hypothesis"] for name in pair]:
        written = next((other for other in table.columns if other.casefold() == name), name)
        if written != name:  # translation_A: of a wide table, what is after "_" is a name
            table.columns[name] = table.columns.pop(written)
            table.written[name] = table.written.pop(written, written)
    texts = column_of(table, "hypothesis", asked["hypothesis"], NAMES["hypothesis"])
    systems = column_of(table, "system", asked["system"], NAMES["system"])
    judgement = column_of(table, "judgement", asked["judgement"], NAMES["judgement"])
    return {"system": systems, "judgement": judgement, "hypothesis": texts}


def _read(table, columns, segment, judge, options):
    """Read one row for each comparison; it becomes two."""
    name, verdicts, names = columns.judgement, options["verdicts"], None
    if columns.system is not None:
        names = joined([labels_of(table, name) for name in columns.system])
    absent = unanswered(table, name, names, verdicts)
    rows = check_judged(table, f"column {name!r}", absent, options)
    segment, judge = taken(segment, rows), taken(judge, rows)
    texts = None
    if columns.hypothesis is not None:
        texts = joined([texts_of(table, name) for name in columns.hypothesis])
        texts = [codes[rows] for codes in texts[0]], texts[1]
    if names is None:
        systems, labels = _systems_of_texts(segment[0], *texts)
    else:
        systems, labels = names = [codes[rows] for codes in names[0]], names[1]
        same = np.flatnonzero(systems[0] == systems[1])
        if len(same):
            system = labels[systems[0][same[0]]]
            raise table.error(f"{system!r} is compared with itself.", int(rows[same[0]]))
    outcome = outcomes(table, name, rows, names, verdicts)
    place = np.repeat(rows, 2)
    # What a pair was said to be, whichever of the two stands first.
    low, high = np.minimum(*systems), np.maximum(*systems)
    winner = np.where(outcome == 0, systems[0], np.where(outcome == 1, systems[1], -outcome))
    key = joint(segment[0], judge[0], low, high)
    note = "No columns of systems: each text of a segment is a system of its own."
    return JudgedRows(
        place=place,
        ranking=(place, table.numbers()),
        system=(np.column_stack(systems).ravel(), labels),
        y=_RANKS[outcome].ravel(),
        both_bad=np.repeat(outcome == VERDICTS.index("both_bad"), 2),
        shown_first=np.tile([True, False], len(rows)),
        hypothesis=None if texts is None else (np.column_stack(texts[0]).ravel(), texts[1]),
        note=note if names is None else "",
        **repetitions(key, winner),
    )


def _systems_of_texts(segments, texts, known):
    """Label the texts of each segment, where nobody says who wrote them: "17/1", "17/2", …."""
    # No label is there in two segments, lest it be taken for a system; equal texts have two.
    second = np.repeat([0, 1], len(segments))
    codes = np.concatenate(texts)
    ranked = np.argsort(np.argsort(known))[codes] if len(known) else codes
    equal = np.tile(texts[0] == texts[1], 2) & (second == 1)
    keys = np.column_stack([np.tile(segments, 2), ranked, equal])
    found, codes = np.unique(keys, axis=0, return_inverse=True)
    number = np.arange(len(found)) - np.searchsorted(found[:, 0], found[:, 0])
    labels = [f"{segment + 1}/{k + 1}" for segment, k in zip(found[:, 0], number, strict=True)]
    codes = codes.ravel()
    return [codes[: len(segments)], codes[len(segments) :]], as_object(labels)


LAYOUT = Layout(
    name="pairwise",
    rows="Comparisons",
    header="a comparison: segment, system_a, system_b, winner",
    matches=_matches,
    needs=_needs,
    find=_find,
    read=_read,
    known=tuple(name for pair in NAMES["system"] for name in pair) + NAMES["judgement"],
    row="comparison",
    no_better="a comparison has a winner",
    verdicts=True,
)
