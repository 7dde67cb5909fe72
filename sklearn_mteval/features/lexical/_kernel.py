"""The compiled comparison of word sequences. Imported on first use: numba is slow to load.

Every number is summed in the order of a vector's dimensions or of a text's words, so that it does
not depend on what else is in the table. The compiled code has loops instead of expressions of
arrays, and gets its memory from outside: both would take numba seconds to compile.
"""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval._helpers.progress import working
from sklearn_mteval.features.lexical._columns import ALIGNED, COMPARED

_N_ALIGNED, _N_COMPARED = len(ALIGNED), len(COMPARED)
_PENALTY = 0.5  # of words that stand at opposite ends
_SEGMENTS_AT_ONCE = 100  # between two looks at how far it has come
_MOST_SHARED = 2048  # distinct words of a segment whose cosines are kept: 16 MiB
# The highest values of each word of the hypothesis; in the next row, of each of the reference.
_PLAIN, _NEAR, _PAIR, _WIDE, _PLACE, _N_ROWS = 0, 2, 4, 6, 8, 10


@compiled(error_model="numpy")
def _cosines(words, h, n, r, m, units, columns, out):
    """Fill in the cosines of n words from place h on with m words from place r on.

    None is below 0; a word is like itself.
    """
    for j in range(m):
        for k in range(len(columns)):
            columns[k, j] = units[words[r + j], k]
    for i in range(n):
        for j in range(m):
            out[i, j] = 0
        for k in range(len(columns)):
            # Vectorised over the words: each sum keeps the order of the dimensions.
            value = units[words[h + i], k]
            for j in range(m):
                out[i, j] += value * columns[k, j]
        for j in range(m):
            c = min(max(out[i, j], np.float32(0)), np.float32(1))
            out[i, j] = np.float32(1) if words[h + i] == words[r + j] else c


@compiled(error_model="numpy")
def _f(precision, recall):
    """Return the harmonic mean."""
    both = precision + recall
    return 2 * precision * recall / both if both > 0 else 0.0


@compiled(error_model="numpy")
def _compare(h, n, r, m, c, norms, weights, best, means, out, back):
    """Compare hypothesis and reference by the cosines of their words: the numbers of ``COMPARED``.

    The hypothesis has n words from place h on, the reference m words from place r on; ``norms`` is
    the product of the lengths of their sums. ``back`` becomes what the reference has when it is
    compared with the hypothesis.
    """
    for k in range(_N_COMPARED):
        out[k] = 0
        back[k] = 0
    if n == 0 or m == 0:
        return
    for row in range(_N_ROWS):
        for k in range(max(n, m)):
            best[row, k] = 0
    for j in range(m):
        best[_NEAR + 1, j] = -1
    together, step = 0.0, 0.5 * _PENALTY / (n * m)
    for i in range(n):
        highest, nearest, place, pair_best, wide_best = 0.0, -1.0, 0, 0.0, 0.0
        weight, at = weights[h + i], (2 * i + 1) * m
        for j in range(m):
            value = np.float64(c[i, j])
            together += weight * weights[r + j] * value
            highest = max(highest, value)
            best[_PLAIN + 1, j] = max(best[_PLAIN + 1, j], value)
            # Distances in whole steps: those that are equal stay so when they are rounded.
            near = value - step * abs(at - (2 * j + 1) * n)
            if near > nearest:
                nearest, place = near, j
            if near > best[_NEAR + 1, j]:
                best[_NEAR + 1, j] = near
                best[_PLACE + 1, j] = i
            wide = value
            if i > 0 and j > 0:
                wide += 0.5 * c[i - 1, j - 1]
            if i + 1 < n and j + 1 < m:
                after = c[i + 1, j + 1]
                wide += 0.5 * after
                pair = 0.5 * (value + after)
                pair_best = max(pair_best, pair)
                best[_PAIR + 1, j] = max(best[_PAIR + 1, j], pair)
            wide *= 0.5
            wide_best = max(wide_best, wide)
            best[_WIDE + 1, j] = max(best[_WIDE + 1, j], wide)
        best[_PLAIN, i], best[_PAIR, i], best[_WIDE, i] = highest, pair_best, wide_best
        best[_NEAR, i], best[_PLACE, i] = nearest, place
    for row in range(_PLACE):
        size, start = (m, r) if row % 2 else (n, h)
        if row == _PAIR or row == _PAIR + 1:
            size -= 1
        plain, weighted, weight, common, rest = 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(size):
            value, w = max(best[row, k], 0.0), weights[start + k]
            plain += value
            weighted += w * value
            weight += w
            common += (1 - w) * value
            rest += 1 - w
        # Plain means where all weights are 0.
        plain /= max(size, 1)
        means[row, 0] = plain
        means[row, 1] = weighted / weight if weight > 0 else plain
        means[row, 2] = common / rest if rest > 0 else plain
    for side in range(2):
        for k in range(3):
            out[3 * k + side] = means[_PLAIN + side, k]
        for k in range(2):
            out[9 + 3 * k + side] = means[_NEAR + side, k]
    for k in range(0, 15, 3):
        out[k + 2] = _f(out[k], out[k + 1])
    out[15] = min(together / norms, 1.0) if norms > 0 else 0.0
    out[16] = _f(means[_PAIR, 0], means[_PAIR + 1, 0])
    out[17] = _f(means[_WIDE, 0], means[_WIDE + 1, 0])
    for k in range(15, 18):
        back[k] = out[k]
    for k in range(0, 15, 3):
        back[k], back[k + 1], back[k + 2] = out[k + 1], out[k], out[k + 2]
    for side in range(2):
        size, to = (m, back) if side else (n, out)
        before, monotone, adjacent = -1.0, 0.0, 0.0
        for k in range(size):
            following = best[_PLACE + side, k]
            monotone += following > before
            adjacent += following == before + 1
            before = following
        to[18], to[19] = monotone / size, adjacent / size
    out[20], out[21] = c[0, 0], c[n - 1, m - 1]


