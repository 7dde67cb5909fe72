"""The formats in which results can be written, each registered once in ``FORMATS``.

An entry maps what can be written in it to the function that does: a ``"report"`` of tables; texts
of ``"several"`` language pairs, a dict, which it joins; ``"scores"``, ``"ranks"`` or ``"choices"``
of translations, in parts, of which it makes pieces. Names come from files of others: what a program
would take for something else in them (a formula, a tag, a command) is escaped.
"""

import json
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sklearn_mteval._helpers.spreadsheets import as_cell
from sklearn_mteval.report.cells import INFINITY, UNDEFINED, shown
from sklearn_mteval.report.translations import (
    as_chosen_lines,
    as_jsonl,
    as_parquet,
    as_read,
    as_seg,
    as_tsv,
)

if TYPE_CHECKING:  # --help reads the registry and loads no pandas
    from pandas import DataFrame

_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$",
    ">": "$>$", UNDEFINED: "--", INFINITY: r"$\infty$"
}  # fmt: skip
_MARKDOWN = {c: f"\\{c}" for c in "\\|`["} | {"<": "&lt;", ">": "&gt;"}


@dataclass(frozen=True)
class Table:
    """Rounded values as text under a title."""

    title: str
    header: list[str]
    rows: list[list[str]]
    best: frozenset = frozenset()  # (row, column) of the best value of each column
    names: str = "metric"  # header of the column that says what a row is about
    texts: tuple = ()  # headers of other columns that are no numbers

    @property
    def left(self):
        """Tell of each column whether it holds names or texts, which begin on the left."""
        return [header == self.names or header in self.texts for header in self.header]

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
    answer: tuple = ()  # sentences that stand before the tables


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


def _text(report):
    """Write aligned tables for the terminal."""
    parts = [textwrap.fill(shown(text), 96) for text in report.answer]
    for table in report.tables:
        left = [place for place, is_left in enumerate(table.left) if is_left]
        parts.append(f"{shown(table.title)}\n\n{align(table.header, table.rows, left=left)}")
    notes = [textwrap.fill(shown(note), 96, subsequent_indent="  ") for note in report.notes]
    return "\n\n".join([*parts, "\n".join(notes), shown(report.signature)]) + "\n"


def tab_separated(frame):
    """Write a table and its index with a header and all digits; NaN is empty."""
    levels = [frame.index.get_level_values(k) for k in range(frame.index.nlevels)]
    columns = [*levels, *(column for _, column in frame.items())]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = [[*frame.index.names, *frame.columns], *rows]
    return "".join("\t".join(map(as_cell, line)) + "\n" for line in lines)


def _json(report):
    """Write JSON; what is undefined is null."""
    found = report.record | {"signature": report.signature}
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _latex(report):
    """Write tables for the package booktabs, the best values in bold."""
    lines = [*report.answer, *report.notes, report.signature]
    comments = "\n".join(f"% {shown(line)}" for line in lines)
    return "\n\n".join([*map(_booktabs, report.tables), comments]) + "\n"


def _booktabs(table):
    """Write one table for LaTeX."""
    columns = "".join("l" if left else "r" for left in table.left)
    lines = [
        f"% {shown(table.title)}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule",
        " & ".join(map(_latex_name, table.header)) + r" \\", r"\midrule"
    ]  # fmt: skip
    for k, row in enumerate(_escaped(table, _latex_name, _latex_number)):
        best = [(k, column) in table.best for column in range(len(row))]
        cells = [rf"\textbf{{{c}}}" if b else c for c, b in zip(row, best, strict=True)]
        # Braces, lest a name in brackets be taken for an argument of the line break before it.
        lines.append("{}" * cells[0].startswith(("[", "*")) + " & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _escaped(table, as_name, as_number):
    """Escape the cells of each row: those that say what it is about as names."""
    ways = [as_name if left else as_number for left in table.left]
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
    parts = [f"{markdown_text(table.title)}\n\n{_pipes(table)}" for table in report.tables]
    answer, notes = (map(markdown_text, lines) for lines in (report.answer, report.notes))
    signature = shown(report.signature)
    return "\n\n".join([*answer, *parts, *notes, f"`{signature.replace('`', chr(39))}`"]) + "\n"


def _pipes(table):
    """Write one table for Markdown."""
    rule = ["---" if left else "---:" for left in table.left]
    rows = _escaped(table, markdown_text, lambda cell: cell.replace("|", "\\|"))
    lines = [list(map(markdown_text, table.header)), rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def markdown_text(text):
    """Escape what Markdown reads as a tag, code, a link or the end of a cell."""
    text = re.sub(r"&(?=#?\w+;)", "&amp;", shown(text))
    return "".join(_MARKDOWN.get(character, character) for character in text)


def _tsv_of_several(texts):
    """Put rows below each other; a column that a pair has not is empty there."""
    tables = {
        pair: [line.split("\t") for line in text.removesuffix("\n").split("\n")]
        for pair, text in texts.items()
    }
    names = list(dict.fromkeys(name for header, *_ in tables.values() for name in header))
    lines = [["lang_pair", *names]]
    for pair, (header, *rows) in tables.items():
        cells = (dict(zip(header, row, strict=True)) for row in rows)
        lines += [[pair, *(row.get(name, "") for name in names)] for row in cells]
    return "".join("\t".join(line) + "\n" for line in lines)


def _json_of_several(texts):
    """Map language pairs to what was written of them."""
    found = {pair: json.loads(text) for pair, text in texts.items()}
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _with_headings(heading):
    """Return what puts a heading before each text."""
    return lambda texts: "\n".join(f"{heading(pair)}\n\n{text}" for pair, text in texts.items())


FORMATS = {
    "text": {
        "report": _text,
        "several": _with_headings(lambda pair: f"{pair}\n{'=' * len(pair)}"),
        "scores": as_read, "ranks": as_read, "choices": as_chosen_lines,
    },
    "seg": {"scores": as_seg},
    "tsv": {
        "report": lambda found: tab_separated(found.values.assign(signature=found.signature)),
        "several": _tsv_of_several, "scores": as_tsv, "ranks": as_tsv, "choices": as_tsv
    },
    "json": {"report": _json, "several": _json_of_several},
    "jsonl": {"scores": as_jsonl, "ranks": as_jsonl, "choices": as_jsonl},
    "parquet": {"scores": as_parquet, "ranks": as_parquet},
    "latex": {"report": _latex, "several": _with_headings(lambda pair: f"% {pair}")},
    "markdown": {"report": _markdown, "several": _with_headings(lambda pair: f"## {pair}")},
}  # fmt: skip
BINARY = ("parquet",)


def formats_of(kind):
    """Return the names of the formats in which a "report", "scores", … can be written."""
    return tuple(name for name, writers in FORMATS.items() if kind in writers)


def write(result, format, kind="report"):
    """Write a result of a kind in a format of the registry: a text, of a binary format bytes."""
    if kind == "report":
        return writer(format, kind)(result)
    pieces = list(writer(format, kind)([result]))
    if format in BINARY:
        return b"".join(pieces)
    return "".join(piece.decode() if isinstance(piece, bytes) else piece for piece in pieces)


def writer(format, kind):
    """Return the function that writes a kind in a format."""
    if format not in formats_of(kind):
        raise ValueError(f"format must be one of {list(formats_of(kind))}, found {format!r}.")
    return FORMATS[format][kind]
