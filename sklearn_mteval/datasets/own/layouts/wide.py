"""One row for each task, with one column, or two, for each system."""

import numpy as np

from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._columns import (
    JUDGEMENTS,
    TRANSLATIONS,
    Layout,
    column_of,
    numeric_columns,
)
from sklearn_mteval.datasets.own._dialect import decimal_of
from sklearn_mteval.datasets.own._judged_rows import (
    JudgedRows,
    check_judged,
    combined,
    is_name,
    joint,
    numbers_of,
    ranks_of,
    repetitions,
)
from sklearn_mteval.datasets.own._tables import joined, texts_of

_NOTHING = object()  # stands for a text that is missing


def _matches(there, asked):
    """Tell whether there are columns of several systems, and none that other layouts have."""
    others = [f"{name}{end}" for name in ("system", "model") for end in ("", "_a", "_b")]
    others += ["winner", *(f"{name}{end}" for name in TRANSLATIONS for end in ("_a", "_b"))]
    return not set(others) & set(there) and any(
        len(_prefixed(there, prefix)) > 1 for prefix in JUDGEMENTS
    )


def _find(table, asked):
    prefix, systems = asked["judgement"], asked["system"]
    if isinstance(systems, str):
        raise ValueError(f"system={systems!r}: format='wide' has one such column for each system.")
    if prefix is None and not systems:
        there = [name for name in JUDGEMENTS if _prefixed(table.columns, name)]
        if len(there) != 1:
            raise table.error(
                "expected the columns rank_NAME of all systems, or score_NAME of all, found "
                f"{list(table.columns)}. Name the columns by "
                f"system={numeric_columns(table) or ['A', 'B']}, or what stands before the names "
                "of systems by judgement='rank'."
            )
        prefix = there[0]
    if not systems:
        systems = _prefixed(table.columns, prefix)
    judgements = [name if prefix is None else f"{prefix}_{name}" for name in systems]
    for name in judgements:
        if name not in table.columns:
            raise table.error(
                f"there is no column {name!r}; the header is {list(table.columns)}. Name the "
                "systems by system=['A', 'B']."
            )
    if len(systems) < 2:
        raise table.error(
            f"expected columns of two systems or more, found {judgements}. Name the columns by "
            "system=['A', 'B'], or what stands before the names of systems by judgement='rank'."
        )
    texts = _find_texts(table, asked["hypothesis"], systems)
    return {"names": list(systems), "judgement": judgements, "hypothesis": texts}


def _find_texts(table, asked, systems):
    """Find the columns of translations, of all systems or of none."""
    if asked is False:
        return None
    if isinstance(asked, list | tuple):
        if len(asked) != len(systems):
            raise ValueError(
                f"hypothesis={asked!r} names {len(asked)} columns of {len(systems)} systems, "
                f"{list(systems)}."
            )
        return column_of(table, "hypothesis", asked, ())
    for prefix in TRANSLATIONS if asked is None else [asked]:
        names = [f"{prefix}_{system}" for system in systems]
        absent = [name for name in names if name not in table.columns]
        if len(absent) < len(names) or asked is not None:
            if absent:
                raise table.error(
                    f"there is no column {absent[0]!r}: expected a translation of each system, or "
                    "hypothesis=False."
                )
            return names
    return None


def _prefixed(names, prefix):
    """List the systems that columns PREFIX_NAME name."""
    return [
        name.removeprefix(f"{prefix}_")
        for name in names
        if name.startswith(f"{prefix}_") and name != f"{prefix}_"
    ]


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
    return JudgedRows(
        place=place, ranking=(place, table.numbers()), system=(column, as_object(columns.names)),
        y=y, hypothesis=hypothesis, **_repetitions(segment[0], judge[0], place, column, y),
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
    matches=_matches,
    needs=lambda there, asked: [],  # columns of systems have no names of their own
    find=_find,
    read=_read,
    row="task",
)
