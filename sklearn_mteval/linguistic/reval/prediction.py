"""Similarities of pairs of texts from trained weights, each distinct text encoded once."""

import numpy as np

_TEXTS = 64  # encoded together: more leave the processor's caches
_PAIRS = 4096
_ROUNDING = 1e-12  # of sums of squares, of what does not vary


def predict_pairs(pairs, forest, vectors, weights):
    """Compute ŷ, float64 in [1, K], of pairs of texts of a forest, given as the kernels' arrays.

    A pair's result depends, to the bit, on its two texts only.
    """
    from sklearn_mteval.linguistic.reval.compiled import encode, similarities

    weights = tuple(weights.values())
    texts, pairs = np.unique(pairs, return_inverse=True)
    pairs = pairs.reshape(-1, 2)
    _, _, heights, bounds = forest
    heights = np.append(heights, 0)[bounds[:-1][texts]]  # of the roots, which come first
    by_height = np.argsort(heights, kind="stable")  # so that levels are wide
    encoded = np.empty((len(texts), len(weights[2])), dtype=np.float32)
    for rows in np.split(by_height, range(_TEXTS, len(texts), _TEXTS)):
        encoded[rows] = encode(texts[rows], forest, vectors, weights[:5], True)
    parts = [pairs[start : start + _PAIRS] for start in range(0, len(pairs), _PAIRS)]
    found = [similarities(part, encoded, weights[5:]) for part in parts]
    return np.concatenate([np.empty(0), *found])


def pearson(first, second):
    """Compute Pearson's correlation; 0 where either does not vary."""
    first, second = first - first.mean(), second - second.mean()
    scale = np.sqrt(np.sum(first**2) * np.sum(second**2))
    return float(np.clip(first @ second / scale, -1, 1)) if scale > _ROUNDING else 0.0
