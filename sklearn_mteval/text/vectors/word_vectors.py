"""Word vectors from files (GloVe, word2vec), gensim's KeyedVectors or a mapping."""

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_mteval._helpers.files import real_path
from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, refuse, refusing
from sklearn_mteval.text.vectors.files import read_vector_file
from sklearn_mteval.text.vectors.shipped import SHIPPED, read_shipped

_MOST_DIMENSIONS = 1_000_000  # of saved vectors: texts become rows as wide, though there be no word


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors:
    """Words and their vectors, read-only, as :func:`load_word_vectors` returns them.

    Attributes
    ----------
    words : list of str
        Distinct words.
    matrix : ndarray of shape (n_words, n_dimensions), float32
        Their vectors, C-contiguous, finite and read-only.
    shipped : str or None
        The name of vectors that come with the package; saved is the name only.
    """

    words: list
    matrix: np.ndarray
    shipped: str | None = None

    def __post_init__(self):
        self.matrix.flags.writeable = False

    def rows(self, words: Iterable[str]) -> np.ndarray:
        """Find the rows of words.

        Parameters
        ----------
        words : iterable of n str
            Any words.

        Returns
        -------
        ndarray of shape (n,), int64
            Row of each word in ``matrix``, -1 for an unknown word.
        """
        return np.array([self._row_of.get(word, -1) for word in words], dtype=np.int64)

    def pieces(self, word: str) -> list[int]:
        """Find the rows of a word's pieces, the longest first (WordPiece, Wu et al. 2016).

        Parameters
        ----------
        word : str
            Any word.

        Returns
        -------
        list of int
            Rows of a word that begins it and of those with ``##`` before them that go on; empty
            where the vectors have no such pieces, or not all that are needed.
        """
        if not self._longest_piece:
            return []
        found, start = [], 0
        while start < len(word):
            before = "##" if start else ""
            for end in range(min(len(word), start + self._longest_piece), start, -1):
                row = self._row_of.get(before + word[start:end])
                if row is not None:
                    break
            else:
                return []
            found.append(row)
            start = end
        return found

    def equals(self, other: Any) -> bool:
        """Tell whether these are the same words with the same vectors in the same order.

        Parameters
        ----------
        other : WordVectors or None
            What to compare with.

        Returns
        -------
        bool
            False for None.
        """
        if other is None or other is self:
            return other is self
        return self.words == other.words and np.array_equal(self.matrix, other.matrix)

    @cached_property
    def _row_of(self):
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def _longest_piece(self):
        """Bound the length of pieces, also of those that begin words; 0 without any."""
        some = any(word.startswith("##") for word in self.words)
        return max(map(len, self.words)) if some else 0

    def __repr__(self):
        return "WordVectors({} words, {} dimensions)".format(*self.matrix.shape)

    def __deepcopy__(self, memo):
        return self  # read-only: clones of an estimator may share it

    def __getstate__(self):
        if self.shipped is not None:
            return {"shipped": self.shipped, "sha256": read_shipped(self.shipped)[2]}
        # One string, as skops would store a node for each word; JSON, as words hold any character.
        return {"words": json.dumps(self.words), "matrix": self.matrix}

    def __setstate__(self, state):
        if "shipped" in state:
            if state["shipped"] not in SHIPPED:
                found = state["shipped"]
                raise ValueError(f"This version of the package has no vectors {found!r}.")
            words, matrix, digest = read_shipped(state["shipped"])
            if state.get("sha256") != digest:
                raise ValueError(
                    f"The model was made with other vectors {state['shipped']!r} than this version "
                    "of the package has: use the version that it was saved with."
                )
            self.__dict__.update(words=words, matrix=matrix, shipped=state["shipped"])
            return
        with refusing(self):
            words, matrix = json.loads(state["words"]), state["matrix"]
            shape = len(words), matrix.shape[1]
            whole = is_list_of(str, words, distinct=True) and is_array(matrix, shape, np.float32)
        if not whole or not 1 <= shape[1] <= _MOST_DIMENSIONS:
            refuse(self)
        self.__dict__.update(words=words, matrix=matrix, shipped=None)
        self.__post_init__()


