"""The features of logistic regression, made orthogonal.

On orthogonal columns a fit loses no accuracy to scale or correlation. A model of some of the
features is a basis of the space that they span.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

# A column is a combination of others if these leave less than this proportion of its variance.
_DEPENDENT = 1e-12
# A column that varies less than this, relative to its size, is the rounding of a constant.
_CONSTANT = 1e-12


class Design(NamedTuple):
    """Features as combinations of orthogonal columns of mean square 1, the first of them ones.

    The standardised features are ``columns[:, 1:] @ coordinates``, zeros for a constant one, whose
    scale is infinite.
    """

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
    """Return unit vectors that extend an orthonormal basis to each of some columns.

    Columns have length 1 or 0; of one that lies in the span, zeros are returned.
    """
    left = vectors - basis @ (basis.T @ vectors)
    left -= basis @ (basis.T @ left)  # makes up for rounding
    squares = np.einsum("ij,ij->j", left, left)
    outside = squares > _DEPENDENT
    return np.where(outside, left, 0) / np.sqrt(np.where(outside, squares, 1))
