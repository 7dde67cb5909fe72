"""Which columns of a table of judgements hold what: customary names, and what the caller says."""

from typing import NamedTuple

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.datasets.own.names import LAYOUTS

__all__ = [
    "KNOWN_NAMES", "Layout", "find_candidate_columns", "find_layout", "names_in",
]  # fmt: skip

# Customary names of what every layout may have, the first being ours.
_SHARED = {
    "segment": ("segment", "seg_id", "question_id"),
    "judge": ("judge", "annotator", "rater"),
    "source": ("source", "src", "prompt"),
    "reference": ("reference", "ref"),
}
_TRANSLATIONS = ("hypothesis", "translation", "response")
_JUDGEMENTS = ("rank", "score")
_NAMES: dict[str, dict] = {
    "long": {
        "system": ("system", "model"),
        "judgement": _JUDGEMENTS,
        "ranking": ("ranking",),
        "hypothesis": _TRANSLATIONS,
    },
    "pairwise": {
        "system": tuple((f"{name}_a", f"{name}_b") for name in ("system", "model")),
        "judgement": ("winner",),
        "hypothesis": tuple((f"{name}_a", f"{name}_b") for name in _TRANSLATIONS),
    },
}
_PAIRED = [name for key in ("system", "hypothesis") for pair in _NAMES["pairwise"][key]
           for name in pair]  # fmt: skip
KNOWN_NAMES = tuple(
    dict.fromkeys(
        [name for names in _SHARED.values() for name in names]
        + [name for names in _NAMES["long"].values() for name in names]
        + [name for pair in _NAMES["pairwise"]["system"] for name in pair]
        + ["winner"]
    )
)


class Layout(NamedTuple):
    """The columns to read: a name, None where there is none, or a list of names."""

    format: str
    segment: str | None
    judge: str | None
    ranking: str | None  # of long
    system: str | list | None  # pairwise: two; wide: names of systems; None: only texts are known
    judgement: str | list  # wide: one of each system
    source: str | None
    reference: list  # several columns are several references
    hypothesis: str | list | None  # pairwise: two; wide: one of each system


def names_in(asked):
    """List the columns that the caller names."""
    found = []
    for value in asked.values():
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += value
    return found


def find_layout(table, format, asked):
    """Find the layout of a table; ``asked`` has what the caller says of each column, None: nothing.

    False says that a column is not to be read.
    """
    _check_asked(asked)
    if format is None:
        format = _certain_format(table, asked)
    check_one_of("format", format, LAYOUTS)
    if format != "long" and asked["ranking"] is not None:
        row = "comparison" if format == "pairwise" else "row"
        raise ValueError(f"ranking= is for format='long': with {format!r} each {row} is a ranking.")
    shared = {key: _column(table, key, asked[key], names) for key, names in _SHARED.items()}
    if shared["segment"] is None:
        _check_segments(table, format, asked["segment"], shared["source"])
    references = shared.pop("reference")
    references = [references] if isinstance(references, str) else references or []
    find = {"long": _long, "pairwise": _pairwise, "wide": _wide}[format]
    layout = Layout(format=format, reference=references, **shared, **find(table, asked))
    _check_roles(layout)
    return layout


def _check_roles(layout):
    """Raise for a column that would be two things at once."""
    roles = {}
    for role in ("segment", "judge", "ranking", "system", "judgement"):
        found = getattr(layout, role)
        if found is None or (role, layout.format) == ("system", "wide"):
            continue
        for name in _parts(found):
            if roles.setdefault(name, role) != role:
                raise ValueError(f"the column {name!r} is both {roles[name]}= and {role}=.")


def find_candidate_columns(table, asked):
    """Find the columns of a tidy table of translations, judged or not."""
    _check_asked(asked)
    names = {**_SHARED, **_NAMES["long"]}
    found = {
        key: _column(table, key, asked[key], names[key], required=key in ("segment", "system"))
        for key in asked
    }
    for key in ("segment", "system"):
        if not isinstance(found[key], str):
            raise ValueError(f"{key}={asked[key]!r}: expected the name of a column.")
    references = found["reference"]
    found["reference"] = [references] if isinstance(references, str) else references or []
    return found


def _check_segments(table, format, asked, source):
    """Raise unless segments can be told without a column: by their sources, or as one a row."""
    if (asked is None and source is not None) or (asked is False and format != "long"):
        return
    row = {"long": None, "pairwise": "comparison", "wide": "task"}[format]
    hint = f" If each {row} has a segment of its own, pass segment=False." if row else ""
    raise table.error(
        f"expected a column {_shown(_SHARED['segment'])}, found {list(table.columns)}. Name it by "
        f"segment=.{hint} Cells are separated by commas or tabs."
    )


def _check_asked(asked):
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


