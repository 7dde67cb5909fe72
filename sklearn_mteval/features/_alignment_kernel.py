"""The compiled soft alignment of words. Imported on first use: numba is slow to load.

Every number is summed in the order of a vector's dimensions or of a text's words, so that
it does not depend on what else is in the table, which a BLAS product does not promise.
"""

import numpy as np

from sklearn_mteval._numba import compiled

__all__ = ["align", "unit_vectors"]


@compiled
def unit_vectors(vectors):
    """Scale vectors to length 1, in place; zero vectors stay what they are.

    Parameters
    ----------
    vectors : ndarray of shape (n_words, n_dimensions), float64
        Finite vectors whose squares are finite too.
    """
    for vector in vectors:
        square = 0.0
        for value in vector:
            square += value * value
        if square > 0:
            vector /= np.sqrt(square)


@compiled
def _cosines(word, unit, others, columns, out):
    """Fill ``out`` with the cosines of one word and each of the others."""
    out[:] = 0.0
    for k in range(len(columns)):
        # Vectorised over the words: each sum keeps the order of the dimensions.
        for j in range(len(out)):
            out[j] += unit[k] * columns[k, j]
    for j in range(len(out)):
        # A word is like itself, with a vector or without.
        out[j] = 1.0 if others[j] == word else min(max(out[j], -1.0), 1.0)


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
def align(hypotheses, hyp_bounds, references, ref_bounds, pairs, set_bounds, units, weights):
    """Align each hypothesis with its references, word by word.

    Parameters
    ----------
    hypotheses : ndarray of shape (n_hypothesis_tokens,), int64
        Word ids of all hypotheses.
    hyp_bounds : ndarray of shape (n_hypotheses + 1,), int64
        Where each hypothesis begins, then the end.
    references, ref_bounds : ndarray, int64
        The same for the references.
    pairs : ndarray of shape (n_hypotheses,), int64
        The reference set of each hypothesis. Equal sets should be neighbours: their vectors
        are gathered once.
    set_bounds : ndarray of shape (n_sets + 1,), int64
        First reference of each set, then the end.
    units : ndarray of shape (n_words, n_dimensions), float64
        Vectors of length 1, zeros for unknown words.
    weights : ndarray of shape (n_words,), float64
        Of each word, not negative.

    Returns
    -------
    ndarray of shape (n_hypotheses, 4), float64
        Precision, recall, F and relaxed word mover's distance beside the reference with the
        highest F, the first of equals.
    """
    results = np.zeros((len(pairs), 4))
    results[:, 3] = np.sqrt(2.0)
    built = -1
    for row in range(len(pairs)):
        if pairs[row] != built:
            built = pairs[row]
            bounds = ref_bounds[set_bounds[built] : set_bounds[built + 1] + 1]
            words = references[bounds[0] : bounds[-1]]
            bounds = bounds - bounds[0]
            columns = np.ascontiguousarray(units[words].T)
            cosines = np.empty(len(words))
            backward = np.empty(len(words))  # of each reference word the highest cosine
        hypothesis = hypotheses[hyp_bounds[row] : hyp_bounds[row + 1]]
        forward = np.full((len(bounds) - 1, len(hypothesis)), -1.0)
        backward[:] = -1.0
        for k in range(len(hypothesis)):
            _cosines(hypothesis[k], units[hypothesis[k]], words, columns, cosines)
            for r in range(len(bounds) - 1):
                for j in range(bounds[r], bounds[r + 1]):
                    forward[r, k] = max(forward[r, k], cosines[j])
                    backward[j] = max(backward[j], cosines[j])
        best = -1.0
        for r in range(len(bounds) - 1):
            back = slice(bounds[r], bounds[r + 1])
            if len(hypothesis) == 0 or len(words[back]) == 0:
                continue
            precision = _similarity(forward[r], hypothesis, weights)
            recall = _similarity(backward[back], words[back], weights)
            both = precision + recall
            f = 2 * precision * recall / both if both > 0 else 0.0
            if f > best:
                best = f
                results[row, 0] = precision
                results[row, 1] = recall
                results[row, 2] = f
                results[row, 3] = max(_distance(forward[r]), _distance(backward[back]))
    return results
