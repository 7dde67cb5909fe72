"""Means of what annotators judged in part, corrected by automatic scores of all there is to judge.

A mean of annotators' values is moved by how far the automatic scores of what they judged are from
the automatic scores of everything: mean(v) - λ (mean of judged a - mean of all a). Survey samplers
call it a difference estimator, or a control variate; with the λ that makes the estimated variance
least it is the "prediction-powered" mean. Whatever the automatic scores are worth, it is about
unbiased.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_mteval.metrics.core.cluster_designs import ClusterDesign
from sklearn_mteval.metrics.core.ratios import ratio

_MANY = 1000  # judged clusters: what useless coefficients cost there is not to be seen


class ClusterSums(NamedTuple):
    """Sums over units by cluster and target, from which means of any clusters can be made.

    Each is of shape (n_clusters, n_targets), the lists hold one for each automatic score.
    ``judged`` and ``all`` are sums of weights, divided by the cluster's probability if judged.
    """

    judged: csr_array
    values: csr_array
    judged_automatic: list
    all: csr_array
    automatic: list

    def means(self, counts, coefficients):
        """Return the means (n_rows, n_targets) with each cluster taken so often.

        ``counts`` (n_rows, n_clusters); NaN for a target of which nothing is judged there.
        """
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
    target, cluster, values, automatic=None, weights=None, *, n_targets, n_clusters,
    probability=None, stratum=None, finite=False
):  # fmt: skip
    """Estimate the mean value of each target, with the covariance of the means.

    Parameters
    ----------
    target, cluster : array of int of shape (n_units,)
        What each unit is of: a system, say, and what is drawn and varies as a whole: a segment, or
        a document.
    values : array of shape (n_units,)
        What annotators said of it; NaN: nobody judged it.
    automatic : array of shape (n_units, n_automatic), optional
        What automatic judges say of it, on any scale; NaN counts as the target's mean.
    weights : array of shape (n_units,), optional
        How much a unit counts in its target's mean.
    n_targets, n_clusters : int
        How many there are.
    probability : array of shape (n_clusters,), optional
        Of each cluster's having been chosen to be judged. None: alike for all.
    stratum : array of int of shape (n_clusters,), optional
        Which stratum each cluster is of, of each of which a fixed number was drawn. Only read if
        ``finite``.
    finite : bool, default=False
        Whether the truth is what annotators would say of all clusters, rather than of a population
        that these are drawn from.

    Returns
    -------
    AssistedMeans
        Without automatic scores and probabilities, the plain means of what is judged.

    Notes
    -----
    Means are Hájek's: sums weighted by 1 / probability, divided by the sum of these weights. λ
    makes the sum of the estimated variances least; it is 0 where fewer clusters are judged than it
    needs, and where λ of the other clusters does not lessen a cluster's squared pulls on average.
    Variances are linearised: each cluster's pull on the mean, squared and added up, with the
    factors of small samples; of a finite number of clusters, each squared pull counts 1 -
    probability, about the mean pull of its stratum (Hájek 1964; Deville 1999; Deville and Tillé
    2005). A stratum of which one cluster is judged is joined with others. Cost and memory are
    linear in units and in clusters; a covariance is quadratic in targets.

    Of a finite number, degrees of freedom are what the spread of the squared pulls leaves: human
    scores have heavy tails, and estimated variances vary more than those of normal numbers.

    References
    ----------
    Hájek 1964, "Asymptotic theory of rejective sampling"; Deville and Särndal 1992, "Calibration
    estimators in survey sampling"; Deville 1999, "Variance estimation for complex statistics and
    estimators"; Deville and Tillé 2005, "Variance approximation under balanced sampling";
    Satterthwaite 1946, "An approximate distribution of estimates of variance components";
    Angelopoulos et al. 2023, "PPI++: Efficient prediction-powered inference".
    """
    n_units, shape = len(values), (n_clusters, n_targets)
    weights = np.ones(n_units) if weights is None else np.asarray(weights, dtype=float)
    judged = ~np.isnan(values)
    is_judged = np.zeros(n_clusters, dtype=bool)
    is_judged[cluster[judged]] = True
    if probability is None:
        probability = np.full(n_clusters, is_judged.mean() if n_clusters else 1.0)
    design = np.where(judged, weights / probability[cluster], 0.0)

    def by_cell(amounts):
        return csr_array((amounts, (cluster, target)), shape=shape)

    scores = _filled(automatic, target, weights, n_targets) if automatic is not None else []
    known = np.where(judged, values, 0.0)
    sums = ClusterSums(
        by_cell(design), by_cell(design * known), [by_cell(design * a) for a in scores],
        by_cell(weights), [by_cell(weights * a) for a in scores],
    )  # fmt: skip
    pulls = _pulls(sums.values, sums.judged)
    # What a unit more of the k-th coefficient takes from each pull.
    taken = [
        _pulls(part, sums.judged) - (0 if finite else 1) * _pulls(whole, sums.all)
        for part, whole in zip(sums.judged_automatic, sums.automatic, strict=True)
    ]
    design = ClusterDesign.of_population(n_clusters)
    if finite:
        design = ClusterDesign.of_sample(is_judged, probability, stratum)
    cells = sums.judged.nonzero()
    n_judged = np.bincount(cells[1], minlength=n_targets)
    n_varying, n_strata = design.numbers(*cells, n_targets)
    coefficients = np.zeros(len(scores))
    if len(scores) and np.max(n_varying - n_strata, initial=0) > 2 * len(scores) + 3:
        coefficients = _least_variance(pulls, taken, design)
        if not _helps(coefficients, pulls, taken, design.weights):
            coefficients[:] = 0.0
    for coefficient, part in zip(coefficients, taken, strict=True):
        pulls = csr_array(pulls - coefficient * part)
    n_left = np.maximum(n_varying - n_strata - np.count_nonzero(coefficients), 0)
    certain = (n_varying == 0) & (n_judged > 0)  # all that is judged was sure to be
    factor = np.sqrt(np.where(certain, 1.0, ratio(n_varying.astype(float), n_left)))
    covariance = design.products(pulls) * np.outer(factor, factor)
    estimates = sums.means(np.ones((1, n_clusters)), coefficients)[0]
    degrees = design.degrees(pulls, n_varying, n_left) if finite else n_left
    degrees = np.where(certain, n_judged - 1, degrees)
    return AssistedMeans(estimates, covariance, degrees, coefficients, sums)


def _filled(automatic, target, weights, n_targets):
    """List the columns of automatic scores, each about its mean, with the targets' for NaN."""
    columns = []
    for column in np.asarray(automatic, dtype=float).T:
        there = ~np.isnan(column)
        weight = np.where(there, weights, 0.0)
        known = np.where(there, column, 0.0)
        known = np.where(there, known - ratio((weight * known).sum(), weight.sum()), 0.0)
        totals = np.bincount(target, weight * known, minlength=n_targets)
        means = ratio(totals, np.bincount(target, weight, minlength=n_targets))
        columns.append(np.where(there, known, np.nan_to_num(means)[target]))
    return columns


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
    """Tell whether each cluster is less pulled by coefficients of the other clusters than by none.

    Coefficients fit the clusters that they come from: of a few, even noise seems to help. A cluster
    where nothing is judged hardly moves them, and takes those of all.
    """
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
    squared = np.einsum("ck,ckl,cl->", of_clusters, products[:, 1:, 1:], of_clusters)
    return squared < 2 * moved
