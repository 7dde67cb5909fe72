"""The compiled counts of words by kind and n-grams. Imported on first use: numba is slow to load.

As in ``_kernel``, the compiled code has only what numba compiles quickly.
"""

import math
from functools import partial

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.features.lexical._columns import COUNTED, OF_CHARACTERS

ALPHA, LONG, DIGIT, PUNCTUATION, UNKNOWN = 1, 2, 4, 8, 16  # kinds of words, as bits

_EXACT = COUNTED.index("1gram_precision")
_N_GRAMS = 4  # words of the longest n-grams


@compiled(error_model="numpy")
def _number_ngrams(flat, start, end, bounds, n_words, numbers, keys, found):
    """Number the distinct n-grams of texts, in a hash table by the one without the last word and
    that word; return how many. ``numbers[k, p]`` becomes that of k + 1 words from place p on.
    """
    n_places = bounds[end] - bounds[start]
    mask = 1
    while mask < 2 * _N_GRAMS * n_places:
        mask *= 2
    for slot in range(mask):
        keys[slot] = -1
    mask -= 1
    n = 0
    for t in range(start, end):
        for order in range(_N_GRAMS):
            for p in range(bounds[t], bounds[t + 1] - order):
                prefix = numbers[order - 1, p - bounds[start]] + 1 if order else 0
                key = prefix * n_words + flat[p + order]
                slot = (key * 0x9E3779B1 >> 15) & mask
                while keys[slot] != key and keys[slot] >= 0:
                    slot = (slot + 1) & mask
                if keys[slot] < 0:
                    keys[slot], found[slot] = key, n
                    n += 1
                numbers[order, p - bounds[start]] = found[slot]
    return n


@compiled(error_model="numpy")
def _differing(flat, start, end, others, other_start, other_end, kinds, count):
    """Count digits and punctuation that one of two texts has more often, each surplus copy."""
    for k in range(start, end):
        count[flat[k]] += 1
    for k in range(other_start, other_end):
        count[others[k]] -= 1
    digits, punctuation = 0, 0
    for k in range(end - start + other_end - other_start):
        word = flat[start + k] if k < end - start else others[other_start + k - (end - start)]
        surplus = abs(count[word])
        digits += surplus if kinds[word] & DIGIT else 0
        punctuation += surplus if kinds[word] & PUNCTUATION else 0
        count[word] = 0
    return digits, punctuation


@compiled(error_model="numpy")
def _count_holders(bounds, first, start, end, numbers, holders, last, repeated):
    """Count how many hypotheses have each n-gram, and which of a text's words stood before."""
    for t in range(first, end):
        place, n, n_distinct = bounds[t] - bounds[first], bounds[t + 1] - bounds[t], 0
        for order in range(_N_GRAMS):
            for p in range(place, place + n - order):
                ngram = numbers[order, p]
                if last[ngram] != t:
                    last[ngram] = t
                    n_distinct += order == 0
                    holders[ngram] += t >= start
        repeated[t] = (n - n_distinct) / max(n, 1)


@compiled(error_model="numpy")
def _count_words(
    flat, numbers, begin, t, h, n, r, m, kinds, s, in_source, in_reference, last, holders, row
):
    """Count words unknown or copied, and return how many nobody else has."""
    for p in range(r - begin, r - begin + m):
        in_reference[numbers[0, p]] = t
    unknown, copied, unknown_copied, source_copied, unsupported = 0, 0, 0, 0, 0
    for p in range(h, h + n):
        kind, ngram = kinds[flat[p]], numbers[0, p - begin]
        here, novel = in_source[flat[p]] == s, in_reference[ngram] != t
        last[ngram] = t
        if kind & UNKNOWN and kind & ALPHA:
            unknown += 1
            unknown_copied += here and novel
        if kind & LONG and here:
            source_copied += 1
            copied += novel
        unsupported += novel and holders[ngram] == 1
    size = max(n, 1)
    row[0], row[1] = unknown / size, copied / size
    row[2], row[3] = unknown_copied / size, source_copied / size
    return unsupported


