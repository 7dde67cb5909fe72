"""Texts for the encoders: what to encode with, which words there are, which texts."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_mteval.text.tokens import word_ids
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

__all__ = ["TextEncoder", "Texts", "build_vocabulary", "number_texts"]

_KINDS = ("average", "cnn", "lstm", "bilstm")
_TUNING = ("frozen", "moderate", "full")
_UNKNOWN = 0  # row of the word vectors that stands for all unknown words


class TextEncoder(BaseEstimator):
    """How :class:`PairwiseNN` turns texts into vectors on the fly.

    Parameters
    ----------
    kind : {"average", "cnn", "lstm", "bilstm"}, default="average"
        Mean of the word vectors; filters over ``window`` words with maxima over ``pool``
        positions; the last state of an LSTM in one or both directions.
    vectors : path, mapping, KeyedVectors or None, default=None
        Pretrained word vectors, as for ``EmbeddingAverager``; None starts at random.
    n_dimensions : int, default=50
        Size of word vectors that start at random.
    fine_tuning : {"frozen", "moderate", "full"}, default="full"
        Word vectors stay as they are; are trained with a penalty on their distance from the
        start; or are trained freely, with the network's L2 penalty.
    distance_penalty : float, default=0.01
        Of moderate fine-tuning: half its product with the squared distance is added.
    n_units : int, default=50
        Filters of a CNN, units of an LSTM in each direction.
    window : int, default=3
        Words that a filter sees.
    pool : int, default=3
        Positions that each maximum is taken over; the maxima of a sentence are averaged.
    dropout : float, default=0.0
        Share of word-vector entries and outputs that are dropped in training, in [0, 1).
    lowercase : bool, default=True
        Whether to lowercase texts.

    Notes
    -----
    The vocabulary is all words of ``vectors`` and, where vectors are trained, words that two
    or more of the training texts hold. All others share one vector, which starts at zero. A text
    without words is encoded as zeros.

    References
    ----------
    Guzmán et al. 2017, sections 5.6 and 5.7; Kim 2014; Hochreiter and Schmidhuber 1997.
    """

    def __init__(
        self,
        kind="average",
        *,
        vectors=None,
        n_dimensions=50,
        fine_tuning="full",
        distance_penalty=0.01,
        n_units=50,
        window=3,
        pool=3,
        dropout=0.0,
        lowercase=True,
    ):
        self.kind = kind
        self.vectors = vectors
        self.n_dimensions = n_dimensions
        self.fine_tuning = fine_tuning
        self.distance_penalty = distance_penalty
        self.n_units = n_units
        self.window = window
        self.pool = pool
        self.dropout = dropout
        self.lowercase = lowercase

    def __getstate__(self):
        """Keep only what loads anywhere: no path of this system, no mapping of many arrays."""
        state = super().__getstate__().copy()
        if isinstance(self.vectors, Path):
            state["vectors"] = str(self.vectors)
        elif self.vectors is not None and not isinstance(self.vectors, str):
            state["vectors"] = load_word_vectors(self.vectors)
        return state

    def check(self):
        """Check the values of the parameters.

        Raises
        ------
        ValueError
            Naming the parameter.
        """
        for name, allowed in (("kind", _KINDS), ("fine_tuning", _TUNING)):
            if getattr(self, name) not in allowed:
                raise ValueError(
                    f"TextEncoder's {name} must be one of {list(allowed)}, "
                    f"found {getattr(self, name)!r}."
                )
        for name in ("n_dimensions", "n_units", "window", "pool"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"TextEncoder's {name} must be 1 or more, found {value!r}.")
        if not isinstance(self.dropout, float | int) or not 0 <= self.dropout < 1:
            raise ValueError(f"TextEncoder's dropout must be in [0, 1), found {self.dropout!r}.")
        if not self.distance_penalty >= 0:
            raise ValueError(
                "TextEncoder's distance_penalty must be 0 or more, found "
                f"{self.distance_penalty!r}."
            )

    @property
    def trained(self):
        """Tell whether word vectors are fine-tuned.

        Returns
        -------
        bool
            False for frozen ones.
        """
        return self.fine_tuning != "frozen"


class Texts(NamedTuple):
    """The distinct texts of a pair table, as word ids.

    Attributes
    ----------
    of_pair : ndarray of shape (n_pairs, 2 or 3), int64
        Which text t1, t2 and, if it is encoded, the reference are.
    tokens : ndarray of shape (n_tokens,), int64
        Word ids of all texts, one after another.
    bounds : ndarray of shape (n_texts + 1,), int64
        Where each text begins, then the end.
    """

    of_pair: np.ndarray
    tokens: np.ndarray
    bounds: np.ndarray


def number_texts(columns, lowercase):
    """Find the distinct texts of some columns, and their words.

    Parameters
    ----------
    columns : list of lists of str
        Texts of t1, of t2 and, if it is encoded, of the reference.
    lowercase : bool
        Whether to lowercase first.

    Returns
    -------
    texts : Texts
        With word ids from 0 in order of first appearance.
    words : list of str
        The words.
    """
    every = np.concatenate([np.array(column, dtype=object) for column in columns])
    codes, distinct = pd.factorize(every)
    tokens, bounds, words = word_ids(list(distinct), lowercase=lowercase)
    of_pair = codes.reshape(len(columns), -1).T.astype(np.int64)
    return Texts(np.ascontiguousarray(of_pair), tokens, bounds), words


def in_vocabulary(texts, words, vocabulary):
    """Replace word ids by rows of the word vectors.

    Parameters
    ----------
    texts : Texts
        As :func:`number_texts` returns them.
    words : list of str
        Their words.
    vocabulary : sequence of str
        Known words; the first stands in row 1, row 0 is for unknown words.

    Returns
    -------
    Texts
        With the new ids.
    """
    rows = {word: row for row, word in enumerate(vocabulary, start=1)}
    row_of = np.array([rows.get(word, _UNKNOWN) for word in words], dtype=np.int64)
    return texts._replace(tokens=row_of[texts.tokens] if len(words) else texts.tokens)


def build_vocabulary(encoder, texts, words, rng):
    """Choose the vocabulary and the word vectors to start from.

    Parameters
    ----------
    encoder : TextEncoder
        Says which vectors.
    texts : Texts
        Of the training pairs.
    words : list of str
        Their words.
    rng : RandomState
        Draws the vectors of words that have none.

    Returns
    -------
    vocabulary : list of str
        Without the unknown word.
    initial : ndarray of shape (1 + n_words, n_dimensions), float32
        The unknown word's row is zero. New words are uniform with the standard deviation of the
        pretrained ones, or within ± 0.5 / n_dimensions.
    """
    if encoder.vectors is None:
        known, matrix = [], np.zeros((0, encoder.n_dimensions), dtype=np.float32)
        spread = 0.5 / encoder.n_dimensions
    else:
        vectors = load_word_vectors(encoder.vectors)
        known, matrix = list(vectors.words), vectors.matrix
        spread = np.sqrt(3) * float(matrix.std())
    new = []
    if encoder.trained or encoder.vectors is None:
        of_text = np.repeat(np.arange(len(texts.bounds) - 1), np.diff(texts.bounds))
        once_each = np.unique(np.column_stack([texts.tokens, of_text]), axis=0)
        n_texts = np.bincount(once_each[:, 0], minlength=len(words))
        have = set(known)
        new = sorted(
            word for word, n in zip(words, n_texts, strict=True) if n > 1 and word not in have
        )
    drawn = rng.uniform(-spread, spread, (len(new), matrix.shape[1])).astype(np.float32)
    unknown = np.zeros((1, matrix.shape[1]), dtype=np.float32)
    return [*known, *new], np.concatenate([unknown, matrix, drawn])
