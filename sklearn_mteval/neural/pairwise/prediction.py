"""Log-odds from a pair table as it is, without torch and without numba."""

import warnings

import numpy as np
from sklearn.utils import assert_all_finite

from sklearn_mteval.neural.pairwise.architecture import both_directions, logits, swapped
from sklearn_mteval.neural.pairwise.inputs import TOLERANCE, check_references, reference_probe

__all__ = ["odds", "odds_of_table", "warn_of_references"]

# Rows of a matrix product: its result stays in the processor's cache.
_ROWS = 4096


def odds(rows, weights, shape, symmetric):
    """Compute log-odds from rows as the network reads them.

    Parameters
    ----------
    rows : ndarray of shape (n_pairs, n_inputs)
        ``[x_t1 | x_t2 | x_r | s_t1 | s_t2]``.
    weights : dict
        The network's.
    shape : InputShape
        Sizes of the blocks.
    symmetric : bool
        Whether the log-odds are the difference of both directions.

    Returns
    -------
    ndarray of shape (n_pairs,)
        Log-odds that t1 is better.
    """
    if not symmetric:
        return logits(rows @ weights["weight"].astype(rows.dtype, copy=False), weights)
    forth, back = both_directions(rows, weights, shape)
    return forth - back


def odds_of_table(X, blocks, weights, symmetric, scale):
    """Compute log-odds by spreading the weights over the table's columns.

    No copy of the columns is made, and one column more tells, at next to no cost, whether t1
    and t2 stand beside the same reference.

    Parameters
    ----------
    X : ndarray of shape (n_pairs, 2 * n_features)
        A numeric pair table.
    blocks : Blocks
        Roles of its columns.
    weights : dict
        The network's.
    symmetric : bool
        Whether the log-odds are the difference of both directions.
    scale : float
        Of the references' entries in training.

    Returns
    -------
    ndarray of shape (n_pairs,)
        Log-odds that t1 is better, float32 if X is, else float64.

    Raises
    ------
    ValueError
        For NaN or infinity.

    Warns
    -----
    UserWarning
        If t1 and t2 have different references; t1's is taken.
    """
    kind = np.float32 if X.dtype == np.float32 else np.float64
    half = X.shape[1] // 2
    weight = weights["weight"]
    parts = [weight, weight[swapped(blocks.shape())]] if symmetric else [weight]
    width = weight.shape[1]
    # The probe, a network for each direction, zeros up to a size that BLAS likes.
    n_columns = -(-(1 + len(parts) * width) // 16) * 16
    spread = np.zeros((2 * half, n_columns), dtype=kind)
    spread[:, 0] = reference_probe(blocks, half)
    spread[blocks.table_columns(half), 1 : 1 + len(parts) * width] = np.hstack(parts)
    result, probe = np.empty(len(X), dtype=kind), np.empty(len(X), dtype=kind)
    with np.errstate(invalid="ignore", over="ignore"):  # of infinity, which is found below
        for start in range(0, len(X), _ROWS):
            some = slice(start, start + _ROWS)
            sums = X[some].astype(kind, copy=False) @ spread
            probe[some] = sums[:, 0]
            result[some] = logits(sums[:, 1 : 1 + width], weights)
            if symmetric:
                result[some] -= logits(sums[:, 1 + width : 1 + 2 * width], weights)
    if not np.isfinite(result).all():  # NaN and infinity reach the output, whatever the weights
        assert_all_finite(X, input_name="X")
        raise ValueError("X has numbers that are too large for the network: scale the features.")
    suspicious = np.flatnonzero(np.abs(probe) > TOLERANCE * max(scale, 1e-30))
    if len(suspicious):
        warn_of_references(X[suspicious], blocks, suspicious)
    return result


def warn_of_references(X, blocks, numbers=None):
    """Warn where :func:`~sklearn_mteval.neural.pairwise.inputs.check_references` raises.

    Training on such pairs is an error; but permutation importance, for one, must be able to
    ask for predictions.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        A pair table.
    blocks : Blocks
        Roles of its columns.
    numbers : ndarray of shape (n_pairs,), optional
        What to call the rows.

    Warns
    -----
    UserWarning
        If t1 and t2 have different references; t1's is taken.
    """
    try:
        check_references(X, blocks, numbers)
    except ValueError as error:
        warnings.warn(f"{error} The reference beside t1 is taken.", stacklevel=4)
