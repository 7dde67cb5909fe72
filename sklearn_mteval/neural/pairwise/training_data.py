"""What a network is trained on, and which pairs early stopping looks at."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import assert_all_finite

from sklearn_mteval._helpers.order import hash_rows
from sklearn_mteval.neural.pairwise.checks import check_table, signs_of
from sklearn_mteval.neural.pairwise.column_roles import ColumnRoles, find_roles
from sklearn_mteval.neural.pairwise.held_out import choose_pairs
from sklearn_mteval.neural.pairwise.input_rows import check_references
from sklearn_mteval.segments import reference_codes


class TrainingData(NamedTuple):
    """A checked pair table; ``scale`` is the references' largest entry, ``held_out`` (X, signs)."""

    X: pd.DataFrame | np.ndarray
    signs: np.ndarray
    classes: np.ndarray
    roles: ColumnRoles
    scale: float
    held_out: tuple | None
    segments: list


def training_data(
    net, X, y, rng, *, texts, fresh, one_epoch, segments=None, validation=None, classes=None
):
    """Check what a PairwiseNN's fit was given, and hold pairs out; ``texts``: it has an encoder."""
    table = check_table(net, X, reset=fresh)
    signs, classes = signs_of(y, table, classes if fresh else net.classes_)
    names = getattr(net, "feature_names_in_", None)
    names = None if names is None else list(names)
    roles = find_roles(table, names, net.column_roles, encoder=texts)
    scale = check_references(table, roles)
    held_out, before = None, [] if fresh else net.validation_segments_
    labels = before if one_epoch else []
    if validation is not None:
        if segments is not None or net.validation_segments is not None:
            raise ValueError("Give either validation, or segments to choose from, not both.")
        held_out = _validation_set(net, validation, classes, roles)
    elif not one_epoch:
        wanted = net.validation_fraction, net.validation_segments
        options = segments, _references(table, roles), *wanted, before
        mask, labels = choose_pairs(X, len(table), *options, rng)
        if labels:
            held_out = _rows(table, mask), signs[mask]
            table, signs = _rows(table, ~mask), signs[~mask]
            if len(np.unique(signs)) == 1:
                raise ValueError(
                    "Only one class is left to train on: all pairs of the other class are of "
                    "held-out segments."
                )
    return TrainingData(table, signs, classes, roles, scale, held_out, labels)


def _validation_set(net, validation, classes, roles):
    """Check the pairs that the caller gives to stop early by."""
    try:
        X, y = validation
    except (TypeError, ValueError):
        raise ValueError("validation must be a tuple (X, y).") from None
    if not hasattr(X, "__len__") or len(X) == 0:
        raise ValueError("The validation set is empty: zero segments to stop early by.")
    X = check_table(net, X, reset=False, texts=roles.hypothesis_text is not None)
    if not isinstance(X, pd.DataFrame):
        assert_all_finite(X, input_name="X of validation")
    check_references(X, roles)
    return X, signs_of(y, X, classes)[0]


def _references(X, roles):
    """Number the references of pairs, by their texts or vectors; without one, -1."""
    if roles.reference_text is not None:
        return reference_codes(X, X.columns[roles.reference_text])
    vectors = pd.DataFrame(X).iloc[:, roles.reference].to_numpy()
    codes = pd.factorize(hash_rows(vectors.T, len(vectors)))[0]
    return np.where(vectors.any(axis=1), codes, -1)


def _rows(X, mask):
    """Take some rows of a table."""
    return X.loc[mask] if isinstance(X, pd.DataFrame) else X[mask]
