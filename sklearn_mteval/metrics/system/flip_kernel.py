"""The compiled sums behind soft pairwise accuracy. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def _sums_of_four(scores, sums):
    """Set the 16 sums (16, width) of four segments' scores (4, width), signs by bits of the row."""
    width = scores.shape[1]
    sums[0] = 0.0
    for bit in range(4):
        score = scores[3 - bit]
        for k in range(1 << bit):
            for row in range(width):
                sums[k + (1 << bit), row] = sums[k, row] - score[row]
                sums[k, row] += score[row]


@compiled
def _add_up(scores, flips, parts, sums):
    """Add up scores (n_segments, width) under flips into ``sums`` (n_flips, width) of zeros.

    Four segments have 16 sums, whatever the flips, kept in ``parts`` (4, 16, width): each flip
    looks up four for two bytes (the "four Russians", Arlazarov 1970).
    """
    width = scores.shape[1]
    for byte in range(0, flips.shape[1], 2):
        for half in range(4):
            first = 8 * byte + 4 * half
            _sums_of_four(scores[first : first + 4], parts[half])
        for flip in range(len(flips)):
            # Beyond the last byte all scores are 0, whatever their signs.
            code, next_code = flips[flip, byte], flips[flip, min(byte + 1, flips.shape[1] - 1)]
            high, low = parts[0, code >> 4], parts[1, code & 15]
            next_high, next_low = parts[2, next_code >> 4], parts[3, next_code & 15]
            total = sums[flip]
            for row in range(width):
                total[row] += high[row] + low[row]
                total[row] += next_high[row] + next_low[row]


def sums_of_flips(rows, flips):
    """Return the sums of rows (n_rows, n_segments) after flips of signs, (n_rows, n_flips)."""
    n_rows, n_segments = rows.shape
    width = -(-n_rows // 8) * 8  # whole vectors of the processor
    scores = np.zeros((16 * -(-flips.shape[1] // 2), width))
    scores[:n_segments, :n_rows] = rows.T
    sums = np.zeros((len(flips), width))
    _add_up(scores, flips, np.empty((4, 16, width)), sums)
    return np.ascontiguousarray(sums.T[:n_rows])


@compiled
def count_large(sums, first, second, least, counts):
    """Add to counts (n_signs, n_tables, n_pairs) how often |sums[first] - sums[second]| ≥ least."""
    for at in np.ndindex(least.shape):
        one, other, bound = sums[first[at[1:]]], sums[second[at[1:]]], least[at]
        n_large = 0
        for flip in range(len(one)):
            n_large += abs(one[flip] - other[flip]) >= bound
        counts[at] += n_large


@compiled
def find_near_ties(rows, bound):
    """Tell in which columns (segments) two of the rows differ, but by no more than ``bound``."""
    near = np.zeros(rows.shape[1], dtype=np.bool_)
    for i in range(len(rows)):
        for j in range(i):
            one, other = rows[i], rows[j]
            for segment in range(len(one)):
                difference = abs(one[segment] - other[segment])
                near[segment] |= (difference > 0) & (difference <= bound)
    return near
