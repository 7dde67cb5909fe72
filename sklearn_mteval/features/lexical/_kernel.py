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
    """Fill in the cosines, from 0 on, of n words from place h on with m words from place r on."""
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
def _find_best(h, n, r, m, c, weights, best):
    """Find each word's highest values and its counterpart, and sum up the weighted cosines."""
    for j in range(m):
        best[_PLAIN + 1, j], best[_NEAR + 1, j], best[_PLACE + 1, j] = 0, -1, 0
    together, step = 0.0, 0.5 * _PENALTY / (n * m)
    for i in range(n):
        highest, nearest, place = 0.0, -1.0, 0
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
        best[_PLAIN, i], best[_NEAR, i], best[_PLACE, i] = highest, nearest, place
    return together


@compiled(error_model="numpy")
def _find_best_in_context(n, m, c, best):
    """Find the highest values of each pair of words, and of each word with its neighbours."""
    for j in range(m):
        best[_PAIR + 1, j], best[_WIDE + 1, j] = 0, 0
    for i in range(n):
        pair_best, wide_best = 0.0, 0.0
        for j in range(m):
            value = np.float64(c[i, j])
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
        best[_PAIR, i], best[_WIDE, i] = pair_best, wide_best


@compiled(error_model="numpy")
def _average(h, n, r, m, weights, best, means):
    """Fill in the mean of each row's values, the weighted one, and that of 1 less the weights."""
    for row in range(_PLACE):
        size, start = (m, r) if row % 2 else (n, h)
        if _PAIR <= row < _WIDE:
            size -= 1  # the last word begins no pair
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


@compiled(error_model="numpy")
def _count_order(n, m, best, out, back):
    """Count the words whose counterpart comes after, or right after, that of the word before."""
    for side in range(2):
        size, to = (m, back) if side else (n, out)
        before, monotone, adjacent = -1.0, 0.0, 0.0
        for k in range(size):
            following = best[_PLACE + side, k]
            monotone += following > before
            adjacent += following == before + 1
            before = following
        to[18], to[19] = monotone / size, adjacent / size


@compiled(error_model="numpy")
def _compare(h, n, r, m, c, norms, weights, best, means, out, back):
    """Compare n words of a hypothesis from h on and m of a reference from r on: ``COMPARED``;
    ``back`` becomes the opposite, but for the cosines of first and last words.
    """
    if n == 0 or m == 0:
        for k in range(_N_COMPARED):
            out[k] = back[k] = 0
        return
    together = _find_best(h, n, r, m, c, weights, best)
    _find_best_in_context(n, m, c, best)
    _average(h, n, r, m, weights, best, means)
    for k in range(5):
        row, kind = (_PLAIN, k) if k < 3 else (_NEAR, k - 3)
        precision, recall = means[row, kind], means[row + 1, kind]
        out[3 * k], out[3 * k + 1] = precision, recall
        back[3 * k], back[3 * k + 1] = recall, precision
        out[3 * k + 2] = back[3 * k + 2] = _f(precision, recall)
    out[15] = min(together / norms, 1.0) if norms > 0 else 0.0
    out[16] = _f(means[_PAIR, 0], means[_PAIR + 1, 0])
    out[17] = _f(means[_WIDE, 0], means[_WIDE + 1, 0])
    back[15], back[16], back[17] = out[15], out[16], out[17]
    _count_order(n, m, best, out, back)
    out[20], out[21] = c[0, 0], c[n - 1, m - 1]


@compiled(error_model="numpy")
def _number_words(flat, begin, end, local_of, local, words):
    """Number a segment's distinct words, listed in ``words`` from ``begin`` on; return how many."""
    top = begin
    for k in range(begin, end):
        word = flat[k]
        if local_of[word] < 0:
            local_of[word] = top - begin
            words[top] = word
            top += 1
        local[k] = local_of[word]
    for k in range(begin, top):
        local_of[words[k]] = -1
    return top - begin


@compiled(error_model="numpy")
def _look_up(shared, flat, h, n, r, m, units, columns, cosines, local, c):
    """Fill in the cosines of two texts: from the segment's, if these are at hand."""
    if not shared:
        _cosines(flat, h, n, r, m, units, columns, c)
        return
    for i in range(n):
        for j in range(m):
            c[i, j] = cosines[local[h + i], local[r + j]]


@compiled(error_model="numpy")
def _length_of_sum(h, n, c, weights):
    """Return the length of the weighted sum of a text's vectors."""
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += weights[h + i] * weights[h + j] * c[i, j]
    return math.sqrt(total)


@compiled(  # the pairs of words within segments
    error_model="numpy",
    steps_in_python=lambda _, bounds, segments, *__: (np.diff(bounds[segments]) ** 2).sum(),
)
def _compare_segments(
    flat, bounds, segment_bounds, n_references, units, weights, against, chosen, competing,
    norms, local_of, local, words, columns, cosines, c, best, means, out, back,
):  # fmt: skip
    """Fill in ``against`` and ``chosen``, sum up ``competing``; what follows is room to work."""
    for s in range(len(segment_bounds) - 1):
        first, end = segment_bounds[s], segment_bounds[s + 1]
        start, begin = first + n_references[s], bounds[first]
        n_words = _number_words(flat, begin, bounds[end], local_of, local, words)
        # Of too many words the cosines are computed anew for each two texts: the same numbers.
        shared = n_words <= len(cosines)
        if shared:
            _cosines(words, begin, n_words, begin, n_words, units, columns, cosines)
        for t in range(first, end):
            h, n, highest = bounds[t], bounds[t + 1] - bounds[t], -1.0
            _look_up(shared, flat, h, n, h, n, units, columns, cosines, local, c)
            norms[t] = _length_of_sum(h, n, c, weights)
            for q in range(first, t if t >= start else first):
                r, m = bounds[q], bounds[q + 1] - bounds[q]
                _look_up(shared, flat, h, n, r, m, units, columns, cosines, local, c)
                _compare(h, n, r, m, c, norms[t] * norms[q], weights, best, means, out, back)
                if q >= start:
                    for k in range(_N_ALIGNED):
                        competing[t, k] += out[k]
                        competing[q, k] += back[k]
                elif out[2] > highest:
                    highest, chosen[t] = out[2], q
                    against[t] = out


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
    n_all = np.diff(segment_bounds)
    competing /= np.maximum(np.repeat(n_all - n_references, n_all) - 1, 1)[:, None]
    return against, chosen, competing
