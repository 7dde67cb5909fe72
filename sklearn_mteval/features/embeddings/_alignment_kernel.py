"""The compiled soft alignment of words. Imported on first use: numba is slow to load.

Sums go in the order of dimensions or words: as no BLAS product promises, company changes no bit.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

_REMEMBERED = 1 << 20  # cosines of one reference set's words with hypotheses' words


@compiled
def unit_vectors(vectors):
    """Scale finite vectors, (n_words, n_dimensions), to length 1 in place; zero stays zero."""
    for vector in vectors:
        square = 0.0
        for value in vector:
            square += value * value
        if square > 0:
            vector /= np.sqrt(square)


@compiled
def _compare(word, unit, others, columns, cosines):
    """Fill ``cosines`` with those of one word and each of the others."""
    cosines[:] = 0.0
    for k in range(len(columns)):
        # Vectorised over the words: each sum keeps the order of the dimensions.
        value, column = unit[k], columns[k]
        for j in range(len(cosines)):
            cosines[j] += value * column[j]
    for j in range(len(cosines)):
        if others[j] == word:  # a word is like itself, with a vector or without
            cosines[j] = 1.0


@compiled
def _raise(cosines, highest):
    """Raise the highest cosines so far where these are higher, return the highest of these."""
    best = -1.0
    for j in range(len(cosines)):
        cosine = min(cosines[j], 1.0)  # rounding can leave an ulp more
        if cosine > best:
            best = cosine
        if cosine > highest[j]:
            highest[j] = cosine
    return best


@compiled
def _similarity(nearest, words, weights):
    """Average the words' highest cosines by their weights, plainly if all of them are 0."""
    plain, weighted, total = 0.0, 0.0, 0.0
    for k in range(len(words)):
        similarity, weight = max(nearest[k], 0.0), weights[words[k]]
        plain += similarity
        weighted += weight * similarity
        total += weight
    # Rounding can leave a mean of ones an ulp above 1.
    return min(weighted / total, 1.0) if total > 0 else plain / len(words)


@compiled
def _distance(nearest):
    """Average the distances of unit vectors from the highest cosines."""
    total = 0.0
    for cosine in nearest:
        total += np.sqrt(2.0 - 2.0 * cosine)
    return total / len(nearest)


@compiled
def _choose(forward, backward, hypothesis, words, bounds, weights, result):
    """Fill in the four numbers against the reference with the highest F."""
    best = -1.0
    for r in range(len(forward)):
        back = slice(bounds[r], bounds[r + 1])
        if len(hypothesis) == 0 or len(words[back]) == 0:
            continue
        precision = _similarity(forward[r], hypothesis, weights)
        recall = _similarity(backward[back], words[back], weights)
        both = precision + recall
        f = 2 * precision * recall / both if both > 0 else 0.0
        if f > best:
            best = f
            result[0], result[1], result[2] = precision, recall, f
            result[3] = max(_distance(forward[r]), _distance(backward[back]))


@compiled
def align(hypotheses, hyp_bounds, references, ref_bounds, group_bounds, set_bounds, units, weights):
    """Align each hypothesis with its references: precision, recall, F, distance, (n_hypotheses, 4).

    Texts as ``FlatSets``, ``group_bounds`` being the first hypothesis of each set, then the end;
    ``units`` have length 1 or 0. The reference with the highest F counts, the first of equals.
    """
    # The hypotheses of one reference set share most of their words: a word's cosines are
    # remembered until the next set, or until there is no more room.
    results = np.zeros((len(hyp_bounds) - 1, 4))
    results[:, 3] = np.sqrt(2.0)
    remembered = np.empty(_REMEMBERED)
    words_of = np.empty(_REMEMBERED, dtype=np.int64)  # of each remembered row
    row_of = np.full(len(units), -1)  # of each word
    for group in range(len(group_bounds) - 1):
        bounds = ref_bounds[set_bounds[group] : set_bounds[group + 1] + 1]
        words = references[bounds[0] : bounds[-1]]
        bounds = bounds - bounds[0]
        if len(words) == 0:
            continue
        columns = np.ascontiguousarray(units[words].T)
        if len(words) > len(remembered):
            remembered = np.empty(len(words))
            words_of = np.empty(len(words), dtype=np.int64)
        cosines = remembered[: len(remembered) // len(words) * len(words)].reshape(-1, len(words))
        n_compared = 0
        for row in range(group_bounds[group], group_bounds[group + 1]):
            hypothesis = hypotheses[hyp_bounds[row] : hyp_bounds[row + 1]]
            forward = np.full((len(bounds) - 1, len(hypothesis)), -1.0)
            backward = np.full(len(words), -1.0)
            for k in range(len(hypothesis)):
                word = hypothesis[k]
                at = row_of[word]
                if at < 0:
                    at = n_compared % len(cosines)
                    if n_compared >= len(cosines):
                        row_of[words_of[at]] = -1
                    row_of[word], words_of[at] = at, word
                    n_compared += 1
                    _compare(word, units[word], words, columns, cosines[at])
                for r in range(len(bounds) - 1):
                    back = slice(bounds[r], bounds[r + 1])
                    forward[r, k] = _raise(cosines[at, back], backward[back])
            _choose(forward, backward, hypothesis, words, bounds, weights, results[row])
        row_of[words_of[: min(n_compared, len(cosines))]] = -1
    return results
