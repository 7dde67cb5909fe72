"""Newton's method with bounded steps, for all likelihoods of paired comparisons."""

from math import inf

import numpy as np

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
