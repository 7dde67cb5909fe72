"""The compiled query of n-gram models. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def _child(first, end, word, next_words, n_words):
    """Find the n-gram that ends in a word among those from first to end, -1 if it is not there."""
    beyond = end
    while first < end:
        middle = (first + end) >> 1
        if next_words[middle - n_words] < word:
            first = middle + 1
        else:
            end = middle
    if first < beyond and next_words[first - n_words] == word:
        return first
    return -1


@compiled
def score_tokens(
    flat, bounds, log_probability, back_off, next_words, suffixes, first_children, n_words
):
    """Return log10 of the probability, given those before it, of each token of sentences and each
    </s>, and the node of the longest known n-gram that ends there; ``flat`` holds the words of all
    sentences, 0 for unknown ones, without markers, ``bounds`` where each begins.
    """
    # The state is the longest context that the model has. A step follows its arc for the word;
    # where there is none, the context loses its first word and the back-off is paid.
    n_sentences = len(bounds) - 1
    n_inner = len(back_off)
    scores = np.zeros(len(flat) + n_sentences)
    nodes = np.zeros(len(flat) + n_sentences, dtype=np.int64)
    at = 0
    for s in range(n_sentences):
        state = np.int64(1) if n_inner else np.int64(-1)  # <s>
        for k in range(bounds[s], bounds[s + 1] + 1):
            word = flat[k] if k < bounds[s + 1] else 2  # </s>
            score = 0.0
            node = np.int64(-1)
            while state >= 0:
                node = _child(
                    np.int64(first_children[state]), np.int64(first_children[state + 1]),
                    word, next_words, n_words,
                )  # fmt: skip
                if node >= 0:
                    break
                score += back_off[state]
                state = np.int64(suffixes[state - n_words]) if state >= n_words else np.int64(-1)
            if node < 0:
                node = np.int64(word)
            scores[at] = score + log_probability[node]
            nodes[at] = node
            at += 1
            state = node
            if node >= n_inner:  # of the longest order: no longer one can follow
                state = np.int64(suffixes[node - n_words]) if node >= n_words else np.int64(-1)
    return scores, nodes
