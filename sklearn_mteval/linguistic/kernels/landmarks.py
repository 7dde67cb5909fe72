"""Nyström's approximation: features of candidates whose products are nearly their kernels."""

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import gen_batches

_SMALLEST = 1e-10  # eigenvalue that counts, as a proportion of the largest
_AT_ONCE = 4096  # candidates


def landmark_features(kernel, candidates, n_components, rng):
    """Choose landmarks at random; return features Z, the map M to them, and the landmarks.

    Z = K(candidates, landmarks) M, (n_candidates, at most n_components), with Z Zᵀ = K on the
    landmarks (Williams and Seeger 2001); M is (n_landmarks, n_features).
    """
    n = len(candidates.numbers)
    rows = np.sort(rng.permutation(n)[:n_components])
    landmarks = candidates.take(rows)
    values, vectors = eigh(kernel(landmarks))
    kept = values > _SMALLEST * max(values.max(), 0)
    if not kept.any():
        raise ValueError("kernel is 0 between all landmarks: it tells no candidates apart.")
    # K = U Λ Uᵀ on the landmarks, so that (K U Λ^-½)(K U Λ^-½)ᵀ = K K⁺ K = K there.
    to_features = vectors[:, kept] / np.sqrt(values[kept])
    features = np.empty((n, kept.sum()))
    for some in gen_batches(n, _AT_ONCE):
        part = candidates.take(np.arange(n)[some])
        features[some] = kernel(part, landmarks) @ to_features
    return features, to_features, landmarks
