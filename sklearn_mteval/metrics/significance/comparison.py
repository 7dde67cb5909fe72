"""What comparisons of metrics take and return: the same rows for all of them, a matrix of p."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.order import content_order
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import aligned, check_index, expected, warn_undefined


class MetricComparison(NamedTuple):
    """How well metrics agree with annotators, and which differences are more than chance."""

    names: tuple  # of the metrics, str, in the order given
    values: np.ndarray  # (n_metrics,): the statistic of each; higher is better
    differences: np.ndarray  # (n_metrics, n_metrics): [i, j] is values[i] - values[j]
    # (n_metrics, n_metrics): two-sided, in [0, 1], symmetric: small where two metrics do not agree
    # equally well; NaN on the diagonal and where nothing can be tested. One-sided in a MetricsTask:
    # [i, j] is small where metric i agrees better than metric j
    p_values: np.ndarray
    # How many permutations p is made of, of pairs that are soon decided fewer; None where it does
    # not come from permutations
    n_permutations: int | None = None
    n_units: int | None = None  # how many documents, or segments, were exchanged; None likewise
    n_resamples: int | None = None  # bootstrap samples that p is made of; None of permutations
    # low, high: (n_metrics, n_metrics), bounds of the intervals of differences, if there are any
    low: np.ndarray | None = None
    high: np.ndarray | None = None


class ComparedRows(NamedTuple):
    """Rows that all metrics have, ordered by content; scores are (n_metrics, n_rows)."""

    names: tuple
    human: np.ndarray
    scores: np.ndarray
    groups: np.ndarray  # not decreasing
    units: np.ndarray  # what is resampled or swapped as a whole, from 0
    places: np.ndarray  # of the rows among those given


def check_names(names):
    """Return the metrics' names, or raise for fewer than two, or a name that stands there twice."""
    names = tuple(str(name) for name in names)
    if len(names) < 2:
        raise CandidateError(f"A comparison needs two metrics or more, found {len(names)}.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CandidateError(f"Two metrics have the same name: {', '.join(twice)}.")
    return names


def compared_rows(y_true, scores, groups, units, missing):
    """Check judgements and metrics' scores; rows of equal ``units``, or each row, are one unit."""
    check_one_of("missing", missing, ("error", "skip"))
    names, columns = _columns(scores)
    names = check_names(names)
    if not np.ndim(y_true):
        raise CandidateError(f"y_true must be a vector of ranks, found {y_true!r}.")
    matrix = np.stack([_numbers(*item, y_true) for item in zip(names, columns, strict=True)])
    absent = np.isnan(matrix)
    if absent.any() and missing == "error":
        metric, row = np.argwhere(absent)[0]
        raise CandidateError(
            f"The metric {names[metric]} has no score (NaN) in row {row}; such rows: "
            f"{int(absent.any(axis=0).sum())}. Pass missing='skip' to leave rows out for which the "
            "score of any metric is missing: a paired comparison needs common rows."
        )
    usable = np.where(absent.any(axis=0), np.nan, matrix[0])
    human, _, codes, rows = aligned(y_true, usable, groups, missing)
    n_rows = len(matrix[0])
    labels = np.arange(n_rows) if units is None else group_codes(units, n_rows)
    kept = matrix[:, rows]
    order, codes, numbers = content_order(labels[rows], codes, human, *kept)
    return ComparedRows(names, human[order], kept[:, order], codes, numbers, rows[order])


def _columns(scores):
    """Return the names and the vectors."""
    if isinstance(scores, pd.DataFrame):
        return scores.columns, [scores.iloc[:, k] for k in range(scores.shape[1])]
    if isinstance(scores, Mapping):
        return scores.keys(), list(scores.values())
    scores = np.asarray(scores)
    if scores.ndim != 2:
        raise CandidateError(
            "scores must be a DataFrame with a column for each metric, a mapping of names to "
            f"vectors, or an array of shape (n_rows, n_metrics); found shape {scores.shape}."
        )
    return [f"metric {k}" for k in range(scores.shape[1])], list(scores.T)


def _numbers(name, scores, y_true):
    """Return one metric's scores, or say what is wrong with them."""
    check_index("y_true", y_true, f"scores[{name!r}]", scores)
    with expected(f"The scores of the metric {name} must be numbers"):
        values = as_numbers(scores)
    if values.shape != (len(y_true),):
        raise CandidateError(
            f"The metric {name} has scores of shape {values.shape}, expected {(len(y_true),)}."
        )
    if np.isinf(values).any():
        raise CandidateError(
            f"The metric {name} has infinite scores, which cannot be standardised: give such "
            "rows a finite score, or NaN and missing='skip'."
        )
    return values


def comparison_of(names, values, forward, backward, **more):
    """Put p-values of pairs, both ways (n_pairs,), into a matrix; NaN is no test."""
    first, second = np.triu_indices(len(names), 1)
    p_values = np.full((len(names), len(names)), np.nan)
    p_values[first, second] = forward
    p_values[second, first] = backward
    undefined = np.flatnonzero(np.isnan(forward))
    if len(undefined):
        pair = undefined[0]
        warn_undefined(
            f"p of {len(undefined)} pairs of metrics, the first being {names[first[pair]]} and "
            f"{names[second[pair]]},",
            "a metric is constant, its statistic is undefined, or there is one segment to resample",
        )
    return MetricComparison(names, values, values[:, None] - values, p_values, **more)
