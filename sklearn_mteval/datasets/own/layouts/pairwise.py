"""One row for each comparison of two systems, or two texts."""

import numpy as np

from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._columns import TRANSLATIONS, Layout, column_of, is_there
from sklearn_mteval.datasets.own._judged_rows import (
    JudgedRows,
    check_judged,
    joint,
    labels_of,
    repetitions,
    taken,
)
from sklearn_mteval.datasets.own._tables import joined, texts_of
from sklearn_mteval.datasets.own._verdicts import outcomes, unanswered
from sklearn_mteval.datasets.own.names import VERDICTS

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
    note = (
        ""
        if names is not None
        else "No columns of systems: each text of a segment is a system of its own."
    )
    return JudgedRows(
        place=place,
        ranking=(place, table.numbers()),
        system=(np.column_stack(systems).ravel(), labels),
        y=_RANKS[outcome].ravel(),
        both_bad=np.repeat(outcome == VERDICTS.index("both_bad"), 2),
        shown_first=np.tile([True, False], len(rows)),
        hypothesis=None if texts is None else (np.column_stack(texts[0]).ravel(), texts[1]),
        note=note,
        **repetitions(key, winner),
    )


def _systems_of_texts(segments, texts, known):
    """Label the texts of each segment, where nobody says who wrote them: "17/1", "17/2", ….

    No label is there in two segments, lest it be taken for a system; the two texts of a comparison
    have two labels even if they are equal.
    """
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
