"""A hash of what a leaderboard was made of, for its signature."""

import numpy as np

from sklearn_mteval._helpers.order import hash_cells, hash_rows
from sklearn_mteval.evaluation.signature import short_hash


def hash_of(index, columns):
    """Hash rows of labels and numbers, whatever their order: 12 hex digits."""
    keys = []
    for labels, codes in zip(index.levels, index.codes, strict=True):
        values = labels.to_numpy()
        if values.dtype.kind not in "iuf":
            values = np.array([ascii(label) for label in labels.tolist()], dtype=object)
        keys.append(hash_cells(values)[codes])
    rows = np.sort(hash_rows([*keys, *columns], len(index)))
    return short_hash(repr((list(index.names), len(columns))), rows.astype("<u8").tobytes())
