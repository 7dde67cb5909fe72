"""The formats in which results can be written, each registered once in ``FORMATS``.

An entry maps what can be written in it, a ``"report"`` of tables or the ``"scores"``, ``"ranks"``
or ``"choices"`` of translations, to the function that writes it. Choices of the commands, errors,
docstrings' tests and the tests of hostile names derive from it.

Names come from files of others. Where a program would take part of one for something else (a
formula, a tag, a command), it is written so that it is only a name.
"""

import json
import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sklearn_mteval._helpers.spreadsheets import as_cell
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.report.cells import INFINITY, UNDEFINED

if TYPE_CHECKING:  # --help reads the registry and loads no pandas
    from pandas import DataFrame

__all__ = [
    "FORMATS", "Report", "Table", "Translations", "align", "formats_of",
    "shown", "tab_separated", "write",
]  # fmt: skip

_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    UNDEFINED: "--",
    INFINITY: r"$\infty$",
}
_LINE_ENDS = "\r\n|\r|\n"
_MARKDOWN = {c: f"\\{c}" for c in "\\|`["} | {"<": "&lt;", ">": "&gt;"}


@dataclass(frozen=True)
class Table:
    """Rounded values as text under a title."""

    title: str
    header: list[str]
    rows: list[list[str]]
    best: frozenset = frozenset()  # (row, column) of the best value of each column
    names: str = "metric"  # header of the column that says what a row is about

    @classmethod
    def of_columns(cls, title, columns, **options):
        """Make a table of columns by header."""
        return cls(
            title, [*columns], list(map(list, zip(*columns.values(), strict=True))), **options
        )


@dataclass(frozen=True)
class Report:
    """Results, for readers as tables with notes, and for programs with all digits."""

    tables: list[Table]
    notes: list[str]
    signature: str  # on one line, how the numbers were made
    values: "DataFrame"  # one row for each metric
    record: dict  # what JSON can hold


@dataclass(frozen=True)
class Translations:
    """Numbers of each translation, the rows indexed by segment and system; NaN is missing.

    A cell may also be a text, or a list of sentences.
    """

    values: "DataFrame"
    digits: dict = field(default_factory=dict)  # after the point, by column; all where none
    ascending: bool = False  # whether the best has the lowest number in the first column


def align(header, rows, *, left=(0,)):
    """Align columns of text, those of ``left`` on the left, with a line below the header."""
    header, *rows = [list(map(shown, row)) for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in [header, ["-" * width for width in widths], *rows]
    ]
    return "\n".join(lines)


