"""Paired permutation test of metrics, whose scores are exchanged by segment or by document."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_draws, check_n_jobs, check_number, check_one_of
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.core.agreement import statistic_of_rows
from sklearn_mteval.metrics.core.aligned import expected
from sklearn_mteval.metrics.core.statistics import AVERAGES, STATISTICS
from sklearn_mteval.metrics.core.units import Signs, all_exchanges, exchanges
from sklearn_mteval.metrics.significance.comparison import (
    MetricComparison,
    compared_rows,
    comparison_of,
)
from sklearn_mteval.metrics.significance.swaps import difference_of_signs

_PERMUTATIONS_AT_ONCE = 500
_ROUNDING = 1e-10  # differences closer than this are equal
_FINENESS = 4  # times the fewest permutations with which Holm's correction can answer


def permutation_test(
    y_true: ArrayLike, scores: pd.DataFrame, *, groups: ArrayLike | None,
    documents: ArrayLike | None = None, statistic: str = "wmt12", average: str = "pairs",
    threshold: float = 25.0, epsilon: float = 0.0, missing: str = "error",
    n_permutations: int = 1000, alpha: float = 0.05, random_state: Seed = 0,
    n_jobs: int | None = None
) -> MetricComparison:  # fmt: skip
    """Test for each pair of metrics whether one agrees with annotators better than the other.

    The two metrics' scores of a document, standardised, are exchanged with probability 1/2, those
    of all its translations together, and p is the proportion of such permutations in which the
    values differ by at least as much as they do in fact, in either direction. All pairs of metrics
    share the permutations.

    Parameters
    ----------
    y_true, groups, threshold : see :func:`kendall_tau`
        The same.
    scores : DataFrame of shape (n_rows, n_metrics), mapping of name to vector, or 2-D array
        Metric scores: higher is better. Two metrics or more.
    documents : see :func:`agreement_interval`
        What is exchanged as a whole. None takes each group as a document of its own, or each row
        where all are one group.
    statistic, average : see :func:`agreement_interval`
        The same.
    epsilon : float, sequence of length n_metrics, or mapping of name to float, default=0.0
        For "acc_eq" and "eq" only: scores of a metric that differ by at most this tie. Where
        documents do not hold whole groups, each score takes half of its metric's epsilon along.
    missing : {"error", "skip"}, default="error"
        What a NaN score does: raise, or leave its row out for all metrics, as a paired
        comparison needs common rows.
    n_permutations : int, default=1000
        Permutations drawn for all pairs of metrics at first. Pairs in which fewer than alpha of
        these are as extreme get more, until as many are, or Holm's correction of all pairs can
        answer: 4 n_pairs / alpha at most. If there are no more in all, each is taken once.
    alpha : float, default=0.05
        The level at which p will be read.
    random_state : int, RandomState or None, default=0
        Seed.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    MetricComparison
        Two-sided p is (1 + n) / (1 + permutations of the pair), n of them being as extreme, or
        their proportion if all were taken: never 0, and 1 for metrics that do not differ. NaN, with
        a warning, for a metric that is constant or has no value.

    Raises
    ------
    CandidateError
        As :func:`kendall_tau`; for infinity, fewer than two metrics, a metric named twice.

    Notes
    -----
    Where documents do not hold whole groups, memory holds 8 bytes for each document and pair of
    metrics, and what does not divide by the number of pairs, or of those that the judgements decide
    ("wmt13", "tau-b", "tau-c", correlations, the quality of rankings), is computed anew for each
    permutation, which takes long.

    References
    ----------
    Deutsch, Dror and Roth 2021, section 4.2, who exchange single translations (PERM-BOTH); Besag
    and Clifford 1991, "Sequential Monte Carlo p-values"; Phipson and Smyth 2010 (p is never zero).

    Examples
    --------
    >>> from sklearn_mteval.metrics import permutation_test
    >>> scores = {"good": [6, 5, 4, 3, 2, 1], "bad": [3, 5, 1, 6, 2, 4]}
    >>> permutation_test([1, 2, 3, 4, 5, 6], scores, groups=None).p_values
    array([[  nan, 0.125],
           [0.125,   nan]])
    """
    units = groups if documents is None else documents
    rows = compared_rows(y_true, scores, groups, units, missing)
    options = {"average": average, "threshold": threshold, "epsilon": epsilon}
    exchange = exchange_of_rows(statistic, rows, **options)
    drawn = {"n_permutations": n_permutations, "random_state": random_state, "n_jobs": n_jobs}
    n_units = rows.units.max(initial=-1) + 1
    return comparison_by_exchange(rows.names, exchange, n_units, alpha=alpha, **drawn)


def comparison_by_exchange(names, exchange, n_units, *, alpha, **options):
    """Test all pairs of metrics, given what ``exchange_of_rows`` and its like return."""
    check_number("alpha", alpha, above=0, maximum=1)
    values, tested, difference = exchange
    observed = differences_of_pairs(tested)
    p_values, n_taken = permutation_p_values(difference, observed, n_units, alpha=alpha, **options)
    return comparison_of(names, values, *p_values, n_permutations=n_taken, n_units=int(n_units))


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


def permutation_p_values(
    difference, observed, n_units, *, n_permutations, random_state, n_jobs, alpha=None,
    one_sided=False
):  # fmt: skip
    """Return p of all pairs of metrics, (2, n_pairs), both sides or first and second better, and of
    how many permutations at most; with ``alpha`` until Holm's correction can answer.
    """
    check_n_jobs(n_jobs)
    check_draws("n_permutations", n_permutations)
    if np.isnan(observed).all():
        return np.stack([observed, observed]), 0
    tested = np.flatnonzero(~np.isnan(observed))
    most = n_permutations
    if alpha is not None:
        most = max(most, math.ceil(_FINENESS * len(tested) / alpha))
    # As the permutations see it, among them the one that exchanges nothing: of scores of extreme
    # range some are equal once they are standardised.
    observed = np.where(np.isnan(observed), np.nan, 0.0)
    observed[tested] = difference(Signs.of_none(n_units), tested)[:, 0]
    counts, taken = np.zeros((2, len(observed)), dtype=np.int64), np.zeros(len(observed))

    def counted(block, some):
        """Count the permutations of a block that are as extreme."""
        found, bound = difference(Signs.from_rows(block, n_units), some).T, observed[some]
        if not one_sided:
            found, bound = np.abs(found), np.abs(bound)
        # An undefined difference counts as extreme: it must not make anything significant.
        more = (~(found < bound - _ROUNDING)).sum(axis=0)
        less = (~(found > bound + _ROUNDING)).sum(axis=0) if one_sided else more
        return np.array([more, less])

    def count(blocks, some, n):
        """Count them in all blocks, of n permutations together."""
        n_blocks = -(-n // _PERMUTATIONS_AT_ONCE)
        n_threads = min(effective_n_jobs(n_jobs), n_blocks)
        parallel = Parallel(n_jobs=n_threads, prefer="threads", return_as="generator")
        found = parallel(delayed(counted)(block, some) for block in blocks)
        what = f"permuting {len(some):,} pairs of metrics"
        unit = f"blocks of {_PERMUTATIONS_AT_ONCE} permutations"
        counts[:, some] += sum(tracked(found, what, unit, total=n_blocks))
        taken[some] += n

    if n_units < 32 and 2**n_units <= most:
        count(all_exchanges(n_units, _PERMUTATIONS_AT_ONCE), tested, 2**n_units)
        return np.where(np.isnan(observed), np.nan, counts / 2**n_units), 2**n_units
    rng = check_random_state(random_state)
    # Besag and Clifford 1991: with as many as this p is above alpha already in the first round.
    enough = math.floor((n_permutations + 1) * (alpha or 0))
    n_taken, some = 0, tested
    while len(some) and n_taken < most:
        n = min(max(n_taken, n_permutations), most - n_taken)
        count(exchanges(n_units, n, rng, _PERMUTATIONS_AT_ONCE), some, n)
        n_taken, some = n_taken + n, some[counts[:, some].min(axis=0) < enough]
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(observed), np.nan, (1 + counts) / (1 + taken)), n_taken
