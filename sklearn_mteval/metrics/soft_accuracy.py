"""Soft pairwise accuracy: whether a metric tells systems apart as confidently as people do.

Pairwise accuracy asks only which of two systems is better; here the p-values of that
conclusion are compared (Thompson et al. 2024).
"""

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._options import check_integer
from sklearn_mteval.metrics._judgements import warn_undefined
from sklearn_mteval.metrics.score_tables import aligned_tables

__all__ = ["pairwise_p_values", "soft_accuracy_of_weights", "soft_pairwise_accuracy"]

_ROUNDING = 1e-10  # sums that differ by less than this share of all magnitudes are equal
_EQUAL = 1e-12  # so are scores, by this share of the larger
_FLIPS_AT_ONCE = 128


def soft_pairwise_accuracy(human, metric, *, n_permutations=1000, random_state=0):
    """Compute soft pairwise accuracy of a metric's system scores.

    One minus the mean, over pairs of systems, of how much the p-value by the metric's scores
    differs from that by the human ones (:func:`pairwise_p_values`). A one-sided p-value of
    finitely many flips depends on which system comes first, more so the fewer the segments:
    it is the one with the lower human score (if they are equal, the lower metric score), so
    that names do not matter. Where a table scores two systems alike in every segment, its p is
    1/2 and not the test's 1, or a metric that sees no difference would pass for one that is
    certain.

    Parameters
    ----------
    human, metric : DataFrame or ndarray of shape (n_segments, n_systems)
        Scores, both higher is better (change the sign of MQM penalties and ranks); see
        :func:`score_table`. DataFrames are matched by label. A segment that lacks one of two
        systems (NaN) is left out for that pair, separately in each table.
    n_permutations : int, default=1000
        See :func:`pairwise_p_values`.
    random_state : int, RandomState or None, default=0
        Seed of the flips, the same ones for both tables.

    Returns
    -------
    float
        In [0, 1], higher is better; NaN, with a warning, for one system, if two systems have
        no segment in common, or if either table scores all systems alike.

    Raises
    ------
    CandidateError
        For different segments or systems, infinite scores, tables without any.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah 2024, "Improving Statistical Significance in Human
    Evaluation of Automatic Metrics via Soft Pairwise Accuracy", section 3.

    Examples
    --------
    >>> from sklearn_mteval.metrics import soft_pairwise_accuracy
    >>> gold, metric = [[1, 2], [2, 3], [3, 4]], [[2, 1], [2, 3], [4, 5]]
    >>> soft_pairwise_accuracy(gold, metric)
    0.875
    """
    human, metric, _ = aligned_tables(human, metric)
    human, metric = _differences(human), _differences(metric)
    both = np.hstack([human, metric])
    n_pairs = human.shape[1]
    differ = [np.nan_to_num(side).any() for side in (human, metric)]
    if not (_defined(both).all() and all(differ)):
        warn_undefined(
            "Soft pairwise accuracy",
            "it needs two systems, segments that both of any two have, and different scores",
        )
        return float("nan")
    p_values = _p_values(both, n_permutations, random_state)
    totals = [np.nansum(side, axis=0) for side in (human, metric)]
    lower_first = _signs(totals[0], human)
    lower_first = np.where(lower_first == 0, _signs(totals[1], metric), lower_first) <= 0
    p_values = np.where(np.tile(lower_first, 2), *p_values)
    p_values[~np.nan_to_num(both).any(axis=0)] = 0.5
    return float(_soft_accuracy(p_values[:n_pairs], p_values[n_pairs:]))


def pairwise_p_values(table, *, n_permutations=1000, random_state=0):
    """Test for each pair of systems whether the first is better, by permutation.

    Under the hypothesis that two systems are equally good, their scores of any segment could
    be swapped, which changes the sign of the difference. p is the share of such flips whose
    sum of differences is at least the observed one. Sums that differ by rounding (1e-10) are
    equal.

    Parameters
    ----------
    table : DataFrame or ndarray of shape (n_segments, n_systems)
        Scores, higher is better. Segments that lack one of two systems (NaN) are left out for
        that pair.
    n_permutations : int, default=1000
        How many flips. All of them are enumerated if there are no more: 2^n_segments <=
        n_permutations. Sampled ones are taken together with their opposites, so an odd number
        is rounded up.
    random_state : int, RandomState or None, default=0
        Seed of sampled flips. The order and names of segments and systems change nothing.

    Returns
    -------
    DataFrame of shape (n_systems, n_systems)
        p-values in [0, 1] of "the system of the row is better than that of the column". NaN on
        the diagonal, and for systems without common segments.

    Raises
    ------
    CandidateError
        For infinite scores, a segment or system that is named twice, an empty table.

    References
    ----------
    Thompson et al. 2024, section 3.

    Examples
    --------
    >>> from sklearn_mteval.metrics import pairwise_p_values
    >>> pairwise_p_values([[1, 2], [2, 3], [3, 4]])
           0    1
    0    NaN  1.0
    1  0.125  NaN
    """
    values, _, systems = aligned_tables(table, table)
    differences = _differences(values)
    p_values = _p_values(differences, n_permutations, random_state)
    first, second = _pairs(len(systems))
    square = np.full((len(systems), len(systems)), np.nan)
    square[first, second], square[second, first] = np.where(_defined(differences), p_values, np.nan)
    p_values = pd.DataFrame(square, index=systems, columns=systems)
    order = table.columns if isinstance(table, pd.DataFrame) else systems.sort_values()
    return p_values.loc[order, order]


