"""From a pair table back to its candidates: each distinct one once, its trees and its numbers."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array

from sklearn_mteval._helpers.order import hash_rows
from sklearn_mteval.candidates import content_keys
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pair_classifiers import check_halves

LARGEST, SMALLEST = 1e100, 1e-30  # of numbers; of what they vary by: squares of ratios are finite


class Candidates(NamedTuple):
    """Distinct candidates: lists of trees by column, and numbers, (n, n_numbers)."""

    trees: list
    numbers: np.ndarray

    def take(self, rows):
        """Return some of the candidates."""
        trees = [[column[row] for row in rows] for column in self.trees]
        return Candidates(trees, np.ascontiguousarray(self.numbers[rows]))


class Columns(NamedTuple):
    """Positions, among the features of one candidate, of trees and of numbers."""

    trees: list
    numbers: list


class Pairs(NamedTuple):
    """Pairs of candidates that were decided: better and worse one, how often, and a row of each."""

    winners: np.ndarray
    losers: np.ndarray
    counts: np.ndarray
    rows: np.ndarray

    def take(self, kept):
        """Return some of the pairs."""
        return Pairs(*(values[kept] for values in self))


def read_table(estimator, X, known=None):
    """Check a pair table; return trees and numbers, t1 of all rows before t2, and their Columns."""
    if not isinstance(X, pd.DataFrame) and not hasattr(X, "toarray"):
        X = np.asarray(X)
    texts = _text_columns(X)
    n_features = X.shape[1] if getattr(X, "ndim", 2) == 2 else 0
    numbers = [k for k in range(n_features) if k not in texts]
    if numbers or not texts:
        values = _numbers(X, numbers if texts else None, estimator)
    else:
        values = np.zeros((len(X), 0))
    trees = [np.asarray(_columns(X, [k]), dtype=object).ravel().tolist() for k in texts]
    names = getattr(X, "columns", range(n_features))
    found = _columns_of_t1(texts, numbers, check_halves(n_features), names)
    n = len(found.trees)
    trees = [one + two for one, two in zip(trees[:n], trees[n:], strict=True)]
    values = np.concatenate(np.split(values, 2, axis=1))
    if known is not None and found != known:
        raise CandidateError(
            f"X has trees in the columns {[names[k] for k in found.trees]} of a translation's, in "
            f"fit they stood in the columns {[names[k] for k in known.trees]}."
        )
    return trees, values, found


def _columns_of_t1(texts, numbers, half, names):
    """Return the Columns of the first half, or raise where the second one lists others."""
    of_t1 = [k for k in texts if k < half]
    if [*of_t1, *(k + half for k in of_t1)] != texts:
        raise CandidateError(
            "The second half of a pair table must list the columns of the first, found trees in "
            f"{[names[k] for k in texts]}."
        )
    return Columns(of_t1, [k for k in numbers if k < half])


def _numbers(X, positions, estimator):
    """Check columns of numbers; None: all."""
    part = X if positions is None else _columns(X, positions)
    values = check_array(part, dtype=np.float64, estimator=estimator, input_name="X")
    if (large := values[np.abs(values) > LARGEST]).size:
        raise ValueError(
            f"Expected numbers of at most {LARGEST:g} in magnitude, found {large[0]:g}: scale or "
            "leave out the column."
        )
    return values


def distinct_candidates(trees, numbers):
    """Return the distinct rows, in the order of their content, and which of them each row is."""
    columns = [np.array(column, dtype=object) for column in trees] + list(numbers.T + 0.0)
    codes = np.zeros(len(numbers), dtype=np.int64)
    for column in columns:
        part, values = pd.factorize(column)
        codes = pd.factorize(codes * len(values) + part)[0]
    _, first = np.unique(codes, return_index=True)
    keys = [content_keys(column[first], "tree") if column.dtype == object else column[first]
            for column in columns]  # fmt: skip
    order = np.argsort(hash_rows(keys, len(first)), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    rows = first[order]
    return Candidates([[c[k] for k in rows] for c in trees], numbers[rows]), place[codes]


def decided_pairs(first, second, first_is_better):
    """Return the distinct pairs of different candidates, in the order of their numbers."""
    winners = np.where(first_is_better, first, second)
    losers = np.where(first_is_better, second, first)
    differ = np.flatnonzero(winners != losers)
    keys = winners[differ] * (max(winners.max(), losers.max()) + 1) + losers[differ]
    _, rows, counts = np.unique(keys, return_index=True, return_counts=True)
    rows = differ[rows]
    return Pairs(winners[rows], losers[rows], counts.astype(np.float64), rows)


def _text_columns(X):
    """List the positions of columns that hold texts, as the first row tells."""
    if isinstance(X, pd.DataFrame):
        X = X.iloc[:1].to_numpy(dtype=object)
    if X.ndim != 2 or X.dtype.kind not in "OUS" or not len(X):
        return []
    return [k for k, cell in enumerate(X[0]) if isinstance(cell, str) and not _is_number(cell)]


def _is_number(text):
    """Tell whether a text is a number, as scikit-learn takes it for one."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _columns(X, positions):
    return X.iloc[:, positions] if isinstance(X, pd.DataFrame) else X[:, positions]
