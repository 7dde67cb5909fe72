"""The one enumerator of pairs of rows that belong to the same group."""

import numpy as np

from sklearn_mteval._helpers.memory import check_memory

_BYTES_OF_PAIR = 80  # with what is made of it


def pairs_within(sizes, first=0, last=None, *, ordered=True):
    """List positions i and j, each of shape (n_pairs,), of all pairs within consecutive groups.

    Ordered pairs are n (n − 1) for a group of n rows, else i < j. Pairs are sorted by i, then j;
    ``first`` and ``last`` keep those whose i lies in that range of positions.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)[first:last]
    partners = np.repeat(sizes - 1, sizes)[first:last]
    rows = np.arange(first, first + len(partners))
    if not ordered:
        partners -= rows - begins  # only those behind the row
        begins = rows
    i = np.repeat(rows, partners)
    # The k-th partner of a row is the k-th row of its group, less the row itself: one further on
    # from there.
    pairs_before = np.cumsum(partners) - partners
    j = np.arange(len(i)) + np.repeat(begins - pairs_before, partners)
    j += j >= i
    return i, j


def pairs_of_rows(groups):
    """List positions i < j of all pairs of rows of one group; ``groups`` must not decrease."""
    sizes = np.diff(np.flatnonzero(np.diff(groups, prepend=-1, append=-1)))
    n_pairs = int((sizes.astype(np.float64) * (sizes - 1) / 2).sum())
    check_memory(_BYTES_OF_PAIR * n_pairs, f"{n_pairs:,} pairs of rows that are compared")
    return pairs_within(sizes, ordered=False)
