"""The layout of a table and its columns; what is unclear is asked, in words that can be typed."""

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.datasets.own._columns import Columns, search_in, value_of, words_in
from sklearn_mteval.datasets.own._direction import better_by_name
from sklearn_mteval.datasets.own._names import customary, listed, roles_of
from sklearn_mteval.datasets.own._tables import others_told
from sklearn_mteval.datasets.own._verdicts import place_said


def find_columns(table, layouts, format, asked, better):
    """Return the layout of a table, and its columns; raise, with what may be meant, if unclear."""
    check_one_of("format", format, (None, *layouts))
    _check_ranking(layouts.get(format), asked)
    begun = search_in(table, asked, only=format is not None)
    if not table.columns:
        raise table.error("it is empty: expected a header, and below it the judgements.")
    tried = {}
    for name in layouts if format is None else [format]:
        search = begun._replace(missing={}, doubtful={})
        if (fields := layouts[name].find(search)) is not None:
            tried[name] = search, _whole(search, layouts[name], fields)
    certain = [k for k, (search, _) in tried.items() if not search.missing and not search.doubtful]
    if not tried:
        begun._replace(only=True).lacks()
    if len(certain) != 1:
        raise table.error(_question(table, layouts, tried, certain, better))
    layout, columns = layouts[certain[0]], tried[certain[0]][1]
    _check_ranking(layout, asked)
    roles = {}
    for role in ("segment", "judge", "ranking", "system", "judgement"):
        for name in listed(getattr(columns, role)):
            if roles.setdefault(name, role) != role:
                raise ValueError(f"the column {name!r} is both {roles[name]}= and {role}=.")
    return layout, columns


def _check_ranking(layout, asked):
    """Raise for a column of rankings where each row is one."""
    if layout is not None and layout.row is not None and asked["ranking"] is not None:
        raise ValueError(
            f"ranking= is for format='long': with {layout.name!r} each {layout.row} is a ranking."
        )


def find_table_columns(table, asked):
    """Find the columns of a tidy table of translations, judged or not."""
    search = search_in(table, asked)
    found = {key: search.one(key) for key in asked}
    if search.doubtful:
        raise table.error(_doubt(search.doubtful))
    for key in ("segment", "system"):
        if asked[key] is False or isinstance(asked[key], list):
            raise ValueError(f"{key}={asked[key]!r}: expected the name of a column.")
        if found[key] is None or found[key] not in table.columns:
            raise table.error(
                f"expected a column {' or '.join(map(repr, customary(key)))}, found "
                f"{list(table.columns)}. Name it by {key}=."
            )
    if asked["reference"] is None:
        found["reference"] = found["reference"] or list(search.names.of["reference"].values())
    return found | {"reference": listed(found["reference"])}


def _doubt(doubtful):
    """Say which columns may be meant by one role."""
    key, names = next(iter(doubtful.items()))
    return f"both {names[0]!r} and {names[1]!r} may be meant: say which by {key}={names[0]!r}, say."


def _whole(search, layout, fields):
    """Add the columns that tables of all layouts may have."""
    asked, source = search.asked, search.one("source")
    reference = search.one("reference")
    references = list(search.names.of["reference"].values()) if reference is None else reference
    segment = search.one("segment")
    if source and segment and segment not in (asked["segment"], *search.names.alone["segment"][0]):
        labels = [set(map(str, search.table.column(name).cells)) for name in (segment, source)]
        own, sources = map(len, labels)
        segment = None if sources < own == search.table.n_rows else segment  # numbers of rows
    if segment is None and source is None and not (asked["segment"] is False and layout.row):
        used = {name for value in (*fields.values(), *search.missing.values())
                for name in listed(value)}  # fmt: skip
        left = [name for name in search.free("numbers", "names") if name not in used]
        left = [
            n for n in left if None in [place_said(w, {}, 2) for w in words_in(search.table, n)]
        ]
        search.missing["segment"] = left[0] if left else False if layout.row else None
    judge = None if fields.get("annotators") else search.one("judge")
    if asked["reference"] is False:
        references = []
    return Columns(segment, judge, source, listed(references), **fields)


def _question(table, layouts, tried, certain, better):
    """Say what is unclear, and what may be passed: of columns that are left, by their content."""
    if len(certain) > 1:
        return (
            f"the header {list(table.columns)} does not say for certain what the rows are. Pass "
            f"{_formats(layouts[name] for name in certain)}.{others_told(table.sheets)}"
        )
    for search, _ in tried.values():
        if search.doubtful:
            return _doubt(search.doubtful)
    if not any(map(roles_of, table.columns)) and any(
        value_of(name) is not None for name in table.columns
    ):
        return (
            f"the first row, {list(table.columns)}, looks like a judgement: write a header above, "
            "the names of the columns, such as segment, system and score."
        )
    known = [name for name, (s, _) in tried.items() if None not in s.missing.values()]
    if not known:
        needed = {key: None for search, _ in tried.values() for key in search.missing}
        lacks = f"; of what is needed, it names no {' and no '.join(needed)}" if needed else ""
        cure = others_told(table.sheets) or (
            f" Pass {_formats(layouts.values())}, and columns of other names than these, such as "
            "system='ENGINE'. Cells are separated by commas, semicolons or tabs."
        )
        return (
            f"the header {list(table.columns)} does not say for certain what the rows are{lacks}."
            f"{cure}"
        )
    # What names no systems at all is the last that is meant.
    best = min(known, key=lambda k: (tried[k][1].names == ["A", "B"], len(tried[k][0].missing)))
    search, columns = tried[best]
    given = [f"{key}={value!r}" for key, value in search.missing.items()]
    if isinstance(search.missing.get("judgement"), list):
        given = [f"{each} (each is an annotator; else name one)" * each.startswith("judgement=")
                 or each for each in given]  # fmt: skip
    if search.missing.get("segment") is False:
        given[-1] += f" (each {layouts[best].row} has a segment of its own)"
    named = " and ".join(f"the {key}" for key in search.missing)
    if better is None and layouts[best].no_better is None:
        given.append(direction(search.missing.get("judgement") or columns.judgement))
    usual = "; ".join(
        f"{key}: {', '.join(customary(*_ROLES.get(key, [key])))}" for key in search.missing
    )
    return (
        f"the header {list(table.columns)} names no column of {named} (customarily {usual}). Pass "
        f"{', '.join(given)}, if a row is {layouts[best].header}.{others_told(table.sheets)}"
    )


_ROLES = {"judgement": ("rank", "score", "winner")}


def _formats(layouts):
    """Say how each of some layouts is asked for."""
    each = [f"format={layout.name!r} (a row is {layout.header})" for layout in layouts]
    return " or ".join([", ".join(each[:-1]), each[-1]] if each[1:] else each)


def direction(judgement):
    """Say which is better, if the name of a column does; both where it does not."""
    said = better_by_name(next(iter(listed(judgement)), ""))
    if said is not None:
        return f"better={said!r}"
    return "better='lower' for ranks, 1 being best, or better='higher' for scores"
