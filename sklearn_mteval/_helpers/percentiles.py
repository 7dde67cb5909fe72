"""Intervals that are percentiles of bootstrap resamples, right for few clusters too."""

import numpy as np
from scipy import stats


def expanded_percentiles(samples, tail, n_clusters):
    """Return bounds (n_parameters, 2): percentiles, expanded as t exceeds the normal quantile.

    ``samples`` are of shape (n_resamples, n_parameters), ``n_clusters`` a number, or one for each
    parameter. Hesterberg (2015, section 4.3): so corrected, percentiles of few clusters cover as
    they should. A resample that says nothing of a parameter (NaN) allows any value; one cluster
    says nothing of how they vary, and its bounds are NaN.
    """
    n_clusters = np.broadcast_to(n_clusters, samples.shape[1:])
    several = n_clusters > 1
    n = np.where(several, n_clusters, 2)
    quantiles = stats.t.ppf(tail, n - 1) * np.sqrt(n / (n - 1))
    places = ((len(samples) + 1) * stats.norm.cdf(quantiles)).astype(np.int64)
    places = np.maximum(1, places)[np.newaxis] - 1
    low = np.sort(np.where(np.isnan(samples), -np.inf, samples), axis=0)
    high = np.sort(np.where(np.isnan(samples), np.inf, samples), axis=0)
    bounds = [
        np.take_along_axis(low, places, axis=0)[0],
        np.take_along_axis(high, len(samples) - 1 - places, axis=0)[0],
    ]
    return np.where(several[:, np.newaxis], np.column_stack(bounds), np.nan)