def soft_accuracy_of_weights(human, metric):
    """Return soft pairwise accuracy as a function of how often each segment is drawn.

    For bootstrap samples: the permutation distribution of a sum of differences d is replaced
    by the normal one of the same variance, p = Phi(-sum d / sqrt(sum d²)).

    Parameters
    ----------
    human, metric : ndarray of shape (n_segments, n_systems)
        As :func:`soft_pairwise_accuracy` takes them; the same segments and systems in the same
        order.

    Returns
    -------
    callable
        From weights, an ndarray of shape (n_draws, n_segments), to an ndarray of shape
        (n_draws,): NaN for draws in which two systems have no common segment, or in which
        either table scores all systems alike.
    """
    sides = [_terms(np.asarray(table, dtype=np.float64)) for table in (human, metric)]

    return lambda weights: _soft_accuracy(*(_normal_p_values(weights, *side) for side in sides))


def _terms(table):
    """Return differences, their squares, and where they are, to be multiplied by weights."""
    differences = _differences(table)
    there = (~np.isnan(differences)).astype(np.float64)
    differences = np.nan_to_num(differences)
    return differences, np.square(differences), there


def _normal_p_values(weights, differences, squares, there):
    """Return p-values of "the first is better" by the normal distribution, for each draw."""
    from scipy.special import ndtr

    total, variance, count = weights @ differences, weights @ squares, weights @ there
    varied = variance > 0
    scale = np.sqrt(variance, where=varied, out=np.ones(variance.shape))
    p_values = ndtr(-total / scale)  # 1/2 where all scores are equal
    return np.where((count > 0) & varied.any(axis=-1, keepdims=True), p_values, np.nan)


def _soft_accuracy(human, metric):
    """Return one minus the mean difference of p-values, NaN without pairs."""
    if human.shape[-1] == 0:
        return np.full(human.shape[:-1], np.nan)
    return 1 - np.abs(human - metric).mean(axis=-1)


def _pairs(n_systems):
    """Return the first and the second system of each pair."""
    return np.triu_indices(n_systems, 1)


def _differences(table):
    """Return the score of the first less that of the second system of each pair."""
    first, second = (table[:, systems] for systems in _pairs(table.shape[1]))
    differences = first - second
    equal = np.abs(differences) <= _EQUAL * np.maximum(np.abs(first), np.abs(second))
    differences[equal] = 0.0
    return differences


def _defined(differences):
    """Tell which pairs have a segment in common."""
    return ~np.isnan(differences).all(axis=0)


def _signs(totals, differences):
    """Return the signs of sums of differences, 0 for rounding."""
    tolerance = _ROUNDING * np.nansum(np.abs(differences), axis=0)
    return np.where(np.abs(totals) <= tolerance, 0, np.sign(totals))


def _p_values(differences, n_permutations, random_state):
    """Return p-values of "the first is better" and of "the second is", of shape (2, n_pairs)."""
    check_integer("n_permutations", n_permutations, minimum=1)
    differences = np.nan_to_num(differences)
    tolerance = _ROUNDING * np.abs(differences).sum(axis=0)
    observed = differences.sum(axis=0)
    high, low = observed + tolerance, observed - tolerance
    counts = np.zeros((2, differences.shape[1]), dtype=np.int64)
    n_flips = 0
    for signs in _sign_flips(len(differences), n_permutations, random_state):
        sums = signs @ differences
        # Each flip counts with its opposite.
        counts[0] += np.count_nonzero(sums >= low, axis=0)
        counts[0] += np.count_nonzero(-sums >= low, axis=0)
        counts[1] += np.count_nonzero(sums <= high, axis=0)
        counts[1] += np.count_nonzero(-sums <= high, axis=0)
        n_flips += 2 * len(signs)
    return counts / n_flips


def _sign_flips(n_segments, n_permutations, random_state):
    """Yield blocks of rows of signs, +1 or -1: half of all flips, the others their opposites."""
    exact = n_segments <= 40 and 2**n_segments <= n_permutations
    n_rows = 2 ** (n_segments - 1) if exact else -(-n_permutations // 2)
    rng = check_random_state(random_state)
    for first in range(0, n_rows, _FLIPS_AT_ONCE):
        size = min(_FLIPS_AT_ONCE, n_rows - first)
        if exact:
            numbers = np.arange(first, first + size)
            bits = (numbers[:, None] >> np.arange(n_segments)) & 1
        else:
            drawn = np.frombuffer(rng.bytes(-(-size * n_segments // 8)), dtype=np.uint8)
            bits = np.unpackbits(drawn, count=size * n_segments).reshape(size, n_segments)
        yield 1.0 - 2.0 * bits
