"""Judges of a leaderboard: what they count, and how they discriminate between systems."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from sklearn_mteval._helpers.options import check_number

_LEAST, _MOST = 1e-9, 1e9  # weights: beyond, sums of comparisons lose their digits
_DIGITS = 9  # discriminations that agree to so many decimals are in the order of names


def check_judging(judges, judge_model, judge_weights, ties):
    """Raise ValueError for options of judges that do not go together."""
    modelled = judge_model != "alike"
    if judges is None:
        for name, given in (("judge_model", modelled), ("judge_weights", judge_weights)):
            if given:
                raise ValueError(f"{name} needs judges, who judged each row.")
        return
    if not modelled and judge_weights is None:
        raise ValueError(
            "judges are given, and nothing reads them: choose judge_model='discrimination', or "
            "give judge_weights. With automatic_judges, take by='win-rate' or by='mean'."
        )
    if modelled and ties == "model":
        raise ValueError(
            "judge_model='discrimination' counts a tie as half a win: ties must be 'half'."
        )
    if judge_weights is not None:
        _check_weights(judge_weights)


def _check_weights(judge_weights):
    """Raise ValueError for what maps no names to weights."""
    if not isinstance(judge_weights, Mapping):
        raise ValueError(
            f"judge_weights must map names of judges to numbers, found {type(judge_weights)}."
        )
    for name, weight in judge_weights.items():
        check_number(f"judge_weights[{name!r}]", weight, above=_LEAST, maximum=_MOST)


def weights_of(compared, judge_weights):
    """Return what each comparison counts (n_comparisons,), None for all alike."""
    if judge_weights is None:
        return None
    for name in judge_weights:
        if name not in compared.judges:
            some = ", ".join(map(repr, sorted(compared.judges)[:5]))
            raise ValueError(
                f"judge_weights names {name!r}, who judged no comparison; judges are {some}"
                f"{', …' if len(compared.judges) > 5 else ''}."
            )
    return np.array([float(judge_weights.get(name, 1.0)) for name in compared.judges])[
        compared.judge
    ]


def judge_table(compared, found, options):
    """Return the table of judges."""
    n, names = len(compared.judges), compared.judges
    weights = options["judge_weights"] or {}
    counted = {
        "comparisons": np.bincount(compared.judge, minlength=n),
        "weight": [float(weights.get(name, 1.0)) for name in names],
    }
    by_name = np.argsort(np.argsort(names.to_numpy()))
    if options["judge_model"] == "alike":
        return pd.DataFrame(counted, index=names).iloc[np.argsort(by_name)]
    columns = _with_bounds("discrimination", "", *_estimates(found, n, 0), found, options)
    columns["standard_error"] = _estimates(found, n, 0)[1]
    columns |= counted
    for k, name in enumerate(options["covariates"], 1):
        of_bias = _estimates(found, n, k)
        columns |= _with_bounds(f"bias_{name}", f"bias_{name}_", *of_bias, found, options)
    first = -columns["discrimination"].round(_DIGITS)
    return pd.DataFrame(columns, index=names).iloc[np.lexsort((by_name, first))]


def _estimates(found, n_judges, k):
    """Return discriminations (k = 0) or a covariate's biases, errors; NaN where there are none."""
    values = np.full((2, n_judges), np.nan)
    if found.judges is not None:
        of_judges = found.judges
        values[:, found.judging] = (
            (of_judges.discriminations, of_judges.errors)
            if k == 0
            else (of_judges.biases[:, k - 1], of_judges.bias_errors[:, k - 1])
        )
    return values


def _with_bounds(name, prefix, values, errors, found, options):
    """Return the columns of estimates and of their intervals."""
    n_segments = 2 if found.judges is None else found.judges.n_segments
    margin = stats.t.ppf((1 + options["confidence"]) / 2, n_segments - 1) * errors
    return {name: values, f"{prefix}low": values - margin, f"{prefix}high": values + margin}
