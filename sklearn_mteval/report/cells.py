"""Cells of tables: numbers as readers see them, and as JSON holds them."""

import math

UNDEFINED = "\N{EN DASH}"
INFINITY = "\N{INFINITY}"


def shown(text):
    """Return a text on one line, without what would steer a terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def ended(text, longest=300):
    """Cut a long text."""
    text = str(text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def written(value, form):
    """Write a number by a format specification."""
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return INFINITY if value > 0 else f"-{INFINITY}"
    return f"{value:{form}}"


def percent(value):
    """Write a number x 100."""
    return written(100 * value, ".1f")


def interval(low, high):
    """Write the interval of a score, which is undefined of one segment."""
    return UNDEFINED if math.isnan(low) else f"[{low:+.4f}, {high:+.4f}]"


def signed(values):
    """Write scores, or differences of them, with their signs."""
    return [written(value, "+.4f") for value in values]


def p_values(values):
    """Write p-values; of a small one only that it is small."""
    return ["<0.001" if p < 0.001 else written(p, ".3f") for p in values]


def aligned(pattern, *columns):
    """Fill a pattern with the texts of each row, all those of a column being equally wide."""
    widths = [max(map(len, column), default=0) for column in columns]
    padded = [[text.rjust(n) for text in c] for c, n in zip(columns, widths, strict=True)]
    return [pattern.format(*parts) for parts in zip(*padded, strict=True)]


def estimates(table, name, prefix="", form=percent):
    """Write a number and its interval, PREFIXlow and PREFIXhigh, of each row, aligned."""
    columns = (table[column] for column in (name, f"{prefix}low", f"{prefix}high"))
    return aligned("{} [{}, {}]", *([form(x) for x in column] for column in columns))


def best_cells(table, names, first):
    """Return row and column of the best value of each statistic, the columns counted from first."""
    return frozenset(
        (row, column)
        for column, name in enumerate(names, first)
        for row in range(len(table))
        if table[name].iloc[row] == table[name].max()
    )


def undefined_notes(values):
    """Explain in a list of notes what is undefined, if any of a table's values is."""
    note = (
        f"{UNDEFINED} stands for what is undefined, because there are too few pairs or systems, or "
        "all scores are equal."
    )
    return [note] if values.isna().to_numpy().any() else []


def plain(value):
    """Return a number for JSON, which has neither NaN nor infinity; texts as they are."""
    if isinstance(value, int | str):
        return value
    if math.isnan(value):
        return None
    return str(value) if math.isinf(value) else float(value)


def records(table):
    """List the rows of a table as JSON has them."""
    return [{name: plain(value) for name, value in row.items()} for row in table.to_dict("records")]


def entries(table):
    """List the rows of a table as JSON has them, each with its name."""
    named = zip(table.index, records(table), strict=True)
    return [{"name": str(name)} | row for name, row in named]
