"""Strengths of systems from comparisons, with intervals and tests of all pairs."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.assisted_means import variances_of_differences
from sklearn_mteval.metrics.core.units import (
    FEW_CLUSTERS,
    effective_number,
    expanded_percentiles,
    student_interval,
)
from sklearn_mteval.metrics.paired_comparisons.judge_errors import (
    JudgeEstimates,
    judge_estimates,
    shifted,
)
from sklearn_mteval.metrics.paired_comparisons.judges import fit_judges, judged_data
from sklearn_mteval.metrics.paired_comparisons.regression import (
    bootstrap,
    covariance,
    fit,
    paired_data,
)
from sklearn_mteval.metrics.paired_comparisons.separation import (
    log_chance,
    standing_of,
    strength_bound,
)


class Estimates(NamedTuple):
    """What comparisons say of systems, in the order of the comparisons' ``systems``."""

    strengths: np.ndarray  # (n_systems,): log-odds, mean zero; infinite outside of the core
    effects: np.ndarray  # (n_covariates,)
    log_nu: float
    errors: np.ndarray  # standard errors of strengths, then effects; NaN outside of the core
    sandwich: np.ndarray  # (n_systems + n_covariates, 2): bounds
    bootstrap: np.ndarray  # the same
    variances: np.ndarray  # (n_systems, n_systems): of differences; NaN outside of the core
    degrees: float  # of freedom
    p_values: np.ndarray  # (n_systems, n_systems): two-sided, are they equal?
    net: np.ndarray  # (n_systems,) int: systems that it stands over, less those that stand over it
    n_segments: int  # of comparisons within the core, on which the intervals rest
    judges: JudgeEstimates | None = None  # of those who compared systems of the core
    judging: np.ndarray | None = None  # (n_judging,) int: which those are


def estimate_strengths(
    comparisons, *, ties, confidence, n_resamples, rng, weights=None, discrimination=False
):
    """Estimate strengths of ``weights`` of comparisons; ``ties``: whether they have a parameter, or
    are half a win for each; ``discrimination``: whether judges have their own. Intervals are of the
    core, the largest part of systems on one scale.
    """
    c, n = comparisons, len(comparisons.systems)
    if not c.outcome.any():
        raise CandidateError("No comparison is decided: all are ties.")
    ties = ties and bool((c.outcome == 0).any())
    of_all = paired_data(
        c.segment, c.first, c.second, c.outcome, c.covariates, weights, n_systems=n, ties=ties
    )
    k = c.covariates.shape[1]
    standing = standing_of(of_all.first, of_all.second, of_all.totals(), n)
    core, tail = np.flatnonzero(standing.core), (1 - confidence) / 2
    if k and len(core) < n:
        name = c.systems[(~standing.core).argmax()]
        raise CandidateError(
            f"Effects of covariates need systems that all win and lose, directly or over others; "
            f"{name!r} and the rest do not. Leave such systems out, or the covariates."
        )
    strengths = np.where(standing.above, np.inf, np.where(standing.below, -np.inf, np.nan))
    errors, p_values = np.full(n + k, np.nan), np.ones((n, n))
    variances, degrees = np.full((n, n), np.nan), 0.0
    sandwich, resampled = np.full((2, n + k, 2), np.nan)
    effects, log_nu, n_segments, of_judges = np.zeros(k), -np.inf, 0, (None, None)
    if len(core):
        data = of_all.within(standing.core)
        if ties and not data.counts[:, 2].any():
            data = data._replace(ties=False)
        n_segments = int(data.segment[-1]) + 1
        if n_segments < 2:
            raise CandidateError("Intervals come from segments that differ: two are needed.")
        found = _fitted(data)
        log_nu = found.values[-1] if data.ties else -np.inf
        own = np.append(core, n + np.arange(k))
        if discrimination:
            of_judges = _judged(c, standing.core, weights)
            estimates, between = of_judges[0].common, of_judges[0].covariance
            samples = shifted(of_judges[0], n_resamples=n_resamples, rng=rng)
        else:
            estimates, between = found.values[: len(own)], covariance(data, found)
            samples = bootstrap(data, found, n_resamples=n_resamples, rng=rng)[:, : len(own)]
        strengths[core], effects = estimates[: len(core)], estimates[len(core) :]
        variance = np.diag(between)[: len(own)]
        errors[own] = np.sqrt(np.maximum(variance, 0))  # alike in all segments: 0, or rounding
        degrees = effective_number(np.bincount(data.segment, data.counts[:, 0])) - 1
        sandwich[own] = student_interval(estimates, errors[own], degrees, confidence)
        resampled[own] = sandwich[own]
        if n_segments >= FEW_CLUSTERS:
            resampled[own] = expanded_percentiles(samples, tail, n_segments)
        spread = variances_of_differences(between[: len(core), : len(core)])
        variances[np.ix_(core, core)] = spread
        p_values[np.ix_(core, core)] = _tests(strengths[core], spread, degrees)
    bounds, of_others = _of_the_rest(of_all, standing, strengths, log_nu, tail)
    rest = np.flatnonzero(~standing.core)
    sandwich[rest] = resampled[rest] = bounds[rest]
    p_values = np.where(np.isnan(of_others), p_values, of_others)
    return Estimates(
        strengths, effects, log_nu, errors, sandwich, resampled, variances, degrees, p_values,
        standing.net, n_segments, *of_judges,
    )  # fmt: skip


