"""Asking fitted pair classifiers and rankers, and checking what they answer: the place for both.

What a logistic regression says of a pair is a sum of what it says of t1 and of t2: these are added
up once, whatever the number of pairs, and no pair table is made.
"""

import contextlib
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.products import weighted_sums
from sklearn_mteval.candidates import is_float64
from sklearn_mteval.classifiers import LogReg
from sklearn_mteval.classifiers._base import LogOddsClassifier
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.pairs import columns_explained, is_of_numbers, pair_table

# Single precision rounds; so may a normalisation over classes.
_ROUNDING, _SUM_ROUNDING = 1e-6, 1e-3
_LARGEST = 1e100  # beyond it, what a classifier answers, or refuses, is its own


class Pairs:
    """Rows i of X against rows j, (n_pairs,); their table is made once, if it is needed."""

    def __init__(self, estimator, X, i, j, level=None):
        self.estimator, self._X, self._i, self._j, self._level = estimator, X, i, j, level

    def __len__(self):
        return len(self._i)

    @cached_property
    def log_odds(self):
        """Those of t1 being better, of a logistic regression of moderate numbers; else None."""
        weights = weights_of_pairs(self.estimator) if is_of_numbers(self._X) else None
        values = np.asarray(self._X)
        if weights is None or not float(np.abs(values).max(initial=0)) <= _LARGEST:
            return None
        (first, second), intercept = np.split(weights[0], 2), weights[1]
        of_first, of_second = weighted_sums(values, first), weighted_sums(values, second)
        log_odds = of_first[self._i] + of_second[self._j] + intercept
        return log_odds if np.isfinite(log_odds).all() else None

    @cached_property
    def table(self):
        """The pair table."""
        return pair_table(self._X, self._i, self._j, item_level=self._level)


def probabilities(pairs):
    """Return P(t1 better than t2) of each pair, float64, shape (n_pairs,)."""
    if len(pairs.estimator.classes_) == 3:
        answer = outcomes(pairs)
        return answer[:, 2] + answer[:, 1] / 2
    if pairs.log_odds is not None:
        return expit(pairs.log_odds)
    return _distribution(pairs, 2)[:, 1]


def outcomes(pairs):
    """Return P(t1 is worse), P(tie) and P(t1 is better), shape (n_pairs, 3); they add up to 1."""
    answer = _distribution(pairs, 3)
    return answer / answer.sum(axis=1, keepdims=True)


def _distribution(pairs, n_classes):
    """Return probabilities of all classes, checked, shape (n_pairs, n_classes)."""

    def fine_rows(answer):
        between = ((answer >= -_ROUNDING) & (answer <= 1 + _ROUNDING)).all(axis=1)
        with np.errstate(invalid="ignore"):  # of infinities
            return between & (np.abs(answer.sum(axis=1) - 1) <= _SUM_ROUNDING)

    number = {2: "two", 3: "three"}[n_classes]
    expected = f"{number} probabilities between 0 and 1 that add up to 1"
    asked = pairs.estimator, "predict_proba", pairs.table, (len(pairs), n_classes)
    return np.clip(_asked(*asked, fine_rows, expected), 0, 1)


def decisions(pairs):
    """Tell of each pair whether t1 is better, bool, shape (n_pairs,)."""
    if pairs.log_odds is not None:
        return pairs.log_odds > 0
    asked = pairs.estimator, "predict", pairs.table, (len(pairs),)
    return _asked(*asked, lambda answer: np.isin(answer, (0, 1)), "0 or 1") == 1


def margins(pairs):
    """Return how clearly t1 is better, a positive number if it is, shape (n_pairs,)."""
    asked = pairs.estimator, "decision_function", pairs.table, (len(pairs),)
    return _asked(*asked, lambda answer: ~np.isnan(answer), "numbers")


def strengths(ranker, X):
    """Return the strengths that a fitted ranker gives to candidates, finite, shape (n_rows,)."""
    if not hasattr(ranker, "decision_function"):
        raise TypeError(
            f"{ranker!r} cannot rank translations: expected a RankRecomposer, or a pipeline that "
            "ends in one, found an object without decision_function."
        )
    return _asked(ranker, "decision_function", X, (len(X),), np.isfinite, "finite numbers")


def predictions(ranker, X):
    """Return what a ranker of another library predicts, finite, float64, shape (n_rows,)."""
    return _asked(ranker, "predict", X, (len(X),), np.isfinite, "finite numbers")


