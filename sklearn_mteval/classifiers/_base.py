"""What the learners share: classes, finite numbers, checked options."""

from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval.pair_classifiers import LogOddsDecisions, PairClassifier, learn_classes

# Squares of larger numbers, added up, and of smaller ones leave the range of double precision.
LARGEST, _SMALLEST = 1e140, 1e-140


class NumberClassifier(PairClassifier):
    """Base of classifiers of finite features; a subclass has ``_check_options`` and ``_fit``."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from pairs.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, n_features)
            Features of pairs: t1's, then t2's, where both are compared.
        y : array-like of shape (n_pairs,)
            Labels: t1 is worse, t1 is better; where ties are learnt, a third one between them.

        Returns
        -------
        NumberClassifier
            The classifier itself.

        Raises
        ------
        ValueError
            For NaN, infinity, another number of classes, parameters out of range; where both
            halves of a pair are compared, for an odd number of columns, and where probabilities are
            calibrated, for fewer segments than that needs.
        """
        self._check_options()
        self._fit(*self._learn_classes(X, y))
        return self

    def _learn_classes(self, X, y):
        """Check pairs and labels, set ``classes_``; return what ``_fit`` is given."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        X = _in_range(X)
        self.classes_, codes = learn_classes(y, self._n_classes)
        return X, codes.astype(bool) if self._n_classes == 2 else codes

    def _read(self, X):
        """Return X as float64, checked against what was seen in fit."""
        check_is_fitted(self)
        if isinstance(X, pd.DataFrame) and set(X.dtypes) == {np.dtype(np.float64)}:
            validate_data(self, X, reset=False, skip_check_array=True)
            checked = {"input_name": "X", "estimator": self}
            return _in_range(check_array(X.to_numpy(), dtype=np.float64, **checked))
        return _in_range(validate_data(self, X, reset=False, dtype=np.float64))


class LogOddsClassifier(NumberClassifier, LogOddsDecisions):
    """Base of classifiers that compute the log-odds of finite features, ``_log_odds(X)``."""

    def _log_odds_of(self, X):
        return self._log_odds(self._read(X))

    def _chances_of(self, values):
        """Return ``predict_proba`` of rows, float64, whose columns were checked before."""
        if not np.isfinite(values).all():
            assert_all_finite(values, estimator_name=type(self).__name__, input_name="X")
        return self._probabilities(self._log_odds(_in_range(values)))


def _in_range(X):
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
