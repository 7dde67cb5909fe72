"""Soft alignment of words by their vectors: each is compared with the most similar one.

As BERTScore does (Zhang et al. 2020, section 3), and the relaxed word mover's distance (Kusner et
al. 2015, section 4).
"""

import json
from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.restored import is_count, refusing
from sklearn_mteval.features.base import flatten_sets, unordered_pairs, work_on_pairs
from sklearn_mteval.features.embeddings._word_vectors import WordVectorTransformer
from sklearn_mteval.text.tokens import TokenInterner, flatten
from sklearn_mteval.text.transformer import text_cells

_MOST_REFERENCES = 10**8  # of a fit; each has a logarithm


class WordVectorAlignment(WordVectorTransformer):
    """Similarity of hypothesis and reference, with each word aligned to the most similar one.

    Texts are tokenised by sacreBLEU's 13a. Other rows of a table change no bit.

    Parameters
    ----------
    vectors, lowercase, limit : see EmbeddingAverager
        The same.
    idf : bool, default=True
        Whether words weigh by their inverse document frequency in precision, recall and F, or
        all the same.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

    Attributes
    ----------
    vectors_, n_dimensions_, coverage_ : see EmbeddingAverager
        The same.
    document_frequencies_ : dict
        For each word the number of distinct references of the fit table that hold it.
    n_references_ : int
        Distinct references of the fit table, M.

    Notes
    -----
    The four output columns, all finite, of cos(h, r) = the cosine of two words' vectors:

    - ``alignment_precision``: mean over the words h of the hypothesis of max over r, in [0, 1];
    - ``alignment_recall``: mean over the words r of the reference of max over h, in [0, 1];
    - ``alignment_f``: their harmonic mean, in [0, 1]; higher is better for all three;
    - ``alignment_rwmd``: relaxed word mover's distance, in [0, 2], *lower* is better: the mean
      over one side's words of the Euclidean distance to the nearest word of the other, of both
      sides the larger. Vectors have length 1, as gensim's ``wmdistance`` takes them.

    A negative maximum counts as 0 in precision and recall: the word is aligned to nothing.
    Means of precision and recall are weighted by idf = log((M + 1) / (document frequency + 1))
    (Zhang et al., section 3: words in no reference count as most informative); the mean is a
    plain one where all weights are 0. The distance is not weighted.

    A word without a vector is like itself, cos = 1, and like no other, cos = 0. So names that
    both sides have match, and names that only one has cost.

    Of several references the one with the highest F counts, for all four columns, the first of
    equals. Without a word on either side precision, recall and F are 0, and the distance is
    that of unrelated words, the square root of 2.

    References
    ----------
    Zhang et al. 2020 (BERTScore), section 3; Kusner et al. 2015 (From word embeddings to
    document distances), section 4.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import WordVectorAlignment
    >>> X = pd.DataFrame({"hypothesis": ["a dog Rex"], "reference": ["the dog Rex barks"]})
    >>> vectors = {"a": [1.0, 0.0], "the": [0.8, 0.6], "dog": [0.0, 1.0]}
    >>> alignment = WordVectorAlignment(vectors, idf=False).set_output(transform="pandas")
    >>> alignment.fit_transform(X).round(3)
       alignment_precision  alignment_recall  alignment_f  alignment_rwmd
    0                0.933               0.7          0.8           0.512
    """

    def __init__(
        self, vectors: Any, *, lowercase: bool = True, idf: bool = True, limit: int | None = None,
        n_jobs: int | None = None
    ):  # fmt: skip
        self.vectors = vectors
        self.lowercase = lowercase
        self.idf = idf
        self.limit = limit
        self.n_jobs = n_jobs

    def _fit(self, X):
        check_boolean(idf=self.idf, lowercase=self.lowercase)
        self._load_vectors(X)
        references = {text: None for cell in text_cells(X, "reference") for text in cell}
        tokens = TokenInterner("13a", self.lowercase)
        frequencies = Counter(chain.from_iterable(set(tokens(text)) for text in references))
        words = tokens.words
        self.document_frequencies_ = dict(sorted((words[k], n) for k, n in frequencies.items()))
        self.n_references_ = len(references)

    def _is_whole(self):
        frequencies, most = self.document_frequencies_, self.n_references_
        return (
            super()._is_whole()
            and isinstance(self.idf, bool)
            and is_count(most, 0, _MOST_REFERENCES)
            and type(frequencies) is dict
            and all(is_count(frequency, 0, most) for frequency in frequencies.values())
        )

    def _transform(self, X):
        return work_on_pairs(
            alignment_scores,
            X,
            n_jobs=self.n_jobs,
            vectors=self.vectors_,
            document_frequencies=self.document_frequencies_ if self.idf else None,
            n_references=self.n_references_,
            lowercase=self.lowercase,
        )

    def _output_names(self):
        return [f"alignment_{name}" for name in ("precision", "recall", "f", "rwmd")]

    def __getstate__(self):
        # One string, because skops would store a dict as two nodes for each word.
        state = super().__getstate__()
        if "document_frequencies_" in state:
            state["document_frequencies_"] = json.dumps(state["document_frequencies_"])
        return state

    def __setstate__(self, state):
        if "document_frequencies_" in state:
            with refusing(self):
                frequencies = json.loads(state["document_frequencies_"])
            state = {**state, "document_frequencies_": frequencies}
        super().__setstate__(state)


