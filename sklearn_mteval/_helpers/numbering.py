"""Distinct things, numbered in order of first appearance."""

import numpy as np


def numbered(items):
    """Number hashable items: int64 of shape (n_items,), and the list of distinct ones.

    Python keeps a text's hash; pandas reads it again in every row, and refuses lone surrogates.
    """
    places = {}
    codes = [places.setdefault(item, len(places)) for item in items]
    return np.array(codes, dtype=np.int64), list(places)
