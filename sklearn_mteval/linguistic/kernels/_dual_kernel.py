"""Dual coordinate ascent of a support vector machine on pairs, compiled."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def ascend(matrix, explicit, winners, losers, weights, squared, tol, max_iter, alpha, state):
    """Raise the dual, one pair at a time (Hsieh et al. 2008), until the duality gap is small.

    ``matrix`` are the kernels between all candidates, ``state`` their scores K Dᵀ α; or, where
    ``explicit``, their features, and ``state`` the weights of these. ``weights`` are C times how
    often each pair was decided so. alpha and state are changed in place; returned are primal
    objective, gap and number of epochs. A step costs one pair of rows.
    """
    n_pairs = len(winners)
    order = np.arange(n_pairs)
    curvature = np.empty(n_pairs)
    for p in range(n_pairs):
        curvature[p] = _curvature(matrix, explicit, winners[p], losers[p])
    seed = np.uint64(0x9E3779B97F4A7C15)
    primal, gap = np.inf, np.inf
    for epoch in range(max_iter):
        for k in range(n_pairs - 1, 0, -1):  # another order in each epoch, always the same ones
            seed ^= seed << np.uint64(13)
            seed ^= seed >> np.uint64(7)
            seed ^= seed << np.uint64(17)
            other = np.int64(seed % np.uint64(k + 1))
            order[k], order[other] = order[other], order[k]
        for p in order:
            w, losing = winners[p], losers[p]
            ridge = 0.5 / weights[p] if squared else 0.0
            # A Newton step in one coordinate, exact since the dual is quadratic, cut off at the
            # bounds 0 and, of the hinge, C. Squared, C has no bound but adds α² / 4C to the loss.
            slope = 1 - _margin(matrix, explicit, w, losing, state) - ridge * alpha[p]
            steepness = curvature[p] + ridge
            # Candidates that the kernel does not tell apart: the dual grows without end.
            new = max(0.0, alpha[p] + slope / steepness) if steepness > 0 else weights[p]
            if not squared:
                new = min(new, weights[p])
            change = new - alpha[p]
            if change != 0:
                alpha[p] = new
                for k in range(len(state)):
                    state[k] += change * (matrix[w, k] - matrix[losing, k])
        primal, gap = _objective(matrix, explicit, winners, losers, weights, squared, alpha, state)
        if gap <= tol * primal:
            return primal, gap, epoch + 1
    return primal, gap, max_iter


@compiled
def _curvature(matrix, explicit, winner, loser):
    """Compute ‖φ(w) - φ(l)‖², minus the second derivative of D in a pair's α."""
    if not explicit:
        return matrix[winner, winner] + matrix[loser, loser] - 2 * matrix[winner, loser]
    total = 0.0
    for k in range(matrix.shape[1]):
        total += (matrix[winner, k] - matrix[loser, k]) ** 2
    return total


@compiled
def _objective(matrix, explicit, winners, losers, weights, squared, alpha, state):
    """Compute the primal objective and the duality gap."""
    norm, loss, dual = 0.0, 0.0, 0.0
    for p in range(len(winners)):
        margin = _margin(matrix, explicit, winners[p], losers[p], state)
        norm += alpha[p] * margin
        short = max(0.0, 1 - margin)
        loss += weights[p] * (short * short if squared else short)
        dual += alpha[p]
        if squared:
            dual -= alpha[p] * alpha[p] * 0.25 / weights[p]
    # By weak duality the objective is too large by at most the gap, w = Σ α (φ(w) - φ(l)):
    # P = ‖w‖²/2 + Σ C loss(margin), D = Σ α - ‖w‖²/2 (- Σ α²/4C, squared); ‖w‖² = Σ α margin.
    primal = 0.5 * norm + loss
    return primal, primal - (dual - 0.5 * norm)


@compiled
def _margin(matrix, explicit, winner, loser, state):
    """Compute how much higher the winner scores."""
    if not explicit:
        return state[winner] - state[loser]
    total = 0.0
    for k in range(len(state)):
        total += state[k] * (matrix[winner, k] - matrix[loser, k])
    return total
