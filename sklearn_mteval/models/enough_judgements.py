"""Whether judgements are enough to train on, and to hold some of them out."""

from math import ceil, floor

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_ranks, comparable_groups
from sklearn_mteval.exceptions import CandidateError

_FEWEST = 2  # segments in either part: of one nothing can be resampled, nor calibrated
_INSTEAD = (
    "Judge more, or take a ready-made model, such as static-en (into English) or any, which needs "
    "no training."
)


def check_enough(X, y, units, held_out):
    """Raise unless a proportion of the segments can be held out and the others trained on.

    ``units`` label the segments of rows.
    """
    decided = _decided(X, y, units)
    n_units = len(pd.unique(np.asarray(units)))
    if not decided.size:
        if np.bincount(comparable_groups(X)).max(initial=0) < 2:
            raise CandidateError(
                "No two translations can be compared: training learns from preferences, so a "
                "segment needs translations by two systems, judged by the same annotator. Found "
                f"{len(X)} judged translations of {n_units} segments."
            )
        raise CandidateError(
            f"All translations that are compared are tied, in {n_units} segments: there is no "
            f"preference to learn from. {_INSTEAD}"
        )
    # The smallest n with ceil(held_out * n) >= _FEWEST and as many left to train on.
    needed = max(floor((_FEWEST - 1) / held_out) + 1, ceil(_FEWEST / (1 - held_out)))
    if len(decided) < needed:
        also = ""
        if len(decided) >= 2 * _FEWEST:
            also = ", or hold more of them out (held_out=0.5)"
        raise CandidateError(
            f"Training needs {needed} segments with a preference or more, {_FEWEST} of which are "
            f"held out to test it (held_out={held_out:g}), found {len(decided)}{also}. {_INSTEAD}"
        )


def check_parts(X, y, units, train, test):
    """Raise unless both parts, row positions, have segments with a preference."""
    for rows, what in ((train, "to train on"), (test, "held out")):
        decided = _decided(X.iloc[rows], y.iloc[rows], units[rows])
        if len(decided) < _FEWEST:
            raise CandidateError(
                f"Only {len(decided)} of the segments {what} have a preference, {_FEWEST} are "
                "needed: hold others out (another random_state), or more or fewer of them "
                "(held_out=0.5, say)."
            )


def _decided(X, y, units):
    """List the segments in which some translation is preferred to another."""
    groups = comparable_groups(X)
    table = pd.DataFrame({"group": groups, "rank": check_ranks(y, X), "unit": np.asarray(units)})
    ranks = table.groupby("group")["rank"]
    return table["unit"][ranks.transform("min") < ranks.transform("max")].unique()
