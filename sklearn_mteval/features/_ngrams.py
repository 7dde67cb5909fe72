"""The compiled n-gram matcher. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._numba import compiled

__all__ = ["count_matches"]


@compiled
def count_matches(hypotheses, hyp_bounds, references, ref_bounds, pairs, set_bounds, order):
    """Count clipped n-gram matches of hypotheses with their references.

    The n-grams of a reference set form a trie whose arcs (node, token) → node lie in one
    open-addressing hash table with exact keys. A hypothesis walks it from each of its
    positions until an n-gram is unknown. The work is linear in the number of tokens.

    Parameters
    ----------
    hypotheses : ndarray of shape (n_hypothesis_tokens,), int64
        Token ids, below 2**31, of all hypotheses.
    hyp_bounds : ndarray of shape (n_hypotheses + 1,), int64
        Where each hypothesis begins, then the end.
    references, ref_bounds : ndarray, int64
        The same for the references.
    pairs : ndarray of shape (n_hypotheses,), int64
        The reference set of each hypothesis. Equal sets should be neighbours: their trie
        is built once.
    set_bounds : ndarray of shape (n_sets + 1,), int64
        First reference of each set, then the end.
    order : int
        Longest n-gram.

    Returns
    -------
    ndarray of shape (n_hypotheses, order), int64
        Matches of length 1 to ``order``, clipped at the n-gram's highest count in one
        reference (Papineni et al. 2002, section 2.1.1).
    """
    matches = np.zeros((len(pairs), order), dtype=np.int64)
    largest = 0
    for s in range(len(set_bounds) - 1):
        largest = max(largest, ref_bounds[set_bounds[s + 1]] - ref_bounds[set_bounds[s]])
    bits = 4
    while (1 << bits) < 2 * order * largest:
        bits += 1
    keys = np.zeros(1 << bits, dtype=np.uint64)
    nodes = np.zeros(1 << bits, dtype=np.int64)  # 0: free slot
    allowed = np.zeros(order * largest + 1, dtype=np.int64)
    seen = np.zeros(order * largest + 1, dtype=np.int64)
    built = -1
    n_nodes = 0
    shift = np.uint64(0)
    mask = 0
    for row in range(len(pairs)):
        if pairs[row] != built:
            built = pairs[row]
            first, last = set_bounds[built], set_bounds[built + 1]
            bits = 4
            while (1 << bits) < 2 * order * (ref_bounds[last] - ref_bounds[first]):
                bits += 1
            mask = (1 << bits) - 1
            shift = np.uint64(64 - bits)
            nodes[: mask + 1] = 0
            allowed[: n_nodes + 1] = 0
            n_nodes = 0
            for r in range(first, last):
                for begin in range(ref_bounds[r], ref_bounds[r + 1]):
                    node = 0
                    for position in range(begin, min(begin + order, ref_bounds[r + 1])):
                        key = (np.uint64(node) << np.uint64(32)) | np.uint64(references[position])
                        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> shift)
                        while nodes[slot] != 0 and keys[slot] != key:
                            slot = (slot + 1) & mask
                        if nodes[slot] == 0:
                            n_nodes += 1
                            nodes[slot] = n_nodes
                            keys[slot] = key
                            seen[n_nodes] = 0
                        node = nodes[slot]
                        seen[node] += 1
                for node in range(1, n_nodes + 1):
                    allowed[node] = max(allowed[node], seen[node])
                    seen[node] = 0
        seen[: n_nodes + 1] = 0
        for begin in range(hyp_bounds[row], hyp_bounds[row + 1]):
            node = 0
            for position in range(begin, min(begin + order, hyp_bounds[row + 1])):
                key = (np.uint64(node) << np.uint64(32)) | np.uint64(hypotheses[position])
                slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> shift)
                while nodes[slot] != 0 and keys[slot] != key:
                    slot = (slot + 1) & mask
                node = nodes[slot]
                if node == 0:
                    break
                seen[node] += 1
                matches[row, position - begin] += seen[node] <= allowed[node]
    return matches
