"""The compiled alignment of two sequences of sentences. Imported on first use: numba is slow."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

_MOST = 8  # sentences of one side that one sentence of the other may stand for
_MOST_OF_BOTH = 3  # on either side, where both have several
_WIDER = 1.2  # times one sentence: what stands for it
_COMMON = 8  # sentences of a side: n-grams of more tell nothing of any


@compiled(error_model="numpy")
def hashed_ngrams(codes, bounds, order):
    """Hash n-grams of characters, code points from ``bounds[k]`` on: hashes, and texts."""
    hashes, texts = np.empty(len(codes), np.int64), np.empty(len(codes), np.int64)
    n = 0
    for k in range(len(bounds) - 1):
        for at in range(bounds[k], bounds[k + 1] - order + 1):
            value = np.uint64(14695981039346656037)  # FNV-1a
            for q in range(order):
                value = (value ^ np.uint64(codes[at + q])) * np.uint64(1099511628211)
            hashes[n], texts[n] = np.int64(value >> np.uint64(1)), k
            n += 1
    return hashes[:n], texts[:n]


@compiled(error_model="numpy")
def _texts_of(hashes, texts, order, at, found):
    """Count in which texts the n-gram ``at`` in the order is, rows (text, how often): return how
    many, of which the first are listed, and where the next begins.
    """
    n, start = 0, at
    while at < len(order) and hashes[order[at]] == hashes[order[start]]:
        text = texts[order[at]]
        if n > 0 and found[min(n, _COMMON) - 1, 0] == text:
            found[min(n, _COMMON) - 1, 1] += 1
        else:
            if n < _COMMON:
                found[n, 0], found[n, 1] = text, 1
            n += 1
        at += 1
    return n, at


@compiled(error_model="numpy")
def _sum_up(shared, masses):
    """Make numbers of single texts those of the first texts of each side."""
    for k in range(masses.shape[1] - 1):
        masses[0, k + 1] += masses[0, k]
        masses[1, k + 1] += masses[1, k]
    for i in range(shared.shape[0] - 1):
        for j in range(shared.shape[1] - 1):
            shared[i + 1, j + 1] += shared[i, j + 1] + shared[i + 1, j] - shared[i, j]


@compiled(error_model="numpy")
def shared_masses(first, first_texts, n, second, second_texts, m):
    """Weigh what n texts of one side share with m of the other, an n-gram in k texts of a side, or
    fewer of the other, by 1 / k: return the matrix of the first i and j texts' sums, and each
    side's.
    """
    order_1 = np.argsort(first, kind="mergesort")
    order_2 = np.argsort(second, kind="mergesort")
    found_1, found_2 = np.zeros((_COMMON, 2), np.int64), np.zeros((_COMMON, 2), np.int64)
    shared = np.zeros((n + 1, m + 1))
    masses = np.zeros((2, max(n, m) + 1))
    p, q = 0, 0
    while p < len(order_1) or q < len(order_2):
        a, c = 0, 0
        one = first[order_1[p]] if p < len(order_1) else second[order_2[q]]
        two = second[order_2[q]] if q < len(order_2) else one
        if p < len(order_1) and one <= two:
            a, p = _texts_of(first, first_texts, order_1, p, found_1)
        if q < len(order_2) and two <= one:
            c, q = _texts_of(second, second_texts, order_2, q, found_2)
        most = max(a, c)
        if most > _COMMON:
            continue
        for k in range(a):
            masses[0, found_1[k, 0] + 1] += found_1[k, 1] / most
            for r in range(c):
                both = min(found_1[k, 1], found_2[r, 1])
                shared[found_1[k, 0] + 1, found_2[r, 0] + 1] += both / most
        for r in range(c):
            masses[1, found_2[r, 0] + 1] += found_2[r, 1] / most
    _sum_up(shared, masses)
    return shared, masses


@compiled(error_model="numpy")
def _sums(lengths, short):
    """Add up the lengths of the first k texts, none as more than ``short``."""
    found = np.zeros(len(lengths) + 1)
    for k in range(len(lengths)):
        found[k + 1] = found[k] + min(lengths[k], short)
    return found


@compiled(error_model="numpy")
def _costs(lengths, short, weights):
    """Return what it costs to leave out each text, and at the end that there is none."""
    found = np.full(len(lengths) + 1, np.inf)
    for k in range(len(lengths)):
        found[k] = weights.leaving * lengths[k] + weights.leaving_short * min(lengths[k], short)
        found[k] += weights.leaving_one
    return found


@compiled(error_model="numpy")
def _dice(shared, masses, i, i2, j, j2):
    """Return what texts i to i2 - 1 and j to j2 - 1 have in common, of what they have."""
    both = shared[i2, j2] - shared[i, j2] - shared[i2, j]
    one, two = masses[0, i2] - masses[0, i], masses[1, j2] - masses[1, j]
    both = min(both + shared[i, j], one, two)
    return 2 * both / (one + two) if one + two > 0 else 0.0


@compiled(error_model="numpy")
def _gain(own, other, dice, extra, weights):
    """Return what a step gains that aligns texts of two widths."""
    gain = (weights.likeness * dice - weights.threshold) * (own + other)
    return gain + (2 * weights.length * min(own, other) - weights.merging * extra)


@compiled(error_model="numpy")
def _bounds(a, own, longest):
    """Return how many texts, and of which width, a texts may be aligned with."""
    if a == 1:
        return _MOST, max(longest, _WIDER * own)
    return (_MOST_OF_BOTH if a <= _MOST_OF_BOTH and own <= longest else 1), longest


@compiled(error_model="numpy")
def _path(best, steps, i, j):
    """Follow the steps that lead to i and j back to the beginning: rows, and gains."""
    k = i + j
    path, gains = np.zeros((k, 4), np.int64), np.zeros(k)
    while i > 0 or j > 0:
        a, c = steps[i, j, 0], steps[i, j, 1]
        k -= 1
        gains[k] = best[i, j]
        path[k, 0], path[k, 1], path[k, 2], path[k, 3] = i - a, i, j - c, j
        i, j = i - a, j - c
    return path[k:], gains[k:]


@compiled(error_model="numpy")
def align_lengths(first, second, shared, masses, names, weights, longest, short):
    """Align texts of two sides by dynamic programming over pairs of positions: rows (i, i2, j, j2)
    say that i to i2 − 1 are j to j2 − 1; return also what is gained up to the end of each step.

    ``first`` and ``second`` are lengths, ``names`` equal of equal texts; see :func:`shared_masses`
    and :class:`Weights`.
    """
    n, m = len(first), len(second)
    long_1, long_2 = _sums(first, np.inf), _sums(second, np.inf)
    short_1, short_2 = _sums(first, short), _sums(second, short)
    cost_1, cost_2 = _costs(first, short, weights), _costs(second, short, weights)
    best = np.full((n + 2, m + 2), -np.inf)  # one more than is reached
    steps = np.zeros((n + 1, m + 1, 2), np.int8)
    best[0, 0] = 0.0
    for i in range(n + 1):
        for j in range(m + 1):
            if best[i, j] - cost_2[j] > best[i, j + 1]:
                best[i, j + 1] = best[i, j] - cost_2[j]
                steps[i, j + 1, 0], steps[i, j + 1, 1] = 0, 1
            if best[i, j] - cost_1[i] > best[i + 1, j]:
                best[i + 1, j] = best[i, j] - cost_1[i]
                steps[i + 1, j, 0], steps[i + 1, j, 1] = 1, 0
            if j == m:
                continue
            widest_1 = 0.0
            for a in range(1, min(_MOST, n - i) + 1):
                own = long_1[i + a] - long_1[i]
                if a > 1 and own > max(longest, _WIDER * second[j]):
                    break
                widest_1 = max(widest_1, min(first[i + a - 1], short))
                widest_2 = 0.0
                most, most_wide = _bounds(a, own, longest)
                for c in range(1, min(most, m - j) + 1):
                    other = long_2[j + c] - long_2[j]
                    if c > 1 and other > most_wide:
                        break
                    widest_2 = max(widest_2, min(second[j + c - 1], short))
                    extra = short_1[i + a] - short_1[i] - widest_1
                    extra += short_2[j + c] - short_2[j] - widest_2
                    dice = _dice(shared, masses, i, i + a, j, j + c)
                    gain = _gain(own, other, dice, extra, weights)
                    if a + c == 2 and names[0][i] == names[1][j]:
                        gain += weights.equal * (own + other)
                    if best[i, j] + gain > best[i + a, j + c]:
                        best[i + a, j + c] = best[i, j] + gain
                        steps[i + a, j + c, 0], steps[i + a, j + c, 1] = a, c
    return _path(best, steps, n, m)
