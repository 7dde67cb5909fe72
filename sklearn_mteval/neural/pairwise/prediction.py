"""The forward pass without torch: logits of pairs, each hangs on its own numbers only."""

import warnings

import numpy as np
from sklearn.utils import assert_all_finite

from sklearn_mteval._helpers.products import row_products, weighted_sums
from sklearn_mteval.neural.pairwise.input_rows import TOLERANCE, check_references, reference_probe

# Rows of a matrix product: its result stays in the processor's cache.
_ROWS = 4096


def _logits(sums, weights):
    """Go from input rows times ``weight`` to z(t1, t2), before the sigmoid of eq. 3 (2015)."""
    bias = weights["bias"].astype(sums.dtype, copy=False)
    hidden = sums[:, :-1] + bias[:-1]
    np.tanh(hidden, out=hidden)
    found = weighted_sums(hidden, weights["output_weight"]) + sums[:, -1] + bias[-1]
    return found.astype(sums.dtype, copy=False)


def both_directions(rows, weights, layout):
    """Compute z(t1, t2) and z(t2, t1), each of shape (n_pairs,), from input rows."""
    weight = weights["weight"]
    forth, back = row_products(rows, weight), row_products(rows, weight[layout.swapped])
    return _logits(forth, weights), _logits(back, weights)


def logits_of_rows(rows, weights, layout, symmetric):
    """Compute the logit that t1 is better, shape (n_pairs,), from input rows."""
    if not symmetric:
        return _logits(row_products(rows, weights["weight"]), weights)
    forth, back = both_directions(rows, weights, layout)
    return forth - back


def logits_of_table(X, roles, weights, symmetric, scale):
    """Compute the logits of a numeric pair table as it is; warn where references differ."""
    # Instead of gathering the table's columns, which would copy them, the weights are spread over
    # all of them; one column more, the probe, tells whether t1 and t2 have the same reference.
    kind = np.float32 if X.dtype == np.float32 else np.float64
    half = X.shape[1] // 2
    weight = weights["weight"]
    parts = [weight, weight[roles.layout().swapped]] if symmetric else [weight]
    width = weight.shape[1]
    # The probe, a network for each direction, zeros up to the width of vector instructions.
    spread = np.zeros((2 * half, -(-(1 + len(parts) * width) // 16) * 16), dtype=kind)
    spread[:, 0] = reference_probe(roles, half)
    spread[roles.table_columns(half), 1 : 1 + len(parts) * width] = np.hstack(parts)
    result, probe = np.empty(len(X), dtype=kind), np.empty(len(X), dtype=kind)
    with np.errstate(invalid="ignore", over="ignore"):  # of infinity, which is found below
        for start in range(0, len(X), _ROWS):
            some = slice(start, start + _ROWS)
            sums = row_products(X[some].astype(kind, copy=False), spread)
            probe[some] = sums[:, 0]
            result[some] = _logits(sums[:, 1 : 1 + width], weights)
            if symmetric:
                result[some] -= _logits(sums[:, 1 + width : 1 + 2 * width], weights)
    if not np.isfinite(result).all():  # NaN and infinity reach the output, whatever the weights
        assert_all_finite(X, input_name="X")
        raise ValueError("X has numbers that are too large for the network: scale the features.")
    suspicious = np.flatnonzero(np.abs(probe) > TOLERANCE * max(scale, 1e-30))
    if len(suspicious):
        warn_of_references(X[suspicious], roles, suspicious)
    return result


def warn_of_references(X, roles, row_numbers=None):
    """Warn where training raises: permutation importance must be able to ask for predictions."""
    try:
        check_references(X, roles, row_numbers)
    except ValueError as error:
        warnings.warn(f"{error} The reference of t1 is taken.", stacklevel=5)
