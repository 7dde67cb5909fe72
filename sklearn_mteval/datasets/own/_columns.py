"""Which columns of a table hold what: customary names, and what the caller says."""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

# Customary names of what every layout may have, the first being ours.
SHARED = {
    "segment": ("segment", "seg_id", "segment_id", "sentence_id", "question_id"),
    "judge": ("judge", "annotator", "rater", "evaluator"),
    "source": ("source", "src", "prompt"),
    "reference": ("reference", "ref"),
}
TRANSLATIONS = ("hypothesis", "translation", "response", "mt", "hyp")
JUDGEMENTS = ("rank", "score")


class Layout(NamedTuple):
    """A layout of tables: how it is recognised, what it needs, how it is read."""

    name: str
    rows: str  # what they are, as a title
    header: str  # "a row is …", with its columns
    matches: Callable  # (columns, asked) → whether a table may be of this layout
    needs: Callable  # (columns, asked) → keys and customary names of what it cannot do without
    find: Callable  # (table, asked) → fields of Columns
    read: Callable  # (table, columns, segment, judge, options) → JudgedRows
    known: tuple = ()  # names of its columns, which must not be written in another case
    row: str | None = None  # the noun, if each may be a segment of its own, and is a ranking
    no_better: str | None = None  # why better= is not for it; else it is required
    verdicts: bool = False  # whether it has outcomes that can be written in several ways


class Columns(NamedTuple):
    """The columns to read: a name, None where there is none, or a list of names."""

    segment: str | None
    judge: str | None
    source: str | None
    reference: list  # several columns are several references
    judgement: str | list
    system: str | list | None = None
    hypothesis: str | list | None = None
    ranking: str | None = None
    names: list | None = None  # of the systems, where each has columns of its own


def names_in(asked):
    """List the columns that the caller names."""
    given = [value for value in asked.values() if isinstance(value, str | list | tuple)]
    return [name for value in given for name in _listed(value)]


def find_columns(table, layout, asked):
    """Find the columns of a table of a layout."""
    if layout.row is not None and asked["ranking"] is not None:
        raise ValueError(
            f"ranking= is for format='long': with {layout.name!r} each {layout.row} is a ranking."
        )
    _check_needed(table, layout, asked)
    shared = {key: column_of(table, key, asked[key], names) for key, names in SHARED.items()}
    shared["reference"] = _listed(shared["reference"])
    columns = Columns(**shared, **layout.find(table, asked))
    roles = {}
    for role in ("segment", "judge", "ranking", "system", "judgement"):
        for name in _listed(getattr(columns, role)):
            if roles.setdefault(name, role) != role:
                raise ValueError(f"the column {name!r} is both {roles[name]}= and {role}=.")
    return columns


def find_table_columns(table, names, asked):
    """Find the columns of a tidy table of translations, judged or not; ``names`` are customary."""
    check_asked(asked)
    names = SHARED | names
    found = {
        key: column_of(table, key, asked[key], names[key], required=key in ("segment", "system"))
        for key in asked
    }
    for key in ("segment", "system"):
        if not isinstance(found[key], str):
            raise ValueError(f"{key}={asked[key]!r}: expected the name of a column.")
    return found | {"reference": _listed(found["reference"])}


def _check_needed(table, layout, asked):
    """Raise unless all is there that a layout needs; segments may be told by sources, or rows."""
    needed = list(layout.needs(table.columns, asked))
    of_rows = asked["segment"] is False and layout.row is not None
    of_sources = asked["segment"] is None and is_there(
        table.columns, SHARED["source"], asked["source"]
    )
    if not of_rows and not of_sources:
        needed = [("segment", SHARED["segment"]), *needed]
    absent = [  # what is asked for and is not there is told by name
        (key, names)
        for key, names in needed
        if asked[key] is False or (asked[key] is None and not is_there(table.columns, names, None))
    ]
    if absent:
        hint = ""
        if layout.row is not None and absent[0][0] == "segment":
            hint = f" If each {layout.row} has a segment of its own, pass segment=False."
        raise table.error(
            f"a table whose rows are {layout.header} needs "
            f"{'; '.join(f'{key}, customarily {_shown(names)}' for key, names in absent)}. "
            f"Found {list(table.columns)}. Name what is there, e.g. "
            f"{_proposed(table, needed, absent, asked)}.{hint} Cells are separated by commas, "
            "semicolons or tabs."
        )


def _proposed(table, needed, absent, asked):
    """Write how columns without a customary name could be named: those left, in their order."""
    customary = [names for several in (SHARED.values(), dict(needed).values()) for names in several]
    taken = {part for names in customary for name in names for part in _listed(name)}
    taken |= set(names_in(asked))
    left = iter([name for name in table.columns if name not in taken])
    found = []
    for key, names in absent:
        n_columns = len(_listed(names[0]))
        some = [next(left, "...") for _ in range(n_columns)]
        found.append(f"{key}={(some[0] if n_columns == 1 else some)!r}")
    return ", ".join(found)


def check_asked(asked):
    """Raise unless columns are named by texts, or lists of them."""
    lists = ("system", "hypothesis", "reference")
    for key, value in asked.items():
        several = isinstance(value, list | tuple) and key in lists
        texts = list(value) if several else [value]
        if value is False and key == "judgement":
            raise ValueError("judgement=False: without judgements there is nothing to load.")
        if value is None or value is False or (texts and all(isinstance(t, str) for t in texts)):
            if len(set(texts)) < len(texts):
                raise ValueError(f"{key}={value!r} names a column twice.")
            continue
        expected = "the name of a column" + (", or a list of names," if key in lists else "")
        raise ValueError(f"{key} must be {expected} found {value!r}.")


def is_there(there, names, asked):
    """Tell whether a column, or a pair, is there: one of these names, or what is asked for."""
    kind = type(names[0])
    names = [asked if isinstance(asked, str) else tuple(asked)] if asked else names
    return any(isinstance(name, kind) and set(_listed(name)) <= set(there) for name in names)


def column_of(table, key, asked, names, *, required=False):
    """Find one column, or a pair of them; None if there is none."""
    if asked is False:
        return None
    if asked is not None:
        for name in _listed(asked):
            if name not in table.columns:
                raise table.error(
                    f"there is no column {name!r}, as {key}={asked!r} says, but "
                    f"{list(table.columns)}."
                )
        return asked if isinstance(asked, str) else list(asked)
    found = [name for name in names if all(part in table.columns for part in _listed(name))]
    if len(found) > 1:
        raise table.error(
            f"both {found[0]!r} and {found[1]!r} may be meant: say which by {key}={found[0]!r}, "
            "say."
        )
    if not found:
        if required:
            raise table.error(
                f"expected a column {_shown(names)}, found {list(table.columns)}. Name it by "
                f"{key}=."
            )
        return None
    return found[0] if isinstance(found[0], str) else list(found[0])


def _listed(name):
    """List the columns of a name, of several, or of none."""
    return [name] if isinstance(name, str) else list(name or ())


def _shown(names):
    """Say which names are customary."""
    return " or ".join(" and ".join(map(repr, _listed(name))) for name in names)


def numeric_columns(table):
    """List the columns of numbers that have no name of their own: of systems, perhaps."""
    known = [name for names in SHARED.values() for name in names]
    return [
        name
        for name in table.columns
        if name not in known
        and pd.to_numeric(pd.Series(table.column(name).cells), errors="coerce").notna().all()
    ]
