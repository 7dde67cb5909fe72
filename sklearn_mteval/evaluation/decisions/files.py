"""Decision tables read back from the JSON that ``decision-table`` writes."""

import json
import math

import pandas as pd

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval.evaluation.decisions.curves import CURVES, AgreementCurve
from sklearn_mteval.evaluation.decisions.table import DecisionTable
from sklearn_mteval.evaluation.option_values import DECISION_LEVELS, DECISION_TIES
from sklearn_mteval.exceptions import DataFileError

_TABLES = {
    "table": ("difference", "agreement", "low", "high", "pairs"),
    "needed": ("agreement", "difference", "low", "high", "observed"),
    "band": ("difference", "agreement", "low", "high"),
    "bins": (
        "from", "to", "difference", "pairs", "ties", "agreement", "low", "high", "expected",
    ),
}  # fmt: skip
_TEXTS = ("metric", "clusters")
_OPTIONS = (
    "metric", "level", "ties", "factor", "confidence", "n_bins", "clusters", "fitted",
)  # fmt: skip


def read_decision_table(path):
    """Read what ``decision-table -f json`` wrote; DataFileError for anything else."""
    text = read_text(path)
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataFileError(path, f"expected JSON of decision-table: {error}.") from None
    try:
        return _table(given)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"expected JSON that 'decision-table -f json' wrote; {error!r}"
        raise DataFileError(path, f"{problem}.") from None


def _table(given):
    """Make a table of what JSON holds, or raise what :func:`read_decision_table` catches."""
    frames = {name: _frame(given[name], columns) for name, columns in _TABLES.items()}
    for name in ("table", "band"):
        frames[name] = frames[name].set_index("difference")
    for name in ("table", "bins"):
        frames[name]["pairs"] = frames[name]["pairs"].astype("int64")
    frames["needed"] = frames["needed"].astype({"observed": bool}).set_index("agreement")
    options = {name: given[name] for name in _OPTIONS}
    options["factor"] = _number(options["factor"], 0)
    for name, values in (("level", DECISION_LEVELS), ("ties", DECISION_TIES)):
        if options[name] not in values:
            raise ValueError(f"found {name} {options[name]!r}")
    if not all(isinstance(x, str) for x in (*map(options.get, _TEXTS), given["signature"])):
        raise ValueError(f"{', '.join(_TEXTS)} and signature must be strings")
    counts, calibration = ({**given[name]} for name in ("counts", "calibration"))
    return DecisionTable(
        **frames, curve=_curve(given["curve"]), calibration=calibration, counts=counts,
        options=options, signature=given["signature"],
    )  # fmt: skip


def _frame(rows, columns):
    """Make a table of numbers, of one row or more."""
    if not rows:
        raise ValueError("a table has no rows")
    return pd.DataFrame([[_number(row[c]) for c in columns] for row in rows], columns=columns)


def _curve(given):
    """Make a curve of a known kind with finite parameters."""
    steepness, plateau = _number(given["steepness"], 0, math.inf), _number(given["plateau"], -1, 1)
    if given["name"] not in CURVES or not math.isfinite(steepness + plateau):
        raise ValueError(f"found curve {given['name']!r}, steepness {steepness}, plateau {plateau}")
    return AgreementCurve(given["name"], steepness, plateau)


def _number(value, low=-math.inf, high=math.inf):
    """Return a number as reports write it: None is NaN, "inf" infinite; raise beyond bounds."""
    if value is None:
        return math.nan
    if value in ("inf", "-inf"):
        value = float(value)
    if not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"expected a number from {low:g} to {high:g}, found {value!r}")
    return float(value)
