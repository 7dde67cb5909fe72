"""Holding out whole segments for early stopping: pairs of one segment resemble each other."""

import warnings

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import group_codes, segment_labels

__all__ = ["hold_out"]


def hold_out(X, n_pairs, segments, fraction, wanted, before, rng):
    """Choose the pairs that early stopping looks at.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_pairs, n_columns)
        A pair table.
    n_pairs : int
        Its rows.
    segments : array-like of shape (n_pairs,) or None
        Segment of each pair; None reads the index.
    fraction : float or None
        Share of segments to hold out, rounded, but one at least; 0 or None: none.
    wanted : array-like or None
        Labels of the segments to hold out instead.
    before : sequence
        Labels that the training that goes on held out: they are held out again.
    rng : RandomState
        Chooses.

    Returns
    -------
    held_out : ndarray of shape (n_pairs,), bool
        True where a pair is held out.
    labels : list
        The segments.

    Raises
    ------
    ValueError
        If no wanted segment is there, or nothing would be left to train on.
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
                stacklevel=4,
            )
            return none
        segments = segment_labels(X)
    labels = pd.Index(segments)
    codes = group_codes(labels, n_pairs)
    n_segments = int(codes.max(initial=-1)) + 1
    if wanted is not None:
        held_out = labels.isin(list(wanted))
        if not held_out.any():
            raise ValueError(
                "validation_segments names no segment of the pair table: zero segments would be "
                f"held out. The table has {n_segments} segments, such as {labels.tolist()[0]!r}."
            )
    elif labels.isin(before).any():
        held_out = labels.isin(before)
    elif n_segments < 2:
        warnings.warn(
            "All pairs are of one segment: nothing is held out, training goes on for all "
            "max_epochs.",
            stacklevel=4,
        )
        return none
    else:
        n_held_out = min(max(1, round(fraction * n_segments)), n_segments - 1)
        held_out = np.isin(codes, rng.permutation(n_segments)[:n_held_out])
    if held_out.all():
        raise ValueError("All segments would be held out: nothing is left to train on.")
    held_out = np.asarray(held_out)
    return held_out, labels[held_out].unique().tolist()
