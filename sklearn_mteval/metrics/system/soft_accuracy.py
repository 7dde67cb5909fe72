"""Soft pairwise accuracy: whether a metric tells systems apart as confidently as annotators do.

Pairwise accuracy asks only which of two systems is better; here the p-values of that
conclusion are compared (Thompson et al. 2024).
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_draws
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.core.aligned import warn_undefined
from sklearn_mteval.metrics.system.tables import aligned_tables

__all__ = [
    "normal_p_values", "pairwise_p_values", "soft_accuracy", "soft_accuracy_of_weights",
    "soft_pairwise_accuracy",
]  # fmt: skip

_ROUNDING = 1e-10  # sums that differ by less than this proportion of all magnitudes are equal
_EQUAL = 1e-12  # scores that differ by less, in proportion to the larger, are equal
_FLIPS_AT_ONCE = 512  # at most; 16 bits count them
_CELLS_AT_ONCE = 1 << 20


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, *, n_permutations: int = 1000, random_state: Seed = 0
) -> float:
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
        :func:`score_table`. Systems are columns, and no table of numbers tells that it has them
        in rows: transpose such a one. DataFrames are matched by label. A segment without
        one of two systems (NaN) is left out for that pair, separately in each table.
    n_permutations, random_state : see :func:`pairwise_p_values`
        The same flips for both tables.

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
    tables = [_Comparisons(table) for table in aligned_tables(human, metric)[:2]]
    alike = [table.alike() for table in tables]
    if not (all(t.defined.all() for t in tables) and all((~same).any() for same in alike)):
        warn_undefined(
            "Soft pairwise accuracy",
            "it needs two systems, segments that both of any two have, and different scores",
        )
        return float("nan")
    # One-sided p-values of the two orders of a pair do not add up to one exactly: both tables ask
    # of the same system, chosen by scores and not by place.
    leads = [table.signs() for table in tables]
    lower_first = np.where(leads[0] == 0, leads[1], leads[0]) <= 0
    sign = np.where(lower_first, 1, -1)
    p_values = [p for (p,) in _p_values(tables, [sign], n_permutations, random_state)]
    return float(
        soft_accuracy(*(np.where(same, 0.5, p) for same, p in zip(alike, p_values, strict=True)))
    )


def pairwise_p_values(table, *, n_permutations=1000, random_state=0):
    """Return p-values of "the system of the row is better than that of the column", by permutation.

    Under the hypothesis that two systems are equally good, their scores of any segment of the table
    (n_segments, n_systems) could be swapped, which changes the sign of the difference. p is the
    proportion of such flips whose sum of differences is at least the observed one. Scores that
    differ by rounding (1e-12 of the larger), and sums that do (1e-10 of all differences), are
    equal. All flips are enumerated if there are no more than ``n_permutations``; sampled ones are
    taken together with their opposites. NaN on the diagonal, and for systems without common
    segments.
    """
    values, _, systems = aligned_tables(table, table)
    comparisons = _Comparisons(values)
    ((forth, back),) = _p_values([comparisons], [1, -1], n_permutations, random_state)
    first, second = np.triu_indices(len(systems), 1)
    p_values = np.full((len(systems), len(systems)), np.nan)
    p_values[first, second] = np.where(comparisons.defined, forth, np.nan)
    p_values[second, first] = np.where(comparisons.defined, back, np.nan)
    p_values = pd.DataFrame(p_values, index=systems, columns=systems)
    order = table.columns if isinstance(table, pd.DataFrame) else systems.sort_values()
    return p_values.loc[order, order]


def soft_accuracy_of_weights(human, metric):
    """Return soft pairwise accuracy of two tables as a function of segments' weights.

    (n_segments, n_systems) twice, in one order, and weights (n_resamples, n_segments); NaN for
    resamples in which two systems have no common segment, or a table scores all systems alike.
    """
    # The permutation distribution of a sum of differences d has the variance Σ d²: within
    # resamples it is replaced by the normal one, p = Φ(-Σ d / √Σ d²), and both sums are products
    # of weights with what each segment adds.
    sides = [normal_p_values(np.asarray(table, dtype=np.float64)) for table in (human, metric)]
    return lambda weights: soft_accuracy(*(p_values(weights) for p_values in sides))


def normal_p_values(table):
    """Return normal p-values of "the first is better" as a function of segments' weights."""
    from scipy.special import ndtr

    differences, there = _differences(table)
    squares, there = np.square(differences), there.astype(np.float64)

    def p_values(weights):
        total, variance, count = weights @ differences, weights @ squares, weights @ there
        varied = variance > 0
        scale = np.sqrt(variance, where=varied, out=np.ones(variance.shape))
        p = ndtr(-total / scale)  # 1/2 where all scores are equal
        return np.where((count > 0) & varied.any(axis=-1, keepdims=True), p, np.nan)

    return p_values


def soft_accuracy(human, metric):
    """Return one minus the mean difference of p-values, NaN without pairs."""
    if human.shape[-1] == 0:
        return np.full(human.shape[:-1], np.nan)
    return 1 - np.abs(human - metric).mean(axis=-1)


def _differences(table):
    """Return the first system's score less the second's, 0 where one is missing, and where not."""
    by_system = np.ascontiguousarray(table.T)  # copies rows much faster than columns
    first, second = (by_system[systems].T for systems in np.triu_indices(table.shape[1], 1))
    differences = first - second
    return np.where(_differ(first, second), differences, 0.0), ~np.isnan(differences)


def _differ(scores, others):
    """Tell which scores are not equal, nor equal but for rounding; NaN does not differ."""
    return np.abs(scores - others) > _EQUAL * np.maximum(np.abs(scores), np.abs(others))


