"""Texts to matches and chunks of METEOR: tokens, stems and synonyms as integers."""

import numpy as np

from sklearn_mteval.features.base import flatten_sets
from sklearn_mteval.text.stems import porter_stemmer
from sklearn_mteval.text.tokens import TokenInterner, flatten
from sklearn_mteval.text.wordnet import open_wordnet


def align(sets, *, tokenize, lowercase, wordnet):
    """Align each hypothesis of ``work_on_pairs``'s sets with each of its references.

    Returns integers of each such pair, those of one hypothesis neighbours: its number; matches of
    equal words, equal stems, synonyms, and chunks, (n, 4); tokens of both texts, (n, 2).
    """
    from sklearn_mteval.features.overlap._meteor_kernel import count_stages

    tokens = TokenInterner(tokenize, lowercase)
    flat = flatten_sets(sets, tokens)
    stems, distinct = _stems(tokens.words)
    # Ids follow first appearance, hypotheses first: their stems are the first ones.
    n_looked_up = stems[flat.hypotheses].max(initial=-1) + 1
    synonyms, syn_bounds = _synonyms(distinct, n_looked_up, wordnet)
    row, reference = flat.pairs()
    counts = count_stages(*flat[:4], np.column_stack([row, reference]), stems, synonyms, syn_bounds)
    lengths = [flat.hypothesis_lengths()[row], np.diff(flat.ref_bounds)[reference]]
    return row, counts, np.column_stack(lengths)


def _stems(words):
    """Return the number of each word's stem, and the distinct stems with their numbers."""
    stem = porter_stemmer()
    distinct = {}
    numbers = [distinct.setdefault(stem(word), len(distinct)) for word in words]
    return np.array(numbers, dtype=np.int64), distinct


def _synonyms(stems, n_looked_up, wordnet):
    """List the synonyms of the first stems, those of hypotheses, among all stems, flattened."""
    # As in nltk, where the second stage hands stems on to the third, it is the stem that is
    # looked up and compared.
    found = [[] for _ in stems]
    if wordnet is not None:
        synonyms = open_wordnet(wordnet).synonyms
        for stem, number in list(stems.items())[:n_looked_up]:
            found[number] = [stems[name] for name in synonyms(stem) if name in stems]
    return flatten(found)
