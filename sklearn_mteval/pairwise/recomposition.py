"""From pairwise decisions to one strength per candidate: the recomposition functions.

2012 paper, section 3.3 (hard, soft); expected wins; Bradley and Terry 1952. All of them
answer "higher is better".
"""

import numpy as np

__all__ = [
    "SUMS",
    "bradley_terry",
    "ranks_from_strengths",
    "snap_ties",
    "strengths_from_matrices",
]

# What t_i's strength adds up over its rivals t_j, given the decision c (+1: t_i is better,
# else -1) and the probability P that t_i is better than t_j. In "soft" the decision is
# weighted by the probability of that very decision, which is P or 1 - P.
SUMS = {
    "hard": lambda c, P: c,
    "soft": lambda c, P: np.where(c > 0, P, P - 1),
    "expected": lambda c, P: P,
}

# Sums of equal terms in another order differ by rounding: closer strengths are equal.
TIE_TOLERANCE = 1e-9

_CLIP = 1e-6  # a probability of 0 or 1 would need an infinite strength


def snap_ties(strengths, starts, tolerance=TIE_TOLERANCE):
    """Make strengths of a group equal where they differ by rounding only.

    Parameters
    ----------
    strengths : ndarray of shape (n_rows,)
        Higher is better, rows of a group consecutive.
    starts : ndarray of shape (n_groups,)
        Where each group begins.
    tolerance : float
        Neighbours in the sorted group that differ by no more are equal.

    Returns
    -------
    ndarray of shape (n_rows,)
        Each strength replaced by the highest of those it is equal to.
    """
    order, new, _ = _sorted_within(strengths, starts, tolerance)
    snapped = np.empty(len(strengths))
    snapped[order] = strengths[order][np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))]
    return snapped


def ranks_from_strengths(strengths, starts):
    """Rank the rows of each group: 1 is best, equal strengths share the best rank.

    Parameters
    ----------
    strengths : ndarray of shape (n_rows,)
        Higher is better, rows of a group consecutive.
    starts : ndarray of shape (n_groups,)
        Where each group begins.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        1 + the number of strictly stronger rows in the group.
    """
    order, new, first = _sorted_within(strengths, starts, 0.0)
    places = np.arange(len(order))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.maximum.accumulate(np.where(new, places, 0)) - first + 1
    return ranks


def _sorted_within(strengths, starts, tolerance):
    """Sort each group, best first; say where a new strength begins and where the group did."""
    n_rows = len(strengths)
    sizes = np.diff(starts, append=n_rows)
    group = np.repeat(np.arange(len(starts)), sizes)
    order = np.lexsort((-strengths, group))
    drop = -np.diff(strengths[order], prepend=np.inf)
    new = drop > tolerance
    new[starts] = True
    return order, new, np.repeat(starts, sizes)


def strengths_from_matrices(better, sizes, method):
    """Apply a method that needs the whole probability matrix of each group.

    Parameters
    ----------
    better : ndarray of shape (n_pairs,)
        P(first better than second) of all ordered pairs, as
        :func:`~sklearn_mteval.pairwise.pairs.ordered_pairs` enumerates them.
    sizes : ndarray of shape (n_groups,)
        Rows of each group.
    method : callable
        From stacked matrices (n_matrices, n, n), diagonal 0.5, to strengths
        (n_matrices, n). Called once for each size of groups.

    Returns
    -------
    ndarray of shape (n_rows,)
        Strengths; 0 for a row without rivals.
    """
    strengths = np.zeros(sizes.sum())
    row_starts = np.cumsum(sizes) - sizes
    n_pairs = sizes * (sizes - 1)
    pair_starts = np.cumsum(n_pairs) - n_pairs
    for n in np.unique(sizes[sizes > 1]):
        same = sizes == n
        pairs = pair_starts[same][:, np.newaxis] + np.arange(n * (n - 1))
        rows = row_starts[same][:, np.newaxis] + np.arange(n)
        matrices = np.full((len(pairs), n, n), 0.5)
        matrices[:, ~np.eye(n, dtype=bool)] = better[pairs]
        strengths[rows] = method(matrices)
    return strengths


def bradley_terry(probabilities, *, max_iter=100, tol=1e-8):
    """Fit the maximum-likelihood Bradley-Terry strengths of stacked probability matrices.

    The model is P(i beats j) = 1 / (1 + exp(s_j − s_i)). The matrix entry of each ordered
    pair is one fractional observation. Newton's method, many segments of one size at once.

    Parameters
    ----------
    probabilities : ndarray of shape (..., n, n)
        P(row better than column); the diagonal is ignored. Clipped to [1e-6, 1 − 1e-6].
    max_iter : int, default=100
        Newton steps at most.
    tol : float, default=1e-8
        A segment is done when its step is no longer than this.

    Returns
    -------
    ndarray of shape (..., n)
        Log-strengths, mean 0 in each matrix.

    References
    ----------
    Bradley and Terry 1952; Hunter 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_mteval.pairwise.recomposition import bradley_terry
    >>> bradley_terry(np.array([[.5, .8], [.2, .5]])).round(4)  # ± log(4) / 2
    array([ 0.6931, -0.6931])
    """
    shape, n = probabilities.shape, probabilities.shape[-1]
    clipped = np.clip(probabilities.reshape(-1, n, n), _CLIP, 1 - _CLIP)
    off_diagonal = 1.0 - np.eye(n)
    # Both directions of a pair are observed: (i, j) and (j, i) speak about the same thing.
    wins = (clipped + (1 - np.swapaxes(clipped, 1, 2))) * off_diagonal
    # Exact where the probabilities follow the model: then logit P_ij = s_i - s_j.
    strengths = (np.log(wins + np.eye(n)) - np.log(2 - wins - np.eye(n))).mean(axis=-1)
    active = np.arange(len(wins))
    for _ in range(max_iter):
        current = strengths[active]
        difference = current[:, :, np.newaxis] - current[:, np.newaxis, :]
        expected = off_diagonal / (1 + np.exp(-difference))
        gradient = (wins[active] - 2 * expected).sum(axis=-1)
        curvature = 2 * expected * np.swapaxes(expected, 1, 2)
        # 1 / n everywhere fixes the mean, which the likelihood leaves free.
        hessian = np.eye(n) * curvature.sum(axis=-1)[:, np.newaxis] - curvature + 1 / n
        step = np.linalg.solve(hessian, gradient[..., np.newaxis])[..., 0]
        longest = np.abs(step).max(axis=-1)
        # From afar the quadratic model overshoots: no step longer than 2.
        strengths[active] += step * np.minimum(1, 2 / np.maximum(longest, 2))[:, np.newaxis]
        active = active[longest > tol]
        if not len(active):
            break
    strengths -= strengths.mean(axis=-1, keepdims=True)
    return strengths.reshape(shape[:-1])
