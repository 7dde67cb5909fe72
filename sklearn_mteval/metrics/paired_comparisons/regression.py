"""Strengths of systems and effects of covariates, from paired comparisons in segments.

The model is Davidson's of d = s_i - s_j + (x_i - x_j) b; without ties, a logistic regression on d.
The covariance is a sandwich clustered by segment (Liang and Zeger 1986).
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.metrics.core.units import left_out_factors, units_drawn
from sklearn_mteval.metrics.paired_comparisons.comparisons import joined_by
from sklearn_mteval.metrics.paired_comparisons.models import TIE_MODELS, laplacian, score_moments
from sklearn_mteval.metrics.paired_comparisons.separation import standing_of
from sklearn_mteval.metrics.paired_comparisons.strengths import maxima

_DAVIDSON = TIE_MODELS["davidson"]
_EXTREME = 30.0  # log-odds that no finite estimate comes near to
_DRAWS_AT_ONCE = 1 << 24
_MOST_STEPS = 30
_SHORTEST_STEP = 1e-7


class PairedData(NamedTuple):
    """What is compared, and by whom if judges are told apart: rows are distinct pairs, or pairs
    and judges, entries what a segment says of a row.
    """

    first: np.ndarray  # (n_rows,) int64, codes of systems
    second: np.ndarray  # (n_rows,) int64
    covariates: np.ndarray  # (n_rows, n_covariates), differences: first less second
    n_systems: int
    segment: np.ndarray  # (n_entries,) int64, not decreasing, from 0
    row: np.ndarray  # (n_entries,) int64
    # (n_entries, 3): comparisons (or weights), first's wins with half the ties, ties
    counts: np.ndarray
    ties: bool  # whether ties have a parameter of their own
    judge: np.ndarray | None = None  # (n_rows,) int64, codes of judges
    n_judges: int = 0

    def totals(self):
        """Return the sums of counts by row, (n_rows, 3)."""
        n_rows = len(self.first)
        return np.column_stack([np.bincount(self.row, x, n_rows) for x in self.counts.T])

    def design(self):
        """Return the matrix (n_rows, n_systems + n_covariates) of 1, -1 and covariates."""
        n_rows, k = self.covariates.shape
        of_covariates = np.broadcast_to(self.n_systems + np.arange(k), (n_rows, k))
        columns = np.column_stack([self.first, self.second, of_covariates])
        cells = np.column_stack([np.ones(n_rows), -np.ones(n_rows), self.covariates])
        starts = np.arange(n_rows + 1) * (k + 2)
        return csr_array((cells.ravel(), columns.ravel(), starts), (n_rows, self.n_systems + k))

    def rows_within(self, systems):
        """Return the rows of some systems (a mask), without judges, with all entries; a mask."""
        rows = systems[self.first] & systems[self.second]
        number, n_systems = np.cumsum(systems) - 1, int(systems.sum())
        first, second = number[self.first[rows]], number[self.second[rows]]
        covariates = self.covariates[rows]
        return PairedData(first, second, covariates, n_systems, *self[4:8]), rows

    def within(self, systems):
        """Return the data of some systems (a mask) among themselves."""
        part, rows = self.rows_within(systems)
        entries = rows[self.row]
        return part._replace(
            segment=np.unique(self.segment[entries], return_inverse=True)[1],
            row=(np.cumsum(rows) - 1)[self.row[entries]],
            counts=self.counts[entries],
        )


class Fit(NamedTuple):
    """An estimate: strengths of mean zero, then effects, then log nu if ties are modelled."""

    values: np.ndarray  # (n_parameters,)
    information: np.ndarray  # (n_parameters, n_parameters), 1 / n_systems added among strengths
    converged: bool


def paired_data(
    segment, first, second, outcome, covariates, weights=None, *, n_systems, ties, judge=None,
    n_judges=0
):  # fmt: skip
    """Return PairedData sorted by segment, first and second, with ``weights`` (Lindsay 1988)."""
    counts = np.column_stack([np.ones(len(outcome)), (outcome + 1) / 2, outcome == 0])
    if weights is not None:
        counts *= weights[:, None]
    row = np.arange(len(first))
    if not covariates.shape[1]:  # comparisons of a pair, by a judge, are alike
        of_judge = 0 if judge is None else judge * n_systems
        key = (of_judge + first) * n_systems + second
        start, segment, row, counts = joined_by(key, segment, counts)
        first, second, covariates = first[start], second[start], covariates[start]
        judge = None if judge is None else judge[start]
    entries = segment, row, counts
    return PairedData(first, second, covariates, n_systems, *entries, ties, judge, n_judges)


def fit(data, totals=None, *, start=None, tol=1e-10):
    """Maximise the likelihood of ``totals`` (n_rows, 3), None: the data's, by Newton's method."""
    totals = data.totals() if totals is None else totals
    n = data.n_systems
    if start is None:
        start = np.zeros(n + data.covariates.shape[1] + data.ties)
        if data.ties:
            start[-1] = _DAVIDSON.start(totals[:, 2].sum() / totals[:, 0].sum())

    def derivatives(values):
        slope, information = _derivatives(data, values[0], totals)
        return slope[None], information[None]

    limits = {"max_iter": 100, "tol": tol, "farthest": _EXTREME}
    try:
        (values,), (converged,) = maxima(derivatives, start[None], **limits)
    except np.linalg.LinAlgError:
        values, converged = start.copy(), False
    values[:n] -= values[:n].mean()
    return Fit(values, _derivatives(data, values, totals)[1], bool(converged))


def _expected(data, values):
    """Return the moments of each row's score, a tie half a win: mean, P(tie), variance."""
    p = data.n_systems + data.covariates.shape[1]
    differences = values[data.first] - values[data.second]
    differences += data.covariates @ values[data.n_systems : p]
    mean, tie, variance = score_moments(differences, values[p] if data.ties else None)
    return mean + 0.5, tie, variance


