"""Votes of the nearest neighbours, from distances that are nearly right."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

__all__ = ["vote"]

# Squared distances that differ by less, relatively, are equal.
_EQUAL = 1e-12


@compiled
def vote(queries, points, weights, nearly, limits, k, shares):
    """Count the votes of the k nearest neighbours of each query.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_features)
        Where to look.
    points : ndarray of shape (n_points, n_features)
        Distinct training points.
    weights : ndarray of shape (n_points, 2)
        Training rows of both classes at each point.
    nearly : ndarray of shape (n_queries, n_points)
        Squared distances, but for rounding and a constant of each query.
    limits : ndarray of shape (n_queries,)
        Whose distance is larger in ``nearly`` is not among the neighbours.
    k : int
        Neighbours wanted.
    shares : ndarray of shape (n_queries,)
        Output: the share of votes for the second class.
    """
    near = np.empty(len(points), np.int64)
    for q in range(len(queries)):
        n = 0
        for p in range(len(points)):
            if nearly[q, p] <= limits[q]:
                near[n] = p
                n += 1
        distances = np.empty(n)
        for c in range(n):
            squares = 0.0
            for f in range(points.shape[1]):
                difference = queries[q, f] - points[near[c], f]
                squares += difference * difference
            distances[c] = squares
        order = np.argsort(distances)
        # The distance of the k-th neighbour, then the votes within it and at it.
        votes = 0.0
        last = 0
        while True:
            votes += weights[near[order[last]], 0] + weights[near[order[last]], 1]
            if votes >= k:
                break
            last += 1
        kth = distances[order[last]]
        nearer, nearer_second, tied, tied_second = 0.0, 0.0, 0.0, 0.0
        for c in range(n):
            first_votes, second_votes = weights[near[c], 0], weights[near[c], 1]
            if distances[c] < kth * (1 - _EQUAL):
                nearer += first_votes + second_votes
                nearer_second += second_votes
            elif distances[c] <= kth * (1 + _EQUAL):
                tied += first_votes + second_votes
                tied_second += second_votes
        shares[q] = (nearer_second + (k - nearer) * tied_second / tied) / k
