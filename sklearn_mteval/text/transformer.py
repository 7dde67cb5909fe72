"""What all transformers of texts share: fit, transform, checks of columns and of names."""

import os
from functools import cache
from inspect import signature
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.fitting import WholeFits
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.restored import check_restored
from sklearn_mteval.candidates import check_texts


class ReadsTexts:
    """For estimators whose input is a table of texts, not numbers."""

    def __sklearn_tags__(self):
        """Declare it."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


class TextTransformer(WholeFits, ReadsTexts, TransformerMixin, BaseEstimator):
    """Base of transformers from a candidate table to one row of numbers for each row.

    A subclass has ``_fit(X)``, which calls ``_remember_table``; ``_transform(X)``;
    ``_output_names()``; and, if it learns, ``_is_whole()``, which tells whether a fit can have left
    what was loaded.
    """

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
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

    def transform(self, X: pd.DataFrame) -> Any:
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
        return self._computed(X)

    def _computed(self, X):
        """Compute the output columns, whatever ``set_output`` has asked for."""
        if not hasattr(self, "n_features_in_"):  # to look at all attributes takes a while
            check_is_fitted(self)
        with working(type(self).__name__):
            return self._transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
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
        return {name: getattr(self, name) for name in _names_of_options(type(self))}

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


@cache
def _names_of_options(kind):
    """List the parameters of a class but ``n_jobs``; to look at them takes a while."""
    return [name for name in signature(kind).parameters if name != "n_jobs"]


class TableTransformer(TextTransformer, auto_wrap_output_keys=None):
    """Base of transformers from a candidate table to another one, always a DataFrame."""

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Make the table that the class describes.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            A candidate table with the columns that are read, maybe not all of the fit.

        Returns
        -------
        DataFrame of shape (n_candidates, n_output_columns)
            With the index of X. Cells that hold several references hold lists.

        Raises
        ------
        ValueError
            If a model or parser of the fit is missing or has changed.
        """
        return super().transform(X)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Do nothing: the output is a DataFrame in any case.

        Parameters
        ----------
        transform : str, optional
            Ignored.

        Returns
        -------
        TableTransformer
            The transformer itself.
        """
        return self


def text_cells(X, column):
    """Return a column as checked tuples of texts: one each, of ``reference`` at least one."""
    if column == "reference":
        return check_texts(X, column, several=True)
    return [(text,) for text in check_texts(X, column)]


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
