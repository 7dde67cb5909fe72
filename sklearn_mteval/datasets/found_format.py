"""Which format judgements of a file or folder have, where that is certain."""

import json
import os
import re
import stat
from pathlib import Path

from sklearn_mteval._helpers.files import MAX_LINE, STANDARD_INPUT, open_file
from sklearn_mteval.datasets.campaigns.mqm import MQM_COLUMNS
from sklearn_mteval.exceptions import DataFileError

__all__ = ["find_format"]

# Judge, system, line number, type of item: no header has these.
_ITEM_OF_APPRAISE = re.compile(r"[^,]+,[^,]+,[0-9]+,(TGT|BAD|CHK|REF),")
_ENTRY_OF_PEARMUT = {"annotation", "item"}  # names in its JSON
_FOLDERS = {"rankings": "wmt", "human-scores": "mtme"}  # what only such a folder has


def find_format(path):
    """Return a format, or "own" for what is a table of :func:`load_rankings` if anything.

    DataFileError for a folder that could be several or none.
    """
    if os.path.isdir(path):
        found = [
            name for folder, name in _FOLDERS.items() if os.path.isdir(os.path.join(path, folder))
        ]
        if len(found) != 1:
            raise DataFileError(
                path,
                "expected a file, or a folder that has either rankings/ (WMT) or human-scores/ "
                "(mt-metrics-eval). Name its format: --format wmt or mtme.",
            )
        return found[0]
    if os.fspath(path) == STANDARD_INPUT or not _is_regular(path):
        return "own"  # a pipe can be read only once
    with open_file(Path(path), zipped=True, lines=False) as file:
        first = file.readline(MAX_LINE)
    first = first.decode("utf-8-sig", "replace").rstrip("\r\n")
    if set(MQM_COLUMNS) <= set(first.split("\t")):
        return "mqm"
    if _ITEM_OF_APPRAISE.match(first):
        return "esa"
    if first.startswith("{") and set(_names(first)) >= _ENTRY_OF_PEARMUT:
        return "pearmut"
    return "own"


def _names(line):
    """List the names of a JSON object; what is none has none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return found if isinstance(found, dict) else ()


def _is_regular(path):
    """Tell whether a path is a file; one that is not there is told by who reads it."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
