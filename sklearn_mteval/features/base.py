"""What all text transformers share: fit and transform, distinct pairs of texts, jobs."""

import os
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.options import check_n_jobs
from sklearn_mteval._helpers.restored import check_restored
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.text.tokens import flatten

__all__ = [
    "FlatSets", "TextTransformer", "check_names", "first_best", "flatten_sets",
    "ratio", "text_cells", "work_on_pairs",
]  # fmt: skip


class TextTransformer(TransformerMixin, BaseEstimator):
    """Base of transformers from a candidate table to one row of numbers for each row.

    A subclass has ``_fit(X)``, which checks the parameters, calls ``_remember_table`` and learns;
    ``_transform(X)``, which returns the output; ``_output_names``, which lists its columns; and,
    if it learns or has options that memory depends on, ``_is_whole()``, which tells whether what
    was loaded can be what ``_fit`` leaves.
    """

    def fit(self, X, y=None):
        """Check the parameters and the table, and learn what the class says is learnt.

        Number and names of the table's columns become ``n_features_in_``, ``feature_names_in_``.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the text columns that the class reads; others are ignored. A cell of
            ``reference`` may be a list of several references.
        y : None
            Ignored.

        Returns
        -------
        TextTransformer
            The transformer itself.

        Raises
        ------
        ValueError
            If a parameter has no such value; as CandidateError, if a column is missing or has a
            cell that is no text.
        ImportError
            If the parameters ask for what is not installed.
        """
        self._fit(X)
        return self

    def transform(self, X):
        """Compute the output columns.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the text columns of the fit.

        Returns
        -------
        ndarray of shape (n_candidates, n_output_columns), float64
            See Notes of the class; a DataFrame under ``set_output(transform="pandas")``.

        Raises
        ------
        ValueError
            As in ``fit``; also if a model, program or file of the fit is missing or has changed.
        """
        check_is_fitted(self)
        return self._transform(X)

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

    def _remember_table(self, X, columns=("hypothesis", "reference")):
        """Check the columns that are read, set ``n_features_in_`` and ``feature_names_in_``."""
        for column in columns:
            text_cells(X, column)
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)

    def _options(self):
        """Return the parameters that the numbers depend on, for ``work_on_pairs``."""
        options = self.get_params(deep=False)
        del options["n_jobs"]
        return options

    def __getstate__(self):
        # A path as a str loads on any system.
        state = super().__getstate__()
        paths = {k: os.fspath(v) for k, v in state.items() if isinstance(v, os.PathLike)}
        return {**state, **paths}

    def __setstate__(self, state):
        """Check what may come from a stranger's file."""
        super().__setstate__(state)
        check_restored(self, self._is_whole)

    def _is_whole(self):
        return True

    def __sklearn_tags__(self):
        """Declare that the input is a table of texts, not numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


def text_cells(X, column):
    """Return a column as checked tuples of texts: one each, of ``reference`` at least one."""
    if column == "reference":
        return check_texts(X, column, several=True)
    return [(text,) for text in check_texts(X, column)]


def work_on_pairs(function, X, *, n_jobs=None, **options):
    """Compute a row of numbers for each candidate, each distinct pair of texts worked on once.

    ``function(sets, **options)`` is given a list of (tuple of references, list of hypotheses) and
    returns an array of shape (n_pairs, n_columns), or (n_pairs,), the hypotheses of all sets one
    after another; also for no sets. Other processes must find it by its name.
    """
    hypotheses = check_texts(X, "hypothesis")
    references = check_texts(X, "reference", several=True)
    distinct = {}  # references → hypothesis → its row in the results
    for texts, hypothesis in zip(references, hypotheses, strict=True):
        distinct.setdefault(texts, {})[hypothesis] = 0
    numbers = count()
    for rows in distinct.values():
        rows.update(zip(rows, numbers, strict=False))
    sets = [(texts, list(rows)) for texts, rows in distinct.items()]
    check_n_jobs(n_jobs)
    n_chunks = min(effective_n_jobs(n_jobs), len(sets))
    if n_chunks > 1:  # functions treat pairs independently, so that chunks change no bit
        bounds = np.linspace(0, len(sets), n_chunks + 1).astype(int)
        parts = Parallel(n_jobs=n_chunks)(
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


class FlatSets(NamedTuple):
    """The texts of distinct pairs as integers, as the compiled loops take them.

    Text k of a side has the tokens ``bounds[k]`` to ``bounds[k + 1] - 1`` of its array; set s has
    the references ``set_bounds[s]`` to ``set_bounds[s + 1] - 1``. ``set_of`` says the set of each
    hypothesis, never falling, so that what is built for a set is built once.
    """

    hypotheses: np.ndarray
    hyp_bounds: np.ndarray
    references: np.ndarray
    ref_bounds: np.ndarray
    set_of: np.ndarray
    set_bounds: np.ndarray

    def hypothesis_lengths(self):
        """Count the tokens of each hypothesis."""
        return np.diff(self.hyp_bounds)

    def pairs(self):
        """Pair each hypothesis with all its references: the numbers of both, neighbours."""
        n_references = np.diff(self.set_bounds)[self.set_of]
        row = np.repeat(np.arange(len(n_references)), n_references)
        firsts = np.cumsum(n_references) - n_references  # of each hypothesis's pairs
        return row, np.arange(len(row)) + (self.set_bounds[self.set_of] - firsts)[row]

    def mean_reference_lengths(self):
        """Average the numbers of tokens of each hypothesis's references."""
        means = np.diff(self.ref_bounds[self.set_bounds]) / np.diff(self.set_bounds)
        return means[self.set_of]


def flatten_sets(sets, tokens):
    """Turn the sets of :func:`work_on_pairs` into ``FlatSets``; ``tokens``: text → token ids."""
    hypotheses, hyp_bounds = flatten([tokens(text) for _, group in sets for text in group])
    references, ref_bounds = flatten([tokens(text) for texts, _ in sets for text in texts])
    n_hypotheses = np.array([len(group) for _, group in sets], dtype=np.int64)
    n_references = np.array([len(texts) for texts, _ in sets], dtype=np.int64)
    set_of = np.repeat(np.arange(len(sets)), n_hypotheses)
    set_bounds = np.concatenate([[0], np.cumsum(n_references)])
    return FlatSets(hypotheses, hyp_bounds, references, ref_bounds, set_of, set_bounds)


def ratio(numerator, denominator, otherwise=0.0):
    """Divide arrays, giving ``otherwise`` (a number or an array) where the denominator is <= 0."""
    out = np.full(np.broadcast(numerator, denominator).shape, otherwise, dtype=np.float64)
    return np.divide(numerator, denominator, where=denominator > 0, out=out)


def first_best(owners, *keys):
    """Find the row of each owner with the lowest key, ties to the next key, then the first."""
    order = np.lexsort((*reversed(keys), owners))  # stable
    return order[np.unique(owners[order], return_index=True)[1]]


def check_names(option, given, known=None):
    """Raise unless an option is a list or tuple of different names, one at least, all known."""
    named = isinstance(given, list | tuple) and all(isinstance(name, str) for name in given)
    if not named or not given or len(set(given)) < len(given):
        of = "" if known is None else f" of {list(known)}"
        raise ValueError(
            f"{option} must be a non-empty list or tuple of different names{of}, found {given!r}."
        )
    unknown = [name for name in given if known is not None and name not in known]
    if unknown:
        raise ValueError(f"{option} must be of {list(known)}, found {unknown[0]!r}.")
