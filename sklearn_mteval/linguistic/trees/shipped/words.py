"""What the machines see of a word: hashes of its form, affixes and shape, and its classes.

Classes are clusters of the package's word vectors, the same on every machine: float64 holds the
whole numbers exactly, in any order of adding.
"""

import re
import zlib

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.clause_columns import role_of
from sklearn_mteval.text.vectors.shipped import in_8_bits, read_shipped

WORD_COLUMNS = (
    "form", "lower", "shape", "p1", "p2", "p3", "s1", "s2", "s3", "s4", "flag", "role",
    "c32", "c128", "c512", "c2048",
)  # fmt: skip
_DIGIT = re.compile(r"\d")
_UPPER, _LOWER = re.compile(r"[A-ZÀ-Þ]"), re.compile(r"[a-zß-ÿ]")
_REPEATED = re.compile(r"(.)\1{2,}")
_ASCII = str.maketrans("\u2019\u2018\u201c\u201d\u201e\u2013\u2014", '\'\'"""--')
N_CLASSES = 4
_SIZES = (32, 128, 512, 2048)
_LENGTH = 8192  # of a vector, which is then rounded
_ROUNDS = 12
_BLOCK = 4096  # words whose distances are computed at once


def hash_text(text):
    """Hash a text to a whole number, the same in every process."""
    code = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    return code - (1 << 32) if code >> 31 else code  # as int32 has it


class WordColumns:
    """The columns of words, each distinct word looked at once."""

    def __init__(self, classes):
        self._classes = classes
        self._numbers = {}
        self._rows = np.zeros((1024, len(WORD_COLUMNS)), dtype=np.int32)

    @property
    def n_words(self):
        """How many distinct words have been looked at."""
        return len(self._numbers)

    def __call__(self, words):
        """Return the columns of words, (n_words, n_columns), int32."""
        numbers = self._numbers
        found = np.empty(len(words), dtype=np.int64)
        for k, word in enumerate(words):
            number = numbers.get(word)
            found[k] = self._add(word) if number is None else number
        return self._rows[found]

    def _add(self, word):
        """Compute the columns of a new word, and return its number."""
        number = len(self._numbers)
        if number == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._numbers[word] = number
        self._rows[number] = _columns(word, self._classes)
        return number


def _columns(word, classes):
    """Compute the columns of a word."""
    plain = _DIGIT.sub("0", word.translate(_ASCII))
    lower = plain.lower()
    shape = _REPEATED.sub(r"\1\1", _LOWER.sub("x", _UPPER.sub("X", plain)))
    parts = (
        plain, lower, shape, lower[:1], lower[:2], lower[:3],
        lower[-1:], lower[-2:], lower[-3:], lower[-4:],
    )  # fmt: skip
    flag = (
        word[:1].isupper()
        + 2 * word.isupper()
        + 4 * ("0" in plain)
        + 8 * ("-" in plain)
        + 16 * (not any(map(str.isalnum, word)))
    )
    of_word = classes.get(hash_text(lower), (-1,) * N_CLASSES)
    return [*map(hash_text, parts), flag, role_of(lower), *of_word]


def word_classes(vectors="english", sizes=_SIZES):
    """Map words of the package's vectors to tuples of classes in clusterings of these sizes."""
    words, matrix, _ = read_shipped(vectors)
    kept = [k for k, word in enumerate(words) if not word.startswith(("##", "[unused"))]
    codes = in_8_bits(matrix[kept])[0].astype(np.float64)
    codes = np.rint(codes * (_LENGTH / np.sqrt((codes**2).sum(axis=1, keepdims=True)).clip(1)))
    codes -= np.rint(codes.sum(axis=0) / len(codes))
    rows = np.column_stack([cluster(codes, size) for size in sizes]).tolist()
    return {words[k]: tuple(row) for k, row in zip(kept, rows, strict=True)}


def hashed_classes():
    """Map hashes of words to their classes, as :class:`Model` has them."""
    return {hash_text(word): numbers for word, numbers in word_classes().items()}


def cluster(codes, size):
    """Divide rows of whole numbers among clusters: k-means from evenly spread first means."""
    means = codes[np.linspace(0, len(codes) - 1, min(size, len(codes))).astype(int)]
    for _ in range(_ROUNDS):
        nearest = _nearest(codes, means)
        sums = np.zeros_like(means)
        np.add.at(sums, nearest, codes)
        counts = np.bincount(nearest, minlength=len(means))[:, np.newaxis]
        means = np.where(counts > 0, np.rint(sums / np.maximum(counts, 1)), means)
    return _nearest(codes, means)


def _nearest(codes, means):
    """Find the nearest mean of each row, the first of several."""
    halves = (means**2).sum(axis=1)
    blocks = (codes[k : k + _BLOCK] for k in range(0, len(codes), _BLOCK))
    # |c - m|² = |c|² - 2 c·m + |m|², and |c|² is the same for all means.
    return np.concatenate([(halves - 2 * (block @ means.T)).argmin(axis=1) for block in blocks])