def _fitted(data):
    """Fit the core, or say why there is no estimate."""
    judged, _, tied = data.totals().T
    # Where all are ties, their parameter is infinite.
    found = None if data.ties and (judged == tied).all() else fit(data)
    if found is None or not found.converged or np.linalg.cond(found.information) > 1e12:
        if not data.covariates.shape[1]:
            raise CandidateError(
                "Strengths and ties cannot be estimated together (ties='model'): too few "
                "comparisons are decided, or all that are decided point one way. Take ties='half', "
                "a tie being half a win for each."
            )
        raise CandidateError(
            "The effects of the covariates cannot be estimated: a covariate is the same for all "
            "translations of a system, is made of others, or decides every comparison."
        )
    return found


def _judged(c, core, weights):
    """Estimate strengths within the core, and its judges; return which these are, too."""
    rows = core[c.first] & core[c.second]
    number = np.cumsum(core) - 1
    judging, judge = np.unique(c.judge[rows], return_inverse=True)
    data = judged_data(
        np.unique(c.segment[rows], return_inverse=True)[1], number[c.first[rows]],
        number[c.second[rows]], c.outcome[rows], judge, c.covariates[rows],
        None if weights is None else weights[rows],
        n_systems=int(core.sum()), n_judges=len(judging),
    )  # fmt: skip
    found = fit_judges(data)
    if not found.converged:
        raise CandidateError(
            "The judges' discriminations cannot be estimated: the fit did not converge. Leave out "
            "judges with few comparisons, or the discriminations."
        )
    return judge_estimates(data, found), judging


def _tests(strengths, spread, degrees):
    """Return two-sided p-values (n, n) of Wald's tests, 1 where nothing varies or differs."""
    differences = np.abs(strengths[:, None] - strengths)
    certain = spread > 1e-12 * spread.max()
    t = np.divide(differences, np.sqrt(spread), where=certain, out=np.zeros_like(spread))
    return 2 * stats.t.sf(t, degrees)


def _of_the_rest(data, standing, strengths, log_nu, tail):
    """Return bounds (n, 2) and p-values (n, n) of what is not in the core, else NaN: who won all is
    as strong as makes that no less probable than the tail; two outside have their own comparisons.
    """
    n, outside = len(strengths), np.flatnonzero(~standing.core)
    bounds, p_values = np.full((n, 2), np.nan), np.full((n, n), np.nan)
    p_values[outside] = p_values[:, outside] = 1.0
    for system in outside:
        opponents, weights = _met(data, system, standing.core)
        sign = 1 if standing.above[system] else -1
        beaten = sign * strengths[opponents]
        if standing.core.any() and np.isinf(strengths[system]):
            bounds[system] = strength_bound(beaten, weights, log_nu, tail), np.inf
            bounds[system] = np.sort(sign * bounds[system])
        for other in np.flatnonzero(standing.over[system] | standing.over[:, system]):
            if standing.core[other] and len(opponents):
                chance = log_chance(sign * strengths[other], beaten, weights, log_nu)
            else:
                chance = -np.log(2) * _met(data, system, np.arange(n) == other)[1].sum()
            p_values[system, other] = p_values[other, system] = min(1.0, 2 * np.exp(chance))
    return bounds, p_values


def _met(data, system, others):
    """List the opponents of a system among others (a mask) and the weights of comparisons."""
    first, second = data.first[data.row], data.second[data.row]
    chosen = ((first == system) & others[second]) | ((second == system) & others[first])
    opponents = np.where(first == system, second, first)[chosen]
    segments, counts = data.segment[chosen], data.counts[chosen, 0]
    return opponents, counts / np.bincount(segments, counts)[segments]
