"""Soft pairwise accuracy: whether a metric is as sure of two systems as annotators are.

The p-values of which of two is better are compared, not decisions (Thompson et al. 2024).
"""

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.core.aligned import warn_undefined
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import half_exchanges
from sklearn_mteval.metrics.system.tables import aligned_tables

_ROUNDING = 1e-10  # sums that differ by less than this proportion of all magnitudes are equal
_EQUAL = 1e-12  # scores that differ by less, in proportion to the larger, are equal


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, *, n_permutations: int = 1000, random_state: Seed = 0
) -> float:
    """Compute soft pairwise accuracy of a metric's system scores.

    One minus the mean, over pairs of systems, of how much the p-value by the metric's scores
    differs from that by the human ones. p is the proportion of flips, signs of a segment's
    difference being changed or not, whose sum is at least the observed one; all flips if there are
    no more than ``n_permutations``, else some and their opposites. First comes the system with the
    lower human score (if they are equal, the lower metric score). Where a table scores two systems
    alike in every segment, its p is 1/2 and not the test's 1.

    Parameters
    ----------
    human, metric : DataFrame or ndarray of shape (n_segments, n_systems)
        Scores, both higher is better (change the sign of MQM penalties and ranks); see
        ``score_table``. DataFrames are matched by label. A segment without one of two systems (NaN)
        is left out for that pair, separately in each table.
    n_permutations : int, default=1000
        Of the flips, the same for both tables.
    random_state : int, RandomState or None, default=0
        Seed.

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
    Thompson et al. 2024, section 3.

    Examples
    --------
    >>> from sklearn_mteval.metrics import soft_pairwise_accuracy
    >>> gold, metric = [[1, 2], [2, 3], [3, 4]], [[2, 1], [2, 3], [4, 5]]
    >>> soft_pairwise_accuracy(gold, metric)
    0.875
    """
    comparisons = _Comparisons(aligned_tables(human, metric)[:2])
    alike = comparisons.alike()
    if not comparisons.defined.all() or alike.all(axis=1).any():
        warn_undefined(
            "Soft pairwise accuracy",
            "it needs two systems, segments that both of any two have, and different scores",
        )
        return float("nan")
    # One-sided p-values of the two orders of a pair do not add up to one exactly: both tables ask
    # of the same system, chosen by scores and not by place.
    of_human, of_metric = comparisons.signs()
    sign = np.where(np.where(of_human == 0, of_metric, of_human) <= 0, 1, -1)
    (p_values,) = comparisons.p_values([sign], n_permutations, random_state)
    return float(soft_accuracy(*np.where(alike, 0.5, p_values)))


def soft_accuracy_of_means(human, metric):
    """Return soft pairwise accuracy of tables in one order as a function of systems' means."""
    # The permutation distribution of a sum of differences d has the variance Σ d²: it is replaced
    # by the normal one, p = Φ(-Σ d / √Σ d²), and means move Σ d.
    sides = [normal_p_values(np.asarray(table, dtype=np.float64)) for table in (human, metric)]
    return lambda *means: soft_accuracy(*(p(mean) for p, mean in zip(sides, means, strict=True)))


def normal_p_values(table):
    """Return normal p-values of "the first is better" as a function of means, or the table's."""
    from scipy.special import ndtr

    differences, there = _differences(table)
    total, squares, n = (
        differences.sum(axis=0),
        np.square(differences).sum(axis=0),
        there.sum(axis=0),
    )
    pairs = np.triu_indices(table.shape[1], 1)
    means = ratio(np.nansum(table, axis=0), (~np.isnan(table)).sum(axis=0))
    scale = np.sqrt(np.where(squares > 0, squares, np.inf))
    defined = (n > 0) & (squares > 0).any()

    def p_values(others=means):
        moved = others - means
        sums = total + n * (moved[..., pairs[0]] - moved[..., pairs[1]])
        return np.where(defined, ndtr(-sums / scale), np.nan)  # 1/2 where all scores are equal

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
    """Make scores of a segment equal that are so but for rounding; None where that is ambiguous."""
    from sklearn_mteval.metrics.system.flip_kernel import find_near_ties

    near = find_near_ties(np.ascontiguousarray(table.T), _EQUAL * np.abs(table).max())
    if not near.any():
        return table
    rows = np.flatnonzero(near)[:, np.newaxis]  # few
    order = np.argsort(table[rows[:, 0]], axis=1)
    scores = table[rows, order]
    new = _differ(scores[:, 1:], scores[:, :-1])
    first = np.maximum.accumulate(np.where(new, np.arange(1, scores.shape[1]), 0), axis=1)
    lowest = scores[np.arange(len(rows))[:, np.newaxis], first]
    if _differ(scores[:, 1:], lowest).any():
        return None
    table = table.copy()
    table[rows, order[:, 1:]] = lowest
    return table