def _derivatives(data, values, totals):
    """Return slopes and information; the model is an exponential family of scores and ties."""
    n, p = data.n_systems, data.n_systems + data.covariates.shape[1]
    judged, won, tied = totals.T
    mean, tie, variance = _expected(data, values)
    slope, information = np.zeros(len(values)), np.zeros((len(values), len(values)))
    slope[:p] = _by_parameter(data, won - judged * mean)
    weights = judged * variance
    cells = np.bincount(data.first * n + data.second, weights, minlength=n * n).reshape(n, n)
    # The likelihood leaves the mean of the strengths free: 1 / n in each cell keeps it at zero.
    information[:n, :n] = laplacian(cells + cells.T) + 1 / n
    for k, covariate in enumerate(data.covariates.T, n):
        information[k, :p] = information[:p, k] = _by_parameter(data, weights * covariate)
    if data.ties:
        slope[p] = (tied - judged * tie).sum()
        both = _by_parameter(data, judged * tie * (0.5 - mean))  # the covariance: a tie scores 1/2
        information[:p, p] = information[p, :p] = both
        information[p, p] = (judged * tie * (1 - tie)).sum()
    return slope, information


def _by_parameter(data, values):
    """Add up values of rows by what they pull at: strengths of both systems, and covariates."""
    ends = (np.bincount(end, values, data.n_systems) for end in (data.first, data.second))
    return np.append(np.subtract(*ends), values @ data.covariates)


def covariance(data, found):
    """Return the sandwich covariance of the parameters, clustered by segment."""
    design = data.design()
    p, n_segments = design.shape[1], data.segment[-1] + 1
    mean, tie, _ = _expected(data, found.values)
    judged, won, tied = data.counts.T
    shape = n_segments, len(data.first)
    factor = left_out_factors(np.bincount(data.segment, judged) / judged.sum(), n_segments)
    residual = (won - judged * mean[data.row]) * factor[data.segment]
    residual = coo_array((residual, (data.segment, data.row)), shape=shape)
    scores = residual.tocsr() @ design
    # Σ s s' over segments, s being a segment's sum of slopes: comparisons of one segment may depend
    # on each other in any way. Those of log nu are the last row and column.
    meat = np.zeros_like(found.information)
    meat[:p, :p] = (scores.T @ scores).toarray()
    if data.ties:
        of_ties = np.bincount(data.segment, tied - judged * tie[data.row]) * factor
        meat[:p, p] = meat[p, :p] = scores.T @ of_ties
        meat[p, p] = of_ties @ of_ties
    bread = np.linalg.inv(found.information)
    return bread @ meat @ bread * n_segments / (n_segments - 1)


