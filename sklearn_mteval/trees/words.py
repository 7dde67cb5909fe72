"""What the machines see of a word: hashes of its form, affixes and shape, and its classes."""

import re
import zlib

import numpy as np

__all__ = ["WORD_COLUMNS", "WordColumns", "hash_text", "word_rows"]

WORD_COLUMNS = (
    "form", "lower", "shape", "p1", "p2", "p3", "s1", "s2", "s3", "s4", "flag",
    "c32", "c128", "c512", "c2048",
)  # fmt: skip
_DIGIT = re.compile(r"\d")
_UPPER, _LOWER, _REPEATED = re.compile(r"[A-ZÀ-Þ]"), re.compile(r"[a-zß-ÿ]"), re.compile(r"(.)\1{2,}")
_ASCII = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"})
_N_CLASSES = 4


def hash_text(text):
    """Hash a text to a whole number, the same in every process."""
    return np.int32(np.uint32(zlib.crc32(text.encode("utf-8", "surrogatepass"))).view(np.int32))


class WordColumns:
    """The columns of words, each distinct word looked at once.

    ``classes`` maps lower-case words to their numbers in clusterings of word vectors from coarse
    to fine (``word_classes.py``).
    """

    def __init__(self, classes):
        self._classes = classes
        self._numbers = {}
        self._rows = np.zeros((1024, len(WORD_COLUMNS)), dtype=np.int32)

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
    of_word = classes.get(lower, (-1,) * _N_CLASSES)
    return [*map(hash_text, parts), flag, *of_word]
