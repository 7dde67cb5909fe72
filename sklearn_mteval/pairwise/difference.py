"""A pair of candidates as the difference of their features."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval._helpers.fitting import WholeFits
from sklearn_mteval.pair_classifiers import check_halves


class PairDifference(WholeFits, TransformerMixin, BaseEstimator):
    """Map each pair (t1, t2) to the difference of its features, t1 − t2.

    A linear model on differences is antisymmetric but for its intercept: swapping the
    pair flips its sign.

    Examples
    --------
    >>> from sklearn_mteval import PairDifference
    >>> PairDifference().fit_transform([[3, 5, 1, 1], [0, 1, 2, 3]])
    array([[ 2.,  4.],
           [-2., -2.]])
    """

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Check that X is a pair table.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            First half t1, second half t2.
        y : None
            Ignored.

        Returns
        -------
        PairDifference
            The transformer itself.
        """
        X = validate_data(self, X, ensure_all_finite="allow-nan")
        check_halves(X.shape[1], getattr(self, "feature_names_in_", None))
        return self

    def transform(self, X: ArrayLike) -> Any:
        """Subtract t2's features from t1's.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            A pair table.

        Returns
        -------
        ndarray of shape (n_pairs, n_features), float
            The differences.
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        half = X.shape[1] // 2
        return X[:, :half] - X[:, half:]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Name the differences after the feature that they compare.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the pair table's columns; default those seen in fit, or x0, x1, ….

        Returns
        -------
        ndarray of shape (n_features,), object
            ``NAME`` for ``t1__NAME``.
        """
        # The mixin's function checks, and names the columns of the input; half of them go out.
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        half = [str(name).removeprefix("t1__") for name in names[: len(names) // 2]]
        return np.array(half, dtype=object)

    def __sklearn_tags__(self):
        """Declare that NaN passes through."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
