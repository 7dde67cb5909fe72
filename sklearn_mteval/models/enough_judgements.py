"""What is held out of judgements, and whether they are enough for that and to train on."""

from math import ceil, floor

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_proportion
from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise.folds import hold_out_segments

_FEWEST = 2  # segments in either part: of one nothing can be resampled, nor calibrated
_INSTEAD = (
    "Judge more, or take a ready-made model, such as static-en (into English) or any, which needs "
    "no training."
)


def split_of(X, y, segments, held_out, random_state):
    """Hold segments out; return the labels of what is never parted, as an index, and both parts."""
    labels = segment_labels(X) if segments is None else pd.Index(segments)
    if len(labels) != len(X):
        raise CandidateError(f"segments has {len(labels)} entries for {len(X)} rows of X.")
    lines = pd.DataFrame(index=labels.rename("segment"))
    check_proportion("held_out", held_out)
    _check_enough(X, y, lines.index, held_out)
    train, test = hold_out_segments(lines, held_out, random_state=random_state, name="held_out")
    for rows, what in ((train, "to train on"), (test, "held out")):
        decided = _decided(X.iloc[rows], y.iloc[rows], lines.index[rows])
        if len(decided) < _FEWEST:
            raise CandidateError(
                f"Only {len(decided)} of the segments {what} have a preference, {_FEWEST} are "
                "needed: hold others out (another random_state), or more or fewer of them "
                "(held_out=0.5, say)."
            )
    return lines, train, test


def _check_enough(X, y, units, held_out):
    """Raise unless a proportion of the segments can be held out and the others trained on."""
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
        enough = len(decided) >= 2 * _FEWEST
        also = ", or hold more of them out (held_out=0.5)" if enough else ""
        raise CandidateError(
            f"Training needs {needed} segments with a preference or more, {_FEWEST} of which are "
            f"held out to test it (held_out={held_out:g}), found {len(decided)}{also}. {_INSTEAD}"
        )


def _decided(X, y, units):
    """List the segments in which some translation is preferred to another."""
    groups = comparable_groups(X)
    table = pd.DataFrame({"group": groups, "rank": check_ranks(y, X), "unit": np.asarray(units)})
    ranks = table.groupby("group")["rank"]
    return table["unit"][ranks.transform("min") < ranks.transform("max")].unique()
