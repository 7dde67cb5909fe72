"""The compiled comparison of word sequences. Imported on first use: numba is slow to load.

Every number is summed in the order of a vector's dimensions or of a text's words, so that it does
not depend on what else is in the table.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

__all__ = ["COMPARED", "N_GRAMS", "compare_segments"]

# What a comparison of two texts gives, in this order.
COMPARED = (
    *("precision", "recall", "f"),
    *("weighted_precision", "weighted_recall", "weighted_f"),
    *("common_precision", "common_recall", "common_f"),
    *("position_precision", "position_recall", "position_f"),
    *("weighted_position_precision", "weighted_position_recall", "weighted_position_f"),
    *("similarity", "pairs_f", "context_f", "monotone", "adjacent"),
)
N_GRAMS = 4  # words of the longest n-grams
_N_COMPARED = len(COMPARED)
_PENALTY = 0.5  # of words that stand at opposite ends


@compiled
def _cosines(words, units, cosines):
    """Fill in the cosines of all words with each other, none below 0; a word is like itself."""
    n, d = len(words), units.shape[1]
    columns = np.empty((d, n), dtype=np.float32)
    for j in range(n):
        for k in range(d):
            columns[k, j] = units[words[j], k]
    for i in range(n):
        row = cosines[i]
        row[:n] = 0
        for k in range(d):
            # Vectorised over the words: each sum keeps the order of the dimensions.
            value, column = columns[k, i], columns[k]
            for j in range(n):
                row[j] += value * column[j]
        for j in range(n):
            row[j] = min(max(row[j], np.float32(0)), np.float32(1))
        row[i] = 1


@compiled
def _f(precision, recall):
    """Return the harmonic mean."""
    both = precision + recall
    return 2 * precision * recall / both if both > 0 else 0.0


@compiled
def _mean(values, n):
    """Average the first n values, in their order."""
    total = 0.0
    for k in range(n):
        total += values[k]
    return total / n if n > 0 else 0.0


@compiled
def _weighted(values, words, weights, common):
    """Average values by the weights of their words, or 1 less these; plainly if all are 0."""
    total, weight = 0.0, 0.0
    for k in range(len(words)):
        w = 1 - weights[words[k]] if common else weights[words[k]]
        total += w * values[k]
        weight += w
    return total / weight if weight > 0 else _mean(values, len(words))


@compiled
def _in_order(places, n):
    """Return the shares of words whose counterpart stands after, and right after, the last one."""
    monotone, adjacent, before = 0, 0, -1
    for k in range(n):
        place = int(places[k])
        monotone += place > before
        adjacent += place == before + 1
        before = place
    return monotone / n, adjacent / n


@compiled
def _compare(h, r, h_norm, r_norm, cosines, weights, room, out, back):
    """Compare hypothesis and reference, texts of word numbers: the numbers of ``COMPARED``.

    ``back`` becomes what the reference has when it is compared with the hypothesis.
    """
    n, m = len(h), len(r)
    out[:] = 0
    back[:] = 0
    if n == 0 or m == 0:
        return
    room[:, : max(n, m)] = 0
    forward, backward, near_forward, near_backward = room[0], room[1], room[2], room[3]
    pair_forward, pair_backward, wide_forward, wide_backward = room[4], room[5], room[6], room[7]
    place_forward, place_backward = room[8], room[9]
    near_forward[:n] = -1
    near_backward[:m] = -1
    together = 0.0
    for i in range(n):
        row, at = cosines[h[i]], (i + 0.5) / n
        highest, nearest, place, pair_best, wide_best = 0.0, -1.0, 0, 0.0, 0.0
        for j in range(m):
            c = row[r[j]]
            together += weights[h[i]] * weights[r[j]] * c
            highest = max(highest, c)
            backward[j] = max(backward[j], c)
            near = c - _PENALTY * abs(at - (j + 0.5) / m)
            if near > nearest:
                nearest, place = near, j
            if near > near_backward[j]:
                near_backward[j] = near
                place_backward[j] = i
            wide = c + 0.0
            if i > 0 and j > 0:
                wide += 0.5 * cosines[h[i - 1], r[j - 1]]
            if i + 1 < n and j + 1 < m:
                after = cosines[h[i + 1], r[j + 1]]
                wide += 0.5 * after
                pair = 0.5 * (c + after)
                pair_best = max(pair_best, pair)
                pair_backward[j] = max(pair_backward[j], pair)
            wide *= 0.5
            wide_best = max(wide_best, wide)
            wide_backward[j] = max(wide_backward[j], wide)
        forward[i], pair_forward[i], wide_forward[i] = highest, pair_best, wide_best
        near_forward[i], place_forward[i] = max(nearest, 0.0), place
    for j in range(m):
        near_backward[j] = max(near_backward[j], 0.0)
    out[0], out[1] = _mean(forward, n), _mean(backward, m)
    out[3], out[4] = _weighted(forward, h, weights, False), _weighted(backward, r, weights, False)
    out[6], out[7] = _weighted(forward, h, weights, True), _weighted(backward, r, weights, True)
    out[9], out[10] = _mean(near_forward, n), _mean(near_backward, m)
    out[12] = _weighted(near_forward, h, weights, False)
    out[13] = _weighted(near_backward, r, weights, False)
    for k in (0, 3, 6, 9, 12):
        out[k + 2] = _f(out[k], out[k + 1])
    norms = h_norm * r_norm
    out[15] = min(together / norms, 1.0) if norms > 0 else 0.0
    out[16] = _f(_mean(pair_forward, n - 1), _mean(pair_backward, m - 1))
    out[17] = _f(_mean(wide_forward, n), _mean(wide_backward, m))
    back[:] = out
    for k in (0, 3, 6, 9, 12):
        back[k], back[k + 1] = out[k + 1], out[k]
    out[18], out[19] = _in_order(place_forward, n)
    back[18], back[19] = _in_order(place_backward, m)


@compiled
def _norm(text, cosines, weights):
    """Return the length of the sum of a text's weighted words, their cosines none below 0."""
    total = 0.0
    for i in text:
        for j in text:
            total += weights[i] * weights[j] * cosines[i, j]
    return np.sqrt(total)


