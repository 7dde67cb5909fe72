"""One row for each comparison of two systems, or texts, or for each choice of one among several."""

import string
from itertools import pairwise

import numpy as np

from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._columns import Layout, kind_of, words_in
from sklearn_mteval.datasets.own._judged_rows import (
    NO_SYSTEMS,
    JudgedRows,
    check_judged,
    joint,
    labels_of,
    repetitions,
    systems_of_texts,
    taken,
)
from sklearn_mteval.datasets.own._names import bare, listed, parted, place_of
from sklearn_mteval.datasets.own._tables import joined, texts_of
from sklearn_mteval.datasets.own._verdicts import (
    BOTH_BAD,
    TIE,
    outcomes,
    own_words,
    place_said,
    unanswered,
)

_BY_PLACE = (
    "No names of systems: they are called {}, as they were placed. Where texts are placed by "
    "chance, that says nothing of systems."
)
_LETTERS = string.ascii_uppercase


def _find(search):
    asked = search.asked
    for key in ("system", "hypothesis"):
        if isinstance(asked[key], str) or len(asked[key] or "ab") < 2:
            return search.refuse(f"{key}={asked[key]!r}: format='pairwise' has two such columns.")
    if search.lacks():
        return None
    pair = len(search.names.of["system"]) > 1
    if not search.only and asked["system"] is None and search.one("system") and not pair:
        return None
    systems, texts, names = _sides(search)
    annotators = search.annotators()
    judgement = list(annotators.values()) or search.one("judgement", "winner")
    if judgement is None and (systems or texts):
        judgement = search.one("judgement", "score", "rank")
    if systems is None and texts is None:
        names, texts, judgement = _choice(search, judgement)
    said = {bare(word) for name in listed(judgement) for word in words_in(search.table, name)}
    for columns in (systems, texts):
        unlike = [name for name in columns or () if not parted(name)[0] and place_of(name) is None]
        if said & set(map(bare, unlike)) or (unlike and not systems):
            systems, texts, names = None, columns, names or columns  # named after their columns
    if len(systems or texts or names or ()) > len(_LETTERS):
        return None
    if judgement is None and "judgement" not in search.missing:
        sides = systems or texts or ()
        verdicts = [name for name in _verdict_columns(search, systems) if name not in sides]
        if not (sides or verdicts or search.only):
            return None
        search.missing["judgement"] = (verdicts[1:] and verdicts) or next(iter(verdicts), None)
    return {
        "system": systems, "judgement": judgement, "hypothesis": texts, "names": names,
        "annotators": list(annotators) or None,
    }  # fmt: skip


def _sides(search):
    """Find the columns of what is compared, in their order: systems, texts, names of systems."""
    asked, of = search.asked, search.names.of
    systems, texts = (
        _placed(of[key]) if asked[key] is None else asked[key] or None
        for key in ("system", "hypothesis")
    )
    if asked["system"] is None and not systems and of["system"]:
        systems = list(of["system"].values())
        if len(systems) == 1:  # of the other one the name is unlike
            systems += search.free("names")[:1]
            if place_of(next(iter(of["system"]))) == 1:
                systems.reverse()
            search.missing["system"] = systems if len(systems) == 2 else None
    if asked["hypothesis"] is None and not texts and len(of["hypothesis"]) > 1:
        named = of["hypothesis"]
        return systems, list(named.values()), None if systems else list(named)
    lettered = _placed({name: name for name in search.free("names", "texts")})
    if lettered and asked["system"] is None and not systems:
        cells = [word for name in lettered for word in words_in(search.table, name)]
        kinds = {kind_of(search.table, name) for name in lettered}
        unlike = len(set(cells)) == len(cells) == len(lettered) * search.table.n_rows > 2
        if "texts" not in kinds and not unlike:
            systems = lettered
        else:
            texts = texts or lettered
    return systems, texts, None


def _placed(columns):
    """List columns in the order of places that their names say; None unless they do, from A on."""
    places = {place_of(name): column for name, column in columns.items()}
    places.pop(None, None)
    order = sorted(places)
    from_first = len(order) > 1 and order == list(range(len(order)))
    return [places[k] for k in order] if from_first else None


def _choice(search, judgement):
    """Find names and texts of systems, and the choice, where columns are named after systems."""
    table, free = search.table, search.free("names", "texts")
    marked = _marked_columns(search)
    if judgement is None and len(marked) > 1:
        label = ", ".join(marked)
        table.columns[label] = _marked(table, marked)
        return marked, None, label
    if judgement is None:
        return None if _by_content(search) else list("AB"), None, None
    said = {bare(word) for name in listed(judgement) for word in words_in(table, name)}
    there = list(table.columns)
    chosen = [there.index(name) for name in free if bare(name) in said]
    if chosen:  # and those between and next to them
        low, high = chosen[0], chosen[-1]
        while low and there[low - 1] in free:
            low -= 1
        while there[high + 1 : high + 2] and there[high + 1] in free:
            high += 1
        texts = [name for name in there[low : high + 1] if name in free]
        return texts, texts, judgement
    runs = [free[:1]]
    for name in free[1:]:
        next_to = there.index(name) == there.index(runs[-1][-1]) + 1
        alike = kind_of(table, name) == kind_of(table, runs[-1][-1])
        runs = [*runs[:-1], [*runs[-1], name]] if next_to and alike else [*runs, [name]]
    side = max(runs, key=len)
    if len(side) > 1:
        key = "hypothesis" if kind_of(table, side[0]) == "texts" else "system"
        search.missing[key] = side
        return None, None, judgement
    return list("AB"), None, judgement