@compiled(error_model="numpy")
def _count_missed(numbers, t, place, m, last, holders):
    """Count who has each word of the reference that hypothesis t has not."""
    missed = 0
    for p in range(place, place + m):
        ngram = numbers[0, p]
        missed += 0 if last[ngram] == t else holders[ngram]
    return missed


@compiled(error_model="numpy")
def _count_first(flat, bounds, t, start, end):
    """Count the other hypotheses that begin with the same word as t."""
    alike = 0
    for other in range(start, end):
        if other != t and bounds[t] < bounds[t + 1] and bounds[other] < bounds[other + 1]:
            alike += flat[bounds[other]] == flat[bounds[t]]
    return alike


@compiled(error_model="numpy")
def _count_ngrams(numbers, mine, n, theirs, m, holders, n_competitors, copies, row):
    """Count the n-grams that the reference has, and how many competitors have each."""
    for order in range(_N_GRAMS):
        shared, support = 0, 0
        for p in range(theirs, theirs + m - order):
            copies[numbers[order, p]] += 1
        for p in range(mine, mine + n - order):
            ngram = numbers[order, p]
            support += holders[ngram] - 1
            if copies[ngram] > 0:
                copies[ngram] -= 1
                shared += 1
        for p in range(theirs, theirs + m - order):
            copies[numbers[order, p]] = 0
        n_mine, n_theirs = max(n - order, 1), max(m - order, 1)
        row[_EXACT + order] = shared / n_mine
        row[_EXACT + 4 + order] = shared / n_theirs
        row[_EXACT + 8 + order] = support / (n_mine * max(n_competitors, 1))


def _steps(flat, bounds, segment_bounds, *_):
    """Say how many n-grams, and pairs of texts of one segment, there are."""
    return _N_GRAMS * len(flat) + (np.diff(segment_bounds) ** 2).sum()


@compiled(error_model="numpy", steps_in_python=_steps)
def _count_segments(
    flat, bounds, segment_bounds, n_references, chosen, sources, source_bounds, kinds,
    result, numbers, keys, found, holders, last, in_reference, copies, in_source, count, repeated,
):  # fmt: skip
    """Fill in ``result``, in the order of ``COUNTED``; what follows it is room to work."""
    for s in range(len(segment_bounds) - 1):
        first, end = segment_bounds[s], segment_bounds[s + 1]
        begin, start = bounds[first], first + n_references[s]
        source_start, source_end = source_bounds[s], source_bounds[s + 1]
        n_source, n_competitors = source_end - source_start, end - start - 1
        for k in range(source_start, source_end):
            in_source[sources[k]] = s
        n_ngrams = _number_ngrams(flat, first, end, bounds, len(kinds), numbers, keys, found)
        for k in range(n_ngrams):
            holders[k], last[k], in_reference[k] = 0, -1, -1
        _count_holders(bounds, first, start, end, numbers, holders, last, repeated)
        logs = 0.0
        for t in range(start, end):
            logs += math.log(max(bounds[t + 1] - bounds[t], 1))
        for t in range(start, end):
            h, n, q, row = bounds[t], bounds[t + 1] - bounds[t], chosen[t], result[t]
            r, m = (bounds[q], bounds[q + 1] - bounds[q]) if q >= 0 else (h, 0)
            size, length = max(n, 1), math.log(max(n, 1))
            unsupported = _count_words(
                flat, numbers, begin, t, h, n, r, m,
                kinds, s, in_source, in_reference, last, holders, row,
            )  # fmt: skip
            row[8] = repeated[t]
            if q >= 0:
                digits, punctuation = _differing(flat, h, h + n, flat, r, r + m, kinds, count)
                row[6], row[7] = digits / max(m, 1), punctuation / max(m, 1)
                row[8] -= repeated[q]
                row[9] = length - math.log(max(m, 1))
            if n_source > 0:
                digits, punctuation = _differing(
                    flat, h, h + n, sources, source_start, source_end, kinds, count
                )
                row[11] = length - math.log(n_source)
                row[13], row[14] = digits / size, punctuation / size
            if n_competitors > 0:
                row[4] = unsupported / size
                missed = _count_missed(numbers, t, r - begin, m, last, holders)
                row[5] = missed / (max(m, 1) * n_competitors)
                row[15] = length - (logs - length) / n_competitors
                row[17] = _count_first(flat, bounds, t, start, end) / n_competitors
            _count_ngrams(numbers, h - begin, n, r - begin, m, holders, n_competitors, copies, row)