def _certain_format(table, asked):
    """Tell the layout from the header, or raise."""
    there = table.columns
    has = {
        "long": _any(there, "long", "system", asked) and _any(there, "long", "judgement", asked),
        "pairwise": _any(there, "pairwise", "judgement", asked)
        and (
            _any(there, "pairwise", "system", asked) or _any(there, "pairwise", "hypothesis", asked)
        ),
        "wide": not any(name in there for name in (*_PAIRED, "winner", "system", "model"))
        and any(len(_prefixed(there, prefix)) > 1 for prefix in _JUDGEMENTS),
    }
    found = [name for name in LAYOUTS if has[name]]
    if len(found) == 1:
        return found[0]
    raise table.error(
        f"the header {list(there)} does not say for certain what the rows are. Pass format='long' "
        "(a row is a judged translation: segment, system, rank or score), format='pairwise' (a "
        "comparison: segment, system_a, system_b, winner) or format='wide' (a task: segment, and "
        "rank_NAME or score_NAME of each system), and the names of columns that are named "
        "otherwise, such as segment='id'."
    )


def _any(there, format, key, asked):
    """Tell whether a column of one layout is there, under any name."""
    names = _NAMES[format][key]
    if asked[key]:
        names = [asked[key] if isinstance(asked[key], str) else tuple(asked[key])]
    return any(
        all(part in there for part in ([name] if isinstance(name, str) else name))
        for name in names
        if isinstance(name, str) == (format == "long" or key == "judgement")
    )


def _column(table, key, asked, names, *, required=False):
    """Find one column, or a pair of them; None if there is none."""
    if asked is False:
        return None
    if asked is not None:
        for name in [asked] if isinstance(asked, str) else asked:
            if name not in table.columns:
                raise table.error(
                    f"there is no column {name!r}, as {key}={asked!r} says, but "
                    f"{list(table.columns)}."
                )
        return asked if isinstance(asked, str) else list(asked)
    found = [n for n in names if all(p in table.columns for p in _parts(n))]
    if len(found) > 1:
        raise table.error(
            f"both {found[0]!r} and {found[1]!r} may be meant: say which by {key}={found[0]!r}, "
            "say."
        )
    if not found:
        if required:
            raise table.error(
                f"expected a column {_shown(names)}, found {list(table.columns)}. Name it by "
                f"{key}=. Cells are separated by commas or tabs."
            )
        return None
    return found[0] if isinstance(found[0], str) else list(found[0])


def _parts(name):
    """List the columns of a name or of a pair of names."""
    return [name] if isinstance(name, str) else list(name)


def _shown(names):
    """Say which names are customary."""
    return " or ".join(" and ".join(map(repr, _parts(name))) for name in names)


def _long(table, asked):
    """Find the columns of one row for each judged translation."""
    for key in ("system", "hypothesis"):
        if isinstance(asked[key], list | tuple) or (key, asked[key]) == ("system", False):
            raise ValueError(f"{key}={asked[key]!r}: format='long' has one such column.")
    return {
        key: _column(table, key, asked[key], names, required=key in ("system", "judgement"))
        for key, names in _NAMES["long"].items()
    }


def _pairwise(table, asked):
    """Find the columns of one row for each comparison."""
    for key in ("system", "hypothesis"):
        pair = asked[key]
        if pair not in (None, False) and (isinstance(pair, str) or len(pair) != 2):
            raise ValueError(f"{key}={pair!r}: format='pairwise' has two such columns.")
    names = _NAMES["pairwise"]
    texts = _column(table, "hypothesis", asked["hypothesis"], names["hypothesis"])
    if texts is None and asked["hypothesis"] is None:
        for name in table.columns:  # translation_A of a wide table is another matter
            if name not in _PAIRED and name.casefold() in _PAIRED:
                raise table.error(f"column {name!r} must be {name.casefold()!r}.")
    required = texts is None
    return {
        "ranking": None,
        "system": _column(table, "system", asked["system"], names["system"], required=required),
        "judgement": _column(
            table, "judgement", asked["judgement"], names["judgement"], required=True
        ),
        "hypothesis": texts,
    }


def _wide(table, asked):
    """Find the columns of one row for each task, with one column, or two, for each system."""
    prefix, systems = asked["judgement"], asked["system"]
    if isinstance(systems, str):
        raise ValueError(f"system={systems!r}: format='wide' has one such column for each system.")
    if prefix is None and not systems:
        there = [name for name in _JUDGEMENTS if _prefixed(table.columns, name)]
        if len(there) != 1:
            raise table.error(
                "expected the columns rank_NAME of all systems, or score_NAME of all, found "
                f"{list(table.columns)}. Name the columns by system=['A', 'B'], or what stands "
                "before the names of systems by judgement='rank'."
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
    return {
        "ranking": None,
        "system": list(systems),
        "judgement": judgements,
        "hypothesis": _wide_texts(table, asked["hypothesis"], systems),
    }


def _wide_texts(table, asked, systems):
    """Find the columns of translations, of all systems or of none."""
    if asked is False:
        return None
    if isinstance(asked, list | tuple):
        if len(asked) != len(systems):
            raise ValueError(
                f"hypothesis={asked!r} names {len(asked)} columns of {len(systems)} systems, "
                f"{list(systems)}."
            )
        return _column(table, "hypothesis", asked, ())
    for prefix in _TRANSLATIONS if asked is None else [asked]:
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
