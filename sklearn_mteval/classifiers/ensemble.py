"""PairEnsemble: any classifiers of differences, made antisymmetric, summed and calibrated."""

from typing import Any, Self

import numpy as np
from scipy.special import expit, logit
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, check_cv
from sklearn.utils.validation import has_fit_parameter

from sklearn_mteval._helpers.options import check_boolean, check_integer, check_number
from sklearn_mteval._helpers.order import by_content, hash_rows, lexicographic, rough
from sklearn_mteval._helpers.products import weighted_sums
from sklearn_mteval._helpers.restored import is_array, is_number
from sklearn_mteval._helpers.sigmoid import sigmoid_slope
from sklearn_mteval.classifiers._base import LogOddsClassifier
from sklearn_mteval.classifiers._trees import BoostedTrees, as_boosted_trees
from sklearn_mteval.pair_classifiers import check_halves
from sklearn_mteval.segments import deal, units_of_pairs

# Standard deviations from 0 at which a difference is cut off, so that sums stay finite.
_FARTHEST = 1e6
# Differences that are smaller, relative to the features, are rounding.
_ROUNDING = 1e-12
_DIGITS = 9  # of scaled differences, that members are trained on
# Of a member that only tells probabilities, what is nearer to 0 or 1.
_LEAST_PROBABILITY = 1e-6
# Log-odds for each unit of the sum, a unit being about one standard deviation.
SLOPES = 1e-3, 1e3


