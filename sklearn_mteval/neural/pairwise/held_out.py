"""Holding out whole segments for early stopping: pairs of one segment resemble each other."""

import warnings

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import group_codes, segment_labels
from sklearn_mteval.neural.pairwise.prediction import both_directions
from sklearn_mteval.segments import hold_out, joined


def held_out_tau(solver, reader, X, signs):
    """Return the tau of held-out pairs, in [−1, 1], as a function of weights (2015, eq. 5)."""
    numbers, texts = reader.read(X)
    rows = reader.rows(numbers, texts) if reader.fixed else None

    def tau():
        inputs = reader.rows(numbers, texts) if rows is None else rows
        forth, back = both_directions(inputs, solver.weights(), reader.layout)
        return float(np.mean(np.where(signs * (forth - back) > 0, 1.0, -1.0)))

    return tau


def choose_pairs(X, n_pairs, segments, references, fraction, wanted, before, rng):
    """Choose pairs to hold out, a mask (n_pairs,), and their segments' labels: ``wanted`` segments,
    those held out ``before``, or a ``fraction``, one reference's together.
    """
    none = np.zeros(n_pairs, dtype=bool), []
    if wanted is None and not fraction:
        return none
    if segments is None:
        if not isinstance(X, pd.DataFrame) or "segment" not in X.index.names:
            if wanted is not None:
                segment_labels(X)  # raises, and says why
            warnings.warn(
                "The pair table has no index level 'segment', so that no segments can be held out "
                "and training goes on for all max_epochs. In a pipeline call "
                "set_output(transform='pandas'); for plain arrays pass fit(…, segments=…) or "
                "validation=…; or set validation_fraction=None.",
                stacklevel=6,
            )
            return none
        segments = segment_labels(X)
    labels = pd.Index(segments)
    codes = group_codes(labels, n_pairs)
    if wanted is not None:
        held_out = labels.isin(list(wanted))
        if not held_out.any():
            raise ValueError(
                "validation_segments names no segment of the pair table: zero segments would be "
                f"held out. The table has {labels.nunique()} segments, such as "
                f"{labels.tolist()[0]!r}."
            )
    elif labels.isin(before).any():
        held_out = labels.isin(before)
    else:
        held_out = units_held_out(joined(codes, references), fraction, rng, stacklevel=7)
    if held_out.all():
        raise ValueError("All segments would be held out: nothing is left to train on.")
    held_out = np.asarray(held_out)
    return held_out, labels[held_out].unique().tolist()


def units_held_out(units, fraction, rng, *, stacklevel=5):
    """Choose a proportion of the units of rows; return a mask of the rows."""
    chosen = hold_out(pd.unique(units), fraction, rng)
    if not len(chosen):
        warnings.warn(
            "All pairs are of one segment: nothing is held out, training goes on for all "
            "max_epochs.",
            stacklevel=stacklevel,
        )
    return np.isin(units, chosen)
