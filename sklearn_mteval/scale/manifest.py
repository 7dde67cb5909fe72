"""The manifest of a folder of partitions: what must be in each file, written last.

Parts are in the order of the hashes of their segments, each from its first to its last: that these
do not overlap says that no segment stands in two parts.
"""

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from sklearn_mteval._helpers.atomic import TEMPORARY_SUFFIX, write_atomically
from sklearn_mteval._helpers.files import open_file, read_text
from sklearn_mteval._helpers.restored import is_count
from sklearn_mteval._version import __version__
from sklearn_mteval.datasets._json import parse_json
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.scale.tables import KINDS, TARGET

MANIFEST = "partitions.json"
_FORMAT = 1
_MOST_BYTES = 1 << 28  # of a manifest: a million parts
_MOST_ROWS = 1 << 40
_HEX = {16: re.compile("[0-9a-f]{16}"), 64: re.compile("[0-9a-f]{64}")}
_PART_NAME = re.compile(r"part-\d{6,12}\.parquet")


@dataclass(frozen=True)
class Part:
    """A file of whole segments; ``record`` is the hash of what a task has noted, else empty."""

    file: str
    rows: int
    segments: int
    bytes: int
    sha256: str
    first: str
    last: str
    record: str = ""

    def problem(self, k):
        """Say what is wrong with the k-th part of a manifest, None if nothing is."""
        if self.file != part_name(k):  # so that no name leads out of the folder
            return f"the file of part {k} must be {part_name(k)!r}, found {self.file!r:.100}"
        for key, most in (("rows", _MOST_ROWS), ("bytes", _MOST_ROWS), ("segments", self.rows)):
            if not is_count(getattr(self, key), 1, most):
                return f"{key} of {self.file} are no number that they can be"
        for key, length in (("sha256", 64), ("first", 16), ("last", 16), ("record", 64)):
            value = getattr(self, key)
            if not (isinstance(value, str) and _HEX[length].fullmatch(value)) and (
                key != "record" or value != ""
            ):
                return f"{key} of {self.file} is no hash"
        return f"last of {self.file} is before first" if self.last < self.first else None


@dataclass(frozen=True)
class Manifest:
    """What a folder of partitions holds, made by ``task`` of which other parts; of ``columns`` and
    their kinds the first ``levels`` are the index, a last one, y, the target.
    """

    columns: dict
    levels: int
    parts: list
    task: dict | None = None
    version: str = __version__

    def problem(self):
        """Say what is wrong, None if nothing is."""
        columns = self.columns
        if not isinstance(columns, dict) or not set(map(str, columns.values())) <= set(KINDS):
            return f"columns must be names, each with one of {KINDS}"
        if not is_count(self.levels, 2, len(columns)):
            return "levels must be the number of index levels"
        names = list(columns)
        if not {"segment", "system"} <= set(names[: self.levels]):
            return "index levels must include 'segment' and 'system'"
        if TARGET in names[:-1] or TARGET in names[: self.levels]:
            return f"the target, {TARGET!r}, must be the last column"
        if not isinstance(self.task, dict | None) or not isinstance(self.version, str):
            return "task or version is none"
        last = ""
        for k, part in enumerate(self.parts):
            if (problem := part.problem(k)) is not None:
                return problem
            if part.first <= last:
                return f"a segment may be in {part.file} and in a part before it"
            last = part.last
        return None if self.parts else "it names no parts"


def part_name(k):
    """Name the file of the k-th part."""
    return f"part-{k:06}.parquet"


def digest(content):
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def part_of(name, content, segments):
    """Describe a file of bytes, whose rows are of segments with these hashes."""
    distinct = np.unique(segments)
    first, last = (f"{int(distinct[k]):016x}" for k in (0, -1))
    return Part(name, len(segments), len(distinct), len(content), digest(content), first, last)


def read_manifest(folder):
    """Return the manifest of a folder, checked, and its hash; DataFileError says what is wrong."""
    path = Path(folder) / MANIFEST
    if not os.path.lexists(path):
        there = os.path.isdir(folder)
        found = f"there is no {MANIFEST} in it" if there else "there is no such folder"
        hint = " What writes it was interrupted: call it again." if there else ""
        raise DataFileError(folder, f"no folder of partitions: {found}.{hint}")
    text = read_text(path, max_bytes=_MOST_BYTES, pipes=False)
    given = parse_json(path, text)
    try:
        form = given.pop("format")
        if form != _FORMAT:
            raise DataFileError(path, f"expected the format {_FORMAT}, found {form!r:.100}.")
        manifest = Manifest(**{**given, "parts": [Part(**part) for part in given["parts"]]})
    except (AttributeError, KeyError, TypeError):  # no object, or with other names
        raise DataFileError(path, "no manifest as write_partitions writes it.") from None
    problem = manifest.problem()
    if problem is not None:
        raise DataFileError(path, f"damaged: {problem}. Write the partitions again.")
    return manifest, digest(text.encode())


def write_manifest(folder, manifest):
    """Write the manifest of a folder whose parts are there."""
    text = json.dumps({"format": _FORMAT, **asdict(manifest)}, indent=1, ensure_ascii=False)
    write_file(Path(folder) / MANIFEST, text.encode() + b"\n")


def read_file(path):
    """Return the bytes of a file."""
    with open_file(path, whole=True, lines=False) as file:
        return file.read()


def write_file(path, content):
    """Write a file, whole or not at all; DataFileError says why it cannot be written."""
    try:
        write_atomically(path, content)
    except OSError as error:
        reason = error.strerror or error
        problem = f"cannot be written ({reason}). Nothing is half written: mend that, call again."
        raise DataFileError(path, problem) from error


def made_folder(folder):
    """Make a folder, if it is not there, and list the names in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return sorted(os.listdir(folder))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataFileError(folder, f"cannot be used as a folder ({reason}).") from None


def unfinished_files(folder):
    """Make a folder, or list what a killed call has left; DataFileError if it holds more."""
    names = made_folder(folder)
    strangers = [
        name for name in names
        if not (_PART_NAME.fullmatch(name) or name.endswith(TEMPORARY_SUFFIX))
    ]  # fmt: skip
    if strangers:
        found = "partitions" if MANIFEST in names else repr(strangers[0])
        raise DataFileError(folder, f"it holds {found} already: choose a new folder, or delete it.")
    return [folder / name for name in names]
