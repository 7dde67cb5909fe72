"""The base class for classifiers of pairs of your own, and what these may declare."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.fitting import WholeFits
from sklearn_mteval._helpers.restored import are_labels, check_restored

__all__ = ["PairClassifier", "check_halves", "declares", "learn_classes"]

_EXPECTED = {
    2: "two classes, t1 is worse or better",
    3: "three classes, in order: t1 is worse, both tie, t1 is better",
}


class PairClassifier(WholeFits, ClassifierMixin, BaseEstimator):
    """Base of classifiers of pairs, with two labels unless a subclass says otherwise.

    A subclass has ``fit``, ``decision_function``, the log-odds of the second label, or both of
    ``predict_proba`` and ``predict``, and ``_is_whole(n_features)``, which tells whether what was
    loaded can be what its fit leaves. What it declares, as below, is False unless it says True.
    """

    antisymmetric = False  # before fit: one direction of each pair teaches as much as both
    antisymmetric_ = False  # fitted: of (t2, t1) it says the opposite of what it says of (t1, t2)
    reads_names = False  # a pipeline that ends in it must hand over names of columns and segments
    cv_keeps_segments = False  # of its option cv, an integer means folds of whole segments
    _n_classes = 2

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Compute the probability of each class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs, as in fit.

        Returns
        -------
        ndarray of shape (n_pairs, n_classes), float64
            Columns as in ``classes_``.
        """
        return self._chances(X)

    def _chances(self, X):
        return self._probabilities(self.decision_function(X))

    @staticmethod
    def _probabilities(log_odds):
        """Return the probabilities of both labels, (n_pairs, 2), from log-odds of the second."""
        log_odds = np.asarray(log_odds, dtype=np.float64)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Decide on the likeliest class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs, as in fit.

        Returns
        -------
        ndarray of shape (n_pairs,)
            Labels from ``classes_``; where t1 is as likely better as worse the first, or a tie.
        """
        if hasattr(self, "predict_proba"):
            worse, *tie, better = self.predict_proba(X).T
            found = better > worse
            if tie:
                decided = (np.maximum(worse, better) > tie[0]) & (worse != better)
                found = np.where(decided, 2 * found, 1)
        else:
            found = self.decision_function(X) > 0
        return self.classes_[found.astype(np.int64)]

    def __setstate__(self, state):
        """Check what may come from a stranger's file."""
        super().__setstate__(state)
        check_restored(
            self,
            lambda: (
                are_labels(self.classes_, self._n_classes) and self._is_whole(self.n_features_in_)
            ),
        )

    def __sklearn_tags__(self):
        """Declare how many classes there are."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._n_classes > 2
        return tags


class LogOddsDecisions(PairClassifier):
    """Base of classifiers that compute the log-odds of the second class, ``_log_odds_of(X)``."""

    _log_odds_of: Any

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Compute the log-odds of the second class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs, as in fit.

        Returns
        -------
        ndarray of shape (n_pairs,), float
            Positive where the second of ``classes_``, t1 is better, is likelier.
        """
        check_is_fitted(self)
        return self._log_odds_of(X)


def declares(estimator, name):
    """Tell whether a classifier, of whatever package, declares this of itself."""
    return getattr(estimator, name, False) is True


def check_halves(n_columns, names=None):
    """Return the number of features of one translation; check that the halves mirror."""
    half = n_columns // 2
    if n_columns % 2:
        raise ValueError(
            "A pair table has an even number of columns, t1's then t2's; found n_features = "
            f"{n_columns}."
        )
    names = [] if names is None else [str(name) for name in names]
    for first, second in zip(names[:half], names[half:], strict=True):
        if first.startswith("t1__") and second != f"t2__{first[4:]}":
            raise ValueError(
                f"Column {first!r} of t1 faces {second!r} of t2: expected 't2__{first[4:]}'. The "
                "second half must list the columns of the first."
            )
    return half


def learn_classes(y, n_classes=2, known=None):
    """Return the labels, sorted, and which each row has; ValueError if there are others."""
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes = np.unique(y if known is None else known)
    if len(classes) != n_classes:
        many = n_classes == 2 < len(classes)
        raise ValueError(
            f"Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}. "
            * many
            + f"Expected {_EXPECTED[n_classes]}; y has {len(classes)} "
            f"class{'es' * (len(classes) != 1)}: {classes.tolist()[:5]}."
        )
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(
            f"y has the label {unknown.tolist()[0]!r}; the classes are {classes.tolist()}."
        )
    return classes, np.searchsorted(classes, y)
