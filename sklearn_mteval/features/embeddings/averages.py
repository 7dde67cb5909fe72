"""Averages of word vectors as features (Guzmán et al. 2017, section 5.6)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.restored import is_array
from sklearn_mteval.features.embeddings._sentence_vectors import (
    check_columns_option,
    vector_names,
    vector_similarities,
)
from sklearn_mteval.features.embeddings._word_vectors import WordVectorTransformer
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import flatten, word_ids
from sklearn_mteval.text.transformer import text_cells

_LARGEST = np.finfo(np.float32).max  # so is the largest number of the vectors


class EmbeddingAverager(WordVectorTransformer):
    """Mean of the word vectors of each text (tokenised by sacreBLEU's 13a), the same in any table.

    Parameters
    ----------
    vectors : path-like, mapping, KeyedVectors or WordVectors
        See :func:`~sklearn_mteval.text.load_word_vectors`.
    columns : list or tuple of str, default=("hypothesis", "reference")
        The text columns to average, in the order of the output. A cell of ``reference``
        may be a list of several references: the mean of their averages.
    lowercase : bool, default=True
        Whether to lowercase texts first. Words of the vectors are taken as they are.
    oov : {"zero", "skip", "mean"}, default="zero"
        A word without a vector counts as a zero vector (as in the paper), not at all, or as
        the mean of all vectors that were kept (see ``limit``).
    limit : int or None, default=None
        How many words of the vectors to keep from their beginning, where usual files have
        the most frequent ones. The words of the texts seen in ``fit`` are kept in any case.
        None keeps all. See Notes.
    similarity : bool, default=False
        Whether to add the similarity of the averages of ``hypothesis`` and ``reference``.

    Attributes
    ----------
    vectors_ : WordVectors
        The words that were kept and their vectors. They are saved with the model, so that
        the file need not be there when it is loaded.
    n_dimensions_ : int
        Dimensions of a vector, d.
    coverage_ : dict
        For each column the proportion of running words seen in fit with a vector, in [0, 1].
    mean_vector_ : ndarray of shape (``n_dimensions_``,) or None
        Mean of ``vectors_``, with ``oov="mean"``.

    See Also
    --------
    WordVectorAlignment : Similarity of texts word by word.

    Notes
    -----
    The output columns of ``hypothesis`` are ``hypothesis_emb0`` to ``hypothesis_emb{d-1}``,
    and so on for each column. All are finite; a text without any (known) word is the zero
    vector. With ``similarity=True`` three more follow, made of these averages:

    - ``similarity_cosine``: in [-1, 1], higher is more alike; 0 against a zero vector;
    - ``similarity_euclidean``: distance, 0 or more, *lower* is more alike;
    - ``similarity_length_ratio``: words of the hypothesis / words of the reference (the mean
      of several), 0 for an empty reference.

    With a ``limit``, words that are new in ``transform`` have a vector only if they are among the
    first ``limit``, and a file is read anew for each fit: for a grid search, load it once with
    :func:`~sklearn_mteval.text.load_word_vectors`, which trims too.

    ``fit`` warns if fewer than half of a column's running words, of 1,000 or more, have a vector.

    References
    ----------
    Guzmán et al. 2017, section 5.6.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval import EmbeddingAverager
    >>> X = pd.DataFrame({"hypothesis": ["A cat"], "reference": ["the dog"]})
    >>> vectors = {"a": [1.0, 0.0], "cat": [0.0, 1.0], "dog": [0.5, 0.5]}
    >>> EmbeddingAverager(vectors).set_output(transform="pandas").fit_transform(X)
       hypothesis_emb0  hypothesis_emb1  reference_emb0  reference_emb1
    0              0.5              0.5            0.25            0.25
    """

    def __init__(
        self, vectors: Any, *, columns: Sequence[str] = ("hypothesis", "reference"),
        lowercase: bool = True, oov: str = "zero", limit: int | None = None,
        similarity: bool = False
    ):  # fmt: skip
        self.vectors = vectors
        self.columns = columns
        self.lowercase = lowercase
        self.oov = oov
        self.limit = limit
        self.similarity = similarity

    def _fit(self, X):
        check_columns_option(self.columns, self.similarity)
        check_boolean(lowercase=self.lowercase)
        if self.oov not in ("zero", "skip", "mean"):
            raise ValueError(f"oov must be 'zero', 'skip' or 'mean', found {self.oov!r}.")
        self._load_vectors(X)
        self.mean_vector_ = None
        if self.oov == "mean":
            matrix = self.vectors_.matrix
            self.mean_vector_ = matrix.sum(axis=0, dtype=np.float64) / max(len(matrix), 1)

    def _is_whole(self):
        mean = self.mean_vector_
        return super()._is_whole() and (
            mean is None or is_array(mean, (self.n_dimensions_,), low=-_LARGEST, high=_LARGEST)
        )

    def _transform(self, X):
        columns = [text_cells(X, column) for column in self.columns]
        number_of = {}  # cell → its row among the distinct ones
        rows = [[number_of.setdefault(cell, len(number_of)) for cell in cells] for cells in columns]
        rows = np.array(rows, dtype=np.int64)
        position_of = {}  # text → its row among the distinct ones
        texts = [[position_of.setdefault(text, len(position_of)) for text in c] for c in number_of]
        means, lengths = self._average_words(list(position_of))
        flat, bounds = flatten(texts)
        n_texts = np.diff(bounds)[:, np.newaxis]  # of each cell, at least 1
        means = _sums(flat, bounds, means) / n_texts
        blocks = [means[column] for column in rows]
        if self.similarity:
            lengths = _sums(flat, bounds, lengths[:, np.newaxis]) / n_texts
            pair = [list(self.columns).index(name) for name in ("hypothesis", "reference")]
            blocks.append(vector_similarities(*means[rows[pair]]))
            blocks.append(ratio(*lengths[rows[pair]], 0.0))
        return np.hstack(blocks)

    def _average_words(self, texts):
        """Return each text's mean vector, (n_texts, n_dimensions_), and number of words."""
        flat, bounds, words = word_ids(texts, lowercase=self.lowercase)
        vector_rows = self.vectors_.rows(words)
        known = vector_rows >= 0
        # Only the vectors in use are made float64: the whole matrix may be huge.
        vectors = self.vectors_.matrix[vector_rows[known]].astype(np.float64)
        positions = np.cumsum(known) - 1
        if self.mean_vector_ is not None:
            positions[~known] = len(vectors)
            vectors = np.vstack([vectors, self.mean_vector_])
            known[:] = True
        kept = known[flat]
        kept_bounds = np.concatenate([[0], np.cumsum(kept)])[bounds]
        sums = _sums(positions[flat[kept]], kept_bounds, vectors)
        lengths = np.diff(bounds)
        counts = np.diff(kept_bounds) if self.oov == "skip" else lengths
        return sums / np.maximum(counts, 1)[:, np.newaxis], lengths

    def _output_names(self):
        similarities = ("cosine", "euclidean", "length_ratio") if self.similarity else ()
        return vector_names(self.columns, self.n_dimensions_, similarities)


def _sums(flat, bounds, vectors):
    """Sum vectors[flat[a:b]] for each two neighbouring bounds, always in the order of flat."""
    ones = np.ones(len(flat))
    return csr_array((ones, flat, bounds), shape=(len(bounds) - 1, len(vectors))) @ vectors
