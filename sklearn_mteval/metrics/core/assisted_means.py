"""Means of what annotators judged in part, corrected by automatic scores of all there is to judge.

mean(v) - λ (mean of judged a - mean of all a), with the λ of the least estimated variance: survey
samplers' difference estimator, or the "prediction-powered" mean; about unbiased for any a.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_mteval.metrics.core.ratios import mean_of_known, ratio
from sklearn_mteval.metrics.core.units import effective_number, left_out_factors

_MANY = 1000  # judged clusters: what useless coefficients cost there is not to be seen


class ClusterDesign(NamedTuple):
    """Weights of clusters' squared pulls, and strata about whose mean pulls they are squared."""

    weights: np.ndarray  # (n_clusters,); 0 for what does not vary
    # (n_strata, n_clusters), 1 for each cluster that varies; None: no mean
    strata: csr_array | None

    @classmethod
    def of_sample(cls, is_drawn, probability, stratum=None):
        """Take a fixed number of each stratum as drawn (Hájek 1964; Deville and Tillé 2005)."""
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
        """Return at most ``n_left`` degrees of freedom, by the spread of the squared pulls."""
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
        # A sum of n squares with kurtosis k varies as much as one of 2 n / (k - 1) normal numbers
        # (Satterthwaite 1946); of all targets, as one has too few.
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


class ClusterSums(NamedTuple):
    """Sums over units, (n_clusters, n_targets); lists: of each automatic score."""

    judged: csr_array
    values: csr_array
    judged_automatic: list
    all: csr_array
    automatic: list

    def means(self, counts, coefficients):
        """Return means (n_rows, n_targets), maybe NaN, of counts (n_rows, n_clusters)."""
        residual, of_all = counts @ self.values, 0.0
        for k, coefficient in enumerate(coefficients):
            residual = residual - coefficient * (counts @ self.judged_automatic[k])
            of_all = of_all + coefficient * ratio(counts @ self.automatic[k], counts @ self.all)
        return ratio(residual, counts @ self.judged) + of_all


class AssistedMeans(NamedTuple):
    """Means of targets, and how sure they are."""

    estimates: np.ndarray  # (n_targets,); NaN: never judged
    covariance: np.ndarray  # (n_targets, n_targets); NaN: judged in fewer than two clusters
    degrees: np.ndarray  # (n_targets,): of freedom, for Student's t; need not be whole
    coefficients: np.ndarray  # (n_automatic,): λ, common to all targets
    sums: ClusterSums


def assisted_means(
    target, cluster, values, automatic=None, *, n_targets, n_clusters, probability=None,
    weights=None, stratum=None, finite=False
):  # fmt: skip
    """Estimate the mean value of each target, with the covariance of the means.

    ``values`` (n_units,) are what annotators said, NaN where nobody did, ``automatic`` (n_units,
    n_automatic) what automatic judges say, NaN counting as the target's mean. ``cluster`` is what
    varies as a whole, a segment or a document, judged with ``probability`` (n_clusters,). With
    ``finite`` the truth is what annotators would say of all clusters, a fixed number of each
    ``stratum`` (n_clusters,) having been drawn; else of a population that these are drawn from, of
    which each unit that was judged stands for as many as its ``weights`` (n_units,) say.

    Means are Hájek's: sums weighted by 1 / probability, divided by the sum of these weights. λ
    makes the sum of the estimated variances least (Deville and Särndal 1992; PPI++, Angelopoulos et
    al. 2023), 0 where too few clusters are judged or it does not help those left out. Variances are
    linearised (Deville 1999): each cluster's pull on the mean, squared and added up.
    """
    judged, ones = ~np.isnan(values), np.ones(len(values))
    is_judged = np.zeros(n_clusters, dtype=bool)
    is_judged[cluster[judged]] = True
    if probability is None:
        probability = np.full(n_clusters, is_judged.mean() if n_clusters else 1.0)
    scores = _filled(automatic, target, n_targets) if automatic is not None else []

    def by_cell(amounts):
        return csr_array((amounts, (cluster, target)), shape=(n_clusters, n_targets))

    chosen = np.where(judged, (ones if weights is None else weights) / probability[cluster], 0.0)
    sums = ClusterSums(
        by_cell(chosen), by_cell(chosen * np.where(judged, values, 0.0)),
        [by_cell(chosen * a) for a in scores],
        by_cell(ones), [by_cell(a) for a in scores],
    )  # fmt: skip
    pulls = _pulls(sums.values, sums.judged)
    # What a unit more of the k-th coefficient takes from each pull.
    taken = [
        _pulls(part, sums.judged) - (0 if finite else 1) * _pulls(whole, sums.all)
        for part, whole in zip(sums.judged_automatic, sums.automatic, strict=True)
    ]
    if finite:
        design = ClusterDesign.of_sample(is_judged, probability, stratum)
    else:  # each cluster is one of infinitely many: pulls, of mean zero, are squared
        design = ClusterDesign(np.ones(n_clusters), None)
    cells = sums.judged.nonzero()
    n_judged = np.bincount(cells[1], minlength=n_targets)
    n_varying, n_strata = design.numbers(*cells, n_targets)
    coefficients = np.zeros(len(scores))
    if scores and np.max(n_varying - n_strata, initial=0) > 2 * len(scores) + 3:
        coefficients = _least_variance(pulls, taken, design)
        if not _helps(coefficients, pulls, taken, design.weights):
            coefficients = np.zeros(len(scores))
    for coefficient, part in zip(coefficients, taken, strict=True):
        pulls = csr_array(pulls - coefficient * part)
    if not finite:
        pulls = _left_out(pulls, sums.judged, n_judged)
    n_left = np.maximum(n_varying - n_strata - np.count_nonzero(coefficients), 0)
    certain = (n_varying == 0) & (n_judged > 0)  # all that is judged was sure to be
    factor = np.sqrt(np.where(certain, 1.0, ratio(n_varying.astype(float), n_left)))
    covariance = design.products(pulls) * np.outer(factor, factor)
    estimates = sums.means(np.ones((1, n_clusters)), coefficients)[0]
    degrees = np.maximum(n_left + effective_number(sums.judged) - n_judged, np.minimum(n_left, 1))
    if finite:
        degrees = design.degrees(pulls, n_varying, n_left)
    degrees = np.where(certain, n_judged - 1, degrees)
    return AssistedMeans(estimates, covariance, degrees, coefficients, sums)


