"""Texts as word ids: the distinct texts of a pair table, the vocabulary, its start."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.neural.encoders.options import trains_vectors
from sklearn_mteval.text.tokens import word_ids
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

_UNKNOWN = 0  # row of the word vectors that stands for all unknown words


class Texts(NamedTuple):
    """The distinct texts of a pair table, word ids with ``bounds`` between texts; ``of_pair``
    (n_pairs, 2 or 3) tells which are t1, t2 and, if encoded, the reference.
    """

    of_pair: np.ndarray
    tokens: np.ndarray
    bounds: np.ndarray


def number_texts(columns, lowercase):
    """Find the distinct texts of columns, and the list of words, numbered as they first appear."""
    every = np.concatenate([np.array(column, dtype=object) for column in columns])
    codes, distinct = pd.factorize(every)
    tokens, bounds, words = word_ids(list(distinct), lowercase=lowercase)
    of_pair = codes.reshape(len(columns), -1).T.astype(np.int64)
    return Texts(np.ascontiguousarray(of_pair), tokens, bounds), words


def in_vocabulary(texts, words, vocabulary):
    """Replace word ids by rows of the word vectors: 0 for unknown words, then the vocabulary."""
    rows = {word: row for row, word in enumerate(vocabulary, start=1)}
    row_of = np.array([rows.get(word, _UNKNOWN) for word in words], dtype=np.int64)
    return texts._replace(tokens=row_of[texts.tokens] if len(words) else texts.tokens)


def build_vocabulary(options, texts, words, rng):
    """Choose the words and the vectors they start from, row 0, of unknown words, being zero; new
    ones are uniform, as spread as pretrained ones or within ± 0.5 / n_dimensions.
    """
    if options.vectors is None:
        known, matrix = [], np.zeros((0, options.n_dimensions), dtype=np.float32)
        spread = 0.5 / options.n_dimensions
    else:
        vectors = load_word_vectors(options.vectors)
        known, matrix = list(vectors.words), vectors.matrix
        spread = np.sqrt(3) * float(matrix.std())  # ± a has the standard deviation a / √3
    new = []
    if trains_vectors(options) or options.vectors is None:
        of_text = np.repeat(np.arange(len(texts.bounds) - 1), np.diff(texts.bounds))
        once_each = np.unique(np.column_stack([texts.tokens, of_text]), axis=0)
        n_texts = np.bincount(once_each[:, 0], minlength=len(words))
        have = set(known)
        new = sorted(
            word for word, n in zip(words, n_texts, strict=True) if n > 1 and word not in have
        )
    start = rng.uniform(-spread, spread, (len(new), matrix.shape[1])).astype(np.float32)
    unknown = np.zeros((1, matrix.shape[1]), dtype=np.float32)
    return [*known, *new], np.concatenate([unknown, matrix, start])
