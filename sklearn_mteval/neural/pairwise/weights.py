"""Weights of a network at their start."""

import numpy as np

__all__ = [
    "initial_weights",
    "without_squares",
    "zero_weights",
]


def zero_weights(connected):
    """Return all weights of a network as zeros, float32; the last column and bias are the output's.

    ``weight`` (n_inputs, n_hidden + 1), ``bias`` (n_hidden + 1,), ``output_weight`` (n_hidden,).
    """
    n_inputs, n_columns = connected.shape
    shapes = {
        "weight": (n_inputs, n_columns),
        "bias": (n_columns,),
        "output_weight": (n_columns - 1,),
    }
    return {name: np.zeros(size, dtype=np.float32) for name, size in shapes.items()}


def initial_weights(connected, rng):
    """Draw the start: uniform after Glorot and Bengio (2010), biases zero."""
    # Within ± sqrt(6 / (fan_in + fan_out)) of a weight's own layer: a group of hidden units with
    # what it sees, which are the columns with equal connections; the output with all hidden units
    # and skip arcs.
    weights = zero_weights(connected)
    n_hidden = connected.shape[1] - 1
    fan_in = connected.sum(axis=0)
    for unit in range(n_hidden):
        fan_out = (connected[:, :-1] == connected[:, [unit]]).all(axis=0).sum()
        bound = np.sqrt(6 / (fan_in[unit] + fan_out))
        weights["weight"][connected[:, unit], unit] = rng.uniform(-bound, bound, fan_in[unit])
    bound = np.sqrt(6 / (n_hidden + fan_in[-1] + 1))
    weights["weight"][connected[:, -1], -1] = rng.uniform(-bound, bound, fan_in[-1])
    weights["output_weight"][:] = rng.uniform(-bound, bound, n_hidden)
    return weights


def without_squares(tensors):
    """Tell weights from the optimiser's sums of squares: two dicts, both sorted by name."""
    weights, squares = {}, {}
    for name in sorted(tensors):
        (squares if name.startswith("squares.") else weights)[name] = tensors[name]
    return weights, squares