def alignment_scores(sets, *, vectors, document_frequencies, n_references, lowercase):
    """Align distinct pairs: precision, recall, F and distance, shape (n_pairs, 4)."""
    from sklearn_mteval.features.embeddings._alignment_kernel import align

    tokens = TokenInterner("13a", lowercase)
    *texts, set_of, set_bounds = flatten_sets(sets, tokens)
    group_bounds = np.searchsorted(set_of, np.arange(len(sets) + 1))
    words = tokens.words
    weights = np.ones(len(words))
    if document_frequencies is not None:
        # Logarithms of the same array every time: those of another could differ in a bit.
        idf = np.log((n_references + 1) / np.arange(1, n_references + 2))
        weights = idf[[document_frequencies.get(word, 0) for word in words]]
    return align(*texts, group_bounds, set_bounds, units_of(words, vectors), weights)


def units_of(words, vectors):
    """Return the vectors of words at length 1, (n_words, n_dimensions); 0 of an unknown word."""
    from sklearn_mteval.features.embeddings._alignment_kernel import unit_vectors

    rows = vectors.rows(words)
    known = rows >= 0
    units = np.zeros((len(words), vectors.matrix.shape[1]))
    units[known] = vectors.matrix[rows[known]]
    unit_vectors(units)
    return units


class AlignmentWithinLists:
    """F of ``WordVectorAlignment``, unweighted, less of a text with over twice another's words."""

    def __init__(self, lists, vectors):
        tokens = TokenInterner("13a", lowercase=True)
        self._flat, self._bounds = flatten([tokens(text) for texts in lists for text in texts])
        self._units = units_of(tokens.words, vectors)
        self._weights = np.ones(len(self._units))

    def cells(self, hypotheses, references):
        """Score pairs of texts, given by their numbers, in [0, 1]: shape (n_pairs,)."""
        from sklearn_mteval.features.embeddings._alignment_kernel import align

        # F is the same, to the bit, whichever of two texts is the reference: align them once.
        first, second, place = unordered_pairs(hypotheses, references)
        ones, group_bounds = np.unique(first, return_index=True)
        sides = *self._texts(second), *self._texts(ones)
        group_bounds, set_bounds = np.append(group_bounds, len(first)), np.arange(len(ones) + 1)
        f = align(*sides, group_bounds, set_bounds, self._units, self._weights)[:, 2]
        lengths = np.diff(self._bounds)[np.stack([first, second])]
        shorter, longer = lengths.min(axis=0), lengths.max(axis=0)
        # A word is aligned to any number of others: else saying all ten times would cost nothing.
        return (f * np.minimum(1, 2 * shorter / np.maximum(longer, 1)))[place]

    def _texts(self, numbers):
        """Concatenate the words of texts, and say where each begins."""
        lengths = np.diff(self._bounds)[numbers]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        shifts = np.repeat(self._bounds[numbers] - bounds[:-1], lengths)
        return self._flat[np.arange(bounds[-1]) + shifts], bounds
