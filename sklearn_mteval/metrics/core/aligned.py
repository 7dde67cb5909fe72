"""What every measure of agreement asks of its input: aligned vectors, missing scores, groups."""

import warnings
from contextlib import contextmanager

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.candidates import check_ranks, group_codes
from sklearn_mteval.exceptions import CandidateError


def warn_undefined(name, reason, *, stacklevel=3):
    """Warn the caller's caller that a statistic is NaN, and why."""
    warnings.warn(f"{name} is undefined: {reason}.", UndefinedMetricWarning, stacklevel=stacklevel)


@contextmanager
def expected(what):
    """Turn what numpy and pandas raise within into an error that says what was expected."""
    try:
        yield
    except (TypeError, ValueError, ArithmeticError) as error:
        raise CandidateError(f"{what}: {error}") from None


def check_index(name, values, other_name, other):
    """Raise if two Series of one length have different indices, which say different rows."""
    both_series = isinstance(values, pd.Series) and isinstance(other, pd.Series)
    if both_series and len(values) == len(other) and not values.index.equals(other.index):
        raise CandidateError(
            f"{name} and {other_name} have different indices: use {other_name}.loc[{name}.index]."
        )


def aligned(y_true, y_score, groups, missing="error"):
    """Check judgements, scores and groups against each other; return, of rows kept, those of a
    group together, judgements, scores, the group's number by first appearance, and positions.
    """
    check_index("y_true", y_true, "y_score", y_score)
    check_index("y_true", y_true, "groups", groups)
    with expected("y_score must be numbers, higher is better"):
        metric = as_numbers(y_score)
    if metric.ndim != 1:
        raise CandidateError(f"y_score must be 1-D, found {metric.ndim} dimensions.")
    if np.ndim(y_true) and len(y_true) != len(metric):
        raise CandidateError(f"y_true has {len(y_true)} entries for {len(metric)} rows of y_score.")
    human = check_ranks(y_true, metric)
    if groups is None:
        codes = np.zeros(len(human), dtype=np.int64)
    else:
        codes = group_codes(groups, len(human))
    rows = np.flatnonzero(known_rows(metric, missing))
    if len(rows) < len(codes) or (codes[1:] < codes[:-1]).any():
        rows = rows[np.argsort(codes[rows], kind="stable")]
        human, metric, codes = human[rows], metric[rows], codes[rows]
    return human, metric, codes, rows


def known_rows(scores, missing):
    """Tell which rows have a score; raise for others, unless ``missing`` is "skip"."""
    check_one_of("missing", missing, ("error", "skip"))
    absent = np.isnan(scores)
    if absent.any() and missing == "error":
        raise CandidateError(
            f"y_score is missing (NaN) in {int(absent.sum())} of {len(absent)} rows, the first is "
            f"row {int(absent.argmax())}. Pass missing='skip' to leave such rows out."
        )
    return ~absent


def bounds_of_groups(codes):
    """Return the first row of each group, then the number of rows; codes are not decreasing."""
    new = np.ones(len(codes) + 1, dtype=bool)
    np.not_equal(codes[1:], codes[:-1], out=new[1:-1])
    return np.flatnonzero(new)