def variances_of_differences(covariance):
    """Return the variances of the differences of what has a covariance (n, n)."""
    variances = np.diag(covariance)
    total = variances[:, np.newaxis] + variances
    found = total - 2 * covariance
    found[found <= 1e-12 * total] = 0.0  # what rounding leaves of nothing
    return found


def _filled(automatic, target, n_targets):
    """List the columns of automatic scores, each about its mean, with the targets' for NaN."""
    columns = []
    for column in np.asarray(automatic, dtype=float).T:
        there = ~np.isnan(column)
        known = np.where(there, column - mean_of_known(column, 0), 0.0)
        means = ratio(np.bincount(target, known, n_targets), np.bincount(target, there, n_targets))
        columns.append(np.where(there, known, np.nan_to_num(means)[target]))
    return columns


def _left_out(pulls, judged, n_judged):
    """Return pulls as those on the mean of all other clusters."""
    shares = judged.multiply(ratio(1.0, judged.sum(axis=0))[None, :]).tocoo()
    factors = left_out_factors(shares.data, n_judged[shares.col]) - 1
    factors[shares.data == 0] = 0.0  # judged by machines only
    more = csr_array((factors, (shares.row, shares.col)), shape=judged.shape)
    return csr_array(pulls + pulls.multiply(more))


def _pulls(amounts, weights):
    """Return how far each cluster pulls the ratio of sums, (n_clusters, n_targets)."""
    total = weights.sum(axis=0)
    means = ratio(amounts.sum(axis=0), total)
    centred = amounts - weights.multiply(np.nan_to_num(means)[None, :])
    return csr_array(centred.multiply(np.nan_to_num(ratio(np.ones(len(total)), total))[None, :]))


def _least_variance(pulls, taken, design):
    """Return the coefficients that make the sum of the targets' variances least."""
    products = np.array([[design.trace(a, b) for b in [pulls, *taken]] for a in taken])
    scale = np.sqrt(np.diag(products[:, 1:]))
    scale[~(scale > 0)] = 1.0
    system, aim = products[:, 1:] / np.outer(scale, scale), products[:, 0] / scale
    return np.linalg.lstsq(system, aim, rcond=1e-8)[0] / scale


def _helps(coefficients, pulls, taken, weights):
    """Tell whether clusters are less pulled by coefficients of all other clusters than by none."""
    judged = weights * np.diff(csr_array(pulls).indptr) > 0
    if judged.sum() > _MANY:
        return True
    parts = [pulls, *taken]
    products = np.empty((len(weights), len(parts), len(parts)))
    for i, one in enumerate(parts):
        for j, other in enumerate(parts[: i + 1]):
            amounts = np.asarray(csr_array(one).multiply(other).sum(axis=1)).ravel()
            products[:, i, j] = products[:, j, i] = weights * amounts
    others = products.sum(axis=0) - products[judged]
    scale = np.sqrt(np.diag(products.sum(axis=0))[1:])
    scale[~(scale > 0)] = 1.0
    systems = others[:, 1:, 1:] / np.outer(scale, scale)
    left_out = np.linalg.pinv(systems, rcond=1e-8, hermitian=True) @ (
        others[:, 1:, :1] / scale[:, np.newaxis]
    )
    of_clusters = np.tile(coefficients, (len(weights), 1))
    of_clusters[judged] = left_out[:, :, 0] / scale
    moved = np.einsum("ck,ck->", of_clusters, products[:, 1:, 0])
    return np.einsum("ck,ckl,cl->", of_clusters, products[:, 1:, 1:], of_clusters) < 2 * moved
