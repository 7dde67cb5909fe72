"""Averages of word vectors as features.

The "embeddings" of Guzmán et al. 2017, section 5.6: a sentence is the mean of the vectors
of its words, unknown words counting as zero vectors.
"""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._tokens import word_ids
from sklearn_mteval.features._base import TextTransformer, text_cells
from sklearn_mteval.word_vectors import load_word_vectors

__all__ = ["EmbeddingAverager"]


class EmbeddingAverager(TextTransformer):
    """Mean of the word vectors of each text.

    Each distinct text is tokenised (sacreBLEU's 13a) and averaged once. Equal texts give
    equal bits, whatever rows surround them.

    Parameters
    ----------
    vectors : path-like, mapping, KeyedVectors or WordVectors
        See :func:`~sklearn_mteval.word_vectors.load_word_vectors`.
    columns : list or tuple of str, default=("hypothesis", "reference")
        The text columns to average, in the order of the output. A cell of ``reference``
        may be a list of several references: the mean of their averages.
    lowercase : bool, default=True
        Whether to lowercase texts first. Words of the vectors are taken as they are.
    oov : {"zero", "skip"}, default="zero"
        A word without a vector counts as a zero vector (as in the paper), or not at all.

    Attributes
    ----------
    vectors_ : WordVectors
        The words and their vectors. They are saved with the model, so that the file need
        not be there when it is loaded.
    n_dimensions_ : int
        Dimensions of a vector, d.
    n_features_in_ : int
        Columns of the table seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names.

    See Also
    --------
    BLEUComp : Features from n-gram matches.

    Notes
    -----
    The output columns of ``hypothesis`` are ``hypothesis_emb0`` to ``hypothesis_emb{d-1}``,
    and so on for each column. All are finite; a text without any (known) word is the zero
    vector. A saved or pickled transformer holds a path as a str, and vectors that were given
    in memory as ``WordVectors``.

    References
    ----------
    Guzmán et al. 2017, section 5.6.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval import EmbeddingAverager
    >>> X = pd.DataFrame({"hypothesis": ["A cat"], "reference": ["the dog"]})
    >>> vectors = {"a": [1.0, 0.0], "cat": [0.0, 1.0], "dog": [0.5, 0.5]}
    >>> EmbeddingAverager(vectors).set_output(transform="pandas").fit_transform(X).T
                        0
    hypothesis_emb0  0.50
    hypothesis_emb1  0.50
    reference_emb0   0.25
    reference_emb1   0.25
    """

    def __init__(self, vectors, *, columns=("hypothesis", "reference"), lowercase=True, oov="zero"):
        self.vectors = vectors
        self.columns = columns
        self.lowercase = lowercase
        self.oov = oov

    def fit(self, X, y=None):
        """Load the vectors, check the table and the parameters.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the text columns.
        y : None
            Ignored.

        Returns
        -------
        EmbeddingAverager
            The transformer itself.
        """
        columns = self.columns
        named = isinstance(columns, list | tuple) and all(isinstance(c, str) for c in columns)
        if not named or not columns or len(set(columns)) < len(columns):
            raise ValueError(
                "columns must be a non-empty list or tuple of different column names, found "
                f"{columns!r}."
            )
        if self.oov not in ("zero", "skip"):
            raise ValueError(f"oov must be 'zero' or 'skip', found {self.oov!r}.")
        self._remember_table(X, columns)
        self.vectors_ = load_word_vectors(self.vectors)
        self.n_dimensions_ = self.vectors_.matrix.shape[1]
        return self

    def transform(self, X):
        """Average the word vectors of each text.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the text columns.

        Returns
        -------
        ndarray of shape (n_candidates, len(columns) * n_dimensions_), float64
            See Notes of the class; a DataFrame under ``set_output(transform="pandas")``.
        """
        check_is_fitted(self)
        columns = [text_cells(X, column) for column in self.columns]
        number_of = {}  # cell → its row among the distinct ones
        rows = [[number_of.setdefault(cell, len(number_of)) for cell in cells] for cells in columns]
        texts = {text: None for cell in number_of for text in cell}
        means = self._average_words(list(texts))
        position_of = {text: position for position, text in enumerate(texts)}
        flat = np.array([position_of[text] for cell in number_of for text in cell], dtype=np.int64)
        bounds = np.concatenate([[0], np.cumsum([len(cell) for cell in number_of], dtype=np.int64)])
        means = _sums(flat, bounds, means) / np.maximum(np.diff(bounds), 1)[:, np.newaxis]
        return np.hstack([means[column] for column in np.array(rows, dtype=np.int64)])

    def _average_words(self, texts):
        """Return the mean vector of each text, (n_texts, n_dimensions_)."""
        flat, bounds, words = word_ids(texts, lowercase=self.lowercase)
        vector_rows = self.vectors_.rows(words)
        known = vector_rows >= 0
        kept = known[flat]
        # Only the vectors in use are made float64: the whole matrix may be huge.
        vectors = self.vectors_.matrix[vector_rows[known]].astype(np.float64)
        positions = np.cumsum(known) - 1
        kept_bounds = np.concatenate([[0], np.cumsum(kept)])[bounds]
        sums = _sums(positions[flat[kept]], kept_bounds, vectors)
        counts = np.diff(bounds if self.oov == "zero" else kept_bounds)
        return sums / np.maximum(counts, 1)[:, np.newaxis]

    def get_feature_names_out(self, input_features=None):
        """Name the output columns.

        Parameters
        ----------
        input_features : None
            Ignored: the names do not depend on the input.

        Returns
        -------
        ndarray of shape (len(columns) * n_dimensions_,), object
            See Notes of the class.
        """
        check_is_fitted(self)
        dimensions = range(self.n_dimensions_)
        names = [f"{column}_emb{k}" for column in self.columns for k in dimensions]
        return np.array(names, dtype=object)

    def __getstate__(self):
        # Only types that load anywhere: no path of this system, none of gensim's classes,
        # no mapping of thousands of arrays.
        state = super().__getstate__().copy()
        if isinstance(self.vectors, Path):
            state["vectors"] = str(self.vectors)
        elif not isinstance(self.vectors, str):
            vectors, fitted = load_word_vectors(self.vectors), state.get("vectors_")
            # Stored once, unless set_params has changed the parameter after fit.
            state["vectors"] = fitted if vectors.equals(fitted) else vectors
        return state


def _sums(flat, bounds, vectors):
    """Sum vectors[flat[a:b]] for each two neighbouring bounds, always in the order of flat."""
    ones = np.ones(len(flat))
    return csr_array((ones, flat, bounds), shape=(len(bounds) - 1, len(vectors))) @ vectors