def load_word_vectors(
    source: Any, *, limit: int | None = None, vocabulary: Iterable[str] | None = None,
    max_bytes: int | None = None
) -> WordVectors:  # fmt: skip
    """Load word vectors: those of the package, a file, a mapping or gensim's ``KeyedVectors``.

    Of a word that occurs several times the first vector counts. The last two files are kept in
    memory. A large file, and ``KeyedVectors`` that gensim has loaded with ``mmap="r"``, are trimmed
    while they are read: memory is needed for what is kept, and one piece of the file.

    Parameters
    ----------
    source : path-like, mapping, KeyedVectors or WordVectors
        "english", the vectors that come with the package. Or a file: GloVe's or word2vec's text
        format; word2vec's binary format if its name ends in ``.bin`` or ``.bin.gz``; each also
        gzipped. Or a mapping from words to vectors of one length. Or gensim's ``KeyedVectors``.
    limit : int or None, default=None
        Keep the first so many words. Usual files begin with the most frequent ones.
    vocabulary : iterable of str or None, default=None
        Keep these words, wherever they stand. If neither this nor ``limit`` is given, all
        words are kept.
    max_bytes : int, optional
        The most that a file may hold, decompressed, and a line of it. None: 64 GiB, of a gzip file
        50 times its size (or 16 MiB, if that is more), and 16 MiB a line.

    Returns
    -------
    WordVectors
        In the order of the source; no word if none of the vocabulary is there.

    Raises
    ------
    DataFileError
        If the file cannot be read, is too large or breaks its format, naming the line. The
        numbers of words that are not kept are not looked at.
    ValueError
        If words are no strings or vectors are not finite numbers of one length.

    References
    ----------
    Mikolov et al. 2013 (word2vec); Pennington, Socher and Manning 2014 (GloVe).

    Examples
    --------
    >>> from sklearn_mteval.text import load_word_vectors
    >>> vectors = load_word_vectors({"cat": [1.0, 0.0], "dog": [0.5, 0.5]})
    >>> vectors
    WordVectors(2 words, 2 dimensions)
    >>> load_word_vectors(vectors, vocabulary=["dog", "unicorn"]).words
    ['dog']
    """
    limit, vocabulary = _check_trimming(limit, vocabulary)
    if isinstance(source, str) and source in SHIPPED and not os.path.exists(source):
        source = WordVectors(*read_shipped(source)[:2], source)
    if isinstance(source, str | os.PathLike):
        path = Path(real_path(source))
        return _load_file(path, _state(path), limit, vocabulary, max_bytes)
    if isinstance(source, WordVectors):
        rows = _kept_rows(source.words, limit, vocabulary)
        if len(rows) == len(source.words):
            return source
        return WordVectors([source.words[row] for row in rows], source.matrix[rows])
    words, vectors_at = _opened(source)
    kept = _kept_rows(words, limit, vocabulary)
    # At least one, which says how many dimensions there are.
    vectors = vectors_at(kept or range(len(words))[:1])
    loaded = _from_memory([words[row] for row in kept] or words[:1], vectors)
    return loaded if len(kept) else WordVectors([], loaded.matrix[:0])


def _opened(source):
    """Return the words of a mapping or KeyedVectors, and what fetches the vectors of some."""
    if hasattr(source, "key_to_index") and hasattr(source, "vectors"):
        rows = list(source.key_to_index.values())
        return list(source.key_to_index), lambda kept: np.asarray(source.vectors)[
            [rows[row] for row in kept]
        ]
    if isinstance(source, Mapping):
        words = list(source)
        return words, lambda kept: [source[words[row]] for row in kept]
    raise ValueError(
        "vectors must be the path of a file in GloVe's or word2vec's format, a mapping from "
        f"words to vectors, or gensim's KeyedVectors, found {type(source).__name__}."
    )


def _state(path):
    """Return what tells whether a file has changed, None where it cannot be looked at."""
    with contextlib.suppress(OSError):  # which opening the file explains
        stat = path.stat()
        return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino
    return None


def _check_trimming(limit, vocabulary):
    """Check which words to keep; return a number, or None for all, and a frozenset."""
    if isinstance(vocabulary, str) or not (vocabulary is None or np.iterable(vocabulary)):
        raise ValueError(f"vocabulary must be None or an iterable of words, found {vocabulary!r}.")
    if limit is not None and not is_count(limit, high=np.inf):
        raise ValueError(f"limit must be None or an integer >= 0, found {limit!r}.")
    if vocabulary is not None and limit is None:
        limit = 0
    return limit, frozenset(vocabulary or ())


def _kept_rows(words, limit, vocabulary):
    """List the positions of the words to keep."""
    if limit is None:
        return range(len(words))
    return [row for row, word in enumerate(words) if row < limit or word in vocabulary]


@lru_cache(maxsize=2)  # a grid search fits the same vectors again and again
def _load_file(path, state, limit, vocabulary, max_bytes):
    """Read a file; ``state`` only tells whether it has changed."""
    words, matrix = read_vector_file(path, limit=limit, vocabulary=vocabulary, max_bytes=max_bytes)
    row_of = {}
    for row, word in enumerate(words):
        row_of.setdefault(word, row)
    if len(row_of) < len(words):
        words, matrix = list(row_of), matrix[list(row_of.values())]
    return WordVectors(words, matrix)


def _from_memory(words, vectors):
    """Check and copy words and their vectors."""
    if not words:
        raise ValueError("Expected word vectors, found none.")
    for word in words:
        if not isinstance(word, str):
            raise ValueError(f"Words must be strings, found {type(word).__name__} {word!r}.")
    try:
        n_dimensions = len(vectors[0])
    except TypeError:
        n_dimensions = 0
    matrix = _finite(vectors, (len(words), n_dimensions))
    if matrix is None or n_dimensions == 0:
        for word, vector in zip(words, vectors, strict=True):
            if n_dimensions == 0 or _finite(vector, (n_dimensions,)) is None:
                raise ValueError(
                    f"The vector of {word!r} must be {n_dimensions or 'some'} finite 32-bit "
                    f"numbers (as many as the first word's), found {repr(vector)[:80]}."
                )
    return WordVectors(words, matrix)


def _finite(numbers, shape):
    """Copy finite numbers of a shape as float32; None for anything else."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind not in "iuf" or array.shape != shape:
            return None
        with np.errstate(over="ignore"):
            array = array.astype(np.float32, order="C")
    except (TypeError, ValueError, RuntimeError):  # lists of several lengths; torch's own errors
        return None
    return array if np.isfinite(array).all() else None
