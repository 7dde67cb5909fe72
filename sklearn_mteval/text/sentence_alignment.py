"""Which sentences of two texts belong together: in the same order, one or several of each side.

Dynamic programming as of Gale and Church (1993), with a likeness as of Thompson and Koehn (2019):
here the n-grams of characters in common, and lengths.
"""

from typing import NamedTuple

import numpy as np

from sklearn_mteval.text.sentences import width

_AT_ONCE = 96  # sentences of a side; more are aligned from the left, piece by piece
_WIDE = 15  # tenths of a letter: characters of a text that are wider on average are nearly words


class Weights(NamedTuple):
    """What an alignment gains and costs, for each tenth of a letter's width but where said.

    A step that aligns widths r and h gains (``likeness`` · Dice − ``threshold``) (r + h) + 2
    ``length`` min(r, h) − ``merging`` (all sentences but the widest of either side); one that
    leaves a sentence of width w out costs ``leaving`` w + ``leaving_short`` w + ``leaving_one``; at
    most ``SHORT`` of a sentence counts for what is merged or short.
    """

    likeness: float
    length: float
    threshold: float
    merging: float
    leaving: float
    leaving_short: float
    leaving_one: float  # in all
    equal: float  # gained besides by two sentences that are equal


SHORT = 1000.0
# Chosen on WMT23 zh-en, lines joined by fours, by how near the mean over windows comes to that over
# lines (benchmarks/windows.py).
OF_ONE_LANGUAGE = Weights(1.0, 0.4, 0.5, 1.4, 0.1, 1.0, 50.0, 0.5)
OF_TWO_LANGUAGES = Weights(1.0, 1.0, 0.8, 1.4, 0.1, 1.0, 50.0, 0.0)


def align_sentences(first, second, weights=OF_ONE_LANGUAGE, *, longest=9000.0):
    """Align two lists of texts: steps (i, i2, j, j2), and their gain for each tenth of a letter.

    In order, texts i to i2 − 1 belong to j to j2 − 1 of the second side, of which one may be empty;
    up to the width ``longest`` (tenths) of either side, 1.2 times the one if that is wider.
    """
    steps, gain, i, j = [], 0.0, 0, 0
    widths = [np.array(list(map(width, texts)), dtype=np.float64) for texts in (first, second)]
    while i < len(first) or j < len(second):
        part = first[i : i + _AT_ONCE], second[j : j + _AT_ONCE]
        lengths = widths[0][i : i + _AT_ONCE], widths[1][j : j + _AT_ONCE]
        found, gains = _aligned(*part, *lengths, weights, longest)
        last = i + _AT_ONCE >= len(first) and j + _AT_ONCE >= len(second)
        if not last:  # the ends of parts need not belong together, their beginnings do
            half = _AT_ONCE // 2
            found = [step for step in found if step[1] <= half and step[3] <= half] or found[:1]
        gain += gains[len(found) - 1]
        steps += [(i + a, i + b, j + c, j + d) for a, b, c, d in found]
        i, j = steps[-1][1], steps[-1][3]
    total = widths[0].sum() + widths[1].sum()
    return steps, gain / total if total else 0.0


def _aligned(first, second, first_lengths, second_lengths, weights, longest):
    """Align texts that are not too many."""
    from sklearn_mteval.text._sentence_kernel import align_lengths, hashed_ngrams, shared_masses

    n_chars = sum(map(len, first)) + sum(map(len, second))
    order = 2 if first_lengths.sum() + second_lengths.sum() > _WIDE * n_chars else 4
    sides, known = [], {}
    names = tuple(
        np.array([known.setdefault(" ".join(text.split()), len(known)) for text in texts], np.int64)
        for texts in (first, second)
    )
    for texts in (first, second):
        # With a blank around, so that a text of one word has n-grams, and words their ends.
        read = [" ".join(["", *text.lower().split(), ""]) for text in texts]
        codes = np.frombuffer("".join(read).encode("utf-32-le", "surrogatepass"), np.uint32)
        sides += [*hashed_ngrams(codes, np.cumsum([0, *map(len, read)]), order), len(texts)]
    lengths = first_lengths, second_lengths
    found = align_lengths(*lengths, *shared_masses(*sides), names, weights, longest, SHORT)
    return list(map(tuple, found[0].tolist())), found[1]
