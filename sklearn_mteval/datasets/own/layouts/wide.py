"""One row for each task, with one column, or two, for each system."""

import numpy as np

from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._columns import Layout, kind_of
from sklearn_mteval.datasets.own._dialect import decimal_of
from sklearn_mteval.datasets.own._judged_rows import (
    JudgedRows,
    check_judged,
    combined,
    is_name,
    joint,
    labels_of,
    numbers_of,
    ranks_of,
    repetitions,
)
from sklearn_mteval.datasets.own._names import bare, rest_after, roles_of
from sklearn_mteval.datasets.own._tables import joined, texts_of

_NOTHING = object()  # stands for a text that is missing


def _find(search):
    table, names, asked = search.table, search.names, search.asked
    systems, word = asked["system"], asked["judgement"]
    if isinstance(systems, str):
        return search.refuse(
            f"system={systems!r}: format='wide' has one such column for each system."
        )
    others = search.one("system") if systems is None else None
    others = others or names.alone["winner"][0]
    if not search.only and (others or isinstance(word, list) or word in table.columns):
        return None
    of = _columns_of_systems(search)
    if of is None:
        return None
    absent = [name for name in systems or () if name not in of]
    if absent:
        name = next((name for name in absent if name not in table.columns), absent[0])
        raise table.error(
            f"there is no column of judgements of {name!r}, as system={systems!r} says, but "
            f"{list(table.columns)}."
        )
    of = {name: of[name] for name in systems or of}
    named = {bare(rest): column for rest, column in names.of["system"].items()}
    named = [named.get(bare(name)) for name in of] if not systems else []  # in cells
    if names.of["system"] and None in named and not search.only:
        return None
    texts = _texts_of_systems(search, of)
    if len(of) < 2:
        left = search.numbers()
        if not search.only and (of or not left[1:]):
            return None
        search.missing["system"] = left if left[1:] else None
    named = named if named and None not in named else None
    return {
        "names": list(of), "judgement": list(of.values()), "hypothesis": texts, "system": named,
    }  # fmt: skip


def _columns_of_systems(search):
    """Map systems to their columns of judgements; None where the columns are of comparisons."""
    table, names = search.table, search.names
    systems, word = search.asked["system"], search.asked["judgement"]
    if systems and not word and set(systems) <= set(table.columns):
        numbers = {kind_of(table, name) for name in systems} == {"numbers"}
        return {name: name for name in systems} if numbers or search.only else None
    if word:
        return {rest: n for n in table.columns if (rest := rest_after(n, word))}
    of = [names.of[role] for role in ("rank", "score") if names.of[role]]
    of = of[0] if len(of) == 1 and not all(map(roles_of, of[0])) else {}
    more = [(of[rest], rest, name) for _, rest, name in names.more if rest in of]
    for first, rest, name in more[:1]:  # "adequacy A" and "fluency A"
        search.doubtful["judgement"] = [rest_after(first, rest), rest_after(name, rest)]
    return of


def _texts_of_systems(search, of):
    """Find the columns of translations, of all systems or of none."""
    table, asked = search.table, search.asked["hypothesis"]
    if asked is False or not of:
        return None
    if isinstance(asked, list):
        if len(asked) != len(of):
            raise ValueError(
                f"hypothesis={asked!r} names {len(asked)} columns of {len(of)} systems, {list(of)}."
            )
        return asked
    texts = {bare(name): column for name, column in search.names.of["hypothesis"].items()}
    if asked is not None:
        texts = {bare(rest): n for n in table.columns if (rest := rest_after(n, asked))}
    elif not texts:  # "Alpha" by the side of "Alpha score"
        texts = {bare(name): name for name in search.free("names", "texts")}
        texts = texts if set(texts) >= set(map(bare, of)) else {}
    absent = [name for name in of if bare(name) not in texts]
    if absent and (texts or asked is not None):
        raise table.error(
            f"there is no column of translations of {absent[0]!r}, as of others: expected one of "
            "each system, or hypothesis=False."
        )
    return [texts[bare(name)] for name in of] if texts else None


def _read(table, columns, segment, judge, options):
    """Read one row for each task; an empty cell says that the task had no such system."""
    for system in columns.names:
        if not is_name(system):
            raise table.error(
                f"the header names a system {system!r}: expected a name without white space around "
                "it."
            )
    decimal = decimal_of(table, columns.judgement, options["decimal"])
    cells = np.column_stack([numbers_of(table, name, decimal) for name in columns.judgement])
    nothing = np.isnan(cells).all(axis=1)
    check_judged(table, f"none of {columns.judgement}", nothing, options)
    place, column = np.nonzero(~np.isnan(cells))
    values = cells[place, column]
    names = np.array(columns.judgement)[column]
    y = ranks_of(table, names, values, place, options["better"])
    hypothesis = None
    if columns.hypothesis is not None:
        hypothesis = _texts(table, columns.hypothesis, place, column)
    system = column, as_object(columns.names)
    if columns.system is not None:
        codes, labels = joined([labels_of(table, name) for name in columns.system])
        system = np.column_stack(codes)[place, column], labels
    return JudgedRows(
        place=place, ranking=(place, table.numbers()), system=system, y=y,
        hypothesis=hypothesis, **_repetitions(segment[0], judge[0], place, column, y),
    )  # fmt: skip


def _texts(table, names, place, column):
    """Read the translations that were judged; those that were not may be missing."""
    codes, texts = joined([texts_of(table, name, default=_NOTHING) for name in names])
    codes = np.column_stack(codes)[place, column]
    absent = np.array([text is _NOTHING for text in texts], dtype=bool)[codes]
    if absent.any():
        at = int(absent.argmax())
        raise table.error(
            f"column {names[column[at]]!r}: expected a text, found nothing. An empty text is ''.",
            int(place[at]),
        )
    return codes, texts


def _repetitions(segment, judge, place, column, y):
    """Count pairs of systems that one judge compared again in a segment, and contradictions."""
    task = combined(segment, judge)
    often = (np.bincount(task) > 1)[task][place] if len(task) else np.zeros(0, dtype=bool)
    place, column, y = place[often], column[often], y[often]
    i, j = pairs_within(np.bincount(place), ordered=False)
    key = joint(task[place[i]], column[i], column[j])
    return repetitions(key, (y[i] > y[j]).astype(np.int64) - (y[i] < y[j]))


LAYOUT = Layout(
    name="wide",
    rows="Ranking tasks",
    header="a task: segment, and rank_NAME or score_NAME of each system",
    find=_find,
    read=_read,
    row="task",
)
