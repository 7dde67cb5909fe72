"""Paired permutation test of metrics: PERM-BOTH of Deutsch, Dror and Roth 2021."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_n_jobs, check_one_of
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.core.agreement import statistic_of_rows
from sklearn_mteval.metrics.core.aligned import expected
from sklearn_mteval.metrics.core.statistics import AVERAGES, STATISTICS
from sklearn_mteval.metrics.core.units import Signs, exchanges
from sklearn_mteval.metrics.significance.comparison import (
    MetricComparison,
    compared_rows,
    comparison_of,
)
from sklearn_mteval.metrics.significance.swaps import difference_of_signs

_PERMUTATIONS_AT_ONCE = 500
_ROUNDING = 1e-10  # differences closer than this are equal


def permutation_test(
    y_true: ArrayLike, scores: pd.DataFrame, *, groups: ArrayLike | None,
    segments: ArrayLike | None = None, systems: ArrayLike | None = None, statistic: str = "wmt12",
    average: str = "pairs", threshold: float = 25.0, epsilon: float = 0.0, missing: str = "error",
    n_permutations: int = 1000, random_state: Seed = 0, n_jobs: int | None = None
) -> MetricComparison:  # fmt: skip
    """Test for each pair of metrics whether one agrees with annotators better than the other.

    Each translation's two scores, standardised, are exchanged with probability 1/2, and p is the
    proportion of such permutations in which the first metric's value exceeds the second's by at
    least as much as it does in fact. All pairs of metrics share the permutations.

    Parameters
    ----------
    y_true, groups, threshold : see :func:`kendall_tau`
        The same.
    scores : DataFrame of shape (n_rows, n_metrics), mapping of name to vector, or 2-D array
        Metric scores: higher is better. Two metrics or more.
    segments, systems : array-like or Index of length n_rows, or None
        Given both, rows of one segment and system are one translation that was judged several
        times (WMT rankings): its scores are exchanged in all of them or in none. Otherwise
        each row is a translation of its own.
    statistic, average : see :func:`agreement_interval`
        The same.
    epsilon : float, sequence of length n_metrics, or mapping of name to float, default=0.0
        For "acc_eq" and "eq" only: scores of a metric that differ by at most this tie. Each
        score takes half of its metric's epsilon along when it is exchanged: two
        standardised scores tie if they differ by no more than their two halves.
    missing : {"error", "skip"}, default="error"
        What a NaN score does: raise, or leave its row out for all metrics, as a paired
        comparison needs common rows.
    n_permutations : int, default=1000
        Permutations drawn. If there are no more than this in all, each is taken once and
        p is exact.
    random_state : int, RandomState or None, default=0
        Seed.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    MetricComparison
        p is (1 + n) / (1 + n_permutations), n of the permutations being as extreme, or their
        proportion if it is exact: never 0, and 1 for metrics that do not differ. NaN, with a
        warning, for a metric that is constant or has no value.

    Raises
    ------
    CandidateError
        As :func:`kendall_tau`; for infinity, fewer than two metrics, a metric named twice.

    Notes
    -----
    Memory holds 8 bytes for each row and pair of metrics (thrice that for Pearson's correlation of
    all rows), and about 150 MB for each thread. What divides by pairs that the metric decides
    ("wmt13", "tau-b") in groups of 128 rows or more, "tau-c", "spearman" and the quality of
    rankings take long: they are computed anew for each permutation.

    References
    ----------
    Deutsch, Dror and Roth 2021, "A statistical analysis of summarization evaluation metrics
    using resampling methods", section 4.2; Phipson and Smyth 2010 (p is never zero).

    Examples
    --------
    >>> from sklearn_mteval.metrics import permutation_test
    >>> scores = {"good": [6, 5, 4, 3, 2, 1], "bad": [3, 5, 1, 6, 2, 4]}
    >>> permutation_test([1, 2, 3, 4, 5, 6], scores, groups=None).p_values
    array([[   nan, 0.0625],
           [1.    ,    nan]])
    """
    if systems is not None and segments is None:
        raise ValueError("systems say which rows are one translation only together with segments.")
    units = [] if systems is None else [segments, systems]
    rows = compared_rows(y_true, scores, groups, units, missing)
    options = {"average": average, "threshold": threshold, "epsilon": epsilon}
    exchange = exchange_of_rows(statistic, rows, **options)
    drawn = {"n_permutations": n_permutations, "random_state": random_state, "n_jobs": n_jobs}
    return comparison_by_exchange(rows.names, exchange, rows.units.max(initial=-1) + 1, **drawn)


def comparison_by_exchange(names, exchange, n_units, **options):
    """Test all pairs of metrics, given what ``exchange_of_rows`` and its like return."""
    values, tested, difference = exchange
    forward, backward, n_taken = permutation_p_values(
        difference, differences_of_pairs(tested), n_units, **options
    )
    return comparison_of(names, values, forward, backward, n_permutations=n_taken)


def exchange_of_rows(statistic, rows, *, average="pairs", threshold=25.0, epsilon=0.0):
    """Return values, those that can be tested, and differences as a function of Signs of units."""
    check_one_of("statistic", statistic, STATISTICS)
    check_one_of("average", average, AVERAGES)
    epsilons = epsilons_of(epsilon, rows.names)
    if epsilons.any() and not STATISTICS[statistic].epsilon:
        with_it = ", ".join(repr(name) for name, other in STATISTICS.items() if other.epsilon)
        raise ValueError(f"epsilon is for {with_it}, not for {statistic!r}.")
    options = {"average": average, "threshold": threshold}
    values = [
        statistic_of_rows(statistic, rows.human, metric, rows.groups, epsilon=tie, **options)
        for metric, tie in zip(rows.scores, epsilons, strict=True)
    ]
    values = np.array(values)
    standard, spread = standardised(rows.scores)
    # Rounded, so that pairs of rows tie alike for a metric and for its multiple.
    standard = np.round(standard, 10)
    epsilons = np.column_stack([epsilons, epsilons / np.where(spread > 0, spread, 1)])
    difference = difference_of_signs(statistic, rows, standard, epsilons=epsilons, **options)
    return values, np.where(spread > 0, values, np.nan), difference


def differences_of_pairs(values):
    """Return the differences of all pairs of metrics, in the order of ``np.triu_indices``."""
    first, second = np.triu_indices(len(values), 1)
    return values[first] - values[second]


def epsilons_of(epsilon, names):
    """Return what scores of each metric may differ by and tie, in the order of names."""
    if isinstance(epsilon, Mapping):
        if set(epsilon) != set(names):
            raise ValueError(f"epsilon has the metrics {list(epsilon)}, expected {list(names)}.")
        epsilon = [epsilon[name] for name in names]
    with expected("epsilon must be numbers"):
        epsilons = as_numbers(epsilon)
    if not (epsilons >= 0).all():
        raise ValueError(f"epsilon must be numbers >= 0, found {epsilon!r}.")
    if epsilons.ndim and epsilons.shape != (len(names),):
        raise ValueError(f"epsilon must be a number or {len(names)} of them, found {epsilon!r}.")
    return np.broadcast_to(epsilons, len(names))


def standardised(scores):
    """Standardise scores (n_metrics, n_values), NaN missing; return their deviations, too."""
    if scores.shape[1] == 0:
        return scores, np.zeros(len(scores))
    # Scaled by powers of two, so that no square is too large or too small.
    exponents = np.frexp(np.nanmax(np.abs(scores), axis=1))[1]
    scores = np.ldexp(scores, -exponents[:, None])
    spread = np.nanstd(scores, axis=1)
    constant = np.nanmax(scores, axis=1) == np.nanmin(scores, axis=1)
    spread[constant] = 0
    centred = scores - np.nanmean(scores, axis=1, keepdims=True)
    centred[constant] *= 0
    return centred / np.where(spread > 0, spread, 1)[:, None], np.ldexp(spread, exponents)


def permutation_p_values(difference, observed, n_units, *, n_permutations, random_state, n_jobs):
    """Compute p of all pairs of metrics, both ways, and how many permutations were taken."""
    check_n_jobs(n_jobs)
    bits, exact = exchanges(n_units, n_permutations, random_state)
    if np.isnan(observed).all():
        return observed, observed, 0
    # As the permutations see it, among them the one that exchanges nothing: of scores of extreme
    # range some are equal once they are standardised.
    observed = np.where(np.isnan(observed), np.nan, difference(Signs.of_none(n_units))[:, 0])

    def _count(block):
        """Count the permutations of a block that are as extreme, in either direction."""
        found = difference(Signs.from_rows(block, n_units)).T
        # An undefined difference counts as extreme: it must not make anything significant.
        more = ~(found < observed - _ROUNDING)
        less = ~(found > observed + _ROUNDING)
        return np.array([more.sum(axis=0), less.sum(axis=0)])

    starts = range(0, len(bits), _PERMUTATIONS_AT_ONCE)
    blocks = [bits[start : start + _PERMUTATIONS_AT_ONCE] for start in starts]
    n_threads = min(effective_n_jobs(n_jobs), len(blocks))
    parallel = Parallel(n_jobs=n_threads, prefer="threads", return_as="generator")
    found = parallel(delayed(_count)(block) for block in blocks)
    counts = sum(tracked(found, "permuting", "blocks", total=len(blocks)))
    p_values = counts / len(bits) if exact else (1 + counts) / (1 + len(bits))
    return *np.where(np.isnan(observed), np.nan, p_values), len(bits)
