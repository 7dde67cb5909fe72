"""Intervals of systems' agreement: resamples without the noise that resampling adds.

Means of a sample are noisier than the truth, and those of a resample are noisier again. Noise
lowers agreement, so that plain percentiles lie too low: with few documents they all but never hold
the truth.
"""

import numpy as np
from sklearn.utils import check_random_state

from sklearn_mteval.metrics.core.units import FEW_CLUSTERS, percentile_interval

_PRIORS = 100  # of systems' true scores, each for as many draws
_HIGHEST = 0.999  # correlation of true scores
_FAR, _FEWEST = 3, 4  # deviations from the median; systems that a covariance is made of
_ANYWHERE = 1e6  # times the variance of others: what a system far from them may have
_ROUNDING = 1e-9  # of variances, in proportion to the largest
_NOTHING = 1e-200  # variance of equal scores


def intervals_of_systems(statistics, functions, sides, units, bootstrap):
    """Return bounds (n_statistics, 2), NaN for fewer than ``FEW_CLUSTERS`` units: ``sides`` make of
    weights (n_resamples, n_segments) scores of systems, of which ``functions`` are statistics.
    """
    n_units = units.max(initial=-1) + 1
    unknown = np.full((len(statistics), 2), np.nan)
    if n_units < FEW_CLUSTERS:  # of which no interval held what it should
        return unknown

    def scores_of(weights):
        return np.stack([side(weights) for side in sides], axis=1)

    scores = scores_of(np.ones((1, len(units))))[0]
    samples = np.concatenate([scores_of(w[:, units]) for w in bootstrap.weights(n_units)])
    samples = samples[np.isfinite(samples).all(axis=(1, 2))]
    if not np.isfinite(scores).all() or len(samples) < 2:
        return unknown
    noise = samples.reshape(len(samples), -1)
    noise = np.atleast_2d(np.cov(noise.T)) * n_units / (n_units - 1)
    products = _less_noise(samples, noise)
    draws = _true_scores(scores, samples, noise, bootstrap)
    values = [
        _correlations(products) if statistic.of_products else function(draws[:, 0], draws[:, 1])
        for statistic, function in zip(statistics, functions, strict=True)
    ]
    undefined = np.isnan([float(function(*scores)) for function in functions])
    values = np.where(undefined[:, np.newaxis], np.nan, values)
    return percentile_interval(values, bootstrap.confidence)


def _less_noise(samples, noise):
    """Return products (n, 2, 2) of samples' centred scores without noise, which is there twice."""
    n_systems = samples.shape[2]
    centred = samples - samples.mean(axis=-1, keepdims=True)
    centring = np.eye(n_systems) - 1 / n_systems
    of_noise = np.einsum("ij,aibj->ab", centring, noise.reshape(2, n_systems, 2, n_systems))
    return centred @ centred.swapaxes(1, 2) - 2 * of_noise


def _correlations(products):
    """Return Pearson's correlations; what noise may have made of a perfect one is 1."""
    human, metric, both = products[:, 0, 0], products[:, 1, 1], products[:, 0, 1]
    varies = (human > 0) & (metric > 0)
    lengths = np.sqrt(np.where(varies, human * metric, np.inf))
    return np.where(varies, np.clip(both / lengths, -1, 1), np.sign(both))


def _true_scores(scores, samples, noise, bootstrap):
    """Draw both sides' true scores (n_resamples, 2, n_systems), given those seen and their noise.

    Empirical Bayes: they are normal, with a covariance that differs from draw to draw as resamples
    do (Laird and Louis 1987); systems far from the others say nothing of it, and stay.
    """
    usual = _near_the_median(scores)
    n_systems, of_both = len(usual), np.tile(usual, 2)
    prior = _less_noise(samples[:_PRIORS][..., usual], noise[np.ix_(of_both, of_both)])
    spread = np.maximum(scores[:, usual].var(axis=1) * usual.sum(), _NOTHING)
    variances = np.maximum(np.diagonal(prior, axis1=1, axis2=2), _ROUNDING * spread)
    highest = _HIGHEST * np.sqrt(variances.prod(axis=1))
    prior = np.where(np.eye(2, dtype=bool), variances[:, np.newaxis], prior)
    prior[:, 0, 1] = prior[:, 1, 0] = np.clip(prior[:, 0, 1], -highest, highest)
    prior = np.kron(prior / max(usual.sum() - 1, 1), np.diag(np.where(usual, 1.0, _ANYWHERE)))
    # So that neither scores that all move together nor rounding leave a matrix without inverse.
    least = np.diag(_ROUNDING * (np.repeat(spread, n_systems) + np.diag(noise)))
    seen = prior + noise + least
    shrunk = np.linalg.solve(seen, np.broadcast_to(noise, seen.shape)).swapaxes(1, 2)
    rest = (scores - scores[:, usual].mean(axis=1, keepdims=True)).ravel()
    means = scores.ravel() - shrunk @ rest
    left = noise - shrunk @ noise
    left = (left + left.swapaxes(1, 2)) / 2 + least
    shape = len(prior), 2 * n_systems, -(-bootstrap.n_resamples // len(prior))
    normal = check_random_state(bootstrap.random_state).normal(size=shape)
    draws = means[..., np.newaxis] + np.linalg.cholesky(left) @ normal
    return draws.swapaxes(1, 2).reshape(-1, 2, n_systems)


def _near_the_median(scores):
    """Tell which systems are, on both sides (2, n_systems), by the median absolute deviation."""
    apart = np.abs(scores - np.median(scores, axis=1, keepdims=True))
    usual = 1.4826 * np.median(apart, axis=1, keepdims=True)
    near = ((apart <= _FAR * usual) | (usual == 0)).all(axis=0)
    return near if near.sum() >= _FEWEST else np.ones(len(near), dtype=bool)
