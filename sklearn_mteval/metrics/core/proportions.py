"""Intervals of proportions of what hangs together: Wilson's, of fewer that would be independent."""

import numpy as np

from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import effective_number


def wilson_interval(proportion, n, confidence):
    """Return Wilson's bounds (..., 2) of proportions of n independent trials; NaN where n is 0."""
    from scipy.special import ndtri  # slow to load

    proportion, n = np.broadcast_arrays(np.asarray(proportion, dtype=np.float64), n)
    z2 = ndtri((1 + confidence) / 2) ** 2
    n = np.where(n > 0, n, np.nan)
    centre = (proportion + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (proportion * (1 - proportion) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return np.clip(np.stack([centre - half, centre + half], axis=-1), 0, 1)


def design_effect(residuals, information, most, events):
    """Return how much more a sum varies, 1 to ``most``, than of independent terms, from what is
    left in each unit, (n_units, ...), and the ``information``; of no ``events`` ``most`` is taken.
    """
    n = len(residuals)
    found = ratio((residuals**2).sum(axis=0) * n / max(n - 1, 1), information, 1.0)
    return np.clip((events * np.maximum(found, 1) + most) / (events + 1), 1, most)


def independent_trials(n, effect, n_units, confidence):
    """Return trials of which Wilson's interval is as wide as Student's (Korn, Graubard 1998)."""
    from scipy import stats  # slow to load

    tail = (1 + confidence) / 2
    n, n_units = (np.maximum(np.asarray(x, dtype=np.float64), 1.0) for x in (n, n_units))
    few, many = (stats.t.ppf(tail, np.maximum(x - 1, 1e-3)) for x in (n_units, n))
    return np.clip(n / effect * (many / few) ** 2, np.minimum(n_units, n), n)


def interval_of_units(value, residuals, sizes, confidence):
    """Return bounds (2,) of a mean of trials from 0 to 1, ``sizes`` in each unit, given units' sums
    of differences from it; of one trial each Wilson's; NaN of no trial.
    """
    n = sizes.sum()
    if not n or np.isnan(value):
        return np.full(2, np.nan)
    events = n * value * (1 - value)
    effect = design_effect(residuals, events, (sizes**2).sum() / n, events)
    trials = independent_trials(n, effect, effective_number(sizes), confidence)
    return wilson_interval(value, trials, confidence)


def interval_of_proportion(hits, sizes, confidence):
    """Return bounds (2,) of the proportion of hits of trials, ``sizes`` (n_units,) in each unit."""
    hits, sizes = (np.asarray(part, dtype=np.float64)[sizes > 0] for part in (hits, sizes))
    value = ratio(hits.sum(), sizes.sum())
    return interval_of_units(value, hits - value * sizes, sizes, confidence)
