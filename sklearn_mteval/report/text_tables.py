"""Plain-text tables for the terminal."""

__all__ = ["agreement_lines", "text_table"]

TAU_NOTE = (
    "tau: Kendall's tau x 100, variant wmt12 (a metric tie counts as discordant), pairs pooled;\n"
    "in brackets its 95 % interval, bootstrap over segments. ties: pairs that the judge decides\n"
    "and the metric ties. accuracy: pairs decided as the judge did, before recomposition."
)


def text_table(header, rows, *, left=(0,)):
    """Align columns.

    Parameters
    ----------
    header : list of str
        Names of the columns.
    rows : list of lists of str
        Cells.
    left : container of int, default=(0,)
        Columns to align on the left; the others stand on the right.

    Returns
    -------
    str
        Lines, with one below the header.
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in [header, ["-" * width for width in widths], *rows]
    ]
    return "\n".join(lines)


def agreement_lines(table):
    """Write a list of Agreement as a table.

    Parameters
    ----------
    table : list of Agreement
        Rows.

    Returns
    -------
    str
        The table and what its columns mean.
    """
    rows = [
        [
            row.name,
            f"{100 * row.tau:.1f}",
            f"[{100 * row.low:.1f}, {100 * row.high:.1f}]",
            f"{row.ties} of {row.pairs}",
            f"{100 * row.accuracy:.1f} %",
        ]
        for row in table
    ]
    header = ["", "tau", "95 % interval", "metric ties", "accuracy"]
    return text_table(header, rows) + "\n\n" + TAU_NOTE
