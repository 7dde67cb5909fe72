"""What all text transformers share: checks, tags, distinct pairs, jobs."""

from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval.candidates import check_texts
from sklearn_mteval.text.tokens import flatten

__all__ = [
    "TextTransformer",
    "flatten_sets",
    "ratio",
    "text_cells",
    "work_on_pairs",
]


class TextTransformer(TransformerMixin, BaseEstimator):
    """Base of transformers from a candidate table to one row of numbers for each row.

    A subclass has ``fit``, which calls ``_remember_table``, ``transform``, and ``_output_names``,
    which lists the names of the output columns.
    """

    def _remember_table(self, X, columns=("hypothesis", "reference")):
        """Check the columns that are read, set ``n_features_in_`` and ``feature_names_in_``."""
        for column in columns:
            text_cells(X, column)
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)

    def get_feature_names_out(self, input_features=None):
        """Name the output columns.

        Parameters
        ----------
        input_features : None
            Ignored: the names do not depend on the input.

        Returns
        -------
        ndarray of shape (n_output_columns,), object
            See Notes of the class.
        """
        check_is_fitted(self)
        return np.array(self._output_names(), dtype=object)

    def __sklearn_tags__(self):
        """Declare that the input is a table of texts, not numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


def text_cells(X, column):
    """Return the texts of each cell of a column, checked.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A table with that column.
    column : str
        Its name. A cell of ``reference`` may hold several texts, others hold one.

    Returns
    -------
    list of n_candidates tuples of str
        At least one text each.
    """
    if column == "reference":
        return check_texts(X, column, several=True)
    return [(text,) for text in check_texts(X, column)]


def work_on_pairs(function, X, *, n_jobs=None, **options):
    """Compute numbers for each candidate, each distinct pair of texts worked on once.

    Parameters
    ----------
    function : callable
        ``function(sets, **options)`` → ndarray of shape (n_pairs, n_columns). ``sets`` is a
        list of (tuple of references, list of hypotheses), each distinct pair of hypothesis
        and references once; the rows are those of the hypotheses, one after another. It must
        treat pairs independently (so that ``n_jobs`` does not change a bit), give
        (0, n_columns) for no sets and be importable by name (for other processes).
    X : DataFrame of shape (n_candidates, n_columns)
        With the columns ``hypothesis`` and ``reference``.
    n_jobs : int or None, default=None
        Processes.
    **options : dict
        Passed on.

    Returns
    -------
    ndarray of shape (n_candidates, n_columns)
        The row of each candidate's pair.
    """
    hypotheses = check_texts(X, "hypothesis")
    references = check_texts(X, "reference", several=True)
    distinct = {}  # references → hypothesis → its row in the results
    for texts, hypothesis in zip(references, hypotheses, strict=True):
        distinct.setdefault(texts, {})[hypothesis] = 0
    n_distinct = 0
    for rows in distinct.values():
        for hypothesis in rows:
            rows[hypothesis] = n_distinct
            n_distinct += 1
    sets = [(texts, list(rows)) for texts, rows in distinct.items()]
    n_chunks = min(effective_n_jobs(n_jobs), len(sets))
    if n_chunks > 1:
        bounds = np.linspace(0, len(sets), n_chunks + 1).astype(int)
        parts = Parallel(n_jobs=n_jobs)(
            delayed(function)(sets[start:end], **options) for start, end in pairwise(bounds)
        )
        results = np.concatenate(parts)
    else:
        results = function(sets, **options)
    rows = [
        distinct[texts][hypothesis]
        for texts, hypothesis in zip(references, hypotheses, strict=True)
    ]
    return results[np.array(rows, dtype=np.int64)]


def flatten_sets(sets, tokens):
    """Turn the texts of distinct pairs into integers.

    Parameters
    ----------
    sets : list of (tuple of str, list of str)
        References and the hypotheses beside them, as of :func:`work_on_pairs`.
    tokens : callable
        From a text to the list of its tokens' ids, such as a ``TokenInterner``.

    Returns
    -------
    hypotheses : ndarray of shape (n_hypothesis_tokens,), int64
        Token ids of all hypotheses.
    hyp_bounds : ndarray of shape (n_hypotheses + 1,), int64
        Where each hypothesis begins, then the end.
    references, ref_bounds : ndarray, int64
        The same for the references.
    set_of : ndarray of shape (n_hypotheses,), int64
        The set of each hypothesis, not falling.
    set_bounds : ndarray of shape (n_sets + 1,), int64
        First reference of each set, then the end.
    """
    references, ref_bounds = flatten([tokens(text) for texts, _ in sets for text in texts])
    hypotheses, hyp_bounds = flatten([tokens(text) for _, group in sets for text in group])
    n_hypotheses = np.array([len(group) for _, group in sets], dtype=np.int64)
    n_references = np.array([len(texts) for texts, _ in sets], dtype=np.int64)
    set_of = np.repeat(np.arange(len(sets)), n_hypotheses)
    set_bounds = np.concatenate([[0], np.cumsum(n_references)])
    return hypotheses, hyp_bounds, references, ref_bounds, set_of, set_bounds


def ratio(numerator, denominator, otherwise=0.0):
    """Divide, giving another number where the denominator is 0.

    Parameters
    ----------
    numerator, denominator : ndarrays of one shape
        The denominator is not negative.
    otherwise : float, default=0.0
        The other number.

    Returns
    -------
    ndarray
        Of the same shape, float64.
    """
    out = np.full(numerator.shape, otherwise)
    return np.divide(numerator, denominator, where=denominator > 0, out=out)