def _by_content(search):
    """Find two columns of names and one that repeats one of them in each row."""
    free = search.free("names")
    words = {name: set(words_in(search.table, name)) for name in free}
    for last in reversed(free):
        for first, second in pairwise(free):
            told = words[last] - words[first] - words[second]
            if last not in (first, second) and all(place_said(w, {}, 2) == TIE for w in told):
                search.missing.update(system=[first, second], judgement=last)
                return True
    return False


def _marked_columns(search):
    """List the columns of which each row marks one, and those next to them that it never marks."""
    there, marked = list(search.table.columns), search.free("marks")
    for name in search.free("nothing"):
        if {there.index(name) + 1, there.index(name) - 1} & set(map(there.index, marked)):
            marked = sorted([*marked, name], key=there.index)
    return marked if search.free("marks") else []


def _marked(table, columns):
    """Name the column that is marked in each row; several are told with "+"."""
    found = [[] for _ in range(table.n_rows)]
    for name in columns:
        codes, cells = texts_of(table, name, default="")
        for row in np.flatnonzero(np.array([bool(cell.strip()) for cell in cells])[codes]):
            found[row].append(name)
    return as_object([" + ".join(names) for names in found])


def _verdict_columns(search, systems):
    """List the columns whose cells are verdicts: words, or names of the systems."""
    named = {bare(word) for name in systems or () for word in words_in(search.table, name)}
    for name in search.free("names", "numbers"):
        words = words_in(search.table, name)
        if all(bare(word) in named or place_said(word, {}, 2) is not None for word in words) or any(
            word.startswith("-") for word in words
        ):
            yield name


def _read(table, columns, segment, judge, options):
    """Read one row for each comparison; it becomes two, or as many as it compares."""
    name, verdicts = columns.judgement, options["verdicts"]
    given, note, texts = None, "", None
    if columns.hypothesis is not None:
        texts = joined([texts_of(table, each) for each in columns.hypothesis])
    if columns.system is not None:
        given = joined([labels_of(table, each) for each in columns.system])
    elif columns.names is not None:
        codes = [np.full(table.n_rows, k) for k in range(len(columns.names))]
        given = codes, as_object(columns.names)
        note = _BY_PLACE.format("'A' and 'B'") if columns.names == ["A", "B"] else ""
    k = len((given or texts)[0])
    if verdicts != "names":
        sides = columns.system or columns.hypothesis or []
        verdicts = _of_columns(words_in(table, name), sides, k) | own_words(verdicts) or verdicts
    absent = unanswered(table, name, given, verdicts)
    rows = check_judged(table, f"column {name!r}", absent, options)
    if options["verdicts"] is None and any(word.isdigit() for word in own_words(verdicts)):
        note += " Numbers as verdicts say which column is meant."
    segment, judge = taken(segment, rows), taken(judge, rows)
    texts = None if texts is None else ([codes[rows] for codes in texts[0]], texts[1])
    if given is not None:
        systems, labels = given = [codes[rows] for codes in given[0]], given[1]
        _check_unlike(table, rows, systems, labels)
    elif _are_placed(segment[0], texts[0]):
        systems, labels = [np.full(len(rows), at) for at in range(k)], as_object(list(_LETTERS[:k]))
        note = _BY_PLACE.format(" and ".join(map(repr, labels))) + note
    else:
        (systems, labels), note = systems_of_texts(segment[0], *texts), NO_SYSTEMS + note
    outcome = outcomes(table, name, rows, given, verdicts, k)
    won = outcome[:, np.newaxis] == np.arange(k)
    columns_of = np.column_stack(systems)
    # What was said of these systems, whichever of them stands first.
    winner = np.where(won.any(axis=1), (columns_of * won).sum(axis=1), -outcome)
    key = joint(segment[0], judge[0], *np.sort(columns_of, axis=1).T)
    return JudgedRows(
        place=np.repeat(rows, k),
        ranking=(np.repeat(rows, k), table.numbers()),
        system=(columns_of.ravel(), labels),
        y=np.where(won | (outcome >= TIE)[:, np.newaxis], 1, 2).ravel(),
        both_bad=np.repeat(outcome == BOTH_BAD, k),
        shown_first=np.tile(np.arange(k) == 0, len(rows)) if k == 2 else None,
        hypothesis=None if texts is None else (np.column_stack(texts[0]).ravel(), texts[1]),
        note=note,
        **repetitions(key, winner),
    )


def _of_columns(words, sides, k):
    """Map the words for columns, their names and, where these are numbered, numbers, to places."""
    numbered = k > 2 or (sides and all(name.strip(" )]")[-1:].isdigit() for name in sides))
    found = {str(place + 1): place for place in range(k)} if numbered else {}
    found |= {bare(name): place for place, name in enumerate(sides)}
    return {word: _LETTERS[found[bare(word)]].lower() for word in words if bare(word) in found}


def _check_unlike(table, rows, systems, labels):
    """Raise for a system that is compared with itself."""
    for k, second in enumerate(systems):
        for first in systems[:k]:
            same = np.flatnonzero(first == second)
            if len(same):
                system = labels[first[same[0]]]
                raise table.error(f"{system!r} is compared with itself.", int(rows[same[0]]))


def _are_placed(segments, texts):
    """Tell whether each segment has one text in each place, and another one in the others."""
    n = len(np.unique(segments))
    alone = all(len(np.unique(joint(segments, codes))) == n for codes in texts)
    return alone and len(segments) > 0


LAYOUT = Layout(
    name="pairwise",
    rows="Comparisons",
    header="a comparison: segment, system_a, system_b, winner",
    find=_find,
    read=_read,
    row="comparison",
    no_better="a comparison has a winner",
    verdicts=True,
)
