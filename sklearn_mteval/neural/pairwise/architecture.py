"""The pairwise network in plain numpy: its shape, its start, its forward pass.

An input row is ``[x_t1 | x_t2 | x_r | s_t1 | s_t2]``: embeddings of the two translations
and of the reference, then the similarity features of each. One weight matrix holds the
network: its first columns are the hidden units, its last the skip arcs to the output
(2015 paper, sections 3.2 and 3.3). A mask says which connections an architecture has, so
that all of them share one forward pass, one gradient and one solver.
"""

from typing import NamedTuple

import numpy as np

__all__ = [
    "ARCHITECTURES",
    "InputShape",
    "both_directions",
    "connections",
    "initial_weights",
    "logits",
    "n_parameters",
    "swapped",
    "zero_weights",
]

ARCHITECTURES = ("pairwise", "fully-connected", "single-layer")


class InputShape(NamedTuple):
    """How many numbers describe each part of a pair.

    Attributes
    ----------
    embedding : int
        Of a translation's embedding, d.
    reference : int
        Of the reference's embedding.
    similarity : int
        Similarity features of each translation, k.
    """

    embedding: int
    reference: int
    similarity: int

    @property
    def n_inputs(self):
        """Count the numbers of an input row.

        Returns
        -------
        int
            Its width.
        """
        return 2 * self.embedding + self.reference + 2 * self.similarity

    @property
    def n_embedded(self):
        """Tell where the similarity features begin.

        Returns
        -------
        int
            Their first column.
        """
        return 2 * self.embedding + self.reference


def connections(architecture, shape, hidden_units):
    """Tell which input reaches which hidden unit, and the output directly.

    Parameters
    ----------
    architecture : {"pairwise", "fully-connected", "single-layer"}
        In "pairwise", H units see [x_t1, x_t2], H see [x_t1, x_r] and H see [x_t2, x_r]; in
        "fully-connected", 3 H units see all three; "single-layer" has no hidden unit, and
        every input reaches the output (2017 paper, sections 5.3 and 5.4). Similarity
        features always reach the output directly. A hidden unit that would see nothing,
        because its blocks are empty, is left out.
    shape : InputShape
        Sizes of the blocks.
    hidden_units : int
        H.

    Returns
    -------
    ndarray of shape (n_inputs, n_hidden + 1), bool
        The last column is the output.
    """
    t1, t2 = slice(0, shape.embedding), slice(shape.embedding, 2 * shape.embedding)
    r = slice(2 * shape.embedding, shape.n_embedded)
    groups = {
        "pairwise": [(t1, t2), (t1, r), (t2, r)],
        "fully-connected": [(t1, t2, r)] * 3,
        "single-layer": [],
    }[architecture]
    columns = []
    for seen in groups:
        column = np.zeros(shape.n_inputs, dtype=bool)
        for block in seen:
            column[block] = True
        if column.any():
            columns += [column] * hidden_units
    skip = np.ones(shape.n_inputs, dtype=bool)
    skip[: shape.n_embedded] = architecture == "single-layer"
    return np.column_stack([*columns, skip])


def n_parameters(connected):
    """Count the free parameters of a network.

    Parameters
    ----------
    connected : ndarray of shape (n_inputs, n_hidden + 1), bool
        As :func:`connections` returns it.

    Returns
    -------
    int
        Connections, a bias and an output weight for each hidden unit, the output's bias.
    """
    return int(connected.sum()) + 2 * (connected.shape[1] - 1) + 1


def swapped(shape):
    """Return the order of inputs that exchanges t1 and t2.

    Parameters
    ----------
    shape : InputShape
        Sizes of the blocks.

    Returns
    -------
    ndarray of shape (n_inputs,), int64
        ``X[:, order]`` describes the pairs (t2, t1); ``weight[order]`` does the same to a
        weight matrix.
    """
    at = np.arange(shape.n_inputs)
    d, k, s = shape.embedding, shape.similarity, shape.n_embedded
    return np.concatenate([at[d : 2 * d], at[:d], at[2 * d : s], at[s + k :], at[s : s + k]])


def initial_weights(connected, rng):
    """Draw the start: uniform after Glorot and Bengio (2010), biases zero.

    Parameters
    ----------
    connected : ndarray of shape (n_inputs, n_hidden + 1), bool
        As :func:`connections` returns it.
    rng : RandomState
        Where the numbers come from.

    Returns
    -------
    dict
        ``weight`` (n_inputs, n_hidden + 1), ``bias`` (n_hidden + 1,) and ``output_weight``
        (n_hidden,), float32; the last column and the last bias are the output's. Each weight
        is uniform within ± sqrt(6 / (fan_in + fan_out)) of its layer: a group of hidden units
        with what it sees; the output with all hidden units and skip arcs.
    """
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


def zero_weights(connected):
    """Make room for the weights of a network.

    Parameters
    ----------
    connected : ndarray of shape (n_inputs, n_hidden + 1), bool
        As :func:`connections` returns it.

    Returns
    -------
    dict
        Names and shapes of :func:`initial_weights`, all zero, float32.
    """
    n_inputs, n_columns = connected.shape
    shapes = {
        "weight": (n_inputs, n_columns),
        "bias": (n_columns,),
        "output_weight": (n_columns - 1,),
    }
    return {name: np.zeros(size, dtype=np.float32) for name, size in shapes.items()}


def logits(sums, weights):
    """Run the network from its matrix product to its output.

    Parameters
    ----------
    sums : ndarray of shape (n_pairs, n_hidden + 1)
        Input rows times ``weight``.
    weights : dict
        As :func:`initial_weights` returns it.

    Returns
    -------
    ndarray of shape (n_pairs,)
        z(t1, t2), log-odds before the sigmoid of eq. 3, in the precision of ``sums``.
    """
    bias, output_weight = (
        weights[name].astype(sums.dtype, copy=False) for name in ("bias", "output_weight")
    )
    hidden = sums[:, :-1] + bias[:-1]
    np.tanh(hidden, out=hidden)
    return hidden @ output_weight + sums[:, -1] + bias[-1]


def both_directions(X, weights, shape):
    """Run the network on pairs and on the same pairs swapped.

    Parameters
    ----------
    X : ndarray of shape (n_pairs, n_inputs)
        Rows as the network reads them.
    weights : dict
        As :func:`initial_weights` returns it.
    shape : InputShape
        Sizes of the blocks.

    Returns
    -------
    tuple of two ndarrays of shape (n_pairs,)
        z(t1, t2) and z(t2, t1).
    """
    weight = weights["weight"].astype(X.dtype, copy=False)
    return logits(X @ weight, weights), logits(X @ weight[swapped(shape)], weights)
