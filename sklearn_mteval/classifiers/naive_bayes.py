"""NaiveBayes: class probabilities for each feature by LOESS, multiplied."""

import numpy as np
from scipy.special import logit

from sklearn_mteval._helpers.options import check_integer, check_number
from sklearn_mteval._helpers.restored import is_array, is_list_of
from sklearn_mteval.classifiers._base import LogOddsClassifier


class NaiveBayes(LogOddsClassifier):
    """Naive Bayes: multiply the evidence of single features (Avramidis 2012, section 3.5).

    Parameters
    ----------
    span : float, default=0.5
        Proportion of the training pairs in the window of LOESS; above 0, at most 1. More is
        smoother.
    n_points : int, default=50
        Points at which a feature is smoothed, at least 2: quantiles, equally many pairs apart, or
        all values of a feature that has no more. Straight lines join them.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.
    class_prior_ : ndarray of shape (2,)
        Relative frequencies of the classes, p(c).
    grids_ : list of ndarray
        For each feature its points, ascending; one for a constant feature.
    probabilities_ : list of ndarray
        For each feature P(second class | value) at its points.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names, where they have names.

    Notes
    -----
    LOESS smooths P(c | f), the indicator of the class around each point, and features being
    independent given the class, log-odds = logit p(c) + Σ (logit P(c | f_i) − logit p(c)).

    P(c | f) is kept within [1 / (n + 2), (n + 1) / (n + 2)], n the number of training pairs; beyond
    the training range it is that of the end. Constant features say nothing.

    References
    ----------
    Avramidis 2012, section 3.5; Cleveland 1979, section 2, without the iterations for robustness.

    Examples
    --------
    >>> from sklearn_mteval import NaiveBayes
    >>> model = NaiveBayes().fit([[0], [0], [0], [1], [1], [1]], [0, 0, 1, 0, 1, 1])
    >>> model.predict_proba([[0], [1]]).round(4)
    array([[0.6667, 0.3333],
           [0.3333, 0.6667]])
    """

    def __init__(self, *, span: float = 0.5, n_points: int = 50):
        self.span = span
        self.n_points = n_points

    def _check_options(self):
        check_number("span", self.span, above=0, maximum=1)
        check_integer("n_points", self.n_points, minimum=2)

    def _fit(self, X, y):
        second = y.mean()
        self.class_prior_ = np.array([1 - second, second])
        smoothed = [self._smoothed(column, y) for column in np.ascontiguousarray(X.T)]
        self.grids_ = [grid for grid, _ in smoothed]
        self.probabilities_ = [probability for _, probability in smoothed]

    def _is_whole(self, n_features):
        return (
            _are_probabilities(self.class_prior_, 2)
            and is_list_of(np.ndarray, self.grids_)
            and is_list_of(np.ndarray, self.probabilities_)
            and len(self.grids_) == len(self.probabilities_) == n_features
            and all(map(_is_smoothed, self.grids_, self.probabilities_))
        )

    def _log_odds(self, X):
        prior = logit(self.class_prior_[1])
        log_odds = np.full(len(X), prior)
        for column, grid, probability in zip(X.T, self.grids_, self.probabilities_, strict=True):
            log_odds += logit(np.interp(column, grid, probability)) - prior
        return log_odds

    def _smoothed(self, column, y):
        """Return the points of a feature and P(second class) there."""
        from sklearn_mteval.classifiers._loess import loess  # loads numba

        order = np.argsort(column)
        column, y = column[order], y[order]
        starts = np.flatnonzero(np.diff(column, prepend=np.nan) != 0)
        values = column[starts] + 0.0
        counts = np.diff(starts, append=len(column)).astype(np.float64)
        sums = np.add.reduceat(y, starts, dtype=np.float64)
        grid = values
        if len(values) > self.n_points:
            grid = np.unique(np.quantile(column, np.linspace(0, 1, self.n_points)))
        # statsmodels' count, so that 0.3 of 10 rows are 3.
        k = max(1, int(self.span * len(column) + 1e-10))
        least = 1 / (len(column) + 2)
        if len(values) == 1:
            return grid, y.mean(keepdims=True)
        return grid, np.clip(loess(column, values, counts, sums, grid, k), least, 1 - least)


def _are_probabilities(values, n):
    """Tell whether these are n probabilities of which none is certain, so that odds are finite."""
    return is_array(values, (n,), low=np.nextafter(0, 1), high=np.nextafter(1, 0))


def _is_smoothed(grid, probability):
    """Tell whether these can be a feature's points and what LOESS says there."""
    n = len(grid)
    ascending = is_array(grid, (n,)) and bool((grid[1:] > grid[:-1]).all())
    return n > 0 and ascending and _are_probabilities(probability, n)
