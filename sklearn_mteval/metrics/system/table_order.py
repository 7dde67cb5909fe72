"""An order of segments and systems that depends on nothing but their scores."""

import numpy as np

from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells

__all__ = ["table_order"]


def table_order(*tables):
    """Order segments and systems by their content.

    Parameters
    ----------
    *tables : ndarray of shape (n_segments, n_systems)
        Scores. Later tables decide only between segments, and systems, that are alike in the
        earlier ones: seeded draws treat human scores alike beside any metric.

    Returns
    -------
    segments : ndarray of shape (n_segments,), int64
        Positions of rows.
    systems : ndarray of shape (n_systems,), int64
        Positions of columns.
    """
    cells = [hash_cells(t.astype(np.float64)) for t in tables]
    marks = np.zeros(tables[0].shape[1], dtype=np.uint64)
    keys = _system_keys(cells, marks)
    while True:
        systems = np.lexsort(keys[::-1])
        alike = np.all([np.diff(key[systems]) == 0 for key in keys], axis=0)
        if not alike.any():
            break
        # Systems that mirror each other: whichever comes first, the ordered table is the same.
        marks[systems[alike.argmax()]] = marks.max() + np.uint64(1)
        keys += _system_keys(cells, marks)
    segments = np.lexsort([column for t in tables[::-1] for column in t[:, systems[::-1]].T])
    return segments, systems


def _system_keys(tables, marks):
    """Return keys of systems, for each table, from its hashed cells and those before."""
    segments, systems = np.zeros(len(tables[0]), dtype=np.uint64), marks
    keys = []
    for cells in tables:
        # Systems may have equal scores in other segments: a round tells them apart by what the
        # one before knows of the segments.
        for _ in range(3):
            sums = hash_cells(cells + segments[:, None] * MULTIPLIER).sum(axis=0)
            systems = systems * MULTIPLIER + sums
            sums = hash_cells(cells + systems * MULTIPLIER).sum(axis=1)
            segments = segments * MULTIPLIER + sums
        keys.append(systems)
    return keys
