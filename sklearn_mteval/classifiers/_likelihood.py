"""The likelihood of logistic regression, and its maximum by scikit-learn's Newton method."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils import gen_batches

# Numbers of a block of rows, which the processor's cache should hold.
_NUMBERS = 1 << 16


class Fit(NamedTuple):
    """A model: weights of the design's columns, the log-likelihood, its gradient and information.

    The information is Σ p (1 − p) x xᵀ over the rows x, minus the second derivative.
    """

    weights: np.ndarray
    value: float
    gradient: np.ndarray
    information: np.ndarray
    n_iterations: int = 0
    converged: bool = False
    separated: bool = False  # the likelihood has no maximum


def maximise(columns, y, basis, *, start=None, max_iter, tol):
    """Fit a model in the span of an orthonormal basis of the columns, beginning with weights."""
    X = columns @ basis
    model = LogisticRegression(
        C=np.inf,
        fit_intercept=False,
        solver="newton-cholesky",
        tol=tol,
        max_iter=max_iter,
        warm_start=True,
    )
    if start is not None:
        model.coef_ = (start @ basis)[np.newaxis]
    with warnings.catch_warnings():
        # It cannot know separation, which it takes for bad conditioning; see below.
        warnings.simplefilter("ignore")
        model.fit(X, y)
    fit = likelihood(columns, y, basis @ model.coef_[0])
    slope = np.linalg.norm(fit.gradient @ basis) / len(y)
    converged = slope <= 2 * tol * np.sqrt(X.shape[1])
    # Where v·x tells the classes apart but for ties, it has the residual's sign in all rows x, so
    # that Σ p (1 − p) (v·x)² ≤ max |v·x| · Σ |residual| |v·x| = max |v·x| · (slope along v). If no
    # direction has so little information, the maximum is a true one.
    farthest = np.sqrt(np.einsum("ij,ij->i", X, X).max())
    least = np.linalg.eigvalsh(basis.T @ fit.information @ basis)[0] / len(y)
    separated = converged and least <= 2 * slope * farthest
    return fit._replace(
        n_iterations=int(model.n_iter_[0]), converged=bool(converged), separated=bool(separated)
    )


def blocks(columns):
    """Yield slices of rows, each of as many numbers as the processor's cache holds."""
    return gen_batches(len(columns), max(256, _NUMBERS // columns.shape[1]))


def likelihood(columns, y, weights):
    """Compute the log-likelihood of weights, and its derivatives."""
    value, gradient, information = 0.0, 0.0, 0.0
    for rows in blocks(columns):
        some, second = columns[rows], y[rows]
        log_odds = some @ weights
        small = np.exp(-np.abs(log_odds))  # the odds of the less likely class: no overflow
        # log 1 / (1 + exp(-x)) = min(x, 0) - log(1 + exp(-|x|))
        value += np.minimum(np.where(second, log_odds, -log_odds), 0).sum() - np.log1p(small).sum()
        gradient += (second - np.where(log_odds >= 0, 1, small) / (1 + small)) @ some
        weighted = some * (np.sqrt(small) / (1 + small))[:, np.newaxis]  # root of p (1 - p)
        information += weighted.T @ weighted
    return Fit(weights, float(value), gradient, information)
