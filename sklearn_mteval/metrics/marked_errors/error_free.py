"""Which translations need no correction: detecting error-free ones by a metric's score."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.utils import Bunch, check_random_state

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_integer, check_one_of, check_proportion
from sklearn_mteval._helpers.order import content_order
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import check_index, expected
from sklearn_mteval.metrics.core.correlations import add_up
from sklearn_mteval.metrics.core.proportions import interval_of_proportion, wilson_interval
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import FEW_CLUSTERS, Bootstrap, student_interval

_LEAST_ACCEPTED = 20  # translations by which a threshold is chosen
_ROWS = (
    "average_precision", "error_free", "brier", "brier_of_proportion", "calibration_error",
    "precision", "recall", "accepted",
)  # fmt: skip
_BINS = 10  # of the calibration error, as is customary (Guo et al. 2017)


def error_free_detection(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike, precision: float = 0.9,
    calibration: str = "isotonic", n_folds: int = 5, confidence: float = 0.95,
    n_resamples: int = 1000, random_state: Seed = 0
) -> Any:  # fmt: skip
    """Measure how well a metric's scores tell error-free translations from others.

    Scores are turned into probabilities, and a threshold is chosen, on some groups; both are judged
    on the others, in ``n_folds`` folds (cross-fitting).

    Parameters
    ----------
    y_true : array-like of bool of length n_translations
        Whether annotators found no error, e.g. an ESA score of 85 or more and no error span.
    y_score : array-like of length n_translations
        The metric's scores, finite, higher is better.
    groups : array-like, Index or MultiIndex of length n_translations
        What is never parted, and what varies as a whole: documents, or else segments.
    precision : float, default=0.9
        The proportion of error-free ones, between 0 and 1, that is wanted among the translations at
        or above the threshold. The lowest threshold that had it on the other folds is taken.
    calibration : {"isotonic", "logistic"}, default="isotonic"
        How probabilities are made of scores: the increasing step function that fits best, or a
        logistic curve, which needs fewer translations.
    n_folds : int, default=5
        At least 2, at most the number of groups.
    confidence, n_resamples, random_state : see :func:`agreement_interval`
        Of the intervals; the seed deals the groups, too.

    Returns
    -------
    Bunch
        - table : DataFrame, rows by statistic, columns "value", "low", "high" (interval) and "n",
          how many translations it is of:
          "average_precision", from 0 to 1, higher is better, and "error_free", what it is by
          chance; "brier", mean squared error of the probabilities, lower is better, and
          "brier_of_proportion", that of the proportion of the other folds; "calibration_error", the
          mean difference between probability and proportion over ten bins of equal width, lower is
          better; "precision", "recall" and proportion ("accepted") of what thresholds accept.
        - probabilities : ndarray of length n_translations, cross-fitted.
        - accepted : ndarray of bool of length n_translations, by held-out thresholds.
        - threshold : float, that of all translations, for new ones; infinity if none has the
          precision.

    Raises
    ------
    CandidateError
        For what is no vector of booleans or of finite numbers, unequal lengths, translations that
        are all error-free or none of which is, fewer groups than folds.

    Notes
    -----
    Probabilities and thresholds stay as they are. Intervals of proportions are Wilson's, of as many
    translations as would tell as much if those of a group were independent; for the others groups
    are resampled, or with fewer than ten left out in turn (the jackknife). The interval of the
    calibration error lies too high: chance adds to a mean of absolute differences.

    References
    ----------
    Kocmi et al. 2024 (scores and spans); Guo et al. 2017 (calibration error); Zadrozny and Elkan
    2002.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_mteval.metrics import error_free_detection
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(1000)
    >>> found = error_free_detection(rng.random(1000) < score, score, groups=range(1000))
    >>> found.table["value"].round(2)[["average_precision", "precision", "recall"]].to_dict()
    {'average_precision': 0.85, 'precision': 0.9, 'recall': 0.4}
    """
    check_proportion("precision", precision)
    check_one_of("calibration", calibration, CALIBRATIONS)
    check_integer("n_folds", n_folds, minimum=2)
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    labels, scores = _checked(y_true, y_score)
    check_index("y_true", y_true, "groups", groups)
    codes = group_codes(groups, len(labels))
    # A power of two changes no result, and squares are neither too large nor too small.
    exponent = int(np.frexp(np.abs(scores).max())[1])
    scores = np.ldexp(scores, -exponent)
    n_groups = codes.max(initial=-1) + 1
    if n_groups < n_folds:
        raise CandidateError(f"{n_folds} folds need as many groups, found {n_groups}.")
    # Rows and groups in the order of their content: a fold is the same whatever their names are.
    order, _, numbers = content_order(codes, codes, labels, scores)
    labels, scores = labels[order], scores[order]
    folds = (check_random_state(random_state).permutation(n_groups) % n_folds)[numbers]
    probabilities, constant = np.empty((2, len(labels)))
    accepted = np.zeros(len(labels), dtype=bool)
    for fold in range(n_folds):
        rest, held_out = folds != fold, folds == fold
        fitted = CALIBRATIONS[calibration](labels[rest], scores[rest])
        probabilities[held_out] = fitted(scores[held_out])
        constant[held_out] = labels[rest].mean()
        threshold = _threshold(labels[rest], scores[rest], precision)
        accepted[held_out] = scores[held_out] >= threshold
    # A statistic of weights of groups; of weights of one it is that of the rows.
    statistics = _statistics(labels, scores, probabilities, constant, numbers)
    values = np.array([of_weights(np.ones((1, n_groups)))[0] for of_weights in statistics.values()])
    bounds = _bounds([*statistics.values()], values, n_groups, bootstrap)
    rows = {
        name: (value, *ends, len(labels))
        for name, value, ends in zip(statistics, values, bounds, strict=True)
    }
    hits, ones = accepted * labels, np.ones(len(labels))
    for name, (top, of) in {
        "error_free": (labels, ones), "precision": (hits, accepted), "recall": (hits, labels),
        "accepted": (accepted, ones),
    }.items():  # fmt: skip
        sums = add_up(np.column_stack([top, of]), numbers, n_groups)
        ends = interval_of_proportion(*sums.T, confidence)
        rows[name] = (float(ratio(*sums.sum(axis=0))), *ends, int(of.sum()))
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["value", "low", "high", "n"])
    table = table.loc[list(_ROWS)].rename_axis("statistic")
    back = np.argsort(order)
    return Bunch(
        table=table,
        probabilities=probabilities[back],
        accepted=accepted[back],
        threshold=float(np.ldexp(_threshold(labels, scores, precision), exponent)),
    )


def _bounds(statistics, values, n_groups, bootstrap):
    """Return bounds (n_statistics, 2) of functions of weights of groups, each from 0 to 1."""
    if n_groups < FEW_CLUSTERS:
        left_out = np.stack([of_weights(1 - np.eye(n_groups)) for of_weights in statistics])
        errors = left_out.std(axis=1) * np.sqrt(n_groups - 1)
        bounds = student_interval(values, errors, n_groups - 1, bootstrap.confidence)
    else:
        bounds = bootstrap.intervals(statistics, n_groups)
    # Where no group differs from another, as many are right as there are.
    certain = (bounds[:, 0] == bounds[:, 1])[:, np.newaxis]
    least = wilson_interval(np.clip(values, 0, 1), n_groups, bootstrap.confidence)
    return np.clip(np.where(certain, least, bounds), 0, 1)


def _checked(y_true, y_score):
    """Return labels as 0 and 1, and scores."""
    check_index("y_true", y_true, "y_score", y_score)
    labels = np.asarray(y_true)
    if labels.ndim != 1 or labels.dtype != bool:
        raise CandidateError(
            f"y_true must be booleans, 1-D, found {labels.ndim}-D of type {labels.dtype}."
        )
    with expected("y_score must be numbers, higher is better"):
        scores = as_numbers(y_score)
    if scores.shape != labels.shape:
        raise CandidateError(f"y_true has {len(labels)} entries, y_score the shape {scores.shape}.")
    if not np.isfinite(scores).all():
        row = int(np.isfinite(scores).argmin())
        raise CandidateError(
            f"y_score must be finite, found {scores[row]} in row {row}: leave such rows out."
        )
    if labels.all() or not labels.any():
        found = "all" if len(labels) and labels.all() else "none"
        raise CandidateError(
            f"expected error-free translations and others, found {found} of {len(labels)} "
            "error-free."
        )
    return labels.astype(np.float64), scores


def _logistic(labels, scores):
    """Fit a logistic curve that does not fall; a constant, if it would or there is one class."""
    low, high = scores.min(), scores.max()
    if labels.min() == labels.max() or low == high:
        return lambda new: np.full(len(new), labels.mean())

    def column(values):
        # Where all scores but one are nearly equal, new ones may lie at any distance.
        with np.errstate(over="ignore"):
            return np.clip((values - low) / (high - low), -1000, 1000)[:, None]

    fitted = LogisticRegression(C=1e6, max_iter=1000).fit(column(scores), labels > 0)
    if fitted.coef_[0, 0] < 0:
        return lambda new: np.full(len(new), labels.mean())
    return lambda new: fitted.predict_proba(column(new))[:, 1]


CALIBRATIONS = {
    "isotonic": lambda labels, scores: (
        IsotonicRegression(out_of_bounds="clip").fit(scores, labels).predict
    ),
    "logistic": _logistic,
}


def _threshold(labels, scores, precision):
    """Return the lowest score at and above which so many are error-free; infinity if none."""
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(labels[order]) / np.arange(1, len(labels) + 1)
    ends = np.append(scores[order][1:] != scores[order][:-1], True)
    ends[: _LEAST_ACCEPTED - 1] = False
    enough = np.flatnonzero(ends & (found >= precision))
    return float(scores[order][enough[-1]]) if len(enough) else np.inf


def _statistics(labels, scores, probabilities, constant, groups):
    """Return the statistics as functions of weights of groups (n_resamples, n_groups)."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(scores[order][1:] != scores[order][:-1], True))
    bins = np.minimum((probabilities * _BINS).astype(int), _BINS - 1)
    in_bins = bins[:, None] == np.arange(_BINS)
    n_groups = groups.max() + 1

    def average_precision(weights):
        weights = weights[:, groups[order]]
        # At the end of each run of equal scores: what is right, and how many there are.
        right = np.cumsum(weights * labels[order], axis=1)[:, ends]
        sizes = np.cumsum(weights, axis=1)[:, ends]
        steps = np.diff(right, prepend=0.0, axis=1)
        return ratio((steps * ratio(right, sizes, 0.0)).sum(axis=1), right[:, -1])

    def of_sums(*columns):
        return add_up(np.column_stack(columns), groups, n_groups)

    def quotient(top, bottom):
        sums = of_sums(top, bottom)
        return lambda weights: ratio(*(weights @ sums).T)

    ones = np.ones(len(labels))
    of_bins = of_sums(in_bins * (probabilities - labels)[:, None], ones)

    def calibration_error(weights):
        sums = weights @ of_bins
        return ratio(np.abs(sums[:, :-1]).sum(axis=1), sums[:, -1])

    return {
        "average_precision": average_precision,
        "brier": quotient((probabilities - labels) ** 2, ones),
        "brier_of_proportion": quotient((constant - labels) ** 2, ones),
        "calibration_error": calibration_error,
    }
