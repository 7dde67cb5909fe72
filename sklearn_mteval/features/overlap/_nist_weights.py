"""Counts of n-grams in a corpus of references, which make the weights of NIST's score."""

from dataclasses import dataclass

import numpy as np

from sklearn_mteval._helpers.options import LONGEST_NGRAM
from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, refuse, refusing
from sklearn_mteval.text.tokens import TokenInterner, flatten


@dataclass(frozen=True, eq=False, repr=False)
class NISTWeights:
    """How often n-grams occur in a corpus, read-only arrays: those that occur twice or more are a
    trie, in order of length, beginning and last word.
    """

    max_ngram_order: int
    tokenize: str
    lowercase: bool
    words: list  # those that occur twice or more, sorted
    counts: np.ndarray  # of each node's n-gram; of node 0, the empty one, all words (at least 1)
    tokens: np.ndarray  # place in words of each n-gram's last word, -1 for node 0
    first_child: np.ndarray  # node p's children are first_child[p] to first_child[p + 1] - 1

    def __post_init__(self):
        # The compiled loop trusts what it follows; this may come from a stranger's file.
        with refusing(self):
            whole = self._is_a_trie()
        if not whole:
            refuse(self)
        for array in (self.counts, self.tokens, self.first_child):
            array.flags.writeable = False

    def _is_a_trie(self):
        n_nodes = len(self.counts)
        return (
            is_count(self.max_ngram_order, 1, LONGEST_NGRAM)
            and isinstance(self.tokenize, str)
            and isinstance(self.lowercase, bool)
            and is_list_of(str, self.words, distinct=True)
            and is_array(self.counts, (n_nodes,), np.int64, low=1)
            and is_array(self.tokens, (n_nodes,), np.int64, low=-1, high=len(self.words) - 1)
            and is_array(self.first_child, (n_nodes + 1,), np.int64, low=1, high=n_nodes)
            and (self.first_child[0], self.first_child[-1]) == (1, n_nodes)
            and bool((self.first_child[1:] >= self.first_child[:-1]).all())
            and bool((self.counts[1:] <= np.repeat(self.counts, np.diff(self.first_child))).all())
        )

    def __repr__(self):
        return f"NISTWeights({len(self.counts) - 1} n-grams)"

    def __deepcopy__(self, memo):
        return self  # read-only

    def __getstate__(self):
        # One string, because skops would store a list as one node for each word.
        return {**self.__dict__, "words": " ".join(self.words)}

    def __setstate__(self, state):
        with refusing(self):
            self.__dict__.update(state, words=state["words"].split())
        if self.__dict__.keys() != self.__dataclass_fields__.keys():
            refuse(self)
        self.__post_init__()


def fit_nist_weights(references, max_ngram_order=5, tokenize="13a", lowercase=True):
    """Count the n-grams of a corpus; each distinct text counts once, and order means nothing."""
    interner = TokenInterner(tokenize, lowercase)
    flat, bounds = flatten([interner(text) for text in dict.fromkeys(references)])
    numbers = {word: number for number, word in enumerate(interner.words)}
    occurrences = np.bincount(flat, minlength=len(numbers))
    words = sorted(word for word, number in numbers.items() if occurrences[number] > 1)
    known = np.full(len(numbers), -1)
    known[[numbers[word] for word in words]] = np.arange(len(words))
    flat = known[flat]  # -1: occurs once
    ends = np.repeat(bounds[1:], np.diff(bounds))
    begins, nodes = np.arange(len(flat)), np.zeros(len(flat), dtype=np.int64)
    all_counts, all_tokens, all_parents = [[max(len(flat), 1)]], [[-1]], []
    n_nodes = 1
    for length in range(max_ngram_order):
        # begins, nodes: all places of the shorter n-grams that occur twice or more. Only from
        # there can a longer one occur twice or more, and only with words that do.
        longer = begins + length < ends[begins]
        begins, nodes = begins[longer], nodes[longer]
        longer = flat[begins + length] >= 0
        begins, nodes = begins[longer], nodes[longer]
        arcs = nodes << 32 | flat[begins + length]
        distinct, which, counts = np.unique(arcs, return_inverse=True, return_counts=True)
        kept = counts > 1
        number = n_nodes - 1 + np.cumsum(kept)
        nodes, begins = number[which][kept[which]], begins[kept[which]]
        n_nodes += kept.sum()
        all_counts.append(counts[kept])
        all_tokens.append(distinct[kept] & (2**32 - 1))
        all_parents.append(distinct[kept] >> 32)
    n_children = np.bincount(np.concatenate(all_parents), minlength=n_nodes)
    return NISTWeights(
        max_ngram_order=int(max_ngram_order),
        tokenize=tokenize,
        lowercase=bool(lowercase),
        words=words,
        counts=np.concatenate(all_counts),
        tokens=np.concatenate(all_tokens),
        first_child=1 + np.concatenate([[0], np.cumsum(n_children)]),
    )
