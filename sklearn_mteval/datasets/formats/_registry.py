"""The registry: which formats of judgements there are, and which one a file or folder has."""

import os
from pathlib import Path

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
    return [k for k, entry in FORMATS.items() if option in [its.name for its in entry.options]]


def find_format(path):
    """Return a file's or folder's format, "own" for what is a table of one's own if anything."""
    # Not for --help, which reads the registry.
    from sklearn_mteval._helpers.files import MAX_LINE, STANDARD_INPUT, open_file

    if not isinstance(path, str | os.PathLike):
        return OWN
    if os.path.isdir(path):
        return _format_of_folder(path)
    if os.fspath(path) == STANDARD_INPUT or not os.path.isfile(path):
        return OWN  # a pipe can be read only once; one that is not there is told by who reads it
    with open_file(Path(path), zipped=True, lines=False, archive=True) as file:
        first = file.readline(MAX_LINE)
    first = first.decode("utf-8-sig", "replace").rstrip("\r\n")
    entries = (entry for entry in FORMATS.values() if entry.recognised)
    return next((entry.name for entry in entries if entry.recognised(first)), OWN)


def _format_of_folder(path):
    """Return the only format whose folder is within a folder."""
    folders = {entry.folder: name for name, entry in FORMATS.items() if entry.folder}
    found = [name for folder, name in folders.items() if (Path(path) / folder).is_dir()]
    if len(found) != 1:
        from sklearn_mteval.datasets._files import Place

        listed = " or ".join(f"{folder}/ ({name})" for folder, name in folders.items())
        raise Place(path).error(
            f"expected a file, or a folder that has either {listed}. Name its format: "
            f"--format {' or '.join(folders.values())}."
        )
    return found[0]
