"""Probabilities of a support vector machine: Platt's sigmoid, fitted on held-out segments."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

__all__ = ["folds_of_pairs", "sigmoid_slope"]

_STEEPEST = 20.0  # natural logarithm of the steepest sigmoid


def folds_of_pairs(X, pairs, n_candidates, n_folds):
    """Number the folds of pairs, whole segments in each, shape (n_pairs,); None if there is one.

    Segments are read from the index; without one, pairs that are connected by candidates stay
    together. Numbers follow the candidates' order, which is that of their content.
    """
    winners, losers, _, rows = pairs
    if isinstance(X, pd.DataFrame) and "segment" in X.index.names:
        codes = pd.factorize(X.index.get_level_values("segment")[rows])[0]
    else:
        shape = (n_candidates, n_candidates)
        edges = coo_array((np.ones(len(winners)), (winners, losers)), shape=shape)
        codes = connected_components(edges, directed=False)[1][winners]
    if codes.max() == 0:
        return None
    least = np.full(codes.max() + 1, n_candidates)
    np.minimum.at(least, codes, np.minimum(winners, losers))
    place = np.empty(len(least), dtype=np.int64)
    place[np.argsort(least, kind="stable")] = np.arange(len(least))
    return place[codes] % n_folds


def sigmoid_slope(margins, weights):
    """Fit A of P(right) = 1 / (1 + exp(−A margin)) by regularised likelihood (Platt 1999).

    Margins are those of held-out pairs, positive where the decision was right. There is no
    intercept: both directions of a pair must add up to one.
    """
    total = weights.sum()
    right = (total + 1) / (total + 2)  # as certain as so many pairs allow

    def cost(log_slope):
        odds = np.exp(log_slope) * margins
        return weights @ (right * np.logaddexp(0, -odds) + (1 - right) * np.logaddexp(0, odds))

    size = np.sqrt(np.average(np.square(margins), weights=weights))
    if size == 0:
        return 1.0
    around = -np.log(size)
    found = minimize_scalar(cost, bounds=(around - _STEEPEST, around + _STEEPEST), method="bounded")
    return float(np.exp(found.x))
