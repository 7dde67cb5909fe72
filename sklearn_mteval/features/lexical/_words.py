"""What is known of distinct words: vectors, by meaning or by spelling, and kinds."""

from zlib import crc32

import numpy as np

from sklearn_mteval._helpers.products import left_to_right
from sklearn_mteval.features.lexical._counts_kernel import ALPHA, DIGIT, LONG, PUNCTUATION, UNKNOWN

_SPELLING_DIMENSIONS = 128
_LONG = 4  # characters of a long word


def unit_vectors(words, vectors):
    """Return vectors of length 1, float32, the lengths they had, and which words have one.

    A word without has the mean of its pieces (``##ing``), or else one of its spelling: each
    character n-gram (2 to 4, with the word's ends) adds 1 or −1 in a dimension that its hash
    chooses (feature hashing, Weinberger et al. 2009), so that inflected forms are alike.
    """
    known = np.zeros(len(words), dtype=bool)
    n_dimensions = _SPELLING_DIMENSIONS if vectors is None else vectors.matrix.shape[1]
    units = np.zeros((len(words), n_dimensions), dtype=np.float32)
    if vectors is not None:
        rows = vectors.rows(words)
        known = rows >= 0
        units[known] = vectors.matrix[rows[known]]
    for at in np.flatnonzero(~known):
        unit = units[at]
        pieces = () if vectors is None else vectors.pieces(words[at])
        for piece in pieces:
            unit += vectors.matrix[piece] / len(pieces)  # the sum could overflow
        for value in _hashes(words[at]) if not len(pieces) else ():
            unit[value % n_dimensions] += 1 if value & 0x80000000 else -1
    # Sums in one order of dimensions, whatever stands around; in double precision, for extremes.
    norms = np.sqrt(left_to_right(np.square(units, dtype=np.float64)))
    divisors = np.where(norms > 0, norms, 1)[:, np.newaxis]
    np.divide(units, divisors, out=units, casting="same_kind")
    return units, norms, known


def _hashes(word):
    """Yield a hash of each character n-gram of a word and its ends."""
    word = f"^{word}$".encode("utf-32-le", "surrogatepass")
    for n in (2, 3, 4):
        for start in range(0, len(word) - 4 * n + 1, 4):
            yield crc32(word[start : start + 4 * n])


def kinds_of_words(words, unknown):
    """Return the kinds of words as bits, uint8; ``unknown`` says which of the first are."""
    kinds = np.zeros(len(words), dtype=np.uint8)
    for at, word in enumerate(words):
        letters = word.isalpha()
        kinds[at] = (
            ALPHA * (letters or any(map(str.isalpha, word)))
            + LONG * (letters and len(word) >= _LONG)
            + DIGIT * (not letters and any(map(str.isdigit, word)))
            + PUNCTUATION * (not letters and not any(map(str.isalnum, word)))
        )
    kinds[: len(unknown)] += UNKNOWN * unknown.astype(np.uint8)
    return kinds
