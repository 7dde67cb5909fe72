"""Tied ranks: the tiers of candidates that the probabilities of three outcomes speak for."""

import numpy as np

from sklearn_mteval.pairwise.recomposition import TIE_TOLERANCE, of_equal_size


def ranks_in_tiers(strengths, better, tie, sizes):
    """Cut each ranking, best first, into the tiers of the highest expected acc_eq, equal strengths
    together; return ranks, int64 (n_rows,). ``better`` and ``tie`` are of :func:`pairs_within`.
    """
    ranks = np.ones(len(strengths), dtype=np.int64)
    for rows, pairs in of_equal_size(sizes):
        off = ~np.eye(rows.shape[1], dtype=bool)
        lead, tied = np.zeros((2, len(rows), *off.shape))
        tied[:, off] = tie[pairs]
        lead[:, off] = 2 * better[pairs] + tie[pairs] - 1  # P(better) - P(worse)
        tied = (tied + tied.swapaxes(1, 2)) / 2
        lead = (lead - lead.swapaxes(1, 2)) / 2
        order = np.argsort(-strengths[rows], axis=1, kind="stable")
        gain = tied - (1 - tied + lead) / 2  # of a tie, instead of calling the first one better
        gain = np.take_along_axis(gain, order[:, :, np.newaxis], axis=1)
        gain = np.take_along_axis(gain, order[:, np.newaxis, :], axis=2)
        ordered = np.take_along_axis(strengths[rows], order, axis=1)
        starts = _starts_of_tiers(np.triu(gain, 1), ordered[:, 1:] == ordered[:, :-1])
        placed = np.empty_like(order)
        np.put_along_axis(placed, order, starts, axis=1)
        ranks[rows] = placed + 1
    return ranks


def _starts_of_tiers(gain, joined):
    """Find for each position of stacked rankings where its tier starts, (n_rankings, n), by dynamic
    programming over the last tier: ``gain`` (n_rankings, n, n), above the diagonal, is what tying
    two positions gains; ``joined`` (n_rankings, n - 1) neighbours must not be cut apart.
    """
    n_rankings, n = gain.shape[:2]
    every = np.arange(n_rankings)
    # What the position of the column gains if its tier starts at the row.
    joining = np.cumsum(gain[:, ::-1], axis=1)[:, ::-1]
    best = np.zeros((n_rankings, n + 1))  # of the first positions
    last = np.zeros((n_rankings, n + 1), dtype=np.int64)  # where their last tier starts
    best[:, 1:n][joined] = -np.inf
    in_tier = np.zeros((n_rankings, n))  # what a tier gains that starts here and ends at `end`
    for end in range(1, n + 1):
        in_tier[:, :end] += joining[:, :end, end - 1]
        totals = best[:, :end] + in_tier[:, :end]
        top = totals.max(axis=1)
        # Of equally good ones the longest, whatever the rounding.
        last[:, end] = (totals >= top[:, np.newaxis] - TIE_TOLERANCE).argmax(axis=1)
        best[:, end] += totals[every, last[:, end]]  # minus infinity stays
    starts = np.zeros((n_rankings, n), dtype=np.int64)
    at = np.full(n_rankings, n)
    for position in range(n - 1, -1, -1):
        at = np.where(position < at, last[every, at], at)
        starts[:, position] = at
    return starts
