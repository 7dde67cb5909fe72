"""Texts to matches and chunks of METEOR: tokens, stems and synonyms as integers."""

from functools import lru_cache

import numpy as np

from sklearn_mteval.features.overlap._wordnet import open_wordnet
from sklearn_mteval.text.tokens import TokenInterner, flatten

__all__ = ["align"]


def align(sets, *, tokenize, lowercase, wordnet):
    """Align each hypothesis of ``work_on_pairs``'s sets with each of its references.

    Returns arrays of integers with a row for each such pair, those of one hypothesis neighbours:
    numbers of hypothesis and reference; matches of equal words, equal stems, synonyms, and chunks;
    tokens of hypothesis and reference.
    """
    from sklearn_mteval.features.overlap._meteor_kernel import count_stages

    tokens = TokenInterner(tokenize, lowercase)
    hypotheses, hyp_bounds = flatten([tokens(text) for _, group in sets for text in group])
    n_hypothesis_words = len(tokens.words)
    references, ref_bounds = flatten([tokens(text) for texts, _ in sets for text in texts])
    stems, distinct = _stems(tokens.words)
    n_looked_up = stems[:n_hypothesis_words].max(initial=-1) + 1
    synonyms, syn_bounds = _synonyms(distinct, n_looked_up, wordnet)
    pairs = _pairs(sets)
    counts = count_stages(
        hypotheses, hyp_bounds, references, ref_bounds, pairs, stems, synonyms, syn_bounds
    )
    lengths = np.column_stack([np.diff(hyp_bounds)[pairs[:, 0]], np.diff(ref_bounds)[pairs[:, 1]]])
    return pairs, counts, lengths


def _pairs(sets):
    """Number hypotheses and references, and pair each hypothesis with all its references."""
    pairs, n_hypotheses, n_references = [], 0, 0
    for texts, group in sets:
        for _ in group:
            pairs.extend((n_hypotheses, n_references + k) for k in range(len(texts)))
            n_hypotheses += 1
        n_references += len(texts)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _stems(words):
    """Return the number of each word's stem, and the distinct stems with their numbers."""
    stem = _stemmer()
    distinct = {}
    numbers = [distinct.setdefault(stem(word), len(distinct)) for word in words]
    return np.array(numbers, dtype=np.int64), distinct


@lru_cache(maxsize=1)
def _stemmer():
    """Return nltk's Porter stemmer, which remembers words: folds of one table share most."""
    from nltk.stem.porter import PorterStemmer

    return lru_cache(maxsize=2**17)(PorterStemmer().stem)


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