def shown(text):
    """Return a text on one line, without what would steer a terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def _text(report):
    """Write aligned tables for the terminal."""
    parts = [
        f"{shown(t.title)}\n\n{align(t.header, t.rows, left=(t.header.index(t.names),))}"
        for t in report.tables
    ]
    notes = [textwrap.fill(shown(note), 96, subsequent_indent="  ") for note in report.notes]
    return "\n\n".join([*parts, "\n".join(notes), shown(report.signature)]) + "\n"


def tab_separated(frame):
    """Write a table and its index with a header and all digits; NaN is empty."""
    levels = [frame.index.get_level_values(k) for k in range(frame.index.nlevels)]
    columns = [*levels, *(column for _, column in frame.items())]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = [[*frame.index.names, *frame.columns], *rows]
    return "".join("\t".join(map(as_cell, line)) + "\n" for line in lines)


def _tsv(report):
    """Write all columns, the signature as one: each line but the first is a metric."""
    return tab_separated(report.values.assign(signature=report.signature))


def _json(report):
    """Write JSON; what is undefined is null."""
    found = report.record | {"signature": report.signature}
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _latex(report):
    """Write tables for the package booktabs, the best values in bold."""
    comments = "\n".join(f"% {shown(line)}" for line in [*report.notes, report.signature])
    return "\n\n".join([*map(_booktabs, report.tables), comments]) + "\n"


def _booktabs(table):
    """Write one table for LaTeX."""
    columns = "".join("l" if name == table.names else "r" for name in table.header)
    lines = [
        f"% {shown(table.title)}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(_latex_name, table.header)) + r" \\",
        r"\midrule",
    ]
    for k, row in enumerate(_escaped(table, _latex_name, _latex_number)):
        best = [(k, column) in table.best for column in range(len(row))]
        cells = [rf"\textbf{{{c}}}" if b else c for c, b in zip(row, best, strict=True)]
        # Braces, lest a name in brackets be taken for an argument of the line break before it.
        lines.append("{}" * cells[0].startswith(("[", "*")) + " & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _escaped(table, as_name, as_number):
    """Escape the cells of each row: those that say what it is about as names."""
    ways = [as_name if name == table.names else as_number for name in table.header]
    return [[way(cell) for way, cell in zip(ways, row, strict=True)] for row in table.rows]


def _latex_name(text):
    """Escape what LaTeX reads as a command, and hyphens that it would join to a dash."""
    escaped = "".join(_LATEX.get(character, character) for character in shown(text))
    return re.sub("-(?=-)", "{-}", escaped)


def _latex_number(text):
    """Escape a number, an interval or two; a hyphen before a digit is a minus."""
    escaped = "".join(_LATEX.get(character, character) for character in " ".join(text.split()))
    numbers = re.sub(r"(^|(?<=[\[ ]))-(?=[0-9$.])", "$-$", escaped)
    return numbers.replace("$-$$", "$-")  # minus infinity is one formula


def _markdown(report):
    """Write tables of pipes, the signature as code."""
    parts = [f"{_markdown_name(table.title)}\n\n{_pipes(table)}" for table in report.tables]
    notes, signature = map(_markdown_name, report.notes), shown(report.signature)
    return "\n\n".join([*parts, *notes, f"`{signature.replace('`', chr(39))}`"]) + "\n"


def _pipes(table):
    """Write one table for Markdown."""
    rule = ["---" if name == table.names else "---:" for name in table.header]
    rows = _escaped(table, _markdown_name, lambda cell: cell.replace("|", "\\|"))
    lines = [list(map(_markdown_name, table.header)), rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_name(text):
    """Escape what Markdown reads as a tag, code, a link or the end of a cell."""
    text = re.sub(r"&(?=#?\w+;)", "&amp;", shown(text))
    return "".join(_MARKDOWN.get(character, character) for character in text)


def _translations_tsv(found):
    """Write a header and a line for each translation."""
    values = found.values
    columns = [[_number(x, found.digits.get(c)) for x in values[c]] for c in values]
    lines = ["\t".join([*values.index.names, *values.columns])]
    for labels, *numbers in zip(values.index, *columns, strict=True):
        lines.append("\t".join([*map(as_cell, labels), *numbers]))
    return "".join(f"{line}\n" for line in lines)


def _translations_jsonl(found):
    """Write an object for each segment, whose rows need not follow each other, the best first."""
    values, names, segments = found.values, list(found.values.columns), {}
    columns = [[_plain(x, found.digits.get(c)) for x in values[c]] for c in names]
    for (segment, system), *numbers in zip(values.index, *columns, strict=True):
        entry = {"system": system, **dict(zip(names, numbers, strict=True))}
        segments.setdefault(segment, []).append(entry)
    sign = 1 if found.ascending else -1

    def place(entry):
        return entry[names[0]] is None, sign * (entry[names[0]] or 0)

    return "".join(
        json.dumps(
            {"segment": segment, "translations": sorted(entries, key=place)}, ensure_ascii=False
        )
        + "\n"
        for segment, entries in segments.items()
    )


def _translations_seg(found):
    """Write a line for each translation, system after system."""
    table, lines = found.values.pivot_table("score", "segment", "system", dropna=False), []
    for system in found.values.index.unique("system"):
        name = str(system)
        if not name.isprintable() or name != name.strip() or not name:
            raise CandidateError(
                f"the system's name {name!r} cannot stand in lines 'SYSTEM SCORE': rename the "
                "system, or choose the format tsv."
            )
        lines += [f"{name}\t{'None' if x != x else _plain(x)}\n" for x in table[system]]
    return "".join(lines)


def _chosen_lines(found):
    """Write the text of each translation that was chosen, each on one line."""
    chosen = found.values[found.values["chosen"] > 0]
    return "".join(f"{re.sub(_LINE_ENDS, ' ', text)}\n" for text in chosen["text"])


def _plain(value, digits=None):
    """Return a Python number for JSON, NaN as None; a zero has no sign; texts as they are."""
    if isinstance(value, list | str):
        return value
    if value != value:
        return None
    if isinstance(value, int):
        return value
    return (float(value) if digits is None else round(float(value), digits)) + 0.0


def _number(value, digits):
    """Write a number, NaN as nothing; a text as a cell; of a list its sentences."""
    value = _plain(value, digits)
    if isinstance(value, str):
        return as_cell(value)
    if isinstance(value, list):
        return as_cell("; ".join(value))
    if value is None:
        return ""
    return str(value) if digits is None or isinstance(value, int) else f"{value:.{digits}f}"


_OF_TRANSLATIONS = ("scores", "ranks", "choices")
FORMATS = {
    "text": {"report": _text, "choices": _chosen_lines},
    "seg": {"scores": _translations_seg},
    "tsv": {"report": _tsv} | dict.fromkeys(_OF_TRANSLATIONS, _translations_tsv),
    "json": {"report": _json},
    "jsonl": dict.fromkeys(_OF_TRANSLATIONS, _translations_jsonl),
    "latex": {"report": _latex},
    "markdown": {"report": _markdown},
}


def formats_of(kind):
    """Return the names of the formats in which a "report", "scores", … can be written."""
    return tuple(name for name, writers in FORMATS.items() if kind in writers)


def write(result, format, kind="report"):
    """Write a result of a kind in a format of the registry."""
    if format not in formats_of(kind):
        raise ValueError(f"format must be one of {list(formats_of(kind))}, found {format!r}.")
    return FORMATS[format][kind](result)
