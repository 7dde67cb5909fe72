"""What the arrays of an n-gram model must be for its compiled query to be safe."""

from itertools import pairwise

import numpy as np

from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of
from sklearn_mteval.text.language_models.corpus import MARKERS


def is_trie(model):
    """Tell whether the parts of an ``NgramModel`` fit together."""
    words, sizes = model.words, model.sizes
    if not (is_list_of(int, sizes) and sizes and all(is_count(n, high=2**31) for n in sizes)):
        return False
    n_words, n_nodes, n_inner = sizes[0], sum(sizes), sum(sizes[:-1])
    return (
        tuple(words[:3]) == MARKERS
        and len(words) == len(set(words)) == n_words
        and is_array(model.log_probability, (n_nodes,), np.float32, high=0)
        and is_array(model.back_off, (n_inner,), np.float32, high=0)
        and is_array(model.next_words, (n_nodes - n_words,), np.int32, low=0, high=n_words - 1)
        and _are_suffixes(model.suffixes, sizes)
        and _are_children(model.first_children, sizes)
        and _are_sorted(model.next_words, model.first_children, n_words)
        and is_array(model.discounts, (len(sizes), 3), low=0)
        and is_list_of(int, model.fallback_orders)
        and isinstance(model.tokenize, str)
        and isinstance(model.lowercase, bool)
    )


def _are_suffixes(suffixes, sizes):
    """Tell whether each n-gram's suffix is of one order less: following them comes to an end."""
    starts = np.cumsum([0, *sizes])  # of the orders' nodes
    if not is_array(suffixes, (starts[-1] - sizes[0],), np.int32):
        return False
    parts = np.split(suffixes, starts[2:-1] - sizes[0])
    return all(
        is_array(part, part.shape, np.int32, low=low, high=end - 1)
        for part, (low, end) in zip(parts, pairwise(starts), strict=False)
    )


def _are_children(first_children, sizes):
    """Tell whether the children of all n-grams are those of the next order, one after another."""
    starts = np.cumsum([0, *sizes])
    n_inner = starts[-2]
    if not is_array(first_children, (n_inner + 1,), np.int32, low=sizes[0], high=starts[-1]):
        return False
    # The first n-gram of an order begins with the first that is a word shorter.
    return bool(
        (first_children[starts[:-1]] == starts[1:]).all()
        and (first_children[1:] >= first_children[:-1]).all()
    )


def _are_sorted(next_words, first_children, n_words):
    """Tell whether the words after each n-gram ascend, as the binary search needs."""
    ascends = np.ones(len(next_words) + 1, dtype=bool)
    np.greater(next_words[1:], next_words[:-1], out=ascends[1:-1])
    ascends[first_children - n_words] = True  # others' children begin
    return bool(ascends.all())
