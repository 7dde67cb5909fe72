"""The compiled n-gram matcher. Imported on first use: numba is slow to load."""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def _arc(node, token):
    """Make one key of a node and a token, exactly: both are below 2**31."""
    return (np.uint64(node) << np.uint64(32)) | np.uint64(token)


@compiled
def _slot(key, keys, nodes, shift):
    """Find the slot of a key, or the free slot (node 0) where it belongs."""
    mask = np.int64((np.uint64(1) << (np.uint64(64) - shift)) - np.uint64(1))
    slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> shift)
    while nodes[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def find_node(node, token, keys, nodes, shift):
    """Return the node of an n-gram (0: the empty one) and one more token; 0 if it is not there."""
    return nodes[_slot(_arc(node, token), keys, nodes, shift)]


@compiled
def reference_trie(references, ref_bounds, first, last, order):
    """Make the trie of references' n-grams, as :func:`find_node` asks for, and nodes' highest
    counts.
    """
    n_arcs = order * (ref_bounds[last] - ref_bounds[first])
    bits = 4
    while (1 << bits) < 2 * n_arcs:  # at most half full, so that probes are few, and end
        bits += 1
    shift = np.uint64(64 - bits)
    keys = np.zeros(1 << bits, dtype=np.uint64)
    nodes = np.zeros(1 << bits, dtype=np.int64)  # 0: free slot
    allowed, seen = np.zeros(n_arcs + 1, dtype=np.int64), np.zeros(n_arcs + 1, dtype=np.int64)
    n_nodes = 0
    for r in range(first, last):
        for begin in range(ref_bounds[r], ref_bounds[r + 1]):
            node = 0
            for position in range(begin, min(begin + order, ref_bounds[r + 1])):
                key = _arc(node, references[position])
                slot = _slot(key, keys, nodes, shift)
                if nodes[slot] == 0:
                    n_nodes += 1
                    nodes[slot] = n_nodes
                    keys[slot] = key
                node = nodes[slot]
                seen[node] += 1
        for node in range(1, n_nodes + 1):
            allowed[node] = max(allowed[node], seen[node])
            seen[node] = 0
    return keys, nodes, shift, allowed[: n_nodes + 1]


@compiled(steps_in_python=lambda hyps, _h, refs, _r, _p, _s, order: order * (len(hyps) + len(refs)))
def count_matches(hypotheses, hyp_bounds, references, ref_bounds, pairs, set_bounds, order):
    """Count n-gram matches, (n_hypotheses, order), clipped at the highest count in one reference
    (Papineni et al. 2002, section 2.1.1); ids are below 2**31.
    """
    # The n-grams of a reference set form a trie whose arcs (node, token) → node lie in one
    # open-addressing hash table with exact keys. A hypothesis walks it from each of its positions
    # until an n-gram is unknown: the work is linear in the number of tokens.
    matches = np.zeros((len(pairs), order), dtype=np.int64)
    built = -1
    for row in range(len(pairs)):
        if pairs[row] != built:
            built = pairs[row]
            first, last = set_bounds[built], set_bounds[built + 1]
            keys, nodes, shift, allowed = reference_trie(references, ref_bounds, first, last, order)
            seen = np.zeros_like(allowed)
        seen[:] = 0
        for begin in range(hyp_bounds[row], hyp_bounds[row + 1]):
            node = 0
            for position in range(begin, min(begin + order, hyp_bounds[row + 1])):
                node = find_node(node, hypotheses[position], keys, nodes, shift)
                if node == 0:
                    break
                seen[node] += 1
                matches[row, position - begin] += seen[node] <= allowed[node]
    return matches


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
    """Add up the bits of clipped matches, (n_hypotheses, order), as ``count_matches``, by
    ``NISTWeights``; ``known`` is each token's number in the corpus, or -1.
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
