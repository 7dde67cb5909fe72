"""The empty translation ∅, which absolute scores compare with (2017 paper, section 6.1)."""

import numpy as np
import pandas as pd

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise.pairs import not_of_numbers, plain_columns


def mean_row(X):
    """Average the candidates, shape (n_features,); NaN for a column that is not of numbers."""
    if not isinstance(X, pd.DataFrame):
        X = pd.DataFrame(X)
    means = np.full(X.shape[1], np.nan)
    for k in range(X.shape[1]):
        column = X.iloc[:, k].to_numpy()
        if column.dtype.kind in "fiub":
            # Sorted, so that the last bits do not depend on the order of the rows.
            means[k] = np.sort(column.astype(np.float64)).mean()
    return means


def rows_of_fifths(X, strengths):
    """Average the candidates of each fifth by strength, weakest first, shape (5, n_features)."""
    order = np.argsort(strengths, kind="stable")
    parts = [order[start:end] for start, end in zip(*bounds_of_fifths(len(order)), strict=True)]
    return np.array([mean_row(X.iloc[p] if isinstance(X, pd.DataFrame) else X[p]) for p in parts])


def bounds_of_fifths(n):
    """Return where each fifth of n candidates starts and ends; of fewer than five, some overlap."""
    starts = np.arange(5) * n // 5
    return starts, np.maximum(np.arange(1, 6) * n // 5, starts + 1)


def shared_features(X, order):
    """Find the columns, shape (n_features,), that are the same for all candidates of each group."""
    several = np.repeat(order.sizes > 1, order.sizes)
    rows = order.rows[several]
    first = np.repeat(order.rows[order.starts], order.sizes)[several]
    shared = np.empty(X.shape[1], dtype=bool)
    for k, column in enumerate(plain_columns(X)):
        if column.dtype.kind in "fiub":
            differences = np.abs(column[rows].astype(np.float64) - column[first])
            # What differs by rounding only is the same.
            shared[k] = (differences <= 1e-6 * np.abs(column).max(initial=0)).all()
        else:
            shared[k] = (column[rows] == column[first]).all()
    return shared


def with_empty(own, numbers, shared):
    """Put the empty translations of candidates below them, those of each row of ``numbers``,
    (n_empty, n_features): their own value in shared columns, else the number, or the empty text, or
    a list of one.
    """
    if not_of_numbers(own):
        own = own.reset_index(drop=True)
        others = [
            pd.DataFrame(
                {
                    name: own[name] if shared[k] else _empty_column(own[name], row[k])
                    for k, name in enumerate(own.columns)
                }
            )
            for row in numbers
        ]
        return pd.concat([own, *others], ignore_index=True)
    values = np.asarray(own)
    values = np.vstack([values, *(np.where(shared, values, row) for row in numbers)])
    return pd.DataFrame(values, columns=own.columns) if isinstance(own, pd.DataFrame) else values


def _empty_column(column, number):
    """Make the column of empty translations that faces one of candidates."""
    if column.dtype.kind in "fiub":
        return pd.Series([number] * len(column))
    for cell in column:
        if not isinstance(cell, str | list | tuple | np.ndarray):
            raise CandidateError(
                f"Column {column.name!r}: expected numbers, texts or lists of texts, found "
                f"{type(cell).__name__}, of which there is no empty translation to compare with. "
                "Make it one of these, or choose another recomposition than 'absolute'."
            )
    return pd.Series(["" if isinstance(cell, str) else [""] for cell in column])
