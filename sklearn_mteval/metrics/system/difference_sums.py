"""Exact sums over what each two systems differ by: those of parts add up to those of the whole.

They are held by pairs of systems, as (n, sum, sum of squares): n segments have scores of both, the
sums are whole numbers of 2^-1075.
"""

import math
from itertools import pairwise

import numpy as np

from sklearn_mteval._helpers.exact_sums import ExactSums, quotient, variance_of_mean

NO_SEGMENTS = (0, 0, 0)
_CELLS_AT_ONCE = 1 << 18
_LARGEST = np.finfo(np.float64).max
_SPLITTER = 134_217_729.0  # 2^27 + 1
_EXACT = 1e140  # squares of larger numbers, and what is left of them, leave the range


def difference_sums(values, segment, system, n_systems, *, pairs=True, own=True):
    """Return sums of the differences of two systems, a dict by (k, l), l > k; (k,): of scores;
    ``values`` (NaN: missing) are in the order of ``segment``, then ``system``, codes.
    """
    n_columns = [(n_systems - k - 1) * pairs + own for k in range(n_systems)]
    sums = [ExactSums(3 * n) for n in n_columns]
    counts = [np.zeros(n, dtype=np.int64) for n in n_columns]
    blocks = range(0, segment.max(initial=-1) + 1, max(1, _CELLS_AT_ONCE // max(n_systems, 1)))
    for first, last in pairwise(np.searchsorted(segment, [*blocks, segment.max(initial=-1) + 1])):
        rows = segment[first:last] - segment[first]
        table = np.full((rows[-1] + 1, n_systems + 1), np.nan)
        table[:, -1] = 0.0
        table[rows, system[first:last]] = values[first:last]
        for k in range(n_systems):
            others = table[:, k + 1 if pairs else n_systems : n_systems + own]
            _add(table[:, k, np.newaxis], others, sums[k], counts[k])
    found = {}
    for k, (total, count) in enumerate(zip(sums, counts, strict=True)):
        n, whole = len(count), total.whole()
        keys = [(k, k + 1 + place) for place in range(n - own)] + [(k,)] * own
        parts = zip(keys, count.tolist(), whole[:n], whole[n : 2 * n], whole[2 * n :], strict=True)
        found |= {key: (m, one, two + rest) for key, m, one, two, rest in parts if m}
    return found


def _add(scores, others, sums, counts):
    """Add differences (n_segments, n_others), their squares, and what these were rounded by."""
    with np.errstate(over="ignore"):
        differences = np.clip(scores - others, -_LARGEST, _LARGEST)
        there = ~np.isnan(differences)
        differences[~there] = 0.0
        squares = np.minimum(differences**2, _LARGEST)  # of no variance that a float holds
    # The error of a product is a float, too (Dekker 1971, "A floating-point technique for extending
    # the available precision", section 5): the sum of squares is exact, and a variance of 0 is 0.
    short = np.where(squares < _EXACT**2, differences, 0.0)
    high = _SPLITTER * short - (_SPLITTER * short - short)
    low = short - high
    rest = ((high * high - np.where(short, squares, 0.0)) + 2 * high * low) + low * low
    sums.add(np.hstack([differences, squares, rest]))
    counts += there.sum(axis=0)


def added(one, other):
    """Add sums of other segments; a pair may be the other way round there."""
    both = dict(one)
    for key, (n, total, squares) in other.items():
        if key[::-1] in both:
            total = -total if key[::-1] != key else total
            key = key[::-1]
        before = both.get(key, NO_SEGMENTS)
        both[key] = before[0] + n, before[1] + total, before[2] + squares
    return both


def mean_and_variance(n, total, squares):
    """Return the mean of n differences, and the variance of this mean; NaN where undefined."""
    mean = float(quotient(total, n)) if n else math.nan
    return mean, variance_of_mean(n, total, squares) if n > 1 else math.nan
