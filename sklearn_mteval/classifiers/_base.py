"""What the learners share: two classes, finite numbers, checked options."""

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval._helpers.restored import are_labels, check_restored

__all__ = ["LARGEST", "BinaryClassifier", "LogOddsClassifier", "in_range"]

# Squares of larger numbers, added up, and of smaller ones leave the range of double precision.
LARGEST, _SMALLEST = 1e140, 1e-140


class BinaryClassifier(ClassifierMixin, BaseEstimator):
    """Base of classifiers with two classes of any label type and finite features.

    A subclass has ``_check_options()``, ``_fit(X, y)`` (y true for the second class),
    ``predict_proba``, which calls ``_read``, and ``_is_whole(n_features)``, which tells whether
    what was loaded can be what ``_fit`` leaves.
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
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) == 1:
            raise ValueError(
                f"{type(self).__name__} learns to tell two classes apart, but y has one class "
                f"only: {classes[0]}."
            )
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}: y has {len(classes)} classes."
            )
        self.classes_ = classes
        return X, codes.astype(bool)

    def predict(self, X):
        """Decide on the likelier class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs.

        Returns
        -------
        ndarray of shape (n_pairs,)
            Labels from ``classes_``; the first where both are as likely.
        """
        better = self.predict_proba(X)
        return self.classes_[(better[:, 1] > better[:, 0]).astype(np.int64)]

    def _read(self, X):
        """Return X as float64, checked against what was seen in fit."""
        check_is_fitted(self)
        return in_range(validate_data(self, X, reset=False, dtype=np.float64))

    def __setstate__(self, state):
        """Check what may come from a stranger's file."""
        super().__setstate__(state)
        check_restored(
            self, lambda: are_labels(self.classes_) and self._is_whole(self.n_features_in_)
        )

    def __sklearn_tags__(self):
        """Declare that there are two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


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

    def predict_proba(self, X):
        """Compute the probability of each class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs.

        Returns
        -------
        ndarray of shape (n_pairs, 2)
            Columns as in ``classes_``.
        """
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])


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
