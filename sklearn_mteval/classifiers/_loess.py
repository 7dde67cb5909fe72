"""Locally weighted linear regression (Cleveland 1979), without robustness iterations."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

# Below this weighted variance, in units of the window, a line has no slope to speak of.
_FLAT = 1e-9


@compiled(fastmath={"reassoc", "contract"})  # sums may be taken in any order
def loess(rows, values, counts, sums, grid, k):
    """Smooth a response, given its ``counts`` and ``sums`` at the distinct ``values`` of ascending
    ``rows``, at the points of a grid, over the k rows nearest to each (k <= n_rows).
    """
    # Around each point, the k nearest rows are weighted by (1 - u³)³, u their distance divided by
    # that of the k-th, and fitted by a straight line, whose value at the point is the result.
    # Where the weights leave but one distinct value, it is the mean there.
    fitted = np.empty(len(grid))
    for g in range(len(grid)):
        point = grid[g]
        first, last = 0, len(rows) - k  # between them the first of the k nearest rows begins
        while first < last:
            middle = (first + last) // 2
            if point - rows[middle] > rows[middle + k] - point:
                first = middle + 1
            else:
                last = middle
        radius = max(point - rows[first], rows[first + k - 1] - point)
        left = np.searchsorted(values, point - radius, side="left")
        right = np.searchsorted(values, point + radius, side="right")
        inverse = 1 / radius if radius > 0 else 0.0
        # Moments of the weighted rows: of 1, u, u², and of the response with 1 and u.
        w0, w1, w2, r0, r1 = 0.0, 0.0, 0.0, 0.0, 0.0
        for v in range(left, right):
            u = (values[v] - point) * inverse
            size = min(abs(u), 1.0)
            weight = 1 - size * size * size
            weight = weight * weight * weight
            w0 += weight * counts[v]
            w1 += weight * counts[v] * u
            w2 += weight * counts[v] * u * u
            r0 += weight * sums[v]
            r1 += weight * sums[v] * u
        variance = w0 * w2 - w1 * w1
        if variance > _FLAT * w0 * w0:
            fitted[g] = (w2 * r0 - w1 * r1) / variance
        elif w0 > 0:
            fitted[g] = r0 / w0
        else:  # all rows of the window are equally far
            fitted[g] = sums[left:right].sum() / counts[left:right].sum()
    return fitted
