"""Rows in the order of the hashes of their segments, of tables that need not fit into memory.

The order depends on labels alone: equal data are equal partitions, however they were cut into
tables, and a segment that comes again, however late, comes to its first rows.
"""

import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.atomic import TEMPORARY_SUFFIX
from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells
from sklearn_mteval.scale.tables import pyarrow

MOST_HELD = 128 << 20  # bytes of Arrow tables that are sorted in memory
_BITS = 6  # of the hash, which choose one of 64 files
SEGMENT, ROW = " segment", " row"  # columns of hashes; they stand behind all others


def label_hashes(labels):
    """Hash labels, an Index, by their texts: the same of any type of numbers or texts, uint64."""
    codes, distinct = pd.factorize(labels)
    texts = np.array([str(label) for label in distinct.tolist()], dtype=object)
    return hash_cells(texts)[codes]


def row_hashes(index):
    """Hash the rows of an index by all their labels, uint64 of shape (n_rows,)."""
    hashes = np.zeros(len(index), dtype=np.uint64)
    for level in range(index.nlevels):
        hashes = hashes * MULTIPLIER + label_hashes(index.get_level_values(level))
    return hashes


def in_order(tables, folder, depth=0):
    """Generate rows of Arrow tables in the order of their hashes, in tables of bounded size,
    dealing what does not fit to 64 files by the first bits of the hashes, and so on in each.
    """
    held, size, files = [], 0, None
    with tempfile.TemporaryDirectory(TEMPORARY_SUFFIX, ".", folder) as rest:
        for table in tables:
            held.append(table)
            size += table.nbytes
            if size > MOST_HELD and _BITS * (depth + 1) <= 64:
                files = files or _Files(rest, 64 - _BITS * (depth + 1))
                files.deal(pyarrow().concat_tables(held))
                held, size = [], 0
        if files is None:
            if held:
                table = pyarrow().concat_tables(held)
                yield table.take(np.lexsort([table[name].to_numpy() for name in (ROW, SEGMENT)]))
            return
        if held:
            files.deal(pyarrow().concat_tables(held))
        del held
        for path in files.close():
            yield from in_order(_read(path), rest, depth + 1)
            path.unlink()


class _Files:
    """Files of rows whose hashes have the same bits from some shift on."""

    def __init__(self, folder, shift):
        self._folder, self._shift, self._writers = Path(folder), np.uint64(shift), {}

    def deal(self, table):
        """Write the rows of a table, each to its file."""
        of = (table[SEGMENT].to_numpy() >> self._shift).astype(np.int64) & ((1 << _BITS) - 1)
        table = table.take(np.argsort(of, kind="stable"))
        for k, (low, high) in enumerate(pairwise([0, *np.cumsum(np.bincount(of)).tolist()])):
            if low < high:
                if k not in self._writers:
                    ipc, path = pyarrow("pyarrow.ipc"), str(self._folder / f"{k:02}")
                    options = ipc.IpcWriteOptions(compression="lz4")
                    self._writers[k] = ipc.new_stream(path, table.schema, options=options)
                self._writers[k].write_table(table.slice(low, high - low))

    def close(self):
        """Close the files, and return their paths in the order of the hashes."""
        for writer in self._writers.values():
            writer.close()
        return [self._folder / f"{k:02}" for k in sorted(self._writers)]


def _read(path):
    """Generate the tables of a file."""
    with pyarrow("pyarrow.ipc").open_stream(str(path)) as stream:
        for batch in stream:
            yield pyarrow().Table.from_batches([batch])


def cut(tables, n_segments):
    """Generate tables of so many whole segments, the last one of fewer, of tables in order."""
    rest = None
    for table in tables:
        table = table if rest is None else pyarrow().concat_tables([rest, table])
        hashes = table[SEGMENT].to_numpy()
        starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))[::n_segments]
        for low, high in pairwise(starts):
            yield table.slice(low, high - low)
        rest = table.slice(starts[-1])
    if rest is not None:
        yield rest
