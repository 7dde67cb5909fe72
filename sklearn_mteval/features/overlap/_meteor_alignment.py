"""Texts to matches and chunks of METEOR: tokens, stems and synonyms as integers."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.features.base import flatten_sets
from sklearn_mteval.text.stems import porter_stemmer
from sklearn_mteval.text.tokens import TokenInterner, flatten
from sklearn_mteval.text.wordnet import open_wordnet


def align(sets, *, tokenize, lowercase, wordnet):
    """Align hypotheses and references: of pairs, by hypothesis, its number, matches of words,
    stems, synonyms and chunks, (n, 4), and tokens, (n, 2).
    """
    tokens = TokenInterner(tokenize, lowercase)
    flat = flatten_sets(sets, tokens)
    stem, distinct = porter_stemmer(), {}
    stems = [distinct.setdefault(stem(word), len(distinct)) for word in tokens.words]
    stems = np.array(stems, dtype=np.int64)
    # Ids follow first appearance, hypotheses first: their stems are the first ones.
    n_looked_up = stems[flat.hypotheses].max(initial=-1) + 1
    synonyms, syn_bounds = _synonyms(distinct, n_looked_up, wordnet)
    row, reference = flat.pairs()
    counts = count_stages(*flat[:4], np.column_stack([row, reference]), stems, synonyms, syn_bounds)
    lengths = [flat.hypothesis_lengths()[row], np.diff(flat.ref_bounds)[reference]]
    return row, counts, np.column_stack(lengths)


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


@compiled
def _last_match(stage, word, stems, synonyms, bounds, last):
    """Find the last free word of the reference that matches in a stage, -1 if none does."""
    if stage == 0:
        return last[word]
    if stage == 1:
        return last[stems[word]]
    found = -1
    for k in range(bounds[stems[word]], bounds[stems[word] + 1]):
        found = max(found, last[synonyms[k]])
    return found


@compiled
def count_stages(hypotheses, hyp_bounds, references, ref_bounds, pairs, stems, synonyms, bounds):
    """Align pairs: matches by equal words, ``stems``, ``synonyms`` (reference stems of each
    hypothesis stem between neighbouring ``bounds``), and chunks, (n_pairs, 4).
    """
    # Within a stage the words of the hypothesis choose one after the other, the last word first,
    # and each takes the last free word of the reference that it matches.
    counts = np.zeros((len(pairs), 4), dtype=np.int64)
    # Free places of a word of the reference (of a stem, from the second stage on), as chains:
    # the last one, and the one before each. No place: -1.
    last = np.full(len(stems), -1)  # there are no more stems than words
    for row in range(len(pairs)):
        h, r = pairs[row]
        hypothesis = hypotheses[hyp_bounds[h] : hyp_bounds[h + 1]]
        reference = references[ref_bounds[r] : ref_bounds[r + 1]]
        partner = np.full(len(hypothesis), -1)
        free = np.full(len(reference), True)
        before = np.empty(len(reference), dtype=np.int64)
        for stage in range(3):
            keys = reference if stage == 0 else stems[reference]
            if stage < 2:
                for j in range(len(reference)):
                    if free[j]:
                        before[j] = last[keys[j]]
                        last[keys[j]] = j
            for i in range(len(hypothesis) - 1, -1, -1):
                if partner[i] >= 0:
                    continue
                j = _last_match(stage, hypothesis[i], stems, synonyms, bounds, last)
                if j >= 0:
                    partner[i] = j
                    free[j] = False
                    last[keys[j]] = before[j]
                    counts[row, stage] += 1
            if stage != 1:
                last[keys] = -1
        for i in range(len(hypothesis)):
            follows = i > 0 and partner[i - 1] >= 0 and partner[i] == partner[i - 1] + 1
            counts[row, 3] += partner[i] >= 0 and not follows
    return counts
