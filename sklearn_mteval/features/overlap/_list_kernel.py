"""The compiled counts of n-grams in lists of texts. Imported on first use: numba is slow to load.

The n-grams of a list are numbered once, by the trie that the metrics' matcher walks, so that a text
is a short array of numbers and counts; two texts are compared by one loop over one of them.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.features.overlap._ngrams import find_node, reference_trie


@compiled(steps_in_python=lambda tokens, _b, _l, order: 2 * order * len(tokens))
def count_lists(tokens, bounds, list_bounds, order):
    """Count the n-grams of each text: numbers, unlike for unlike ones of a list, and counts, those
    of text t and length n from starts[t, n - 1] on; how many each list has. Ids are below 2**31.
    """
    n_texts = len(bounds) - 1
    numbers = np.empty(order * len(tokens), dtype=np.int32)
    counts = np.empty(order * len(tokens), dtype=np.int32)
    starts = np.zeros((n_texts, order + 1), dtype=np.int64)
    sizes = np.zeros(len(list_bounds) - 1, dtype=np.int64)
    n = 0
    for k in range(len(list_bounds) - 1):
        first, last = list_bounds[k], list_bounds[k + 1]
        keys, nodes, shift, allowed = reference_trie(tokens, bounds, first, last, order)
        sizes[k] = len(allowed)
        seen = np.zeros(len(allowed), dtype=np.int32)
        for text in range(first, last):
            begin, end = bounds[text], bounds[text + 1]
            reached = np.zeros((order, end - begin), dtype=np.int64)  # 0: beyond the text's end
            for position in range(begin, end):
                node = 0
                for further in range(position, min(position + order, end)):
                    node = find_node(node, tokens[further], keys, nodes, shift)
                    reached[further - position, position - begin] = node
                    seen[node] += 1
            for length in range(order):
                starts[text, length] = n
                for node in reached[length]:
                    if node and seen[node]:
                        numbers[n], counts[n] = node, seen[node]
                        n += 1
                        seen[node] = 0
            starts[text, order] = n
    return numbers[:n], counts[:n], starts, sizes


@compiled(  # the n-grams that are looked up, if texts are of one length
    steps_in_python=lambda hyps, _r, numbers, _c, starts, _s: (
        2 * len(hyps) * len(numbers) // max(len(starts), 1)
    )
)
def pair_matches(hypotheses, references, numbers, counts, starts, size):
    """Count what two texts of a list have in common, (n_pairs, order), each n-gram as often as the
    one that has it less often; neighbours with one reference share its table.
    """
    order = starts.shape[1] - 1
    matches = np.zeros((len(hypotheses), order), dtype=np.int64)
    table = np.zeros(size, dtype=np.int32)
    loaded = -1
    for pair in range(len(hypotheses)):
        if references[pair] != loaded:
            if loaded >= 0:
                for k in range(starts[loaded, 0], starts[loaded, order]):
                    table[numbers[k]] = 0
            loaded = references[pair]
            for k in range(starts[loaded, 0], starts[loaded, order]):
                table[numbers[k]] = counts[k]
        text = hypotheses[pair]
        for length in range(order):
            total = 0
            for k in range(starts[text, length], starts[text, length + 1]):
                total += min(counts[k], table[numbers[k]])
            matches[pair, length] = total
    return matches


@compiled(steps_in_python=lambda _l, _w, numbers, *_: 2 * len(numbers))
def expected_matches(list_bounds, weights, numbers, counts, starts, sizes):
    """Match each text with its list's mean counts, by ``weights``: (n_texts, order), expected."""
    n_texts, order = len(starts), starts.shape[1] - 1
    matches = np.zeros((n_texts, order))
    for k in range(len(sizes)):
        table = np.zeros(sizes[k])
        for text in range(list_bounds[k], list_bounds[k + 1]):
            for at in range(starts[text, 0], starts[text, order]):
                table[numbers[at]] += weights[text] * counts[at]
        for text in range(list_bounds[k], list_bounds[k + 1]):
            for length in range(order):
                total = 0.0
                for at in range(starts[text, length], starts[text, length + 1]):
                    total += min(counts[at], table[numbers[at]])
                matches[text, length] = total
    return matches
