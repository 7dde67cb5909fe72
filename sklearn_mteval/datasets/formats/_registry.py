"""The registry: which formats of judgements there are, found in the modules of this room."""

from sklearn_mteval.datasets import formats
from sklearn_mteval.datasets._entries import entries_in

OWN = "own"  # a table, whose header says the rest
FORMATS = entries_in(formats, "FORMAT")


def format_names():
    """List what ``--format`` takes: the layouts of tables, then the other formats."""
    return [name for entry in FORMATS.values() for name in entry.layouts] + [
        name for name, entry in FORMATS.items() if not entry.layouts
    ]


def format_of(name):
    """Return the entry of a format, or of a layout; ValueError for what is none."""
    for entry in FORMATS.values():
        if name == entry.name or name in entry.layouts:
            return entry
    raise ValueError(f"format must be one of {', '.join(format_names())}, found {name!r}.")


def formats_with(option):
    """List the names of the formats that have an option of this name."""
    return [
        name for name, entry in FORMATS.items() if any(option == its.name for its in entry.options)
    ]
