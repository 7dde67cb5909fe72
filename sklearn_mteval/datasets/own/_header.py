"""Where the header of a table stands, below titles and above rows, perhaps on two lines."""

from sklearn_mteval.datasets.own._names import roles_of

LOOKED_AT = 30  # rows


def header_of(rows):
    """Return the place of the header among the first rows, and the header."""
    rows = [[_text(cell) for cell in row] for row in rows]
    widths = [len(set(filter(None, row))) for row in rows]
    widest = max(widths, default=0)
    at = 0
    while at + 1 < len(rows) and widest > 1 and _is_title(rows, widths, at):
        at += 1
    if not rows:
        return 0, []
    header = rows[at]
    # Two lines: "Alpha", merged over two columns, above "text" and "score".
    for above, below in ((at - 1, at), (at, at + 1)):
        if above >= 0 and below < len(rows) and _is_second(rows[above], rows[below]):
            return below, _joined(rows[above], rows[below])
    return at, header if any(header) else []


def _text(cell):
    return "" if cell is None else str(cell).strip()


def _is_title(rows, widths, at):
    """Tell whether a row is above the header: of one cell, or of few where a header follows."""
    if widths[at] <= 1:
        return True
    if widths[at] > max(2, max(widths) / 2):
        return False
    known = max(1, _known(rows[at]))
    after = zip(rows[at + 1 :], widths[at + 1 :], strict=True)
    return any(width > widths[at] and _known(row) > known for row, width in after)


def _known(row):
    """Count the cells that are names of columns."""
    return sum(bool(roles_of(name)) for name in row)


def _is_second(above, below):
    """Tell whether a row says of names above it, some of several columns, what they hold."""
    said = [name for name in below if name]
    above = _spread(above, len(below))
    pairs = [(up, down) for up, down in zip(above, below, strict=False) if down]
    known = all(roles_of(name, 2) for name in said)
    return known and len(set(said)) < len(said) and len(set(pairs)) == len(pairs) > 1 and any(above)


def _spread(row, width):
    """Let empty cells take what stands before them, as where cells were merged."""
    found, last = [], ""
    for name in [*row, *[""] * width][:width]:
        last = name or last
        found.append(last)
    return found


def _joined(above, below):
    """Join the names of two lines."""
    above = _spread(above, len(below))
    doubled = {name for name in below if below.count(name) > 1}
    return [
        f"{up} {down}".strip() if down in doubled else down or up
        for up, down in zip(above, below, strict=False)
    ]
