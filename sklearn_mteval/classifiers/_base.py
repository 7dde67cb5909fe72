"""What the learners share: two classes, finite numbers, checked options."""

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval.pair_classifiers import PairClassifier, learn_classes

__all__ = ["LARGEST", "BinaryClassifier", "LogOddsClassifier", "in_range"]

# Squares of larger numbers, added up, and of smaller ones leave the range of double precision.
LARGEST, _SMALLEST = 1e140, 1e-140


class BinaryClassifier(PairClassifier):
    """Base of classifiers with two classes of any label type and finite features.

    A subclass has ``_check_options()``, ``_fit(X, y)`` (y true for the second class), and
    ``predict_proba`` or ``decision_function``, which calls ``_read``.
    """

    def fit(self, X, y):
        """Learn from pairs.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs.
        y : array-like of shape (n_pairs,)
            Two labels.

        Returns
        -------
        BinaryClassifier
            The classifier itself.

        Raises
        ------
        ValueError
            For NaN, infinity, other than two classes, parameters out of range.
        """
        self._check_options()
        self._fit(*self._learn_classes(X, y))
        return self

    def _learn_classes(self, X, y):
        """Check pairs and labels, set ``classes_``; return X, and y true for the second class."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        X = in_range(X)
        self.classes_, codes = learn_classes(y)
        return X, codes.astype(bool)

    def _read(self, X):
        """Return X as float64, checked against what was seen in fit."""
        check_is_fitted(self)
        return in_range(validate_data(self, X, reset=False, dtype=np.float64))


class LogOddsClassifier(BinaryClassifier):
    """Base of classifiers that compute the log-odds of the second class, ``_log_odds(X)``."""

    def decision_function(self, X):
        """Compute the log-odds of the second class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs.

        Returns
        -------
        ndarray of shape (n_pairs,)
            Positive where the second of ``classes_`` is likelier.
        """
        return self._log_odds(self._read(X))


def in_range(X):
    """Refuse numbers whose squares cannot be added up; where squares vanish, return 0."""
    size = np.abs(X)
    if size.max() > LARGEST:
        row, column = np.argwhere(size > LARGEST)[0]
        raise ValueError(
            f"Expected numbers of at most {LARGEST:g} in magnitude, found {X[row, column]:g} in "
            f"row {row}, column {column}: scale or leave out the column."
        )
    tiny = (size < _SMALLEST) & (size > 0)
    return np.where(tiny, 0, X) if tiny.any() else X
