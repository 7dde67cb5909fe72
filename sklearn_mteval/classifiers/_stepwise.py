"""Forward stepwise selection by likelihood-ratio tests (Hosmer and Lemeshow, chapter 4).

Each step asks which feature raises the likelihood most. Few candidates need a fit of their own:
the score and Wald statistics of the model at hand bound the likelihood ratio, rigorously. Let p be
the fitted probabilities, w = p (1 − p), and t a change of the log-odds along which probabilities
p + w t keep the score equations of another model. By duality that model's likelihood is at most
the negative entropy of p + w t, and the divergence of Kullback and Leibler of p + w t from p is
at most Σ w t² (1 + f) / 2, f = p t where t > 0 and −(1 − p) t elsewhere, if no f exceeds 1
(from (1 + x) log (1 + x) − x ≤ x² (1 + |x|) / 2 where −1 ≤ x ≤ 0, ≤ x² / 2 where x ≥ 0). Hence

- entering a feature, t being a Newton step: likelihood ratio ≤ score statistic + Σ w t² f;
- removing one, t being that which makes its coefficient 0: likelihood ratio ≥
  (2 s − s²) · Wald statistic − s³ Σ w t² f, for every s from 0 to 1 such that s max f ≤ 1.
"""

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from sklearn_mteval.classifiers._design import blocks, maximise, spanning

# Likelihood ratios that differ by less, relatively, are equal: the first feature wins.
_EQUAL = 1e-8
# A likelihood ratio smaller than this proportion of the log-likelihood may be mere rounding.
_ROUNDING = 1e-10


def select(design, y, *, entry, removal, **options):
    """Return the features chosen, ascending, and the path to them (see ``LogReg.path_``)."""
    search = _Search(design, y, options)
    path = []
    while (best := search.to_enter(chi2.isf(entry, 1))) is not None:
        path.append(search.move("enter", *best))
        while (worst := search.to_remove(chi2.isf(removal, 1))) is not None:
            path.append(search.move("remove", *worst))
    return sorted(search.selected), path


class _Search:
    """The model at hand, and what a feature more or less would make of it."""

    def __init__(self, design, y, options):
        self.design, self.y, self.options = design, y, options
        self.selected, self.fit = [], None
        self.fit = self._fit_of([])

    def to_enter(self, critical):
        """Return the feature to enter, its likelihood ratio and the fit with it, or None."""
        critical = max(critical, _ROUNDING * (1 - self.fit.value))
        others = [k for k in range(self.design.coordinates.shape[1]) if k not in self.selected]
        bounds = self._largest_ratios(others)
        found = {}
        for k in np.argsort(-bounds, kind="stable"):
            # No feature that is left can come first any more.
            if bounds[k] < max([critical, *(r for r, _ in found.values())]) * (1 - _EQUAL):
                break
            fit = self._fit_of([*self.selected, others[k]])
            found[others[k]] = 2 * (fit.value - self.fit.value), fit
        most = max((ratio for ratio, _ in found.values()), default=0)
        if most <= critical:
            return None
        first = min(k for k, (ratio, _) in found.items() if ratio >= most * (1 - _EQUAL))
        return first, *found[first]

    def to_remove(self, critical):
        """Return the feature to remove, its likelihood ratio and the fit without it, or None."""
        found = {}
        for k in np.flatnonzero(self._smallest_ratios() < critical):
            fit = self._fit_of(self.selected[:k] + self.selected[k + 1 :])
            ratio = 2 * (self.fit.value - fit.value)
            found[self.selected[k]] = max(ratio, 0.0), fit  # rounding is no gain
        least = min((ratio for ratio, _ in found.values()), default=np.inf)
        if least >= critical:
            return None
        last = max(k for k, (ratio, _) in found.items() if ratio <= least * (1 + _EQUAL))
        return last, *found[last]

    def move(self, action, feature, ratio, fit):
        """Enter or remove a feature, and return the step of the path."""
        if action == "enter":
            self.selected = [*self.selected, feature]
        else:
            self.selected = [k for k in self.selected if k != feature]
        self.fit = fit
        return {
            "feature": int(feature),
            "action": action,
            "p_value": float(chi2.sf(ratio, 1)),
            "log_likelihood": fit.value,
        }

    def _fit_of(self, features):
        """Fit the model of some features, beginning with the one at hand."""
        # Nothing leads out of separation.
        start = None if self.fit is None or self.fit.separated else self.fit.weights
        basis = self.design.basis(features)
        return maximise(self.design.columns, self.y, basis, start=start, **self.options)

    def _largest_ratios(self, candidates):
        """Bound likelihood ratios from above: 0 for a dependent feature, perhaps infinite."""
        basis = self.design.basis(self.selected)
        vectors = np.vstack([np.zeros(len(candidates)), self.design.coordinates[:, candidates]])
        outside = spanning(basis, vectors)
        independent = outside.any(axis=0)
        if self.fit.separated:
            return np.where(independent, np.inf, 0)
        information = self.fit.information
        # A candidate without its regression, weighted by w, on the features selected.
        within = basis.T @ information
        residual = outside - basis @ np.linalg.solve(within @ basis, within @ outside)
        curvature = np.einsum("ij,ij->j", residual, information @ residual)
        step = self.fit.gradient @ residual / np.where(independent, curvature, 1)
        farthest, cubes = self._third_order(residual * step)
        bounds = np.where(farthest <= 1, step**2 * curvature + cubes, np.inf)
        return np.where(independent, bounds, 0)

    def _smallest_ratios(self):
        """Bound the likelihood ratio of each feature selected from below."""
        if self.fit.separated:
            return np.zeros(len(self.selected))
        basis = self.design.basis(self.selected)
        information = basis.T @ self.fit.information @ basis
        coordinates = basis[1:, 1:].T @ self.design.coordinates[:, self.selected]
        # A feature's coefficient is the product of the weights and its column of `duals`.
        duals = np.vstack([np.zeros(len(self.selected)), np.linalg.inv(coordinates).T])
        # Per unit of the coefficient: what is uncorrelated, weighted by w, with other features.
        residual = np.linalg.solve(information, duals)
        residual /= np.einsum("ij,ij->j", duals, residual)
        change = -(basis @ duals).T @ self.fit.weights
        wald = change**2 * np.einsum("ij,ij->j", residual, information @ residual)
        farthest, cubes = self._third_order(basis @ (residual * change))
        part = 1 / np.maximum(1, farthest)
        return (2 * part - part**2) * wald - part**3 * cubes

    def _third_order(self, directions):
        """Return the largest f and Σ w t² f of changes t of the log-odds along some directions."""
        columns = self.design.columns
        farthest, cubes = np.zeros(directions.shape[1]), np.zeros(directions.shape[1])
        for rows in blocks(columns):
            some = columns[rows]
            p = expit(some @ self.fit.weights)[:, np.newaxis]
            changes = some @ directions
            forward = np.maximum(p * changes, (p - 1) * changes)
            np.maximum(farthest, forward.max(axis=0), out=farthest)
            changes *= changes
            changes *= p * (1 - p)
            cubes += np.einsum("ij,ij->j", changes, forward)
        return farthest, cubes