class PairEnsemble(LogOddsClassifier):
    """Ensemble of classifiers of pairs, each made antisymmetric, with calibrated probabilities.

    Parameters
    ----------
    estimators : list of (str, classifier) or None, default=None
        Named members, classifiers of *differences* of features, which are divided by their root
        mean squares. None: ``logreg``, a LogisticRegression without intercept, and ``boosting``,
        a HistGradientBoostingClassifier. Parameters of members are set as ``logreg__C``, members
        themselves as ``logreg``; "drop" leaves one out.
    weights : list of float or None, default=None
        Of each member in the sum, above 0; None: all are equal.
    calibrate : bool, default=True
        Whether the sum is multiplied by the slope that makes probabilities of it. It is fitted on
        segments that the members were not trained on, which takes ``cv`` more fits.
    cv : int, splitter or iterable of splits, default=3
        The folds for that. An integer: so many folds of whole segments, or one for each segment
        where they are fewer.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; a positive sum speaks for the second.
    estimators_ : list of fitted members
        In the order of ``estimators``; of boosted trees their nodes as arrays.
    scale_ : ndarray of shape (``n_features_in_`` // 2,)
        Root mean square of each difference; infinity where there is none.
    factors_ : ndarray of shape (n_members,)
        By which the margin of each member is multiplied.
    slope_ : float
        Log-odds for each unit of the sum; 1 if not calibrated.
    antisymmetric_ : bool
        True: :class:`~sklearn_mteval.RankRecomposer` asks about one direction of each pair only.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names, where they have names.

    Notes
    -----
    Each member is trained on the differences d of pairs' features and on their mirror images, so
    that one direction of each pair is enough;
    margins (f(d) − f(−d)) / 2, in units of their standard deviation, are multiplied by weights and
    added up, so that both directions' probabilities add up to 1, to the bit, and equal translations
    have 0.5. Linear members and boosted trees have the same bits for a pair in any table.

    The slope of the probabilities is that of a logistic regression without intercept of labels on
    sums of held-out pairs, with the targets of Platt's equation 9. Folds keep together pairs of one
    segment or, without that index level, pairs that share a candidate.

    A pair that was judged several times counts as often, but is one row with a weight to members
    that take ``sample_weight``; ``min_samples_leaf`` of trees counts it once.

    References
    ----------
    Platt 1999; Ke et al. 2017, *LightGBM*, whom scikit-learn's boosting follows.

    Examples
    --------
    >>> from sklearn_mteval import BLEUComp, RankRecomposer, make_ranking_pipeline
    >>> from sklearn_mteval.classifiers import PairEnsemble
    >>> from sklearn_mteval.datasets import load_sample
    >>> ensemble = PairEnsemble().set_params(logreg__C=0.1, boosting__max_iter=20)
    >>> X, y = load_sample(return_X_y=True)
    >>> model = make_ranking_pipeline(BLEUComp(), RankRecomposer(ensemble)).fit(X, y)
    >>> model[-1].estimator_.factors_.shape
    (2,)
    """

    antisymmetric = antisymmetric_ = True
    cv_keeps_segments = True  # an integer as well: see pairwise.leaks

    def __init__(
        self, estimators: list[tuple[str, Any]] | None = None, *,
        weights: list[float] | None = None, calibrate: bool = True, cv: Any = 3
    ):  # fmt: skip
        self.estimators = estimators
        self.weights = weights
        self.calibrate = calibrate
        self.cv = cv

    def _learn_classes(self, X, y):
        """Return what ``_fit`` is given, and what ``fit`` was: its index names segments."""
        return *super()._learn_classes(X, y), X, y

    def _fit(self, X, second, given, y):
        check_halves(X.shape[1])
        differences = _differences(X)
        differences[~second] *= -1  # now the better one comes first
        differences += 0.0  # there is no -0
        least = _ROUNDING * np.maximum(*np.split(np.abs(X).max(axis=0), 2))
        self._fit_members(differences, least)
        self.slope_ = 1.0
        if self.calibrate:
            folds = self._folds(given, X, y, differences)
            self.slope_ = self._fitted_slope(folds, differences, least)

    @staticmethod
    def _probabilities(log_odds):
        likelier = expit(np.abs(log_odds))
        second = np.where(log_odds < 0, 1 - likelier, likelier)
        return np.column_stack([np.where(log_odds < 0, likelier, 1 - likelier), second])

    def get_params(self, deep: bool = True) -> dict:
        """Return the parameters, with ``deep`` those of the members too.

        Parameters
        ----------
        deep : bool, default=True
            Whether to list members by their names, and their parameters as ``name__parameter``.

        Returns
        -------
        dict
            Names to values.
        """
        params = super().get_params(deep=False)
        for name, member in self._named() if deep else ():
            params[name] = member
            if hasattr(member, "get_params"):
                inner = member.get_params().items()
                params.update((f"{name}__{key}", value) for key, value in inner)
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, members by name, and parameters of members as ``name__parameter``.

        Parameters
        ----------
        **params : dict
            Names to values.

        Returns
        -------
        PairEnsemble
            The classifier itself.
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        named = dict(self._named())
        if {key.partition("__")[0] for key in params} & named.keys():
            given = {key: params.pop(key) for key in named.keys() & params.keys()}
            self.estimators = list((named | given).items())
        return super().set_params(**params)

    def _fit_members(self, differences, least):
        """Fit scale, members and factors on pairs, the better one first; differences of at most
        ``least`` are rounding.
        """
        differences, counts = _distinct(differences)
        n_judged = counts.sum()
        squares = np.einsum("ij,ij,i->j", differences, differences, counts)
        spread = np.sqrt(squares / n_judged)
        self.scale_ = np.where(spread > least, spread, np.inf)
        # Trees split between values that are not equal, be it for their last bits.
        scaled = np.round(self._scaled(differences), _DIGITS) + 0.0
        rows, labels = np.vstack([scaled, -scaled]), np.repeat([1, 0], len(scaled))
        named = self._named()
        weights = np.ones(len(named)) if self.weights is None else self.weights
        self.estimators_, factors = [], []
        for weight, (_, member) in zip(weights, named, strict=True):
            if _is_dropped(member):
                continue
            fitted = as_boosted_trees(_fit(clone(member), rows, labels, np.tile(counts, 2)))
            squares = _margins(fitted, scaled) ** 2 @ counts
            self.estimators_.append(fitted)
            factors.append(weight / np.sqrt(squares / n_judged) if squares > 0 else 0.0)
        self.factors_ = np.array(factors)

    def _fitted_slope(self, folds, differences, least):
        """Fit the slope on the sums of pairs that the members were not trained on."""
        sums, _ = self._held_out_sums(folds, differences, least)
        # A sum's last bits depend on the order.
        return sigmoid_slope(np.sort(sums), SLOPES)

    def _held_out_sums(self, folds, differences, least):
        """Return the sums of pairs that the members were not trained on, and these pairs' rows."""
        part = PairEnsemble(self.estimators, weights=self.weights)
        sums, rows = [], []
        for train, test in folds:
            if not len(train) or not len(test):
                raise ValueError(f"cv={self.cv!r} makes a fold without pairs.")
            part._fit_members(differences[train], least)
            sums.append(part._sum(differences[test]))
            rows.append(test)
        if not sums:
            raise ValueError(f"cv={self.cv!r} makes no fold.")
        return np.concatenate(sums), np.concatenate(rows)

    def _log_odds(self, X):
        """Return the weighted sum of margins, times the slope."""
        return self._log_odds_of_differences(_differences(X))

    def _log_odds_of_differences(self, differences):
        """Make log-odds of the members' sum."""
        return self.slope_ * self._sum(differences)

    def _scaled(self, differences):
        """Bring differences to a common scale."""
        return np.clip(differences / self.scale_, -_FARTHEST, _FARTHEST)

    def _sum(self, differences):
        """Add up the members' margins, each times its factor."""
        scaled, total = self._scaled(differences), np.zeros(len(differences))
        for member, factor in zip(self.estimators_, self.factors_, strict=True):
            total += factor * _margins(member, scaled)
        return total

    def _folds(self, given, X, y, differences):
        """Return the splits of the calibration, for an integer those of whole segments."""
        if not isinstance(self.cv, int):
            return check_cv(self.cv).split(given, y)
        candidates = [hash_rows(half.T, len(X)) for half in np.split(X, 2, axis=1)]
        units = units_of_pairs(given, np.concatenate(candidates))
        order = by_content(hash_rows(differences.T, len(X)), units, differences.T)
        if len(order) < 2:
            raise ValueError(
                "Probabilities are calibrated on segments that were not trained on, but all pairs "
                "are of one segment: pass calibrate=False, or more segments."
            )
        fold = deal(order, min(self.cv, len(order)))
        return PredefinedSplit(fold[units]).split()

    def _named(self):
        """List the members with their names, dropped ones too; none of what is no such list."""
        if self.estimators is None:
            return _default_members()
        pairs = self.estimators if isinstance(self.estimators, list | tuple) else ()
        named = [tuple(pair) for pair in pairs if isinstance(pair, list | tuple)]
        return [pair for pair in named if len(pair) == 2 and isinstance(pair[0], str)]

    def _check_options(self):
        """Raise unless every parameter can be used."""
        check_boolean(calibrate=self.calibrate)
        # None would be five folds of rows to scikit-learn, and bytes have a method split.
        if isinstance(self.cv, int | bytes | None):
            check_integer("cv", self.cv, minimum=2)
        self._check_names()
        members = dict(self._named())
        for name, member in members.items():
            if not _is_dropped(member) and not _is_classifier(member):
                raise ValueError(f"{name!r} must be a classifier or 'drop', found {member!r}.")
        if all(map(_is_dropped, members.values())):
            raise ValueError("estimators has no member that is not dropped.")
        if self.weights is not None:
            if not isinstance(self.weights, list | tuple) or len(self.weights) != len(members):
                raise ValueError(
                    f"weights must be a list of as many numbers as estimators, {len(members)}, "
                    f"found {self.weights!r}."
                )
            for weight in self.weights:
                check_number("each of weights", weight, above=0, maximum=1e6)

    def _check_names(self):
        """Raise unless members are a list, with names that parameters can have."""
        names = [name for name, _ in self._named()]
        given = names if self.estimators is None else self.estimators
        if not isinstance(given, list | tuple) or len(names) != len(given):
            raise ValueError(
                "estimators must be a list of (name, classifier) or None, found "
                f"{self.estimators!r}."
            )
        taken = {"", *super().get_params(deep=False)}
        distinct = len(set(names)) == len(names) and not taken.intersection(names)
        if not distinct or any("__" in name for name in names):
            raise ValueError(
                f"Names of estimators must be distinct, without '__', and none of "
                f"{sorted(taken - {''})}, found {names}."
            )

    def _is_whole(self, n_features):
        n_members = len(self.estimators_)
        return (
            n_features % 2 == 0
            and is_array(self.scale_, (n_features // 2,), low=0, finite=False)
            and bool((self.scale_ > 0).all())
            and type(self.estimators_) is list
            and all(_is_classifier(member, n_features // 2) for member in self.estimators_)
            and is_array(self.factors_, (n_members,), low=0)
            and is_number(self.slope_, *SLOPES)
        )


def _default_members():
    """Make the default members."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # slow to load

    boosting = HistGradientBoostingClassifier(
        learning_rate=0.05, max_iter=150, max_leaf_nodes=8, min_samples_leaf=50, max_bins=63,
        early_stopping=False, random_state=0,
    )  # fmt: skip
    regression = LogisticRegression(fit_intercept=False, solver="newton-cholesky")
    return [("logreg", regression), ("boosting", boosting)]


def _is_dropped(member):
    """Tell whether a member is left out."""
    return isinstance(member, str) and member == "drop"


def _is_classifier(member, n_features=None):
    """Tell whether it is a classifier, not a class; loaded, for differences of so many features."""
    if isinstance(member, BoostedTrees) and n_features is not None:
        return member.n_features == n_features
    return hasattr(member, "fit") and not isinstance(member, type) and is_classifier(member)


def _differences(X):
    """Subtract t2's features from t1's, in C order."""
    half = X.shape[1] // 2
    return np.ascontiguousarray(X[:, :half] - X[:, half:])


def _distinct(differences):
    """Return distinct rows in the order of their values, and how often each is there."""
    whole_row = np.dtype((np.void, differences.itemsize * differences.shape[1]))
    as_one = differences.view(whole_row).ravel()
    _, first, counts = np.unique(as_one, return_index=True, return_counts=True)
    order = lexicographic(map(rough, differences[first].T))
    return differences[first[order]], counts[order]


def _fit(member, rows, labels, counts):
    """Fit a member on rows that occur several times."""
    if (counts == 1).all():  # the same to the bit, and boosting sorts into bins 5 times as fast
        return member.fit(rows, labels)
    if has_fit_parameter(member, "sample_weight"):
        return member.fit(rows, labels, sample_weight=counts.astype(np.float64))
    return member.fit(np.repeat(rows, counts, axis=0), np.repeat(labels, counts))


def _margins(member, differences):
    """Return (f(d) − f(−d)) / 2 of a fitted member."""
    coef = getattr(member, "coef_", None)
    if hasattr(member, "decision_function") and np.shape(coef) == (1, differences.shape[1]):
        return weighted_sums(differences, coef[0])
    return (_log_odds(member, differences) - _log_odds(member, -differences)) / 2


def _log_odds(member, differences):
    """Return what a member's decisions rest on, finite, shape (n_pairs,)."""
    if hasattr(member, "decision_function"):
        found = np.asarray(member.decision_function(differences), dtype=np.float64)
    else:
        second = member.predict_proba(differences)[:, 1]
        found = logit(np.clip(second, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY))
    if found.shape != (len(differences),) or not np.isfinite(found).all():
        raise ValueError(
            f"{member!r} must answer decision_function or predict_proba with a finite number for "
            f"each of {len(differences)} rows, found {found.dtype} of shape {found.shape}."
        )
    return found