class _Comparisons:
    """The pairs of systems of tables, (n_tables, n_pairs): sums of differences, and flipped."""

    def __init__(self, tables):
        pairs = np.triu_indices(tables[0].shape[1], 1)
        parts = [_rows_of_pairs(table, *pairs) for table in tables]
        self.rows = np.vstack([rows for rows, *_ in parts])
        self.defined = np.stack([defined for *_, defined in parts])
        starts = np.cumsum([0, *(len(rows) for rows, *_ in parts)])[:-1, np.newaxis]
        self.first = np.stack([first for _, first, *_ in parts]) + starts
        self.second = np.stack([second for *_, second, _ in parts]) + starts
        error = _ROUNDING * np.abs(self.rows).sum(axis=1)
        self.tolerance = error[self.first] + error[self.second]
        self.observed = self._of_pairs(self.rows.sum(axis=1))

    def _of_pairs(self, values):
        return values[self.first] - values[self.second]

    def signs(self):
        """Tell which system of each pair has the higher sum, 1 or -1, 0 where they are equal."""
        return np.where(np.abs(self.observed) <= self.tolerance, 0, np.sign(self.observed))

    def alike(self):
        """Tell which pairs of systems are scored alike in every segment."""
        alike = np.abs(self.observed) <= self.tolerance
        if alike.any():
            alike &= np.abs(self._of_pairs(self.rows)).max(axis=-1) <= self.tolerance
        return alike

    def p_values(self, signs, n_permutations, random_state):
        """Return, for each sign, the proportion of flips whose sums reach the observed ones."""
        from sklearn_mteval.metrics.system.flip_kernel import count_large, sums_of_flips

        thresholds = np.stack([sign * self.observed - self.tolerance for sign in signs])
        # Of a flip and its opposite, with sums s and -s, one reaches a positive threshold t if
        # |s| >= t, and both reach a negative one unless |s| > |t|.
        least = np.where(thresholds > 0, thresholds, np.nextafter(-thresholds, np.inf))
        counts = np.zeros(least.shape, dtype=np.int64)
        n_flips = 0
        for flips in half_exchanges(self.rows.shape[1], n_permutations, random_state):
            count_large(sums_of_flips(self.rows, flips), self.first, self.second, least, counts)
            n_flips += 2 * len(flips)
        return np.where(thresholds > 0, counts, n_flips - counts) / n_flips


def _rows_of_pairs(table, first, second):
    """Return rows of scores, for each pair two positions of rows, and whether it has a segment."""
    whole = None if np.isnan(table).any() else _without_near_ties(table)
    if whole is not None:
        # The difference of two systems' sums is much cheaper than the sum of differences: there
        # are n_systems sums, not n_pairs. Centred, lest an offset of all scores eat their digits.
        rows = (whole - whole.mean(axis=1, keepdims=True)).T
        return rows, first, second, np.ones(len(first), dtype=bool)
    differences, there = _differences(table)
    rows = np.pad(differences.T, ((0, 1), (0, 0)))  # a pair's sum, less the zeros' of the last row
    return rows, np.arange(len(first)), np.full(len(first), len(first)), there.any(axis=0)
