"""Distinct things, numbered in order of first appearance."""

import numpy as np


def numbered(items):
    """Number hashable items, int64 (n_items,), and list them; pandas refuses lone surrogates."""
    places = {}
    codes = [places.setdefault(item, len(places)) for item in items]
    return np.array(codes, dtype=np.int64), list(places)
