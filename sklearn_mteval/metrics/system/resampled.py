"""Intervals of systems' agreement: resamples without the noise that resampling adds.

Means of a sample are noisier than the truth, and those of a resample are noisier again. Noise
lowers agreement, so that plain percentiles lie too low: with few documents they all but never hold
the truth (docs/significance.md).
"""

import numpy as np
from sklearn.utils import check_random_state

from sklearn_mteval.metrics.core.units import FEW_CLUSTERS, percentile_interval

_PRIORS = 100  # of systems' true scores, each for as many draws
_HIGHEST = 0.999  # correlation of true scores
_ROUNDING = 1e-9  # of variances, in proportion to the largest


def intervals_of_systems(statistics, functions, sides, units, bootstrap):
    """Return bounds (n_statistics, 2); NaN for fewer than ``FEW_CLUSTERS`` units.

    ``sides``, of humans and of a metric, make weights (n_resamples, n_segments) system scores
    (n_resamples, n_systems), of which ``functions`` are statistics; ``units`` number segments.
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
    # Samples have the noise of the scores and their own.
    products = _products(samples) - 2 * _of_noise(noise, scores.shape[1])
    draws = _true_scores(scores, products, noise, bootstrap)
    values = [
        _correlations(products) if statistic.of_products else function(draws[:, 0], draws[:, 1])
        for statistic, function in zip(statistics, functions, strict=True)
    ]
    undefined = np.isnan([float(function(*scores)) for function in functions])
    values = np.where(undefined[:, np.newaxis], np.nan, values)
    return percentile_interval(values, bootstrap.confidence)


def _products(samples):
    """Return the products (n, 2, 2) of two sides' centred scores (n, 2, n_systems)."""
    centred = samples - samples.mean(axis=-1, keepdims=True)
    return centred @ centred.swapaxes(1, 2)


def _of_noise(noise, n_systems):
    """Return what a covariance of both sides' scores adds to their products, (2, 2)."""
    centring = np.eye(n_systems) - 1 / n_systems
    return np.einsum("ij,aibj->ab", centring, noise.reshape(2, n_systems, 2, n_systems))


def _correlations(products):
    """Return Pearson's correlations; what noise may have made of a perfect one is 1."""
    human, metric, both = products[:, 0, 0], products[:, 1, 1], products[:, 0, 1]
    varies = (human > 0) & (metric > 0)
    lengths = np.sqrt(np.where(varies, human * metric, np.inf))
    return np.where(varies, np.clip(both / lengths, -1, 1), np.sign(both))


def _true_scores(scores, products, noise, bootstrap):
    """Draw both sides' true scores (n_resamples, 2, n_systems), given those seen and their noise.

    Empirical Bayes: true scores are normal, with a covariance of the two sides that differs from
    draw to draw, as resamples differ (Laird and Louis 1987, "Empirical Bayes confidence intervals
    based on bootstrap samples").
    """
    n_systems = scores.shape[1]
    spread = np.maximum(np.diag(_products(scores[np.newaxis])[0]), np.finfo(float).tiny)
    prior = products[:_PRIORS]
    variances = np.maximum(np.diagonal(prior, axis1=1, axis2=2), _ROUNDING * spread)
    highest = _HIGHEST * np.sqrt(variances.prod(axis=1))
    prior = np.where(np.eye(2, dtype=bool), variances[:, np.newaxis], prior)
    prior[:, 0, 1] = prior[:, 1, 0] = np.clip(prior[:, 0, 1], -highest, highest)
    prior = np.kron(prior / max(n_systems - 1, 1), np.eye(n_systems))
    shrunk = np.linalg.solve(prior + noise, np.broadcast_to(noise, prior.shape)).swapaxes(1, 2)
    rest = (scores - scores.mean(axis=1, keepdims=True)).ravel()
    means = scores.ravel() - shrunk @ rest
    left = noise - shrunk @ noise
    left = (left + left.swapaxes(1, 2)) / 2
    # So that rounding leaves it positive.
    left += np.diag(_ROUNDING * (np.repeat(spread, n_systems) + np.diag(noise)))
    n_draws = -(-bootstrap.n_resamples // len(prior))
    normal = check_random_state(bootstrap.random_state).normal(
        size=(len(prior), 2 * n_systems, n_draws)
    )
    draws = means[..., np.newaxis] + np.linalg.cholesky(left) @ normal
    return draws.swapaxes(1, 2).reshape(-1, 2, n_systems)
