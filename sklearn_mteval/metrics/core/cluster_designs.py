"""How the pulls of clusters on means add up to variances: of a population, or of drawn clusters.

A pull is what a cluster (a segment, a document) adds to the error of a mean, to first order.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_mteval.metrics.core.ratios import ratio


class ClusterDesign(NamedTuple):
    """Weights of clusters' squared pulls, and the strata about whose mean pulls they are squared.

    Each stratum has factors of small samples, n / (n - 1), relative to that of all, n / (n -
    n_strata), which targets bring with numbers of their own.
    """

    weights: np.ndarray  # (n_clusters,); 0 for what does not vary
    strata: (
        csr_array | None
    )  # (n_strata, n_clusters), 1 for each cluster that varies; None: no mean

    @classmethod
    def of_population(cls, n_clusters):
        """Take each cluster as drawn from infinitely many: pulls, of mean zero, are squared."""
        return cls(np.ones(n_clusters), None)

    @classmethod
    def of_sample(cls, is_drawn, probability, stratum=None):
        """Take clusters as drawn with these probabilities, a fixed number of each stratum.

        Hájek 1964, in the form of Deville and Tillé 2005: 1 - probability weights a squared pull.
        """
        weights = np.where(is_drawn, 1 - probability, 0.0)
        rows = np.flatnonzero(weights > 0)
        strata = np.zeros(len(weights), dtype=np.int64)
        if stratum is not None:
            strata[rows] = _joined(np.asarray(stratum)[rows])
        numbers = np.bincount(strata[rows])
        n_left = len(rows) - len(numbers)
        if n_left > 0:
            factors = numbers / np.maximum(numbers - 1, 1) * (n_left / len(rows))
            weights[rows] *= factors[strata[rows]]
        return cls(weights, strata)

    def numbers(self, clusters, targets, n_targets):
        """Count, for each target, its clusters that vary, and the strata that these are of."""
        varies = self.weights[clusters] > 0
        clusters, targets = clusters[varies], targets[varies]
        n = np.bincount(targets, minlength=n_targets)
        if self.strata is None:
            return n, np.ones(n_targets, dtype=np.int64)
        pairs = np.unique(np.stack([targets, self.strata[clusters]]), axis=1)
        return n, np.maximum(np.bincount(pairs[0], minlength=n_targets), 1)

    def products(self, pulls):
        """Return the products of targets' pulls, (n_targets, n_targets), added up over clusters."""
        weighted = self._weighted(pulls)
        products = (weighted.T @ pulls).toarray()
        if self.strata is not None:
            sums = self._by_stratum(weighted)
            products -= (sums.T @ sums.multiply(self._shares())).toarray()
        return products

    def trace(self, one, other):
        """Return the sum over targets of the products of two kinds of pulls."""
        one = self._weighted(one)
        total = one.multiply(other).sum()
        if self.strata is not None:
            sums = self._by_stratum(self._weighted(other))
            total -= self._by_stratum(one).multiply(self._shares()).multiply(sums).sum()
        return total

    def degrees(self, pulls, n_varying, n_left):
        """Return degrees of freedom by the spread of the squared pulls, at most ``n_left``.

        A sum of n squares with kurtosis k varies as much as one of 2 n / (k - 1) normal numbers
        (Satterthwaite 1946). The kurtosis is the mean of all targets': one target has too few.
        """
        pulls = csr_array(pulls)
        rows = np.repeat(np.arange(pulls.shape[0]), np.diff(pulls.indptr))
        centred = pulls.data
        if self.strata is not None:
            means = self._by_stratum(self._weighted(pulls)).multiply(self._shares()).tocsr()
            centred = centred - means[self.strata[rows], pulls.indices]
        squares = self.weights[rows] * centred**2
        total = np.bincount(pulls.indices, squares, minlength=pulls.shape[1])
        of_squares = np.bincount(pulls.indices, squares**2, minlength=pulls.shape[1])
        kurtosis = ratio(n_varying * of_squares, total**2)
        known = ~np.isnan(kurtosis)
        kurtosis = kurtosis[known].mean() if known.any() else 3.0
        return n_left * min(1.0, 2 / max(kurtosis - 1, 1e-9))

    def _weighted(self, pulls):
        """Weight clusters."""
        return csr_array(pulls.multiply(self.weights[:, None]))

    def _by_stratum(self, weighted):
        """Add up weighted pulls by stratum, (n_strata, n_targets)."""
        n = len(self.weights)
        entries = np.ones(n), (self.strata, np.arange(n))
        return csr_array(csr_array(entries) @ weighted)

    def _shares(self):
        """Return 1 / the sum of weights of each stratum, (n_strata, 1)."""
        return ratio(1.0, np.bincount(self.strata, self.weights), 0.0)[:, None]


def _joined(codes):
    """Number strata from 0 on, those with one cluster as one stratum, or with another."""
    codes = np.unique(codes, return_inverse=True)[1]
    numbers = np.bincount(codes)
    alone = np.flatnonzero(numbers == 1)
    if len(alone):
        # One alone has nothing to differ from: the largest stratum takes it in.
        codes[numbers[codes] == 1] = alone[0] if len(alone) > 1 else numbers.argmax()
    return np.unique(codes, return_inverse=True)[1]
