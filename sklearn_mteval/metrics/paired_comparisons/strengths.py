"""Strengths of what competes, by maximum likelihood, of many small matrices of wins at once."""

from math import inf

import numpy as np

from sklearn_mteval.metrics.paired_comparisons.models import TIE_MODELS, bradley_terry_derivatives

# Newton squares the error: a last step of 1e-6 leaves about 1e-12, unless strengths are extreme.
_LIMITS = {"max_iter": 200, "tol": 1e-6}
_LONGEST_STEP = 2.0  # log-odds: from afar the quadratic model overshoots
_CELLS_AT_ONCE = 1 << 16  # of information: what the cache holds


def maxima(derivatives, start, *data, **limits):
    """Maximise concave functions, each from its row of ``start`` (n_functions, n_parameters).

    ``derivatives(values, *data)`` returns slopes and information, the negative second derivatives
    (n_functions, n_parameters, n_parameters); each of ``data`` has a row for each function, and
    those that have converged leave. ``limits``: ``max_iter``; ``tol``, the last step;
    ``shorten(values, steps)``, by what a step must shrink to stay in range; ``farthest``, the value
    beyond which a function is given up. Returned are the parameters, and which have converged.
    """
    values, converged = np.empty_like(start), np.zeros(len(start), dtype=bool)
    at_once = max(1, _CELLS_AT_ONCE // max(1, start.shape[1] ** 2))
    for first in range(0, len(start), at_once):
        block = slice(first, first + at_once)
        given = [part[block] for part in data]
        values[block], converged[block] = _climb(derivatives, start[block], *given, **limits)
    return values, converged


def _climb(derivatives, start, *data, max_iter, tol, shorten=None, farthest=inf):
    """Maximise the functions of a block."""
    values, converged = start.copy(), np.zeros(len(start), dtype=bool)
    active = np.arange(len(start))
    for _ in range(max_iter):
        current = values[active]
        slopes, information = derivatives(current, *data)
        step = np.linalg.solve(information, slopes[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, initial=0)
        step *= np.minimum(1, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))[:, None]
        if shorten is not None:
            step *= shorten(current, step)[:, None]
        current += step
        near = np.abs(current).max(axis=-1, initial=0) < farthest
        values[active], converged[active] = current, near & (longest <= tol)
        going = near & (longest > tol)
        if not going.any():
            break
        if not going.all():
            active, data = active[going], [part[going] for part in data]
    return values, converged


def bradley_terry_strengths(wins, *, precision=0.0):
    """Fit s, mean zero, to ``wins`` (..., n, n), with a normal prior of that ``precision``."""
    shape, n = wins.shape, wins.shape[-1]
    diagonal = np.eye(n)
    wins = wins.reshape(-1, n, n) * (1 - diagonal)
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = np.log(wins + diagonal)
        start = (logits - logits.swapaxes(1, 2)).mean(axis=-1)
    # Exact where every pair was judged alike often and wins follow the model. Without a win there
    # is no logit: start from zero, where no probability is extreme.
    start[~np.isfinite(start).all(axis=-1)] = 0.0
    derivatives = _with_prior(bradley_terry_derivatives, precision, n)
    losses = wins.swapaxes(1, 2)
    data = (wins - losses) / 2, wins + losses
    found, _ = maxima(derivatives, start, *data, **_LIMITS)
    return (found - found.mean(axis=-1, keepdims=True)).reshape(shape[:-1])


def tied_strengths(wins, ties, *, model="davidson", precision=0.0):
    """Fit s, mean zero, (..., n) and nu or theta (...), infinite of nothing but ties."""
    entry = TIE_MODELS[model]
    shape, n = wins.shape, wins.shape[-1]
    off = 1 - np.eye(n)
    wins, ties = wins.reshape(-1, n, n) * off, ties.reshape(-1, n, n) * off
    won, tied = wins.sum(axis=(1, 2)), ties.sum(axis=(1, 2)) / 2
    strengths = np.zeros((len(wins), n))
    parameter = np.where(tied > 0, np.inf, entry.without_ties)
    decided, both = (tied == 0) & (won > 0), (tied > 0) & (won > 0)
    if decided.any():
        strengths[decided] = bradley_terry_strengths(wins[decided], precision=precision)
    if both.any():
        proportion = tied[both] / (tied[both] + won[both])
        start = np.column_stack([strengths[both], entry.start(proportion)])

        def of_likelihood(values, wins, ties):
            return entry.derivatives(values[:, :-1], values[:, -1], wins, ties)

        def to_the_bound(values, step):
            """Go three quarters of the way to a logarithm of zero at most."""
            return np.minimum(1, 0.75 * values[:, -1] / np.maximum(-step[:, -1], 1e-300))

        derivatives = _with_prior(of_likelihood, precision, n)
        limits = {**_LIMITS, "shorten": to_the_bound if entry.positive else None}
        found, _ = maxima(derivatives, start, wins[both], ties[both], **limits)
        strengths[both], parameter[both] = found[:, :-1], np.exp(found[:, -1])
    strengths -= strengths.mean(axis=-1, keepdims=True)
    return strengths.reshape(shape[:-1]), parameter.reshape(shape[:-2])


def _with_prior(derivatives, precision, n):
    """Add a normal prior of the first n values, the strengths, to derivatives."""
    # Slopes add up to zero but for the prior, and the likelihood leaves the mean free: 1 / n in
    # each cell of the information keeps it where it is.
    fixed = precision * np.eye(n) + 1 / max(n, 1)

    def posterior(values, *data):
        slopes, information = derivatives(values, *data)
        slopes[:, :n] -= precision * values[:, :n]
        information[:, :n, :n] += fixed
        return slopes, information

    return posterior
