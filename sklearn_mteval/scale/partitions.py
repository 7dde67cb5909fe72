"""Partitions of a folder: read one after another, as often as wanted, or as one table."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.scale.dealing import label_hashes
from sklearn_mteval.scale.manifest import digest, read_file, read_manifest
from sklearn_mteval.scale.tables import from_parquet, to_pandas


class Partitions:
    """A folder of partitions, which is read one file at a time.

    Each iteration yields pairs (X, y): a candidate table of whole segments, and its ranks, a
    Series with the same index, or None if there are none. No segment is in two of them. ``len``
    is their number, ``partitions[k]`` one of them.

    Parameters
    ----------
    folder : path-like
        As :func:`write_partitions` or :func:`map_partitions` has made it.

    Attributes
    ----------
    folder : Path
        The folder.
    manifest : Manifest
        What must be in each file: ``parts``, the ``columns`` with their types.

    Raises
    ------
    DataFileError
        If the folder is none of partitions, or its making was interrupted. While it is iterated: if
        a file is missing, or is not what was written.
    """

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)
        self.manifest, self.sha256 = read_manifest(self.folder)

    def __len__(self) -> int:
        return len(self.manifest.parts)

    def __iter__(self) -> Iterator[tuple[pd.DataFrame, pd.Series | None]]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: int) -> tuple[pd.DataFrame, pd.Series | None]:
        part, manifest = self.manifest.parts[k], self.manifest
        X, y, _ = read_part(self.folder, part, manifest.columns, manifest.levels)
        return X, y


def read_part(folder, part, columns, levels):
    """Read a file of a manifest: X, y or None, and the hashes of its rows' segments."""
    path = Path(folder) / part.file
    content = read_file(path)
    if len(content) != part.bytes or digest(content) != part.sha256:
        raise DataFileError(
            path, f"damaged: it is not the file of {part.bytes:,} bytes that was written. Make it "
            "again."
        )  # fmt: skip
    X, y = to_pandas(from_parquet(path, content, columns, part.rows), columns, levels)
    try:
        check_candidates(X)
    except CandidateError as error:
        raise DataFileError(path, str(error)) from None
    hashes = label_hashes(X.index.get_level_values("segment"))
    first, last, n = int(hashes.min()), int(hashes.max()), len(set(hashes.tolist()))
    if (f"{first:016x}", f"{last:016x}", n) != (part.first, part.last, part.segments):
        raise DataFileError(
            path, "its segments are not those of the manifest: one of them may be in two files. "
            "Write the partitions again."
        )  # fmt: skip
    return X, y, hashes


def collect(folder: PathLike) -> pd.DataFrame:
    """Read all partitions of a folder as one table.

    Parameters
    ----------
    folder : path-like
        As :func:`write_partitions` or :func:`map_partitions` has made it. What does not fit into
        memory is read file by file, with :class:`Partitions`.

    Returns
    -------
    DataFrame of shape (n_candidates, n_columns)
        In the order of the files, which is that of hashes of labels; ``.loc[X.index]`` brings it
        into the order of X.

    Raises
    ------
    DataFileError
        If the folder is none of partitions, a file of it is missing or not what was written.
    """
    return pd.concat([X for X, _ in Partitions(folder)])
