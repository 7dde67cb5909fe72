"""What trains and asks a network: compiled code."""

import numpy as np

from sklearn_mteval.neural.pairwise.adagrad_state import ArrayState

_TEXTS = 64  # encoded together: more leave the processor's caches
_PAIRS = 4096
_ROUNDING = 1e-12  # of sums of squares, of what does not vary


class CompiledSolver(ArrayState):
    """Train with gradients derived by hand; arguments as of ``compiled.gradients``."""

    def __init__(self, pairs, targets, forest, vectors, weights, *, batch_size, lr, l2):
        self._data = pairs, targets
        self._texts = forest, vectors
        self._batch_size = batch_size
        self._rates = np.float32(lr), np.float32(l2)
        self._weights = {name: values.copy() for name, values in weights.items()}
        self._squares = {name: np.zeros_like(values) for name, values in weights.items()}

    def epoch(self, order):
        """Train on all pairs once, in an order; return the mean cost, each before its step."""
        from sklearn_mteval.linguistic.reval.compiled import gradients
        from sklearn_mteval.neural.pairwise.compiled_gradients import adagrad

        total = 0.0
        for start in range(0, len(order), self._batch_size):
            rows = order[start : start + self._batch_size]
            batch = [values[rows] for values in self._data]
            cost, slopes = gradients(*batch, *self._texts, tuple(self._weights.values()))
            for name, slope in zip(self._weights, slopes, strict=True):
                adagrad(self._weights[name], self._squares[name], slope, *self._rates)
            total += cost * len(rows)
        return total / len(order)


def predict_pairs(pairs, forest, vectors, weights):
    """Compute ŷ, float64 in [1, K], of pairs of texts of a forest, to the bit each by itself."""
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
