"""The compiled loop of NIST. Imported on first use: numba is slow to load."""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.features.overlap._ngrams import find_node, reference_trie


@compiled
def _child(node, token, first_child, tokens):
    """Find the longer n-gram among the sorted children of a node; -1 if it is not there."""
    if node < 0 or token < 0:
        return -1
    begin, end = first_child[node], first_child[node + 1]
    child = begin + np.searchsorted(tokens[begin:end], token)
    return child if child < end and tokens[child] == token else -1


@compiled
def sum_information(
    hypotheses, hyp_bounds, references, ref_bounds, pairs, set_bounds, order, known,
    counts, first_child, tokens
):  # fmt: skip
    """Add up the information, in bits, of the clipped matches: shape (n_hypotheses, order).

    The first arguments are those of ``count_matches``, the last three those of ``NISTWeights``;
    ``known`` is each token's number in the corpus, -1 if it is not there.
    """
    # Two tries are walked at once: that of the reference set, which says what matches and how
    # often, and that of the corpus, which says how much a match weighs.
    information = np.zeros((len(pairs), order))
    built = -1
    for row in range(len(pairs)):
        if pairs[row] != built:
            built = pairs[row]
            first, last = set_bounds[built], set_bounds[built + 1]
            keys, nodes, shift, allowed = reference_trie(references, ref_bounds, first, last, order)
            seen = np.zeros_like(allowed)
        seen[:] = 0
        for begin in range(hyp_bounds[row], hyp_bounds[row + 1]):
            node, place, count = 0, 0, counts[0]
            for position in range(begin, min(begin + order, hyp_bounds[row + 1])):
                token = hypotheses[position]
                node = find_node(node, token, keys, nodes, shift)
                if node == 0:
                    break
                shorter = count
                place = _child(place, known[token], first_child, tokens)
                count = counts[place] if place >= 0 else 1  # unknown: as if seen once
                seen[node] += 1
                if seen[node] <= allowed[node]:
                    information[row, position - begin] += math.log2(shorter / count)
    return information
