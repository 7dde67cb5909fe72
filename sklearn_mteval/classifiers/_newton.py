"""Maximum likelihood of logistic regression by Newton's method."""

from typing import NamedTuple

import numpy as np

__all__ = ["Fit", "Likelihood", "blocks", "likelihood", "maximise", "probabilities"]

# The likelihood has no maximum (separation) where the information about some direction of unit
# variance, the inverse of a squared standard error, has fallen below this.
_NO_INFORMATION = 1e-6
# Numbers of a block of rows, which the processor's cache should hold.
_NUMBERS = 1 << 16


class Likelihood(NamedTuple):
    """The log-likelihood and its derivatives.

    Attributes
    ----------
    value : float
        At most 0.
    gradient : ndarray of shape (n_columns,)
        Its slope.
    information : ndarray of shape (n_columns, n_columns)
        Its curvature, with the sign changed: Σ p (1 − p) x xᵀ over the rows x.
    """

    value: float
    gradient: np.ndarray
    information: np.ndarray


class Fit(NamedTuple):
    """Where Newton's method stopped.

    Attributes
    ----------
    weights : ndarray of shape (n_columns,)
        Of the columns of the design.
    likelihood : Likelihood
        There.
    n_iterations : int
        Steps tried, at least 1.
    converged : bool
        Whether the last step was too small to matter.
    separated : bool
        Whether it stopped because the likelihood has no maximum.
    """

    weights: np.ndarray
    likelihood: Likelihood
    n_iterations: int
    converged: bool
    separated: bool


def maximise(columns, y, basis, *, start=None, max_iter, tol):
    """Maximise the likelihood by Newton's method, steps halved while they lose likelihood.

    The information of an earlier point serves as long as each step promises a tenth of the last.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Orthogonal columns of mean square 1, the first constant.
    y : ndarray of shape (n_rows,), bool
        Whether the row is of the second class.
    basis : ndarray of shape (n_columns, n_dimensions)
        Orthonormal: which combinations of the columns are in the model.
    start : (ndarray of shape (n_columns,), Likelihood), optional
        Weights within the model to begin with, zeros by default, and the likelihood there.
    max_iter : int
        Steps at most.
    tol : float
        Stop after a step that promises less than this gain of log-likelihood.

    Returns
    -------
    Fit
        Where it stopped. Its information may be that of an earlier point.
    """
    weights = np.zeros(columns.shape[1]) if start is None else start[0]
    found = likelihood(columns, y, weights) if start is None else start[1]
    iteration, promised, current = 0, np.inf, True
    converged = separated = False
    while iteration < max_iter and not converged:
        iteration += 1
        step, gain, separated = _newton_step(found, basis)
        if not current and gain > promised / 10:
            found = likelihood(columns, y, weights)
            step, gain, separated = _newton_step(found, basis)
        if separated:
            break
        converged, promised = gain < tol, gain
        least = found.value - 1e-12 * (1 - found.value)  # rounding is no loss
        while (after := likelihood(columns, y, weights + step, found.information)).value < least:
            step /= 2
        weights, found, current = weights + step, after, False
    return Fit(weights, found, iteration, converged, separated)


def _newton_step(found, basis):
    """Return the step, its gain by a quadratic approximation, and whether there is none."""
    information, axes = np.linalg.eigh(basis.T @ found.information @ basis)
    if information[0] < _NO_INFORMATION:
        return None, np.inf, True
    along = axes.T @ (basis.T @ found.gradient)
    return basis @ (axes @ (along / information)), float((along**2 / information).sum() / 2), False


def blocks(columns):
    """Cut rows into blocks that the processor's cache holds.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Any table.

    Yields
    ------
    slice
        Of the rows.
    """
    size = max(256, _NUMBERS // columns.shape[1])
    for start in range(0, len(columns), size):
        yield slice(start, start + size)


def probabilities(odds):
    """Turn log-odds into probabilities.

    Parameters
    ----------
    odds : ndarray of shape (n_rows,)
        Log-odds of the second class.

    Returns
    -------
    second : ndarray of shape (n_rows,)
        Probabilities of the second class.
    small : ndarray of shape (n_rows,)
        The odds of the less likely class, at most 1.
    """
    small = np.exp(-np.abs(odds))  # never overflows
    return np.where(odds >= 0, 1, small) / (1 + small), small


def likelihood(columns, y, weights, information=None):
    """Compute the likelihood and its derivatives.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        The design.
    y : ndarray of shape (n_rows,), bool
        Whether the row is of the second class.
    weights : ndarray of shape (n_columns,)
        Of the columns.
    information : ndarray of shape (n_columns, n_columns), optional
        What to return as such, instead of computing it.

    Returns
    -------
    Likelihood
        At these weights.
    """
    n = columns.shape[1]
    value, gradient, added = 0.0, np.zeros(n), np.zeros((n, n))
    for rows in blocks(columns):
        some, second = columns[rows], y[rows]
        odds = some @ weights
        p, small = probabilities(odds)
        value -= np.abs(odds)[(odds > 0) != second].sum() + np.log1p(small).sum()
        gradient += (second - p) @ some
        if information is None:
            weighted = some * (np.sqrt(small) / (1 + small))[:, np.newaxis]  # root of p (1 − p)
            added += weighted.T @ weighted
    return Likelihood(float(value), gradient, added if information is None else information)
