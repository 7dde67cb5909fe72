"""PriorEnsemble: an ensemble together with an existing model, each weighted by how right it is."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from sklearn_mteval._helpers.restored import is_number
from sklearn_mteval._helpers.sigmoid import sigmoid_slope
from sklearn_mteval.classifiers.ensemble import SLOPES, PairEnsemble

# Of the ensemble's weight, in standard deviations: 100 / 0.25 pairs are what it takes to halve it,
# the second derivative of a pair's log-likelihood being at most 1/4.
_SHRINKAGE = 10


class PriorEnsemble(PairEnsemble):
    """Weighted sum of the first feature, a model's strength, and of an ensemble of all features.

    Both weights are fitted on pairs of segments that the ensemble was not trained on. Of few pairs
    the ensemble knows little, and its weight is near 0: what is left is the model.

    Attributes
    ----------
    prior_ : float
        Log-odds for each unit of the first feature, at least 0.
    """

    def _fitted_slope(self, folds, differences, least):
        """Fit both weights on held-out pairs; return that of the ensemble."""
        sums, rows = self._held_out_sums(folds, differences, least)
        both = np.column_stack([differences[rows, 0], sums])
        both = both[np.lexsort(both.T)]  # the last bits depend on the order
        scale = np.sqrt(np.mean(both**2, axis=0))
        scale[scale == 0] = np.inf
        scale *= 1 / _SHRINKAGE, _SHRINKAGE  # the penalty is on these units' coefficients
        mirrored = np.vstack([both, -both]) / scale
        labels = np.repeat([1, 0], len(both))
        regression = LogisticRegression(fit_intercept=False).fit(mirrored, labels)
        self.prior_, slope = (regression.coef_[0] / scale).tolist()
        # What speaks against the annotators, given the other, is not used.
        if slope <= SLOPES[0]:
            self.prior_, slope = sigmoid_slope(both[:, 0], SLOPES), SLOPES[0]
        elif self.prior_ < 0:
            self.prior_, slope = 0.0, sigmoid_slope(both[:, 1], SLOPES)
        return min(slope, SLOPES[1])

    def _log_odds_of_differences(self, differences):
        return self.prior_ * differences[:, 0] + super()._log_odds_of_differences(differences)

    def _is_whole(self, n_features):
        return super()._is_whole(n_features) and is_number(self.prior_, low=0)