@compiled
def _ngrams(text, order, out):
    """Write the sorted hashes of a text's n-grams, return how many there are."""
    n = max(len(text) - order + 1, 0)
    for i in range(n):
        value = np.uint64(order)
        for k in range(order):
            value = (value ^ np.uint64(text[i + k] + 1)) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(29)
        out[i] = value
    out[:n].sort()
    return n


@compiled
def _shared(a, b):
    """Count what two sorted arrays share, each copy once."""
    i, j, n = 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            n += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return n


@compiled
def _held(a, b):
    """Count the entries of a sorted array that another one has."""
    n, at = 0, 0
    for value in a:
        while at < len(b) and b[at] < value:
            at += 1
        n += at < len(b) and b[at] == value
    return n


@compiled
def _renumber(flat, local_of, local, words):
    """Number the words of a segment from 0 on, in order of first appearance; return how many."""
    n_words = 0
    for k in range(len(flat)):
        word = flat[k]
        if local_of[word] < 0:
            local_of[word] = n_words
            words[n_words] = word
            n_words += 1
        local[k] = local_of[word]
    for k in range(n_words):
        local_of[words[k]] = -1
    return n_words


@compiled
def compare_segments(flat, bounds, segment_bounds, n_references, units, weights):
    """Compare each hypothesis with the references of its segment and with competing hypotheses.

    The texts of segment s are ``segment_bounds[s]`` to ``segment_bounds[s + 1] - 1``, its
    ``n_references[s]`` references first; their words are positions in ``units`` and ``weights``.
    Returns by text (rows of references stay 0): the comparison with the reference of the highest F,
    and which it is, -1 for none; the proportions of n-grams shared with it (of the hypothesis's,
    then of the reference's, of 1 to 4 words); the mean comparison with competitors; the mean
    proportion of n-grams that a competitor has.
    """
    n_texts = len(bounds) - 1
    against = np.zeros((n_texts, _N_COMPARED))
    chosen = np.full(n_texts, -1)
    exact = np.zeros((n_texts, 2 * N_GRAMS))
    competing = np.zeros((n_texts, _N_COMPARED))
    support = np.zeros((n_texts, N_GRAMS))
    local_of = np.full(len(units), -1)
    out, back = np.zeros(_N_COMPARED), np.zeros(_N_COMPARED)
    for s in range(len(segment_bounds) - 1):
        first, end = segment_bounds[s], segment_bounds[s + 1]
        start, n_tokens = bounds[first], bounds[end] - bounds[first]
        offset = bounds[first : end + 1] - start
        local, words = np.empty(n_tokens, dtype=np.int64), np.empty(n_tokens, dtype=np.int64)
        words = words[: _renumber(flat[start : start + n_tokens], local_of, local, words)]
        own = weights[words]
        cosines = np.empty((len(words), len(words)), dtype=np.float32)
        _cosines(words, units, cosines)
        longest = 1
        for t in range(end - first):
            longest = max(longest, offset[t + 1] - offset[t])
        room = np.zeros((10, longest))
        grams = np.empty((end - first, N_GRAMS, longest), dtype=np.uint64)
        n_grams = np.zeros((end - first, N_GRAMS), dtype=np.int64)
        norms = np.empty(end - first)
        for t in range(end - first):
            norms[t] = _norm(local[offset[t] : offset[t + 1]], cosines, own)
            for k in range(N_GRAMS):
                n_grams[t, k] = _ngrams(local[offset[t] : offset[t + 1]], k + 1, grams[t, k])
        n_given = n_references[s]
        n_competitors = end - first - n_given - 1
        for t in range(n_given, end - first):
            hypothesis, row = local[offset[t] : offset[t + 1]], first + t
            best = -1.0
            for q in range(n_given):
                other = local[offset[q] : offset[q + 1]]
                _compare(hypothesis, other, norms[t], norms[q], cosines, own, room, out, back)
                if out[2] > best:
                    best = out[2]
                    against[row] = out
                    chosen[row] = first + q
            for q in range(n_given, end - first):
                for k in range(N_GRAMS if q != t else 0):
                    mine, theirs = grams[t, k, : n_grams[t, k]], grams[q, k, : n_grams[q, k]]
                    support[row, k] += _held(mine, theirs) / (max(len(mine), 1) * n_competitors)
                if q > t:
                    other = local[offset[q] : offset[q + 1]]
                    _compare(hypothesis, other, norms[t], norms[q], cosines, own, room, out, back)
                    competing[row] += out / n_competitors
                    competing[first + q] += back / n_competitors
            q = chosen[row] - first
            for k in range(N_GRAMS if n_given else 0):
                mine, theirs = grams[t, k, : n_grams[t, k]], grams[q, k, : n_grams[q, k]]
                shared = _shared(mine, theirs)
                exact[row, k] = shared / max(len(mine), 1)
                exact[row, N_GRAMS + k] = shared / max(len(theirs), 1)
    return against, chosen, exact, competing, support
