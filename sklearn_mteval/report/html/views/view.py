"""What is shown of an object, whatever form it takes; long tables and texts are cut."""

from dataclasses import dataclass, field, replace

from sklearn_mteval.report.cells import ended
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.pictures.svg import Picture

MOST_ROWS = 200  # of all tables together
_MOST_COLUMNS = 40
_LONGEST_TEXT = 2000


@dataclass(frozen=True)
class View:
    """What is shown of an object."""

    title: str
    report: Report
    summary: list = field(default_factory=list)  # sentences
    warnings: list = field(default_factory=list)
    picture: Picture | None = None  # of what the first sentence says
    segments: list = field(default_factory=list)  # dicts: label, source, references, translations
    drawing: dict | None = None  # of a tree: width, height, labels, lines
    text: str = ""  # instead of tables, on lines of equally wide characters
    more: list = field(default_factory=list)  # how many rows each table has beyond those shown


def simple_report(tables, notes=()):
    """Make a report of tables that are only looked at."""
    return Report(tables, list(notes), "", None, {})


def shortened(view):
    """Leave out what is beyond the first 200 rows of all tables, and ends of long texts."""
    left, tables, more = MOST_ROWS, [], []
    for table in view.report.tables:
        shown = min(left, len(table.rows))
        left -= shown
        more.append(len(table.rows) - shown)
        tables.append(_cut(table, shown))
    notes = [ended(note, _LONGEST_TEXT) for note in view.report.notes]
    report = replace(
        view.report,
        tables=tables,
        notes=notes,
        signature=ended(view.report.signature, _LONGEST_TEXT),
    )
    return replace(view, report=report, more=more)


def _cut(table, n_rows):
    """Return the first rows and columns of a table, and its name column wherever that is."""
    n_columns = max(_MOST_COLUMNS, table.header.index(table.names) + 1)
    wide = len(table.header) - n_columns
    title = table.title if wide <= 0 else f"{table.title} (… and {wide:,} more columns)"
    return Table(
        ended(title), list(map(ended, table.header[:n_columns])),
        [list(map(ended, row[:n_columns])) for row in table.rows[:n_rows]], table.best,
        ended(table.names), tuple(map(ended, table.texts))
    )  # fmt: skip
