"""Logistic regressions of pairs: what one says of a pair is a sum of what it says of t1 and of t2.

So strengths of rows are added up once, whatever the number of pairs, and no pair table is made.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval._helpers.products import weighted_sums
from sklearn_mteval.classifiers import LogReg
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.pairs import is_of_numbers

_LARGEST = 1e100  # beyond it, what a classifier answers, or refuses, is its own


def is_logistic(classifier):
    """Tell whether it is scikit-learn's own, with two classes and dense coefficients."""
    return type(classifier) in (LogisticRegression, LogisticRegressionCV) and is_linear(classifier)


def is_linear(classifier):
    """Tell whether it decides by X @ coef_ + intercept_, two classes, dense coefficients."""
    coef = getattr(classifier, "coef_", None)
    own = getattr(type(classifier), "decision_function", None)
    linear = getattr(own, "__qualname__", "") == "LinearClassifierMixin.decision_function"
    return linear and isinstance(coef, np.ndarray) and len(coef) == 1


def log_odds_of_pairs(estimator, X, i, j):
    """Return log-odds of t1 being better, float64, shape (n_pairs,), None if they are no such sums.

    Of a table with NaN or huge numbers, too, only the classifier itself can tell.
    """
    weights = _weights(estimator) if is_of_numbers(X) else None
    values = np.asarray(X)
    if weights is None or not float(np.abs(values).max(initial=0)) <= _LARGEST:
        return None
    (first, second), intercept = np.split(weights[0], 2), weights[1]
    log_odds = weighted_sums(values, first)[i] + weighted_sums(values, second)[j] + intercept
    return log_odds if np.isfinite(log_odds).all() else None


def _weights(estimator):
    """Return coefficients on the pair table and the intercept; None if that is not what it is."""
    *steps, last = (
        [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]
    )
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
