"""Covariates of a leaderboard: columns of numbers that may sway annotators."""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval.candidates import check_columns, check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected


def covariate_values(X, names):
    """Return the values of covariates (n_candidates, n_covariates)."""
    columns = []
    for name in names:
        if name == "length" and isinstance(X, pd.DataFrame) and name not in X:
            columns.append(np.log1p([len(text) for text in check_texts(X, "hypothesis")]))
            continue
        check_columns(X, [name])
        with expected(f"Covariate {name!r} must be numbers"):
            columns.append(as_numbers(X[name]))
        bad = ~np.isfinite(columns[-1])
        if bad.any():
            raise CandidateError(
                f"Covariate {name!r} must be finite numbers, found {columns[-1][bad][0]} in row "
                f"{int(bad.argmax())}."
            )
    return np.column_stack(columns) if columns else None


def in_deviations(compared, names):
    """Divide covariates by the root mean square of their differences; return it too."""
    deviations = np.sqrt(np.mean(compared.covariates**2, axis=0))
    if not deviations.all():
        name = names[int((deviations == 0).argmax())]
        raise CandidateError(f"Covariate {name!r} never differs between translations compared.")
    return compared._replace(covariates=compared.covariates / deviations), deviations
