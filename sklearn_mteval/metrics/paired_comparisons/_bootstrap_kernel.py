"""Compiled: estimates of paired regressions in bootstrap resamples of segments."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


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
