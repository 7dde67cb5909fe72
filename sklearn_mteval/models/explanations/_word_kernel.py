"""The compiled alignment of words. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

MOST_WORDS = 400  # of a text, beyond which only equal words are counterparts


@compiled
def _in_order(reference, hypothesis, lengths, partner):
    """Match a longest common subsequence; ``lengths`` is room for those of all ends of texts."""
    n, m = len(reference), len(hypothesis)
    lengths[n, : m + 1] = 0
    for i in range(n - 1, -1, -1):
        lengths[i, m] = 0
        for j in range(m - 1, -1, -1):
            if reference[i] == hypothesis[j]:
                lengths[i, j] = lengths[i + 1, j + 1] + 1
            else:
                lengths[i, j] = max(lengths[i + 1, j], lengths[i, j + 1])
    i = j = 0
    while i < n and j < m:
        if reference[i] == hypothesis[j]:  # of two equal words that stand first, no better use
            partner[j] = i
            i, j = i + 1, j + 1
        elif lengths[i + 1, j] >= lengths[i, j + 1]:
            i += 1
        else:
            j += 1


@compiled
def _equal(reference, hypothesis, first, partner, free):
    """Match equal words that are left, from left to right; ``first`` is -1 for each word."""
    following = np.empty(len(reference), dtype=np.int64)
    for i in range(len(reference) - 1, -1, -1):
        if free[i]:
            following[i] = first[reference[i]]
            first[reference[i]] = i
    for j in range(len(hypothesis)):
        i = first[hypothesis[j]]
        if partner[j] < 0 and i >= 0:
            partner[j] = i
            free[i] = False
            first[hypothesis[j]] = following[i]
    first[reference] = -1


@compiled
def _similar(reference, hypothesis, units, least, partner, free):
    """Match words that are left, the most similar ones first."""
    ours, theirs = np.flatnonzero(free), np.flatnonzero(partner < 0)
    cosines = np.zeros((len(ours), len(theirs)))
    for a in range(len(ours)):
        one = units[reference[ours[a]]]
        for b in range(len(theirs)):
            other = units[hypothesis[theirs[b]]]
            for k in range(len(one)):
                cosines[a, b] += one[k] * other[k]
    cosines = cosines.ravel()
    pairs = np.flatnonzero(cosines >= least)
    # Stable: of equally similar pairs the one whose words stand first in the reference.
    for pair in pairs[np.argsort(-cosines[pairs], kind="mergesort")]:
        i, j = ours[pair // len(theirs)], theirs[pair % len(theirs)]
        if free[i] and partner[j] < 0:
            partner[j] = i
            free[i] = False


@compiled
def _out_of_order(partner, moved):
    """Tell which words' counterparts are not on a longest increasing subsequence."""
    # Patience sorting: the least end of each length, and what stands before each word.
    ends = np.empty(len(partner), dtype=np.int64)
    places = np.empty(len(partner), dtype=np.int64)
    before = np.empty(len(partner), dtype=np.int64)
    n = 0
    for j in range(len(partner)):
        if partner[j] >= 0:
            at = np.searchsorted(ends[:n], partner[j])
            ends[at], places[at] = partner[j], j
            before[j] = places[at - 1] if at else -1
            n = max(n, at + 1)
            moved[j] = True
    j = places[n - 1] if n else -1
    while j >= 0:
        moved[j] = False
        j = before[j]


@compiled
def align_words(references, ref_bounds, hypotheses, hyp_bounds, pairs, units, least):
    """Align pairs (reference, hypothesis): the counterpart of each word of the hypotheses, or -1.

    Texts are words as integers between neighbouring bounds; ``units`` their vectors of length 1 or
    0. Equal words are counterparts, in an order common to both texts as many as there can be; then
    the most similar ones. Also returned is which counterparts stand at another place.
    """
    n = 0
    for row in range(len(pairs)):
        h = pairs[row, 1]
        n += hyp_bounds[h + 1] - hyp_bounds[h]
    partners, moved = np.full(n, -1), np.zeros(n, dtype=np.bool_)
    lengths = np.empty((MOST_WORDS + 1, MOST_WORDS + 1), dtype=np.int16)
    first = np.full(len(units), -1)
    start = 0
    for row in range(len(pairs)):
        r, h = pairs[row]
        reference = references[ref_bounds[r] : ref_bounds[r + 1]]
        hypothesis = hypotheses[hyp_bounds[h] : hyp_bounds[h + 1]]
        end = start + len(hypothesis)
        partner = partners[start:end]
        short = max(len(reference), len(hypothesis)) <= MOST_WORDS
        if short:
            _in_order(reference, hypothesis, lengths, partner)
        free = np.full(len(reference), True)
        free[partner[partner >= 0]] = False
        _equal(reference, hypothesis, first, partner, free)
        if short:
            _similar(reference, hypothesis, units, least, partner, free)
        _out_of_order(partner, moved[start:end])
        start = end
    return partners, moved
