"""An order of segments and systems that depends on nothing but their scores."""

import numpy as np
import pandas as pd

__all__ = ["table_order"]

_ODD = np.uint64(0x9E3779B97F4A7C15)  # an odd number with irregular bits


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
    tables = [np.where(np.isnan(t), np.nan, t + 0.0) for t in tables]  # one NaN, one zero
    cells = [pd.util.hash_array(t.ravel()).reshape(t.shape) for t in tables]
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
            systems = systems * _ODD + _sums_of_hashes(cells + segments[:, None] * _ODD, axis=0)
            segments = segments * _ODD + _sums_of_hashes(cells + systems * _ODD, axis=1)
        keys.append(systems)
    return keys


def _sums_of_hashes(values, axis):
    """Return what identifies a set of numbers, whatever their order."""
    return pd.util.hash_array(values.ravel()).reshape(values.shape).sum(axis=axis)