def _without_near_ties(table):
    """Make scores of a segment equal that are so but for rounding; None where that is not one way.

    It is not where a, b and b, c are equal, but a, c are not.
    """
    gaps = np.diff(np.sort(table, axis=1), axis=1)
    near = (gaps > 0) & (gaps <= _EQUAL * np.abs(table).max())
    rows = np.flatnonzero(near.any(axis=1))  # few
    order = np.argsort(table[rows], axis=1)
    scores = np.take_along_axis(table[rows], order, axis=1)
    new = np.pad(_differ(scores[:, 1:], scores[:, :-1]), ((0, 0), (1, 0)))
    first = np.maximum.accumulate(np.where(new, np.arange(scores.shape[1]), 0), axis=1)
    lowest = np.take_along_axis(scores, first, axis=1)
    if _differ(scores, lowest).any():
        return None
    table = table.copy()
    table[rows[:, np.newaxis], order] = lowest
    return table


class _Comparisons:
    """The pairs of systems of a table: sums of differences of scores, observed and flipped.

    Where no score is missing, the difference of two systems' sums is much cheaper than the sum of
    differences: a product with n_systems rows, not n_pairs. Centred, lest an offset of all scores
    eat their digits. ``tolerance`` is by how much a sum may differ from an equal one.
    """

    def __init__(self, table):
        first, second = np.triu_indices(table.shape[1], 1)
        whole = None if np.isnan(table).any() else _without_near_ties(table)
        if whole is None:
            differences, there = _differences(table)
            self.pairs, self.defined, self.rows = None, there.any(axis=0), differences.T
            self.tolerance = _ROUNDING * np.abs(differences).sum(axis=0)
        else:
            self.pairs, self.defined = (first, second), np.ones(len(first), dtype=bool)
            self.rows = np.ascontiguousarray((whole - whole.mean(axis=1, keepdims=True)).T)
            error = _ROUNDING * np.abs(self.rows).sum(axis=1)
            self.tolerance = error[first] + error[second]
        self.totals = self.rows.sum(axis=1)
        self.observed = self._of_pairs(self.totals)

    def sums(self, flipped):
        """Return sums of differences, (n_pairs, n_flips), from those of flipped scores by row."""
        return self._of_pairs(self.totals[:, np.newaxis] - 2 * flipped)

    def _of_pairs(self, rows):
        """Turn what is known of rows, systems or pairs, into differences of pairs."""
        return rows if self.pairs is None else rows[self.pairs[0]] - rows[self.pairs[1]]

    def signs(self):
        """Tell which system of each pair has the higher sum, 1 or -1, 0 where they are equal."""
        return np.where(np.abs(self.observed) <= self.tolerance, 0, np.sign(self.observed))

    def alike(self):
        """Tell which pairs of systems are scored alike in every segment."""
        alike = np.abs(self.observed) <= self.tolerance
        if alike.any():
            alike &= np.abs(self._of_pairs(self.rows)).max(axis=1) <= self.tolerance
        return alike

    def counter(self, sign):
        """Return a function from |sums| of flips to how many of these, and of their opposites, ...

        ... reach what the first system's sum (sign 1) or the second's (-1) exceeds the other's by.
        """
        # A positive threshold t is reached by one of a flip and its opposite if |sum| >= t, a
        # negative one by both unless |sum| > |t|.
        threshold = (sign * self.observed - self.tolerance)[:, np.newaxis]
        positive = threshold[:, 0] > 0
        least = np.where(threshold > 0, threshold, np.nextafter(-threshold, np.inf))

        def count(sizes):
            reached = (sizes >= least).view(np.uint8).sum(axis=1, dtype=np.uint16)
            return np.where(positive, reached, 2.0 * sizes.shape[1] - reached)

        return count


def _p_values(tables, signs, n_permutations, random_state):
    """Return, for each table and sign, the proportion of flips whose sums reach the observed."""
    check_draws("n_permutations", n_permutations)
    rows = np.vstack([table.rows for table in tables])  # one product is faster than two
    ends = np.cumsum([len(table.rows) for table in tables])[:-1]
    counters = [[table.counter(sign) for sign in signs] for table in tables]
    counts = [[0] * len(signs) for _ in tables]
    n_flips = 0
    for flipped in _flips(rows.shape[1], n_permutations, random_state):
        for k, part in enumerate(np.split(rows @ flipped.T, ends)):
            sizes = np.abs(tables[k].sums(part))
            counts[k] = [c + count(sizes) for c, count in zip(counts[k], counters[k], strict=True)]
        n_flips += 2 * len(flipped)
    return [[count / n_flips for count in of_table] for of_table in counts]


def _flips(n_segments, n_permutations, random_state):
    """Yield blocks of flips, 1.0 where a segment is flipped: half of all, without opposites."""
    exact = n_segments <= 40 and 2**n_segments <= n_permutations
    n_rows = 2 ** (n_segments - 1) if exact else -(-n_permutations // 2)
    rng = check_random_state(random_state)
    # Multiples of 32, so that blocks end where the generator's words do: their size changes no bit.
    at_once = min(_FLIPS_AT_ONCE, 32 * max(1, _CELLS_AT_ONCE // (32 * n_segments)))
    for first in range(0, n_rows, at_once):
        size = min(at_once, n_rows - first)
        if exact:
            numbers = np.arange(first, first + size)
            bits = (numbers[:, None] >> np.arange(n_segments)) & 1
        else:
            drawn = np.frombuffer(rng.bytes(-(-size * n_segments // 8)), dtype=np.uint8)
            bits = np.unpackbits(drawn, count=size * n_segments).reshape(size, n_segments)
        yield bits.astype(np.float64)
