"""Williams' test of two correlations with the same judgements."""

from itertools import combinations
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.correlations import near_one
from sklearn_mteval.metrics.significance.comparison import (
    MetricComparison,
    compared_rows,
    comparison_of,
)

_ROUNDING = 1e-12  # correlations closer than this are equal


def williams_test(r12: float, r13: float, r23: float, n: int) -> float:
    """Test whether a correlation differs from another that has a variable in common with it.

    Parameters
    ----------
    r12, r13 : float
        Pearson's correlations of the human scores with the first and with the second metric.
    r23 : float
        That of the two metrics with each other.
    n : int
        How many values each is made of, at least 4.

    Returns
    -------
    float
        Two-sided p in [0, 1], from Student's t with n - 3 degrees of freedom: 1 where both are
        equal.

    Raises
    ------
    ValueError
        For correlations outside [-1, 1] or that no three variables can have, n below 4.

    References
    ----------
    Williams 1959; Steiger 1980, equation 7; Graham and Baldwin 2014.

    Examples
    --------
    >>> from sklearn_mteval.metrics import williams_test
    >>> round(williams_test(0.80, 0.72, 0.89, 26), 3)
    0.187
    """
    from scipy.stats import t

    check_integer("n", n, minimum=4)
    known = all(isinstance(r, Real) and abs(r) <= 1 + _ROUNDING for r in (r12, r13, r23))
    determinant = known and 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if not known or determinant < -_ROUNDING:
        raise ValueError(f"No three variables have the correlations {r12!r}, {r13!r} and {r23!r}.")
    if abs(r12 - r13) <= _ROUNDING:
        return 1.0
    spread = 2 * (n - 1) / (n - 3) * max(determinant, 0)
    spread += (r12 + r13) ** 2 / 4 * max(1 - r23, 0) ** 3
    top = (r12 - r13) * np.sqrt((n - 1) * max(1 + r23, 0))
    with np.errstate(divide="ignore"):
        statistic = np.divide(top, np.sqrt(spread)) if top else 0.0
    return float(2 * t.sf(abs(statistic), float(n - 3)))


def williams_comparison(y_true: ArrayLike, scores: pd.DataFrame) -> MetricComparison:
    """Compare metrics by Pearson's correlation over all rows, independent and normal."""
    rows = compared_rows(y_true, scores, None, None, "error")
    n = len(rows.human)
    if n < 4:
        raise CandidateError(f"Williams' test needs four rows or more, found {n}.")
    vectors = near_one(np.vstack([-rows.human, rows.scores]))
    constant = vectors.max(axis=1) == vectors.min(axis=1)
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    units = centred / np.where(constant, np.nan, np.linalg.norm(centred, axis=1))[:, None]
    r = np.clip(units @ units.T, -1, 1)
    of_human, of_metrics = r[0, 1:], r[1:, 1:]

    def p_value(a, b):
        """Return p of two metrics, NaN where one is constant."""
        arguments = of_human[a], of_human[b], of_metrics[a, b]
        return np.nan if np.isnan(arguments).any() else williams_test(*arguments, n)

    pairs = list(combinations(range(len(rows.names)), 2))
    p_values = np.array([p_value(a, b) for a, b in pairs])
    return comparison_of(rows.names, of_human, p_values, p_values)
