"""The compiled counts of words by kind. Imported on first use: numba is slow to load."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

__all__ = ["ALPHA", "COUNTED", "DIGIT", "LONG", "PUNCTUATION", "UNKNOWN", "count_segments"]

ALPHA, LONG, DIGIT, PUNCTUATION, UNKNOWN = 1, 2, 4, 8, 16  # kinds of words, as bits

# What is counted for a hypothesis, in this order.
COUNTED = (
    *("unknown", "copied", "unknown_copied", "source_copied"),
    *("competing_unsupported", "competing_missed"),
    *("digits", "punctuation", "first", "last", "repetition", "length", "length_difference"),
    *("source_length", "source_length_difference", "source_digits", "source_punctuation"),
    *("competing_length", "competing_length_difference", "competing_first"),
)
_N_COUNTED = len(COUNTED)


@compiled
def _share(count, n):
    """Divide a count by a number of words, by 1 where there is none."""
    return count / max(n, 1)


@compiled
def _differing(a, b, kinds, kind, count):
    """Count the words of a kind that one of two texts has more often, each surplus copy."""
    for word in a:
        count[word] += 1
    for word in b:
        count[word] -= 1
    n = 0
    for text in (a, b):
        for word in text:
            if kinds[word] & kind:
                n += abs(count[word])
            count[word] = 0
    return n


@compiled
def _cosine(a, b, units):
    """Return the cosine of two words, none below 0; a word is like itself."""
    if a == b:
        return 1.0
    total = 0.0
    for k in range(units.shape[1]):
        total += units[a, k] * units[b, k]
    return min(max(total, 0.0), 1.0)


@compiled
def _repeated(text, seen, stamp):
    """Return the share of a text's words that stood there before."""
    n = 0
    for word in text:
        n += seen[word] == stamp
        seen[word] = stamp
    return _share(n, len(text))


@compiled
def count_segments(
    flat, bounds, segment_bounds, n_references, chosen, sources, source_bounds, kinds, units
):
    """Count what ``COUNTED`` says for each hypothesis: shape (n_texts, n), rows of references 0.

    Texts as for ``compare_segments``, ``chosen`` is the reference that each is compared with, -1
    for none; source s is of segment s. What needs a reference, a source or competitors is 0
    without.
    """
    result = np.zeros((len(bounds) - 1, _N_COUNTED))
    n_words = len(kinds)
    # A word's stamp says for which segment, or text, it was seen last.
    in_source, in_reference = np.full(n_words, -1), np.full(n_words, -1)
    in_text, holders = np.full(n_words, -1), np.zeros(n_words)
    count = np.zeros(n_words, dtype=np.int64)
    empty = flat[:0]
    for s in range(len(segment_bounds) - 1):
        source = sources[source_bounds[s] : source_bounds[s + 1]]
        for word in source:
            in_source[word] = s
        start, end = segment_bounds[s] + n_references[s], segment_bounds[s + 1]
        n_competitors = end - start - 1
        logs = 0.0
        for t in range(start, end):
            text = flat[bounds[t] : bounds[t + 1]]
            logs += np.log(max(len(text), 1))
            for word in text:
                if in_text[word] != t:
                    in_text[word] = t
                    holders[word] += 1
        for t in range(start, end):
            text, row = flat[bounds[t] : bounds[t + 1]], result[t]
            n, q = len(text), chosen[t]
            reference = flat[bounds[q] : bounds[q + 1]] if q >= 0 else empty
            for word in reference:
                in_reference[word] = t
            for word in text:
                kind, novel = kinds[word], in_reference[word] != t
                unknown = kind & UNKNOWN and kind & ALPHA
                row[0] += unknown != 0
                if kind & LONG and in_source[word] == s:
                    row[3] += 1
                    row[1] += novel
                row[2] += unknown != 0 and novel and in_source[word] == s
                row[4] += novel and holders[word] == 1 and n_competitors > 0
            row[:5] /= max(n, 1)
            row[10] = _repeated(text, in_text, len(bounds) + 2 * t)
            length = np.log(max(n, 1))
            if len(source):
                row[13] = length - np.log(len(source))
                row[15] = _share(_differing(text, source, kinds, DIGIT, count), n)
                row[16] = _share(_differing(text, source, kinds, PUNCTUATION, count), n)
            if n_competitors > 0:
                row[17] = length - (logs - length) / n_competitors
                first = 0
                for other in range(start, end):
                    same = bounds[other] < bounds[other + 1] and n > 0
                    first += other != t and same and flat[bounds[other]] == text[0]
                row[19] = first / n_competitors
            if q >= 0:
                m = len(reference)
                for word in text:
                    holders[word] = -abs(holders[word])  # marks what this text has
                for word in reference:
                    if holders[word] > 0 and n_competitors > 0:
                        row[5] += holders[word] / n_competitors
                for word in text:
                    holders[word] = abs(holders[word])
                row[5] = _share(row[5], m)
                row[6] = _share(_differing(text, reference, kinds, DIGIT, count), m)
                row[7] = _share(_differing(text, reference, kinds, PUNCTUATION, count), m)
                if n and m:
                    row[8] = _cosine(text[0], reference[0], units)
                    row[9] = _cosine(text[-1], reference[-1], units)
                row[10] -= _repeated(reference, in_text, len(bounds) + 2 * t + 1)
                row[11] = length - np.log(max(m, 1))
            for k in (11, 13, 17):
                row[k + 1] = abs(row[k])
        for t in range(start, end):
            for word in flat[bounds[t] : bounds[t + 1]]:
                holders[word] = 0
    return result