def check_classes(estimator, *, ties=False):
    """Raise TypeError unless it is a fitted classifier of the labels 0 and 1, with ties 0 to 2."""
    labels, meaning = [0, 1], "0 and 1 (t1 is worse, better)"
    if ties:
        labels, meaning = [0, 1, 2], "0, 1 and 2 (t1 is worse, ties, is better)"
    classes = np.asarray(getattr(estimator, "classes_", None))
    if classes.tolist() == labels and hasattr(estimator, "predict"):
        return
    found = f" with classes_ {classes.tolist()}" if classes.ndim else ""
    raise TypeError(
        f"estimator must be a classifier that learns the labels {meaning} and has classes_ and "
        f"predict, found {estimator!r}{found}."
    )


def _asked(estimator, method, table, shape, is_fine, expected):
    """Ask about a table; check that numbers of a shape come back, and that all are fine."""
    with columns_explained(table):
        given = _answer(estimator, method, table)
    answer = None
    with contextlib.suppress(TypeError, ValueError):
        answer = as_numbers(given)
    if answer is None or answer.shape != shape:
        found = getattr(given, "dtype", type(given).__name__)
        if hasattr(given, "shape"):
            found = f"{found} of shape {np.shape(given)}"
        problem = f"numbers of shape {shape}, found {found}"
    elif not (fine := is_fine(answer)).all():
        row = int(np.flatnonzero(~fine)[0])
        problem = f"{expected}, found in row {row} {answer[row].tolist()}"
    else:
        return answer
    raise ValueError(
        f"{estimator!r} answers {method} with what cannot be used: expected {problem}. It must be "
        "mended, or another one taken."
    )


def _answer(estimator, method, table):
    """Call a method; what scikit-learn's linear classifiers say is added up here."""
    checked = isinstance(table, np.ndarray) and table.dtype == np.float64
    if method == "predict_proba" and checked and isinstance(estimator, LogOddsClassifier):
        return estimator._chances_of(table)
    *steps, last = steps_of(estimator)
    if not is_logistic(last) and not (is_linear(last) and method == "decision_function"):
        return getattr(estimator, method)(table)
    X = estimator[:-1].transform(table) if steps else table
    if issparse(X):
        return getattr(last, method)(X)
    X = validate_data(last, X, reset=False)
    log_odds = weighted_sums(X, last.coef_[0]) + np.ravel(last.intercept_)[0]
    if method == "decision_function":
        return log_odds
    if method == "predict":
        return last.classes_[(log_odds > 0).astype(np.int64)]
    better = expit(log_odds)
    return np.column_stack([1 - better, better])


def without_names(estimator, X):
    """Return checked rows as an array for a classifier that needs no names, else as they are."""
    if not isinstance(estimator, LogOddsClassifier):
        return X
    if isinstance(X, pd.DataFrame):
        return X.to_numpy() if is_float64(X) else X  # asarray takes a hundred times as long
    return X


def is_logistic(classifier):
    """Tell whether it is scikit-learn's own, with two classes and dense coefficients."""
    return type(classifier) in (LogisticRegression, LogisticRegressionCV) and is_linear(classifier)


def is_linear(classifier):
    """Tell whether it decides by X @ coef_ + intercept_, two classes, dense coefficients."""
    coef = getattr(classifier, "coef_", None)
    own = getattr(type(classifier), "decision_function", None)
    linear = getattr(own, "__qualname__", "") == "LinearClassifierMixin.decision_function"
    return linear and isinstance(coef, np.ndarray) and len(coef) == 1


def steps_of(estimator):
    """List the steps of a pipeline, or what is none."""
    return [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]


def weights_of_pairs(estimator):
    """Return coefficients on the pair table and the intercept; None if that is not what it is."""
    *steps, last = steps_of(estimator)
    if not is_logistic(last) and type(last) is not LogReg:
        return None
    coef, intercept = last.coef_[0], last.intercept_[0]
    for step in reversed(steps):
        if type(step) is PairDifference:
            coef = np.concatenate([coef, -coef])
        elif type(step) is StandardScaler:
            coef = coef if step.scale_ is None else coef / step.scale_
            intercept = intercept - (0 if step.mean_ is None else (coef * step.mean_).sum())
        else:
            return None
    return coef, intercept