def bootstrap(data, found, *, n_resamples, rng):
    """Return the parameters in bootstrap resamples of segments, (n_resamples, n_parameters)."""
    n_segments = data.segment[-1] + 1
    bread = np.linalg.inv(found.information)
    estimates = []
    at_once = max(1, _DRAWS_AT_ONCE // n_segments)
    for draws in units_drawn(n_segments, n_resamples, rng, at_once):
        block = resampled_estimates(
            draws, data.segment, data.row, data.counts, data.first, data.second, data.covariates,
            data.ties, found.values, bread, _MOST_STEPS, _SHORTEST_STEP,
        )  # fmt: skip
        for r in np.flatnonzero(np.isnan(block[:, 0])):
            totals = np.empty((len(data.first), 3))
            resampled_totals(draws[r], data.segment, data.row, data.counts, totals)
            block[r] = _refitted(data, found, totals)
        estimates.append(block)
    return np.concatenate(estimates)


@compiled
def resampled_totals(draw, segment, row, counts, totals):
    """Set ``totals`` (n_rows, 3) to sums of the counts of the segments drawn."""
    # How often each is drawn, first: then all but one small array is read from front to back.
    times = np.zeros(len(draw), dtype=np.uint32)
    for drawn in draw:
        times[drawn] += 1
    totals[:] = 0.0
    for entry in range(len(segment)):
        n = times[segment[entry]]
        if n:
            k = row[entry]
            totals[k, 0] += n * counts[entry, 0]
            totals[k, 1] += n * counts[entry, 1]
            totals[k, 2] += n * counts[entry, 2]


@compiled
def resampled_estimates(
    draws, segment, row, counts, first, second, covariates, ties, values, bread, max_iter, tol
):
    """Return parameters (n_resamples, n_parameters) by Newton's method, NaN if not converged."""
    # With all data's inverse information, ``bread``, a step costs no more than a slope; where a
    # resample is too unlike the data, steps grow, and another method must be asked.
    n_rows, n_covariates = covariates.shape
    n_parameters = len(values)
    n_systems = n_parameters - n_covariates - ties
    found = np.full((len(draws), n_parameters), np.nan)
    totals = np.empty((n_rows, 3))
    for r in range(len(draws)):
        resampled_totals(draws[r], segment, row, counts, totals)
        current, last = values.copy(), np.inf
        for _ in range(max_iter):
            slope = np.zeros(n_parameters)
            nu = np.exp(current[-1]) if ties else 0.0
            for k in range(n_rows):
                judged, won, tied = totals[k, 0], totals[k, 1], totals[k, 2]
                if judged == 0:
                    continue
                d = current[first[k]] - current[second[k]]
                for c in range(n_covariates):
                    d += covariates[k, c] * current[n_systems + c]
                up = np.exp(d / 2)
                total = up + 1 / up + nu
                residual = won - judged * (up + nu / 2) / total
                slope[first[k]] += residual
                slope[second[k]] -= residual
                for c in range(n_covariates):
                    slope[n_systems + c] += residual * covariates[k, c]
                if ties:
                    slope[-1] += tied - judged * nu / total
            step = bread @ slope
            longest = np.abs(step).max()
            if not longest < 2 * last or longest > 2.0:
                break
            current += step
            if longest < tol:
                found[r] = current
                break
            last = longest
    return found


def _refitted(data, found, totals):
    """Fit one resample in which some system may not have been drawn, or never lost."""
    n = data.n_systems
    standing = standing_of(data.first, data.second, totals, n)
    values = np.full(len(found.values), np.nan)
    values[:n][standing.above], values[:n][standing.below] = np.inf, -np.inf
    part, of_rows = data.rows_within(standing.core)
    if not len(part.first):
        return values
    totals = totals[of_rows]
    ties = bool(part.ties and totals[:, 2].any())
    kept = np.append(standing.core, np.ones(len(values) - n, dtype=bool))
    kept[-1] &= ties == data.ties
    fitted = fit(part._replace(ties=ties), totals, start=found.values[kept], tol=_SHORTEST_STEP)
    if not fitted.converged:
        values[:] = np.nan
        return values
    values[kept] = fitted.values
    values[:n][standing.core] += found.values[:n][standing.core].mean()
    if ties < data.ties:
        values[-1] = -np.inf  # log nu of no tie
    return values
