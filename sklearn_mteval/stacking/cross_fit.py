"""CrossFitScore: what a regressor or ranker says, as a feature that has not seen its own labels."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin, clone

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.order import by_content
from sklearn_mteval.candidates import check_columns, check_ranks
from sklearn_mteval.pairwise.pairs import group_order, plain_columns
from sklearn_mteval.segments import deal, units_of_rows
from sklearn_mteval.text.transformer import TextTransformer

_METHODS = ("decision_function", "predict")  # the first that there is


class CrossFitScore(MetaEstimatorMixin, TextTransformer):
    """Predictions of a model that is trained on the labels, cross-fitted, as a column of features.

    ``fit_transform``, which pipelines and unions call in training, predicts each segment with a
    model that was trained on others, as scikit-learn's
    :class:`~sklearn.preprocessing.TargetEncoder` does with rows; ``transform`` predicts new rows
    with a model that was trained on all.

    Parameters
    ----------
    estimator : estimator
        A ranker, regressor or pipeline with ``fit(X, y)`` and ``decision_function`` or ``predict``;
        the first is taken where there are both. It is cloned.
    cv : int or None, default=5
        Parts of the segments in ``fit_transform``, at least 2. None: no cross-fitting, for what is
        only compared with it.
    name : str, default="crossfit_score"
        Name of the output column.

    Attributes
    ----------
    estimator_ : estimator
        The model that was trained on all rows.
    n_features_in_ : int
        Columns of the table.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Their names.

    Notes
    -----
    One column: strengths of a ranker, higher is better; predictions of a regressor, in the
    orientation of y. Segments are dealt to the parts by their content, and rows that share a
    (first) reference stay together. With ``cv``, a fit costs ``cv + 1`` fits of the model, and
    ``fit(X, y).transform(X)`` is not ``fit_transform(X, y)``.

    References
    ----------
    Wolpert 1992; scikit-learn's user guide, "Target Encoder", on cross-fitting.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.features import BLEUComp, CrossFitScore
    >>> X, y = load_sample(return_X_y=True)
    >>> scores = CrossFitScore(make_pipeline(BLEUComp(), Ridge()), name="ridge")
    >>> scores.set_output(transform="pandas").fit_transform(X, y).shape
    (640, 1)
    """

    def __init__(self, estimator: Any, *, cv: int | None = 5, name: str = "crossfit_score"):
        self.estimator = estimator
        self.cv = cv
        self.name = name

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Train a model on all rows.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            What the estimator takes.
        y : array-like of shape (n_candidates,)
            Ranks or other labels.

        Returns
        -------
        CrossFitScore
            The transformer itself.

        Raises
        ------
        CandidateError
            If X is no DataFrame, or y is missing, misaligned or NaN.
        ValueError
            If a parameter has no such value.
        """
        self._prepared(X, y)
        return self

    def fit_transform(self, X: pd.DataFrame, y: ArrayLike) -> Any:
        """Train on all rows; predict each segment with a model that was trained without it.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            As in fit, with an index level ``segment``.
        y : array-like of shape (n_candidates,)
            As in fit.

        Returns
        -------
        ndarray of shape (n_candidates, 1), float64
            As ``transform``, but cross-fitted, unless ``cv`` is None.

        Raises
        ------
        CandidateError
            As ``fit``; also if there are too few segments for ``cv`` parts, or the index has no
            level ``segment``.
        """
        if self.cv is None:
            return self.fit(X, y).transform(X)
        check_integer("cv", self.cv, minimum=2)
        fold_of = self._folds(X)
        X = self._prepared(X, y)
        labels = y.iloc if hasattr(y, "iloc") else np.asarray(y)
        found = np.empty((len(X), 1))
        for fold in range(self.cv):
            there, apart = fold_of == fold, fold_of != fold
            found[there] = self._predictions(self._trained(X[apart], labels[apart]), X[there])
        return found

    def _prepared(self, X, y):
        """Check what fit was given, train on all; return the table as models are given it."""
        if not isinstance(self.name, str):
            raise ValueError(f"name must be a text, found {self.name!r}.")
        check_columns(X, ())
        check_ranks(y, X)
        self._remember_table(X, ())
        X = self._table(X)
        self.estimator_ = self._trained(X, y)
        return X

    def _table(self, X):
        """Add to a table what all models would otherwise compute again."""
        return X

    def _trained(self, X, y):
        """Train a new model."""
        return clone(self.estimator).fit(X, y)

    def _predictions(self, model, X):
        """Predict rows, as a column."""
        method = next((name for name in _METHODS if hasattr(model, name)), None)
        if method is None:
            raise TypeError(f"estimator must have {' or '.join(_METHODS)}, found {model!r}.")
        found = np.asarray(getattr(model, method)(X), dtype=np.float64)
        if found.shape != (len(X),) or not np.isfinite(found).all():
            raise ValueError(
                f"The estimator's {method} must give a finite number for each of {len(X)} rows, "
                f"found an array of shape {found.shape}."
            )
        return found[:, np.newaxis]

    def _folds(self, X):
        """Deal whole segments to parts, whatever their labels; return the part of each row."""
        units = units_of_rows(X)
        content = group_order(units, X).content
        return deal(by_content(content, units, plain_columns(X)), self.cv)[units]

    def _transform(self, X):
        if not len(X):
            return np.empty((0, 1))
        return self._predictions(self.estimator_, self._table(X))

    def _output_names(self):
        return [self.name]

    def _is_whole(self):
        return any(hasattr(self.estimator_, name) for name in _METHODS)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
