"""The features of logistic regression, made orthogonal.

Newton's method on orthogonal columns loses no accuracy to scale or correlation. A model of some
of the features is a basis of the space that they span.
"""

from typing import NamedTuple

import numpy as np

__all__ = ["Design", "independent", "make_design", "spanning"]

# A column is a combination of others if these leave less than this share of its variance.
_DEPENDENT = 1e-12
# A column that varies less than this, relative to its size, is the rounding of a constant.
_CONSTANT = 1e-12
# Rows that are made triangular at a time.
_BLOCK = 1 << 11


class Design(NamedTuple):
    """Features as combinations of orthogonal columns.

    Attributes
    ----------
    columns : ndarray of shape (n_rows, 1 + n_dimensions)
        Ones, then columns of mean 0; orthogonal, with mean square 1.
    coordinates : ndarray of shape (n_dimensions, n_features)
        The standardised features are ``columns[:, 1:] @ coordinates``; zeros for a constant one.
    mean, scale : ndarray of shape (n_features,)
        Of the features; infinite scale where nothing varies.
    """

    columns: np.ndarray
    coordinates: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    def basis(self, features):
        """Find an orthonormal basis of the intercept and some independent features.

        Parameters
        ----------
        features : list of int
            Positions.

        Returns
        -------
        ndarray of shape (1 + n_dimensions, 1 + len(features))
            In terms of ``columns``; its first vector is the intercept.
        """
        basis = np.zeros((1 + len(self.coordinates), 1 + len(features)))
        basis[0, 0] = 1
        basis[1:, 1:] = np.linalg.qr(self.coordinates[:, features])[0]
        return basis

    def coefficients(self, features, vector):
        """Express a direction by the features as they were given.

        Parameters
        ----------
        features : list of int
            Positions of independent features.
        vector : ndarray of shape (1 + n_dimensions,)
            In the space that they and the intercept span, in terms of ``columns``.

        Returns
        -------
        coef : ndarray of shape (n_features,)
            0 for all other features.
        intercept : float
            The constant.
        """
        coef = np.zeros(len(self.scale))
        chosen = self.coordinates[:, features]
        coef[features] = np.linalg.lstsq(chosen, vector[1:])[0] / self.scale[features]
        return coef, float(vector[0] - coef @ self.mean)


def make_design(X):
    """Standardise features and make them orthogonal.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Finite numbers.

    Returns
    -------
    Design
        Of as many dimensions as features are linearly independent.
    """
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    unit = np.where(largest > 0, largest, 1)
    Z = X / unit
    mean = Z.mean(axis=0)
    Z -= mean
    scale = np.sqrt(np.einsum("ij,ij->j", Z, Z) / len(Z))
    scale[scale <= _CONSTANT] = np.inf
    Z /= scale
    # Householder's triangle is accurate, and made of blocks of rows it is fast. The orthogonal
    # columns follow by division; dividing once more makes up for its rounding.
    triangle = _triangle(Z) / np.sqrt(len(Z))
    kept = independent(triangle)
    Q = Z[:, kept]
    if kept:
        Q = Q @ np.linalg.inv(np.linalg.qr(triangle[:, kept], mode="r"))
        Q = Q @ np.linalg.inv(np.linalg.cholesky(Q.T @ Q / len(Q)).T)
    coordinates = Q.T @ Z / len(Z)
    return Design(np.column_stack([np.ones(len(Q)), Q]), coordinates, mean * unit, scale * unit)


def _triangle(Z):
    """Compute R of Z = Q R, block after block, each small enough for the processor's cache."""
    triangle = np.zeros((0, Z.shape[1]))
    for start in range(0, len(Z), _BLOCK):
        triangle = np.linalg.qr(np.vstack([triangle, Z[start : start + _BLOCK]]), mode="r")
    return triangle


def independent(vectors):
    """Find the vectors that are no linear combination of earlier ones.

    Parameters
    ----------
    vectors : ndarray of shape (n_dimensions, n_vectors)
        Of length 1, or 0.

    Returns
    -------
    list of int
        Their positions, ascending.
    """
    kept, basis = [], np.zeros((len(vectors), 0))
    for k in range(vectors.shape[1]):
        left = spanning(basis, vectors[:, [k]])
        if left.any():
            kept.append(k)
            basis = np.hstack([basis, left])
    return kept


def spanning(basis, vectors):
    """Find the unit vectors that extend an orthonormal basis to other vectors.

    Parameters
    ----------
    basis : ndarray of shape (n_dimensions, n_basis)
        Orthonormal.
    vectors : ndarray of shape (n_dimensions, n_vectors)
        Of length 1, or 0.

    Returns
    -------
    ndarray of shape (n_dimensions, n_vectors)
        Each orthogonal to the basis; zeros for a vector that lies in its span.
    """
    left = vectors - basis @ (basis.T @ vectors)
    left -= basis @ (basis.T @ left)  # makes up for rounding
    squares = np.einsum("ij,ij->j", left, left)
    outside = squares > _DEPENDENT
    return np.where(outside, left, 0) / np.sqrt(np.where(outside, squares, 1))