def _steps(flat, bounds, segment_bounds, *_):
    """Say how many pairs of words there are within segments."""
    return (np.diff(bounds[segment_bounds]) ** 2).sum()


@compiled(error_model="numpy", steps_in_python=_steps)
def _compare_segments(
    flat, bounds, segment_bounds, n_references, units, weights, against, chosen, competing,
    norms, local_of, local, words, columns, cosines, c, best, means, out, back,
):  # fmt: skip
    """Fill in ``against``, ``chosen`` and ``competing``; what follows them is room to work."""
    for s in range(len(segment_bounds) - 1):
        first, end = segment_bounds[s], segment_bounds[s + 1]
        start, begin = first + n_references[s], bounds[first]
        # The distinct words of the segment, in order of first appearance, from place ``begin`` on.
        top = begin
        for k in range(begin, bounds[end]):
            word = flat[k]
            if local_of[word] < 0:
                local_of[word] = top - begin
                words[top] = word
                top += 1
            local[k] = local_of[word]
        for k in range(begin, top):
            local_of[words[k]] = -1
        # Of too many words the cosines are computed anew for each two texts: the same numbers.
        shared = top - begin <= len(cosines)
        if shared:
            _cosines(words, begin, top - begin, begin, top - begin, units, columns, cosines)
        for t in range(first, end):
            h, n, highest = bounds[t], bounds[t + 1] - bounds[t], -1.0
            for step in range(first - 1, t if t >= start else first):
                q = step if step >= first else t  # first itself, for the length of its sum
                r, m = bounds[q], bounds[q + 1] - bounds[q]
                if not shared:
                    _cosines(flat, h, n, r, m, units, columns, c)
                for i in range(n if shared else 0):
                    for j in range(m):
                        c[i, j] = cosines[local[h + i], local[r + j]]
                if q == t:
                    total = 0.0
                    for i in range(n):
                        for j in range(n):
                            total += weights[h + i] * weights[h + j] * c[i, j]
                    norms[t] = math.sqrt(total)
                    continue
                _compare(h, n, r, m, c, norms[t] * norms[q], weights, best, means, out, back)
                if q < start and out[2] > highest:
                    highest, chosen[t] = out[2], q
                    for k in range(_N_COMPARED):
                        against[t, k] = out[k]
                for k in range(_N_ALIGNED if q >= start else 0):
                    competing[t, k] += out[k]
                    competing[q, k] += back[k]
        for t in range(start, end):
            for k in range(_N_ALIGNED):
                competing[t, k] /= max(end - start - 1, 1)


def compare_segments(flat, bounds, segment_bounds, n_references, units, weights):
    """Compare each hypothesis with the references of its segment and with competing hypotheses.

    The texts of segment s are ``segment_bounds[s]`` to ``segment_bounds[s + 1] - 1``, its
    ``n_references[s]`` references first; their words are positions in ``units``, and ``weights``
    are those of ``flat``. Returns by text (rows of references stay 0) what ``COMPARED`` says of it
    and the reference of the highest F; which that is, -1 for none; and the mean of what ``ALIGNED``
    says of it and each competing hypothesis.
    """
    n_texts, n_dimensions = len(bounds) - 1, units.shape[1]
    longest = np.diff(bounds).max(initial=0)
    side = min(np.diff(bounds[segment_bounds]).max(initial=0), _MOST_SHARED)
    against, competing = np.zeros((n_texts, _N_COMPARED)), np.zeros((n_texts, _N_ALIGNED))
    chosen = np.full(n_texts, -1)
    room = (
        np.zeros(n_texts), np.full(len(units), -1), np.zeros_like(flat), np.zeros_like(flat),
        np.zeros((n_dimensions, max(side, longest)), dtype=np.float32),
        np.zeros((side, side), dtype=np.float32), np.zeros((longest, longest), dtype=np.float32),
        np.zeros((_N_ROWS, longest)), np.zeros((_PLACE, 3)),
        np.zeros(_N_COMPARED), np.zeros(_N_COMPARED),
    )  # fmt: skip
    with working("words", n_texts, "texts") as step:
        for first in range(0, len(n_references), _SEGMENTS_AT_ONCE):
            end = min(first + _SEGMENTS_AT_ONCE, len(n_references))
            some = segment_bounds[first : end + 1], n_references[first:end]
            _compare_segments(
                flat, bounds, *some, units, weights, against, chosen, competing, *room
            )
            step.advance(int(some[0][-1] - some[0][0]))
    return against, chosen, competing
