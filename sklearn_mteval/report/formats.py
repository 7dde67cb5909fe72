"""The forms in which results can be written, each registered once in ``FORMATS``.

A further one is a function from a :class:`Report` to text here, and its line in the registry: the
commands, reports and tests derive from it.
"""

import json
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # --help reads the registry and loads no pandas
    from pandas import DataFrame

__all__ = [
    "FORMATS", "INFINITY", "UNDEFINED", "Report", "Table", "align", "cell", "tab_separated",
    "write",
]  # fmt: skip

UNDEFINED = "\N{EN DASH}"
INFINITY = "\N{INFINITY}"
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    UNDEFINED: "--",
    INFINITY: r"$\infty$",
}


@dataclass(frozen=True)
class Table:
    """Rounded values as text under a title."""

    title: str
    header: list[str]
    rows: list[list[str]]
    best: frozenset = frozenset()  # (row, column) of the best value of each column
    names: str = "metric"  # header of the column that says what a row is about


@dataclass(frozen=True)
class Report:
    """Results, for readers as tables with notes, and for programs with all digits."""

    tables: list[Table]
    notes: list[str]
    signature: str  # on one line, how the numbers were made
    values: "DataFrame"  # one row for each metric
    record: dict  # what JSON can hold


def align(header, rows, *, left=(0,)):
    """Align columns of text, those of ``left`` on the left, with a line below the header."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in [header, ["-" * width for width in widths], *rows]
    ]
    return "\n".join(lines)


def _text(report):
    """Write aligned tables for the terminal."""
    parts = [
        f"{t.title}\n\n{align(t.header, t.rows, left=(t.header.index(t.names),))}"
        for t in report.tables
    ]
    notes = [textwrap.fill(note, 96, subsequent_indent="  ") for note in report.notes]
    return "\n\n".join([*parts, "\n".join(notes), report.signature]) + "\n"


def tab_separated(frame):
    """Write a table and its index with a header and all digits; NaN is empty."""
    levels = [frame.index.get_level_values(k) for k in range(frame.index.nlevels)]
    columns = [*levels, *(column for _, column in frame.items())]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = [[*frame.index.names, *frame.columns], *rows]
    return "".join("\t".join(map(cell, line)) + "\n" for line in lines)


def cell(value):
    """Write a number or a name as a cell of tab-separated values.

    Names are quoted where readers would take part of them for a quote, a comment or the cell's end.
    """
    if not isinstance(value, str):
        return "" if value != value else str(value)
    quoted = value.replace('"', '""')
    return f'"{quoted}"' if any(sign in value for sign in '"#\t\r\n') else value


def _tsv(report):
    """Write all columns, the signature as one: each line but the first is a metric."""
    return tab_separated(report.values.assign(signature=report.signature))


def _json(report):
    """Write JSON; what is undefined is null."""
    found = report.record | {"signature": report.signature}
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _latex(report):
    """Write tables for the package booktabs, the best values in bold."""
    comments = "\n".join(f"% {line}" for line in [*report.notes, report.signature])
    return "\n\n".join([*map(_booktabs, report.tables), comments]) + "\n"


def _booktabs(table):
    """Write one table for LaTeX."""
    columns = "".join("l" if name == table.names else "r" for name in table.header)
    lines = [
        f"% {table.title}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(_escaped, table.header)) + r" \\",
        r"\midrule",
    ]
    for k, row in enumerate(table.rows):
        cells = [
            rf"\textbf{{{_escaped(cell)}}}" if (k, column) in table.best else _escaped(cell)
            for column, cell in enumerate(row)
        ]
        # Braces, lest a name in brackets be taken for an argument of the line break before it.
        lines.append("{}" * cells[0].startswith(("[", "*")) + " & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _escaped(text):
    """Escape what LaTeX reads as a command; a minus is one."""
    escaped = "".join(_LATEX.get(character, character) for character in " ".join(text.split()))
    for sign in ("<", ">"):
        escaped = escaped.replace(sign, f"${sign}$")
    numbers = escaped.replace("[-", "[$-$").replace(" -", " $-$")
    if re.match(r"-[0-9$]", numbers):
        numbers = "$-$" + numbers[1:]
    return numbers.replace("$-$$", "$-")  # minus infinity is one formula


def _markdown(report):
    """Write tables of pipes, the signature as code."""
    parts = [f"{table.title}\n\n{_pipes(table)}" for table in report.tables]
    return "\n\n".join([*parts, *report.notes, f"`{report.signature}`"]) + "\n"


def _pipes(table):
    """Write one table for Markdown."""
    rule = ["---" if name == table.names else "---:" for name in table.header]
    lines = [table.header, rule, *table.rows]
    escaped = [[cell.replace("\\", "\\\\").replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def write(report, form, formats=None):
    """Write a report in a form of a registry."""
    formats = FORMATS if formats is None else formats
    if form not in formats:
        raise ValueError(f"form must be one of {list(formats)}, found {form!r}.")
    return formats[form](report)


FORMATS = {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex, "markdown": _markdown}
