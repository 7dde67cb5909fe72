"""TiedPairClassifier: Davidson's and Rao and Kupper's models as losses of pairs that may tie."""

import warnings

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from sklearn_mteval._helpers.options import (
    check_boolean,
    check_integer,
    check_number,
    check_one_of,
)
from sklearn_mteval._helpers.products import weighted_sums
from sklearn_mteval._helpers.restored import is_array, is_count, is_number
from sklearn_mteval.classifiers._base import LARGEST, NumberClassifier
from sklearn_mteval.metrics.paired_comparisons.models import TIE_MODELS
from sklearn_mteval.pair_classifiers import check_halves

# Standard deviations from the mean at which features end: no product of a coefficient overflows.
_FARTHEST = 1e3
_STEEPEST = 1e6  # of coefficients
_LOGS = -25.0, 6.0  # of log log theta: beyond, nothing ties, or all does


class TiedPairClassifier(NumberClassifier):
    """A linear model of pairs with three outcomes: t1 is worse, both tie, t1 is better.

    Each translation has a strength, a weighted sum of its features, of which the model sees the
    difference d of a pair:

    - "davidson": P(better) : P(tie) : P(worse) = exp(d / 2) : ν : exp(−d / 2)
    - "rao-kupper": P(better) = 1 / (1 + exp(log θ − d)), P(worse) = 1 / (1 + exp(log θ + d)), and a
      tie is neither.

    With ``varying``, ν, or θ, depends on the mean of both translations' features: two good ones
    tie more often than two bad ones, whatever their difference is. Weights are those of the largest
    likelihood, less a penalty.

    Parameters
    ----------
    tie_model : {"rao-kupper", "davidson"}, default="rao-kupper"
        Which of the models.
    varying : bool, default=True
        Whether ties depend on the mean of both translations' features. False: ν, or θ, is one
        number, as in the papers.
    C : float, default=1.0
        How little the weights of standardised features are penalised: half the sum of their
        squares, divided by C, is added to the negative log-likelihood of all pairs; above 0.
    max_iter : int, default=1000
        Steps of L-BFGS at most.

    Attributes
    ----------
    classes_ : ndarray of shape (3,)
        The labels, in order: t1 is worse, both tie, t1 is better.
    coef_ : ndarray of shape (``n_features_in_`` // 2,)
        Strength for each standard deviation of a feature.
    tie_coef_ : ndarray of shape (``n_features_in_`` // 2,)
        What each standard deviation of the pair's mean adds to log ν, or to log log θ; zeros
        without ``varying``.
    tie_intercept_ : float
        log ν, or log log θ, where all features are the mean.
    mean_, scale_ : ndarray of shape (``n_features_in_`` // 2,)
        Mean and standard deviation of each feature over both translations of all pairs; the
        latter infinite for a constant.
    n_iter_ : int
        Steps taken.
    antisymmetric_ : bool
        True: exchanging t1 and t2 exchanges the probabilities of better and worse, to the bit, and
        :class:`~sklearn_mteval.RankRecomposer` asks about one direction of each pair only.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names, where they have names.

    Notes
    -----
    log ν is a weighted sum, and so is log log θ, since log θ is positive. Davidson's likelihood is
    concave in all weights, so that there is one best fit.

    Features farther than 1,000 standard deviations from the mean count as that far.

    References
    ----------
    Davidson 1970; Rao and Kupper 1967; of ties that depend on the pair: Dittrich et al. 1998.

    Examples
    --------
    >>> from sklearn_mteval.classifiers import TiedPairClassifier
    >>> pairs = [[3, 1], [1, 3], [2, 1], [1, 2], [2, 2], [3, 3], [4, 3], [3, 4]]
    >>> model = TiedPairClassifier().fit(pairs, [2, 0, 2, 0, 1, 1, 1, 1])
    >>> model.predict([[4, 1], [3, 3], [1, 4]])
    array([2, 1, 0])
    """

    antisymmetric = antisymmetric_ = True
    _n_classes = 3

    def __init__(
        self, *, tie_model: str = "rao-kupper", varying: bool = True, C: float = 1.0,
        max_iter: int = 1000
    ):  # fmt: skip
        self.tie_model = tie_model
        self.varying = varying
        self.C = C
        self.max_iter = max_iter

    def _fit(self, X, y):
        both = X.reshape(-1, check_halves(X.shape[1]))
        self.mean_ = both.mean(axis=0)
        spread = both.std(axis=0)
        self.scale_ = np.where(spread > 1e-12 * np.abs(both).max(axis=0), spread, np.inf)
        self._maximise(*self._differences_and_means(X), y - 1)

    def _chances(self, X):
        differences, means = self._differences_and_means(self._read(X))
        self._check_options()
        d = weighted_sums(differences, self.coef_)
        c = weighted_sums(means, self.tie_coef_) + self.tie_intercept_
        entry = TIE_MODELS[self.tie_model]
        log, _ = _log_parameter(entry, c)
        better, tie = entry.log_probabilities(d, log)
        worse, _ = entry.log_probabilities(-d, log)
        return np.exp(np.column_stack([worse, tie, better]))

    def _differences_and_means(self, X):
        """Return differences and means of standardised features, each (n_pairs, n_features)."""
        first, second = (
            np.clip((side - self.mean_) / self.scale_, -_FARTHEST, _FARTHEST)
            for side in np.hsplit(X, 2)
        )
        return first - second, (first + second) / 2

    def _maximise(self, differences, means, outcomes):
        """Find the weights of the largest penalised likelihood."""
        entry, width = TIE_MODELS[self.tie_model], differences.shape[1]
        n_of_ties = width if self.varying else 0
        means = means[:, :n_of_ties]

        def loss(weights):
            d = differences @ weights[:width]
            c = means @ weights[width:-1] + weights[-1]
            log, rise = _log_parameter(entry, c)
            better, tie = entry.log_probabilities(np.where(outcomes < 0, -d, d), log)
            of_d, of_log = entry.slopes(d, log, outcomes)
            of_c = of_log * rise
            slopes = np.concatenate([of_d @ differences, of_c @ means, [of_c.sum()]])
            penalty = np.append(weights[:-1] / self.C, 0)
            total = np.where(outcomes == 0, tie, better).sum() - weights @ penalty / 2
            return -total / len(d), (penalty - slopes) / len(d)

        start = np.zeros(width + n_of_ties + 1)
        log = entry.start((outcomes == 0).mean())
        start[-1] = np.log(log) if entry.positive else log
        limits = {"maxiter": self.max_iter, "gtol": 1e-8, "ftol": 1e-14}
        bounds = [(-_STEEPEST, _STEEPEST)] * len(start)
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=limits)
        if found.nit >= self.max_iter:
            warnings.warn(
                f"The fit did not converge in max_iter={self.max_iter} steps: raise it.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.coef_ = found.x[:width].copy()
        self.tie_coef_ = np.zeros(width)
        self.tie_coef_[:n_of_ties] = found.x[width:-1]
        self.tie_intercept_ = float(found.x[-1])
        self.n_iter_ = int(found.nit)

    def _check_options(self):
        """Raise unless every parameter is in range."""
        check_one_of("tie_model", self.tie_model, TIE_MODELS)
        check_boolean(varying=self.varying)
        check_number("C", self.C, above=0)
        check_integer("max_iter", self.max_iter, minimum=1)

    def _is_whole(self, n_features):
        """Tell whether what was loaded can be what a fit leaves."""
        width = (n_features // 2,)
        weights = {"low": -_STEEPEST, "high": _STEEPEST}
        return (
            n_features % 2 == 0
            and is_array(self.coef_, width, **weights)
            and is_array(self.tie_coef_, width, **weights)
            and is_number(self.tie_intercept_, **weights)
            and is_array(self.mean_, width, low=-LARGEST, high=LARGEST)
            and is_array(self.scale_, width, low=0, finite=False)
            and bool((self.scale_ > 0).all())
            and is_count(self.n_iter_)
        )


def _log_parameter(entry, c):
    """Return log nu, or log theta, of what the features add up to, and its slope."""
    if not entry.positive:
        return c, 1.0
    log = np.exp(np.clip(c, *_LOGS))
    return log, np.where((c > _LOGS[0]) & (c < _LOGS[1]), log, 0.0)
