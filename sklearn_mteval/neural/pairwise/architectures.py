"""The architectures: which parts of a pair each hidden unit sees (2015 paper, section 3).

An input row is ``[x_t1 | x_t2 | x_r | s_t1 | s_t2]``, embeddings and similarity features; the
weights' first columns are the hidden units, the last the skip arcs to the output.
"""

from typing import NamedTuple

import numpy as np


class Architecture(NamedTuple):
    """Parts of the input that each group of H hidden units sees, and that reach the output."""

    groups: tuple
    skip_arcs: tuple


ARCHITECTURES = {
    # 2015 paper, section 3.2: h12, h1r and h2r.
    "pairwise": Architecture(
        (("t1", "t2"), ("t1", "reference"), ("t2", "reference")), ("similarity",)
    ),
    # 2017 paper, sections 5.3 and 5.4.
    "fully-connected": Architecture((("t1", "t2", "reference"),) * 3, ("similarity",)),
    "single-layer": Architecture((), ("t1", "t2", "reference", "similarity")),
}


class InputLayout(NamedTuple):
    """Widths of an input row's parts; ``similarity`` counts the features of one translation."""

    embedding: int
    reference: int
    similarity: int

    @property
    def parts(self):
        """Where each part of an input row stands, slices by name."""
        d, end = self.embedding, 2 * self.embedding + self.reference
        return {
            "t1": slice(0, d),
            "t2": slice(d, 2 * d),
            "reference": slice(2 * d, end),
            "similarity": slice(end, self.n_inputs),
        }

    @property
    def n_inputs(self):
        """Width of an input row."""
        return 2 * self.embedding + self.reference + 2 * self.similarity

    @property
    def swapped(self):
        """The order of inputs, shape (n_inputs,), that exchanges t1 and t2."""
        # A network sees (t2, t1) if the columns of X are permuted or, which is the same product,
        # the rows of its weight matrix: X[:, swapped] @ W == X @ W[swapped], because exchanging
        # twice changes nothing. So the other direction costs no copy of the data.
        at, (t1, t2, reference, similarity) = np.arange(self.n_inputs), self.parts.values()
        first, second = np.split(at[similarity], 2)
        return np.concatenate([at[t2], at[t1], at[reference], second, first])


def connections(architecture, layout, hidden_units):
    """Tell which input reaches which hidden unit or, last column, the output: a mask of weights."""
    parts = layout.parts

    def reached(names):
        column = np.zeros(layout.n_inputs, dtype=bool)
        for name in names:
            column[parts[name]] = True
        return column

    groups, skip_arcs = ARCHITECTURES[architecture]
    columns = [column for column in map(reached, groups) if column.any()]
    return np.column_stack([*np.repeat(columns, hidden_units, axis=0), reached(skip_arcs)])


def n_parameters(connected):
    """Count connections, a bias and an output weight for each hidden unit, the output's bias."""
    return int(connected.sum()) + 2 * (connected.shape[1] - 1) + 1


def zero_weights(connected):
    """Return all weights as zeros, float32; the last column and bias are the output's."""
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
