"""What the machines see of a word: hashes of its form, affixes and shape, and its classes."""

import re
import zlib

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.clause_columns import role_of

WORD_COLUMNS = (
    "form", "lower", "shape", "p1", "p2", "p3", "s1", "s2", "s3", "s4", "flag", "role",
    "c32", "c128", "c512", "c2048",
)  # fmt: skip
_DIGIT = re.compile(r"\d")
_UPPER, _LOWER = re.compile(r"[A-ZÀ-Þ]"), re.compile(r"[a-zß-ÿ]")
_REPEATED = re.compile(r"(.)\1{2,}")
_ASCII = str.maketrans("\u2019\u2018\u201c\u201d\u201e\u2013\u2014", '\'\'"""--')
N_CLASSES = 4


def hash_text(text):
    """Hash a text to a whole number, the same in every process."""
    code = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    return code - (1 << 32) if code >> 31 else code  # as int32 has it


class WordColumns:
    """The columns of words, each distinct word looked at once.

    ``classes`` maps hashes of lower-case words to their numbers in clusterings of word vectors
    from coarse to fine (``word_classes.py``).
    """

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
