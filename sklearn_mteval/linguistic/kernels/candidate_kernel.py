"""The kernel between candidates: a sum over their columns of trees, and one of their numbers."""

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import gen_batches

from sklearn_mteval._helpers.products import row_products, weighted_sums
from sklearn_mteval.linguistic.kernels.tree_kernels import PartialTreeKernel, TreeKernel

_ASYMMETRY = 1e-6  # of a callable's matrix, as a proportion of its largest entry
_SMALLEST = 1e-10  # eigenvalue that counts, as a proportion of the largest
_AT_ONCE = 4096  # candidates


class CandidateKernel:
    """Kernels between candidates, with what is learnt from those of the fit."""

    def __init__(self, kernel, number_kernel, number_weight, gamma, center, scale):
        self.kernel = PartialTreeKernel() if kernel is None else kernel
        self.number_kernel = number_kernel
        self.number_weight = number_weight
        self.gamma = gamma
        self.center = center
        self.scale = scale

    def __call__(self, some, others=None):
        """Compute the kernel between candidates, by default with each other."""
        if not isinstance(self.kernel, TreeKernel):
            return self._asked(some, others)
        # Columns share their memory: the first one's matrix becomes the sum.
        total = self._of_trees(some, others)
        if not some.numbers.shape[1]:
            return total
        numbers = self._of_numbers(some.numbers, others and others.numbers)
        numbers *= self.number_weight
        return numbers if total is None else np.add(total, numbers, out=total)

    def _of_trees(self, some, others):
        """Sum the kernel over the columns of trees."""
        given = [None] * len(some.trees) if others is None else others.trees
        total = None
        for part in map(self.kernel, some.trees, given):
            total = part if total is None else np.add(total, part, out=total)
        return total

    def _of_numbers(self, some, others):
        """Compute the kernel between standardised numbers."""
        a = (some - self.center) / self.scale
        b = a if others is None else (others - self.center) / self.scale
        width, products = a.shape[1], row_products(a, b.T)
        if self.number_kernel == "linear":
            return products / width
        squares = (weighted_sums(np.square(part), np.ones(width)) for part in (a, b))
        distances = np.add.outer(*squares) - 2 * products  # exactly 0 between equal ones
        gamma = 1 / width if self.gamma is None else self.gamma
        return np.exp(-gamma * np.maximum(distances, 0))

    def _asked(self, some, others):
        """Ask a callable, and check what it answers."""
        a, b = (_table(part) for part in (some, some if others is None else others))
        found = np.asarray(self.kernel(a, b), dtype=np.float64)
        if found.shape != (len(a), len(b)):
            raise ValueError(
                f"kernel must return an array of shape {(len(a), len(b))}, one row for each row of "
                f"its first argument and one column for each of its second, found {found.shape}."
            )
        return _checked(found.copy(), others)


def _checked(found, others):
    """Raise unless a matrix is finite and, of candidates with each other, symmetric."""
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0]
        raise ValueError(
            f"kernel must be finite numbers, found {found[row, column]} in row {row}, column "
            f"{column}."
        )
    if others is None and len(found):
        asymmetry = np.abs(found - found.T).max()
        if asymmetry > _ASYMMETRY * np.abs(found).max():
            raise ValueError(
                "kernel must be symmetric, k(a, b) = k(b, a), found entries that differ by "
                f"{asymmetry:g}."
            )
    return found


def _table(candidates):
    """Return candidates as an array: trees, then numbers; of numbers alone as floats."""
    if not candidates.trees:
        return candidates.numbers
    columns = [np.array(column, dtype=object) for column in candidates.trees]
    return np.column_stack([*columns, candidates.numbers.astype(object)])


def landmark_features(kernel, candidates, n_components, rng):
    """Choose landmarks; return Z = K(candidates, landmarks) M, M, landmarks: Z Zᵀ = K on these."""
    n = len(candidates.numbers)
    landmarks = candidates.take(np.sort(rng.permutation(n)[:n_components]))
    values, vectors = eigh(kernel(landmarks))
    kept = values > _SMALLEST * max(values.max(), 0)
    if not kept.any():
        raise ValueError("kernel is 0 between all landmarks: it tells no candidates apart.")
    # K = U Λ Uᵀ on the landmarks, so that (K U Λ^-½)(K U Λ^-½)ᵀ = K K⁺ K = K there.
    to_features = vectors[:, kept] / np.sqrt(values[kept])
    features = np.empty((n, kept.sum()))
    for some in gen_batches(n, _AT_ONCE):
        features[some] = kernel(candidates.take(np.arange(n)[some]), landmarks) @ to_features
    return features, to_features, landmarks
