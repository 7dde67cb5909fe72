"""Training on pairs of candidates whose kernels, or features, are known."""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from sklearn_mteval._helpers.sigmoid import sigmoid_slope
from sklearn_mteval.segments import deal

_STEEPEST = 20.0  # natural logarithm of the steepest sigmoid
_INDEFINITE = 1e-6  # what rounding may make of a squared distance, of the largest norm


class Solution(NamedTuple):
    """The dual α of each pair, and what follows from it: scores of candidates, or weights."""

    alpha: np.ndarray
    state: np.ndarray
    gap: float
    n_iter: int
    explicit: bool

    def margins(self, matrix, pairs):
        """Return by how much the winners of pairs score higher."""
        scores = matrix @ self.state if self.explicit else self.state
        return scores[pairs.winners] - scores[pairs.losers]


def solve(matrix, pairs, *, explicit, C, loss, tol, max_iter, start=None):
    """Train on kernels between candidates, shape (n, n), or on features of them, ``explicit``."""
    from sklearn_mteval.linguistic.kernels._dual_kernel import ascend

    if not explicit:
        norms = np.diagonal(matrix)
        # Of any two vectors ‖a - b‖² = k(a, a) + k(b, b) - 2 k(a, b) >= 0.
        products = matrix[pairs.winners, pairs.losers]
        least = (norms[pairs.winners] + norms[pairs.losers] - 2 * products).min()
        if least < -_INDEFINITE * max(norms.max(), 0):
            raise ValueError(
                "kernel must be positive semidefinite, found two candidates whose squared distance "
                f"k(a, a) + k(b, b) - 2 k(a, b) is {least:g}."
            )
    alpha, state = np.zeros(len(pairs.rows)), np.zeros(matrix.shape[1])
    if start is not None:
        alpha += start
        state += by_candidate(alpha, pairs, len(matrix)) @ matrix
    primal, gap, n_iter = ascend(
        matrix, explicit, pairs.winners, pairs.losers, C * pairs.counts, loss == "squared_hinge",
        tol, max_iter, alpha, state,
    )  # fmt: skip
    if gap > tol * primal:
        warnings.warn(
            f"Training stopped after max_iter={max_iter} passes with a duality gap of {gap:.3g}, "
            f"{gap / primal:.2%} of the objective; asked for was tol={tol}.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return Solution(alpha, state, float(gap), int(n_iter), explicit)


def calibrated_slope(units, n_folds, matrix, pairs, solution, options):
    """Fit Platt's slope on held-out pairs, of which ``units`` are never parted."""
    margins = _held_out_margins(units, n_folds, matrix, pairs, solution, options)
    size = np.sqrt(np.average(np.square(margins), weights=pairs.counts))
    if size == 0:
        return 1.0
    bounds = np.exp(-_STEEPEST), np.exp(_STEEPEST)
    return float(sigmoid_slope(margins / size, bounds, pairs.counts) / size)


def _held_out_margins(units, n_folds, matrix, pairs, solution, options):
    """Return by how much each pair is decided rightly by models that have not seen its fold."""
    by_number = np.argsort(np.minimum(pairs.winners, pairs.losers), kind="stable")
    order = pd.unique(units[by_number])  # candidates are numbered by content
    if len(order) < 2:
        warnings.warn(
            "All pairs are of one segment: nothing can be held out, and the probabilities are "
            "calibrated on the training pairs, of which the model is too certain.",
            stacklevel=5,
        )
        return solution.margins(matrix, pairs)
    margins, folds = np.empty(len(pairs.rows)), deal(order, min(n_folds, len(order)))[units]
    for fold in range(folds.max() + 1):
        held_out, kept = folds == fold, folds != fold
        start = solution.alpha[kept]
        part = solve(matrix, pairs.take(kept), explicit=solution.explicit, start=start, **options)
        margins[held_out] = part.margins(matrix, pairs.take(held_out))
    return margins


def by_candidate(alpha, pairs, n):
    """Add up what the pairs say of each candidate, Dᵀ α."""
    won = np.bincount(pairs.winners, weights=alpha, minlength=n)
    return won - np.bincount(pairs.losers, weights=alpha, minlength=n)
