"""The compiled sums behind soft pairwise accuracy. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def _add_up(scores, flips, parts, sums):
    """Add up scores (n_segments, width) under flips: ``sums`` (n_flips, width) from 0 on.

    Four segments have 16 sums, whatever the flips: each flip looks up two of them for each byte,
    half a byte each, instead of adding up eight scores (the "four Russians", Arlazarov 1970).
    They are kept in ``parts`` (2, 16, width).
    """
    width = scores.shape[1]
    for byte in range(flips.shape[1]):
        for half in range(2):
            part = parts[half]
            for row in range(width):
                part[0, row] = 0.0
            for bit in range(4):
                score = scores[8 * byte + 4 * half + 3 - bit]
                for k in range(1 << bit):
                    for row in range(width):
                        part[k + (1 << bit), row] = part[k, row] - score[row]
                        part[k, row] += score[row]
        for flip in range(len(flips)):
            code = flips[flip, byte]
            high, low, total = parts[0, code >> 4], parts[1, code & 15], sums[flip]
            for row in range(width):
                total[row] += high[row] + low[row]


def sums_of_flips(rows, flips):
    """Return the sums of rows (n_rows, n_segments) after flips of signs, (n_rows, n_flips).

    ``flips`` (n_flips, n_segments / 8, rounded up) are bytes, the highest bit is the first of eight
    segments: where it is set, the sign changes. The order of additions is always the same.
    """
    n_rows, n_segments = rows.shape
    width = -(-n_rows // 8) * 8  # whole vectors of the processor
    scores = np.zeros((8 * flips.shape[1], width))
    scores[:n_segments, :n_rows] = rows.T
    sums = np.zeros((len(flips), width))
    _add_up(scores, flips, np.empty((2, 16, width)), sums)
    return np.ascontiguousarray(sums.T[:n_rows])


@compiled
def count_large(sums, first, second, least, counts):
    """Add to ``counts`` how often |sums[first] - sums[second]| is at least ``least``.

    Rows of ``sums`` (n_rows, n_flips) are meant by ``first`` and ``second`` (n_tables, n_pairs);
    ``least`` and ``counts`` are (n_signs, n_tables, n_pairs).
    """
    for at in np.ndindex(least.shape):
        one, other, bound = sums[first[at[1:]]], sums[second[at[1:]]], least[at]
        n_large = 0
        for flip in range(len(one)):
            n_large += abs(one[flip] - other[flip]) >= bound
        counts[at] += n_large
