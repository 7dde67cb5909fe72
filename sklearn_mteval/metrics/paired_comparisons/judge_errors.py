"""Errors of strengths and of judges' discriminations, clustered by segment.

The covariance is a sandwich. That judges deviate from their mean is one observation more of each,
lest the error of a judge with few comparisons come near to zero.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import block_diag, bsr_array, csr_array, diags_array, vstack
from scipy.special import expit

from sklearn_mteval.metrics.core.units import generator_of, left_out_factors, times_drawn
from sklearn_mteval.metrics.paired_comparisons.judges import (
    FARTHEST,
    judge_derivatives,
    predictors,
    solve_blocks,
)

_CELLS_AT_ONCE = 1 << 20
_MOST_GROUPS = 4096  # of segments that the bootstrap draws
_LEAST = 1 / 3  # of the mean discrimination: who has less guesses, and a logarithm says nothing


class JudgeEstimates(NamedTuple):
    """Estimates; discriminations that are a third of the mean or more have geometric mean 1."""

    common: np.ndarray  # (c,): strengths of mean zero, effects
    covariance: np.ndarray  # (c, c)
    shifts: np.ndarray  # (n_groups, c): what groups of segments add to the error of ``common``
    of_priors: np.ndarray  # (n_priors, c): and what judges' deviations from their mean do
    discriminations: np.ndarray  # (n_judges,)
    errors: np.ndarray  # (n_judges,)
    biases: np.ndarray  # (n_judges, n_covariates): effects of covariates on each judge
    bias_errors: np.ndarray
    n_segments: int


def judge_estimates(data, found):
    """Return the JudgeEstimates of a JudgeFit."""
    n, n_judges, (_, k) = data.n_systems, data.n_judges, data.covariates.shape
    c, q = n + k, 1 + k
    priors = found.variances / found.dependence
    blocks = judge_derivatives(data, data.totals(), found.common, found.own, priors)
    solve = solve_blocks(blocks, found.shares)
    inner, through, outer = solve.inner, solve.through, solve.outer
    slopes, n_segments = _slopes_by_segment(data, found)
    inverse = csr_array(bsr_array((inner, np.arange(n_judges), np.arange(n_judges + 1))))
    # The geometric mean of discriminations, the unit, and the slopes of its logarithm in each.
    slope = found.own[:, 0]
    counted = slope >= _LEAST  # not empty: their mean is 1
    g = float(np.exp(np.log(slope[counted]).mean()))
    weights = np.zeros((n_judges, q))
    weights[counted, 0] = 1 / (counted.sum() * slope[counted])
    weights = weights.ravel()
    of_unit = inverse @ weights, through.T @ weights

    spread, crossed = np.zeros((c + 1, c + 1)), np.zeros((n_judges * q, c + 1))
    own, with_unit = np.zeros((2, n_judges * q))
    of_common, of_errors = np.zeros(c + 1), np.zeros((c, c))
    unit_spread = 0.0
    shifts, of_priors = np.zeros((min(n_segments, _MOST_GROUPS), c)), []
    at_once, factor = max(1, _CELLS_AT_ONCE // c), _few_segments(n_segments)
    for start in range(0, slopes.shape[0], at_once):
        part = slopes[start : start + at_once]
        judged = part[:, c:]
        right = -(judged @ through)
        right[:, :c] += part[:, :c].toarray()
        moved = right @ outer  # errors of what is common that these segments cause
        unit = judged @ of_unit[0] - moved @ of_unit[1]  # of the logarithm of the unit
        judged = judged @ inverse
        spread += moved.T @ moved
        crossed += judged.T @ moved
        own += judged.multiply(judged).sum(axis=0)
        with_unit += judged.T @ unit
        of_common += moved.T @ unit
        unit_spread += unit @ unit
        errors = moved[:, :c]
        errors[:, :n] = g * (errors[:, :n] + np.outer(unit, found.common[:n]))
        of_errors += errors.T @ errors
        segments = np.arange(start, min(start + at_once, n_segments))
        np.add.at(shifts, segments % len(shifts), errors[: len(segments)] / factor)
        of_priors.append(errors[len(segments) :])
    own += ((through @ spread - 2 * crossed) * through).sum(axis=1)
    with_unit -= through @ of_common
    own, with_unit = own.reshape(n_judges, q), with_unit.reshape(n_judges, q)
    of_slopes = own[:, 0] - 2 * slope * with_unit[:, 0] + slope**2 * unit_spread
    # A judge's bias is the sum of the common effect and the judge's own deviation.
    both = (crossed - through @ spread)[:, n:c].reshape(n_judges, q, k)
    both = np.einsum("jkk->jk", both[:, 1:])
    of_biases = own[:, 1:] + 2 * both + np.diag(spread)[n:c]
    common = found.common * np.append(np.full(n, g), np.ones(k))
    biases = found.common[n:] + found.own[:, 1:]
    errors, bias_errors = (np.sqrt(np.maximum(x, 0)) for x in (of_slopes, of_biases))
    return JudgeEstimates(
        common, of_errors, shifts, np.concatenate(of_priors), slope / g, errors / g, biases,
        bias_errors, n_segments,
    )  # fmt: skip


def _slopes_by_segment(data, found):
    """Return slopes (n_segments + n_priors, n_parameters), sparse, and the number of segments."""
    n, n_judges, (_, k) = data.n_systems, data.n_judges, data.covariates.shape
    eta, difference, slope = (part[data.row] for part in predictors(data, *found[:2]))
    judged, won, _ = data.counts.T
    n_segments, covariates = int(data.segment[-1]) + 1, data.covariates[data.row]
    factors = _few_segments(n_segments) * left_out_factors(
        np.bincount(data.segment, judged) / judged.sum(), n_segments
    )
    residual = (won - judged * expit(eta)) * factors[data.segment]
    own = n + k + data.judge[data.row] * (1 + k)
    columns = [data.first[data.row], data.second[data.row], own]
    cells = [slope, -slope, difference]
    for j in range(k):
        columns += [np.full(len(own), n + j), own + 1 + j]
        cells += [covariates[:, j]] * 2
    cells = [residual * cell for cell in cells]
    rows = np.tile(data.segment, len(columns))
    shape = n_segments, n + k + n_judges * (1 + k)
    slopes = csr_array((np.concatenate(cells), (rows, np.concatenate(columns))), shape)
    of_strengths = (np.eye(n) - 1 / n) / FARTHEST
    of_own = np.tile(found.dependence / np.sqrt(found.variances), n_judges)
    priors = block_diag([of_strengths, csr_array((0, k)), diags_array(of_own)])
    return csr_array(vstack([slopes, priors])), n_segments


def _few_segments(n_segments):
    """Return the root of the customary factor of small samples, G / (G - 1) of G segments."""
    return np.sqrt(n_segments / max(n_segments - 1, 1))


def shifted(found, *, n_resamples, rng):
    """Return what is common in resamples of segments, to first order (score bootstrap, Kline and
    Santos 2012), judges' deviations being drawn from the model's normal distribution.
    """
    rng = generator_of(rng)
    times = times_drawn(len(found.shifts), rng, n_resamples) - 1.0
    deviations = rng.standard_normal((n_resamples, len(found.of_priors)))
    return found.common + times @ found.shifts + deviations @ found.of_priors
