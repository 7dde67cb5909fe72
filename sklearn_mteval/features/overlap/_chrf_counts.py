"""Matches and totals of chrF's n-grams, and the F-score of them.

The trie that counts BLEU's matches counts these as well: over characters as code points,
and over words as chrF splits them.
"""

from itertools import chain
from string import punctuation

import numpy as np

from sklearn_mteval.features.base import first_best, ngram_totals, ratio
from sklearn_mteval.text.tokens import flatten

_PUNCTUATION = frozenset(punctuation)
_EPSILON = 1e-16  # what sacreBLEU's eps_smoothing takes for a ratio of nothing to nothing


def chrf_counts(sets, *, char_order, word_order, beta, lowercase, whitespace, eps_smoothing=False):
    """Count matches and n-grams of the distinct pairs of ``work_on_pairs``.

    Integers of shape (n_pairs, 3 * (char_order + word_order)): matches, n-grams of the hypothesis
    and of the reference with the best score, the first of equals; each of characters, then words.
    """
    # One row for each hypothesis and each of its references: neighbours share a trie.
    hypotheses = [text for refs, group in sets for _ in refs for text in group]
    references = [text for refs, _ in sets for text in refs]
    sizes = [len(group) for refs, group in sets for _ in refs]
    reference_of = np.repeat(np.arange(len(references)), np.array(sizes, dtype=np.int64))
    units = []  # texts as sequences, how to concatenate these, longest n-gram
    texts = dict.fromkeys(chain(references, hypotheses))
    if char_order:
        characters = _characters(texts, lowercase, whitespace)
        units.append((characters, _flatten_characters, char_order))
    if word_order:
        units.append((_word_ids(texts, lowercase), flatten, word_order))
    parts = []
    for sequences, flat, order in units:
        sides = [flat([sequences[text] for text in side]) for side in (hypotheses, references)]
        parts.append(_matches_and_totals(*sides, reference_of, order))
    counts = np.hstack([kind for kinds in zip(*parts, strict=True) for kind in kinds])
    if len(references) == len(sets):
        return counts
    scores = f_scores(counts, beta=beta, eps_smoothing=eps_smoothing)
    pairs, n_pairs = [], 0  # the pair of each row
    for refs, group in sets:
        pairs.extend([*range(n_pairs, n_pairs + len(group))] * len(refs))
        n_pairs += len(group)
    return counts[first_best(np.array(pairs), -scores)]


def characters_of(texts, lowercase, whitespace):
    """Concatenate the characters of texts as chrF reads them, and say where each text begins."""
    characters = _characters(texts, lowercase, whitespace)
    return _flatten_characters([characters[text] for text in texts])


def words_of(texts, lowercase):
    """Concatenate the words of texts as chrF reads them, and say where each text begins."""
    words = _word_ids(texts, lowercase)
    return flatten([words[text] for text in texts])


def _characters(texts, lowercase, whitespace):
    """Map texts to what chrF takes characters from."""
    prepared = {text: text.lower() if lowercase else text for text in texts}
    return prepared if whitespace else {t: "".join(prepared[t].split()) for t in prepared}


def _flatten_characters(texts):
    """Concatenate texts as code points, and say where each begins, like ``flatten``."""
    bounds = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=bounds[1:])
    encoded = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(encoded, dtype="<u4").astype(np.int64), bounds


def _word_ids(texts, lowercase):
    """Number the words of each text."""
    words = _Words()
    return {
        text: list(
            chain.from_iterable(
                map(words.__getitem__, (text.lower() if lowercase else text).split())
            )
        )
        for text in texts
    }


class _Words(dict):
    """Ids of a word's tokens: chrF splits one mark off its end, or else off its beginning."""

    def __init__(self):
        super().__init__()
        self._ids = {}

    def __missing__(self, word):
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            tokens = word[:-1], word[-1]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            tokens = word[0], word[1:]
        else:
            tokens = (word,)
        ids = self[word] = [self._ids.setdefault(token, len(self._ids)) for token in tokens]
        return ids


def _matches_and_totals(hypotheses, references, reference_of, order):
    """Count matches and n-grams of hypotheses with the one reference of each."""
    from sklearn_mteval.features.overlap._ngrams import count_matches

    sets = np.arange(len(references[1]))  # each reference is a set of its own
    matches = count_matches(*hypotheses, *references, reference_of, sets, order)
    hyp_totals = ngram_totals(np.diff(hypotheses[1]), order)
    ref_totals = ngram_totals(np.diff(references[1]), order)[reference_of]
    # sacreBLEU counts no n-grams of a length that the reference has not.
    return matches, np.where(ref_totals > 0, hyp_totals, 0), ref_totals


def f_scores(counts, *, beta, eps_smoothing):
    """Compute chrF in [0, 100] from counts, in sacreBLEU's order of operations, to the bit."""
    matches, hypothesis, reference = np.split(counts, 3, axis=1)
    factor = float(beta) ** 2
    if eps_smoothing:
        precision = ratio(matches, hypothesis, _EPSILON)
        recall = ratio(matches, reference, _EPSILON)
        scores = ratio((1 + factor) * precision * recall, factor * precision + recall, _EPSILON)
        return 100 * _sum(scores) / scores.shape[1]
    n_used = np.maximum(np.sum((hypothesis > 0) & (reference > 0), axis=1), 1)
    precision = _sum(ratio(matches, hypothesis)) / n_used
    recall = _sum(ratio(matches, reference)) / n_used
    return 100 * ratio((1 + factor) * precision * recall, factor * precision + recall)


def _sum(columns):
    """Add columns one after another, as sacreBLEU does and ``sum`` does not."""
    return np.cumsum(columns, axis=1)[:, -1]
