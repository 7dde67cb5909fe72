"""What all text transformers share: checks, tags, distinct pairs, jobs."""

from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin

from sklearn_mteval.candidates import check_texts

__all__ = ["TextTransformer", "check_integer", "text_cells", "work_on_pairs"]


class TextTransformer(TransformerMixin, BaseEstimator):
    """Base of transformers from a candidate table's texts to one row of numbers for each row."""

    def _remember_table(self, X, columns=("hypothesis", "reference")):
        """Check the text columns and set ``n_features_in_`` and ``feature_names_in_``."""
        for column in columns:
            text_cells(X, column)
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)

    def __sklearn_tags__(self):
        """Declare that the input is a table of texts, not numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


def check_integer(name, value, *, minimum):
    """Raise unless an option is an integer that is large enough.

    Parameters
    ----------
    name : str
        Name of the option.
    value : object
        Its value.
    minimum : int
        The smallest value allowed.

    Raises
    ------
    ValueError
        Naming the option, what was expected and what was found.
    """
    integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not integer or value < minimum:
        raise ValueError(f"{name} must be an integer >= {minimum}, found {value!r}.")


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
