"""Which format judgements of a file or folder have, where that is certain."""

import os
import stat
from pathlib import Path

from sklearn_mteval._helpers.files import MAX_LINE, STANDARD_INPUT, open_file
from sklearn_mteval.datasets._files import Place
from sklearn_mteval.datasets.formats._registry import FORMATS, OWN


def find_format(path):
    """Return a format, or "own" for what is a table of ``load_rankings`` if anything.

    DataFileError for a folder that could be several or none.
    """
    if not isinstance(path, str | os.PathLike):
        return OWN
    if os.path.isdir(path):
        folders = {entry.folder: name for name, entry in FORMATS.items() if entry.folder}
        found = [name for folder, name in folders.items() if (Path(path) / folder).is_dir()]
        if len(found) != 1:
            listed = " or ".join(f"{folder}/ ({name})" for folder, name in folders.items())
            raise Place(path).error(
                f"expected a file, or a folder that has either {listed}. Name its format: "
                f"--format {' or '.join(folders.values())}."
            )
        return found[0]
    if os.fspath(path) == STANDARD_INPUT or not _is_regular(path):
        return OWN  # a pipe can be read only once
    with open_file(Path(path), zipped=True, lines=False, archive=True) as file:
        first = file.readline(MAX_LINE)
    first = first.decode("utf-8-sig", "replace").rstrip("\r\n")
    found = (
        name for name, entry in FORMATS.items() if entry.recognised and entry.recognised(first)
    )
    return next(found, OWN)


def _is_regular(path):
    """Tell whether a path is a file; one that is not there is told by who reads it."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
