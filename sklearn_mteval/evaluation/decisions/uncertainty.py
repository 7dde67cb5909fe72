"""How uncertain agreement is, as pairs that share a system, a segment or a document hang together.

The design effect says how much more it varies than if all pairs were independent. The likelihood
is divided by it (Chandler and Bate 2007, "Inference for clustered data using the independence
loglikelihood"), and so is the number of pairs of a proportion.
"""

from typing import NamedTuple

import numpy as np

from sklearn_mteval.metrics.core.proportions import (
    design_effect,
    independent_trials,
    wilson_interval,
)
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import effective_number


class Shared(NamedTuple):
    """What is counted of one kind of units, systems or clusters: arrays (n_units, n_cells)."""

    agreeing: np.ndarray
    total: np.ndarray

    def effect(self, expected, weights, information, events):
        """Return the design effect of weighted sums of agreement, and its degrees of freedom."""
        residuals = (self.agreeing - self.total * expected) @ weights.T
        sizes = self.total.sum(axis=1)
        most = ratio((sizes**2).sum(), sizes.sum(), 1.0)
        events = max(events, len(sizes))
        effect = design_effect(residuals, information, max(most, 1.0), events).max()
        return effect, effective_number(sizes) - 1


def accepted_loss(curve, cells, total, shared, confidence):
    """Return by how much less likely than the likeliest a curve is that is not refuted."""
    from scipy import stats  # slow to load

    expected = curve.agreement(cells)
    spread = np.maximum(expected * (1 - expected), 1e-12)
    weights = curve.slopes(cells) / spread
    information = (weights**2) @ (total * spread)
    events = (total * spread).sum()
    found = [kind.effect(expected, weights, information, events) for kind in shared]
    effect, degrees = _together(found)
    return effect * stats.t.ppf((1 + confidence) / 2, degrees) ** 2 / 2


def interval_of_bin(agreeing, total, shared, confidence):
    """Return bounds (2,) of the proportion of agreement in a bin, of the counts of its cells."""
    n = total.sum()
    proportion = agreeing.sum() / n
    events = n * proportion * (1 - proportion)
    ones = np.ones((1, len(total)))
    found = [kind.effect(proportion, ones, events, events) for kind in shared]
    effect, degrees = _together(found)
    trials = independent_trials(n, effect, degrees + 1, confidence)
    return wilson_interval(proportion, trials, confidence)


def _together(found):
    """Add up what systems and clusters have to do with it (Satterthwaite's degrees of freedom)."""
    if not found:
        return 1.0, 1e-3
    effects, degrees = np.array(found).T
    # Of each kind what exceeds independent pairs adds to it.
    effect = 1 + (effects - 1).sum()
    return effect, max(effects.sum() ** 2 / (effects**2 / np.maximum(degrees, 1e-3)).sum(), 1e-3)
