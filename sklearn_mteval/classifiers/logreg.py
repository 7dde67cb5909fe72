"""LogReg: logistic regression without penalty, with stepwise selection of features."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_mteval._helpers.options import check_boolean, check_integer, check_number
from sklearn_mteval._helpers.products import weighted_sums
from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, is_number
from sklearn_mteval.classifiers._base import LogOddsClassifier
from sklearn_mteval.classifiers._design import independent, make_design, maximise
from sklearn_mteval.classifiers._stepwise import select

# Log-odds for each unit: times the largest feature, and added up, no number is infinite.
_STEEPEST = 1e160


class LogReg(LogOddsClassifier):
    """Logistic regression without penalty (Avramidis 2012, section 3.5).

    Parameters
    ----------
    stepwise : bool, default=False
        Whether to choose features by forward stepwise selection: the feature with the smallest
        p-value enters, those that it made superfluous leave, until nothing changes. All tests
        are likelihood-ratio tests of one degree of freedom.
    entry : float, default=0.05
        A feature enters if its p-value is below; above 0 and below 1.
    removal : float, default=0.1
        A feature leaves if its p-value is above; at least ``entry`` and at most 1. As every
        entry then gains more likelihood than any removal loses, the selection ends.
    max_iter : int, default=100
        Steps of Newton's method at most.
    tol : float, default=1e-10
        Newton's method stops where the mean log-likelihood has no slope above this, features being
        made orthogonal and of variance 1.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; positive log-odds speak for the second.
    coef_ : ndarray of shape (1, n_features)
        Log-odds for each unit of a feature; 0 for one that is not in the model.
    intercept_ : ndarray of shape (1,)
        Log-odds where all features are 0.
    selected_ : ndarray of shape (n_features,), bool
        Features in the model: chosen ones, or without ``stepwise`` all but the constant and
        dependent ones.
    log_likelihood_ : float
        Of the training data, natural logarithm, at most 0; higher is better.
    n_iter_ : int
        Newton steps of the last fit.
    path_ : list of dict
        For each step of the selection "feature" (position), "action" ("enter" or "remove"),
        "p_value" and the "log_likelihood" after it. Empty without ``stepwise``.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names, where they have names.

    Notes
    -----
    A feature that is constant or a linear combination of features to the left of it (they leave
    less than 1e-12 of its variance) has the coefficient 0. Where a combination of features tells
    the classes apart the likelihood has no maximum: the fit stops, with a warning, where it hardly
    rises any more. Each model is fitted by scikit-learn's "newton-cholesky". Memory: three copies
    of the features.

    References
    ----------
    Avramidis 2012, section 3.5; Hosmer and Lemeshow 2000, chapter 4; Albert and Anderson 1984.

    Examples
    --------
    >>> from sklearn_mteval import LogReg
    >>> model = LogReg().fit([[0], [0], [0], [1], [1], [1]], [0, 0, 1, 0, 1, 1])
    >>> print(model.coef_.round(4), model.intercept_.round(4))  # log 4, - log 2
    [[1.3863]] [-0.6931]
    >>> model.predict_proba([[1]]).round(4)
    array([[0.3333, 0.6667]])
    """

    def __init__(
        self, *, stepwise: bool = False, entry: float = 0.05, removal: float = 0.1,
        max_iter: int = 100, tol: float = 1e-10
    ):  # fmt: skip
        self.stepwise = stepwise
        self.entry = entry
        self.removal = removal
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X, y):
        newton = {"max_iter": self.max_iter, "tol": self.tol}
        design = make_design(X)
        if self.stepwise:
            chosen, path = select(design, y, entry=self.entry, removal=self.removal, **newton)
        else:
            chosen, path = independent(design.coordinates), []
        fit = maximise(design.columns, y, design.basis(chosen), **newton)
        if fit.separated:
            problem = (
                "Some combination of features separates the classes, wholly or up to ties: the "
                "likelihood has no maximum, and the coefficients are as large as they had "
                "become when it hardly rose any more."
            )
        elif not fit.converged:
            problem = (
                f"The fit did not converge in max_iter={self.max_iter} steps: raise it, unless "
                "some combination of features nearly separates the classes."
            )
        else:
            problem = None
        if problem:
            warnings.warn(problem, ConvergenceWarning, stacklevel=4)
        coef, intercept = design.coefficients(chosen, fit.weights)
        self.coef_ = coef[np.newaxis]
        self.intercept_ = np.array([intercept])
        self.selected_ = np.isin(np.arange(X.shape[1]), chosen)
        self.log_likelihood_ = fit.value
        self.n_iter_ = fit.n_iterations
        self.path_ = path

    def _log_odds(self, X):
        return weighted_sums(X, self.coef_[0]) + self.intercept_[0]

    def _is_whole(self, n_features):
        return (
            is_array(self.coef_, (1, n_features), low=-_STEEPEST, high=_STEEPEST)
            and is_array(self.intercept_, (1,), low=-1e300, high=1e300)
            and is_array(self.selected_, (n_features,), bool)
            and is_number(self.log_likelihood_, high=0)
            and is_count(self.n_iter_)
            and is_list_of(dict, self.path_)
        )

    def _check_options(self):
        """Raise unless every parameter is in range."""
        check_boolean(stepwise=self.stepwise)
        check_number("entry", self.entry, above=0, maximum=np.nextafter(1, 0))
        check_number("removal", self.removal, above=0, maximum=1)
        if self.removal < self.entry:
            raise ValueError(
                f"removal must be at least entry={self.entry}, or the selection might "
                f"never end; found {self.removal}."
            )
        check_integer("max_iter", self.max_iter, minimum=1)
        check_number("tol", self.tol, above=0)
