"""Logistic regression on orthogonal features: a fit loses no accuracy to scale or correlation."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag
from sklearn.linear_model import LogisticRegression
from sklearn.utils import gen_batches

# A column is a combination of others if these leave less than this proportion of its variance.
_DEPENDENT = 1e-12
# A column that varies less than this, relative to its size, is the rounding of a constant.
_CONSTANT = 1e-12


class Design(NamedTuple):
    """Standardised features, ``columns[:, 1:] @ coordinates``; orthogonal columns, first ones."""

    columns: np.ndarray
    coordinates: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    def basis(self, features):
        """Return an orthonormal basis, by the columns, of the intercept (first) and features."""
        return block_diag(1.0, np.linalg.qr(self.coordinates[:, features])[0])

    def coefficients(self, features, vector):
        """Return coefficients and intercept of a vector that the features and ones span."""
        coef = np.zeros(len(self.scale))
        chosen = self.coordinates[:, features]
        coef[features] = np.linalg.lstsq(chosen, vector[1:])[0] / self.scale[features]
        return coef, float(vector[0] - coef @ self.mean)


def make_design(X):
    """Standardise features and make them orthogonal, in as many columns as are independent."""
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    unit = np.where(largest > 0, largest, 1)
    Z = X / unit
    mean = Z.mean(axis=0)
    Z -= mean
    scale = np.sqrt(np.einsum("ij,ij->j", Z, Z) / len(Z))
    scale[scale <= _CONSTANT] = np.inf
    Z /= scale
    # Vectors with the inner products of the columns. Their rounding, 1e-16, is far below what
    # makes a column dependent.
    products = Z.T @ Z / len(Z)
    squares, axes = np.linalg.eigh(products)
    kept = independent(np.sqrt(np.maximum(squares, 0))[:, np.newaxis] * axes.T)
    # Cholesky's factor makes columns orthogonal but for 1e-16 times the squared condition, which
    # is at most 1e12 here; a second time it makes up for that.
    try:
        Q = Z[:, kept] @ np.linalg.inv(np.linalg.cholesky(products[np.ix_(kept, kept)])).T
    except np.linalg.LinAlgError:  # columns all but dependent, and rounding: slower, never fails
        Q = np.linalg.qr(Z[:, kept])[0] * np.sqrt(len(Z))
    columns = np.ones((len(Z), 1 + len(kept)))
    np.matmul(Q, np.linalg.inv(np.linalg.cholesky(Q.T @ Q / len(Q))).T, out=columns[:, 1:])
    coordinates = columns[:, 1:].T @ Z / len(Z)
    return Design(columns, coordinates, mean * unit, scale * unit)


def independent(vectors):
    """List the columns, of length 1 or 0, that are no linear combination of earlier ones."""
    kept, basis = [], np.zeros((len(vectors), 0))
    for k in range(vectors.shape[1]):
        left = spanning(basis, vectors[:, [k]])
        if left.any():
            kept.append(k)
            basis = np.hstack([basis, left])
    return kept


def spanning(basis, vectors):
    """Return unit vectors that extend an orthonormal basis to each of some columns."""
    left = vectors - basis @ (basis.T @ vectors)
    left -= basis @ (basis.T @ left)  # makes up for rounding
    squares = np.einsum("ij,ij->j", left, left)
    outside = squares > _DEPENDENT
    return np.where(outside, left, 0) / np.sqrt(np.where(outside, squares, 1))


# Numbers of a block of rows, which the processor's cache should hold.
_NUMBERS = 1 << 16


class Fit(NamedTuple):
    """Weights, log-likelihood, its gradient and information, Σ p (1 − p) x xᵀ over the rows x."""

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
        C=np.inf, fit_intercept=False, solver="newton-cholesky", tol=tol, max_iter=max_iter,
        warm_start=True
    )  # fmt: skip
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