def count_segments(
    flat, bounds, segment_bounds, n_references, chosen, sources, source_bounds, kinds
):
    """Count what ``COUNTED`` says of each hypothesis and the reference ``chosen`` (-1: none), shape
    (n_texts, n), rows of references 0; what needs something that is missing is 0.
    """
    n_texts, n_words = len(bounds) - 1, len(kinds)
    most = np.diff(bounds[segment_bounds]).max(initial=0)
    size = _N_GRAMS * most
    result = np.zeros((n_texts, len(COUNTED)))
    integers = partial(np.zeros, dtype=np.int64)
    _count_segments(
        flat, bounds, segment_bounds, n_references, chosen, sources, source_bounds, kinds,
        result, integers((_N_GRAMS, most)),
        # A hash table: keys of n-grams, and their numbers.
        integers(4 * size + 1), integers(4 * size + 1),
        # By n-gram: how many hypotheses have it, the last text and the last reference, copies.
        integers(size), integers(size), integers(size), integers(size),
        np.full(n_words, -1), integers(n_words), np.zeros(n_texts),
    )  # fmt: skip
    result[:, [10, 12, 16]] = np.abs(result[:, [9, 11, 15]])  # differences of lengths
    return result


_MOST_TEXTS = 4096  # worked on at a time, whole segments: some 10 MB
_COLUMNS = [COUNTED.index(name) for name in OF_CHARACTERS]
_BITS = 21  # of a code point


def count_characters(segments, chosen):
    """Count ``characters`` of distinct texts, (n_texts, n), and the references ``chosen`` (-1:
    none); runs of spaces, and ends, are one space.
    """
    last = segments.segment_bounds[1:]
    blocks = np.flatnonzero(np.diff(last // _MOST_TEXTS)) + 1
    parts = [np.zeros((0, len(_COLUMNS)))]
    for some in np.split(np.arange(len(last)), blocks):
        if not len(some):
            continue
        bounds = segments.segment_bounds[some[0] : some[-1] + 2]
        first, end = bounds[0], bounds[-1]
        texts = segments.texts[first:end]
        keys, starts = _trigrams([*texts, *segments.source_texts[some[0] : some[-1] + 1]])
        numbers, distinct = pd.factorize(keys)
        at = starts[len(texts)]  # where the sources begin
        found = count_segments(
            numbers[:at], starts[: len(texts) + 1], bounds - first,
            segments.n_references[some], np.where(chosen >= 0, chosen - first, -1)[first:end],
            numbers[at:], starts[len(texts) :] - at, np.full(len(distinct), LONG, dtype=np.uint8),
        )  # fmt: skip
        parts.append(found[:, _COLUMNS])
    return np.concatenate(parts)


def _trigrams(texts):
    """Return the trigrams of all texts, each as one number, and where each text's begin."""
    spaced = [f" {' '.join(text.split())} " for text in texts]
    ends = np.cumsum([len(text) for text in spaced], dtype=np.int64)
    encoded = "".join(spaced).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(encoded, dtype="<u4").astype(np.int64)
    keys = (codes[:-2] << 2 * _BITS) | (codes[1:-1] << _BITS) | codes[2:]
    # None begins in the last two characters of a text.
    keys = np.delete(np.append(keys, [0, 0]), np.concatenate([ends - 1, ends - 2]))
    return keys, np.concatenate([[0], ends - 2 * np.arange(1, len(texts) + 1)])
