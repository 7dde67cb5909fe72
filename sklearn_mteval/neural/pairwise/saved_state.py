"""A trained network as bytes: weights are safetensors, numbers and nothing that could run."""

import numpy as np

from sklearn_mteval.neural.pairwise.column_roles import ColumnRoles
from sklearn_mteval.neural.pairwise.table_reader import TableReader
from sklearn_mteval.neural.pairwise.weights import without_squares

__all__ = ["check_weights", "pack_state", "pack_tensors", "unpack_state", "unpack_tensors"]


def pack_state(state):
    """Replace the weights in the state of a fitted PairwiseNN by bytes, without changing it."""
    state = dict(state)
    # Without times, so that the same seed gives the same bytes.
    state["history_"] = [
        {name: value for name, value in epoch.items() if name != "seconds"}
        for epoch in state["history_"]
    ]
    state["_tensors"] = pack_tensors({**state.pop("weights_"), **state.pop("_squares")})
    return state


def unpack_state(state):
    """Read the weights again; raise where they do not fit the rest of the state."""
    state = dict(state)
    tensors = unpack_tensors(state.pop("_tensors"))
    state["weights_"], state["_squares"] = without_squares(tensors)
    roles = ColumnRoles(**state["column_roles_"])
    reader = TableReader(roles, state["_encoder"], state["_vocabulary"])
    if state["_encoder"] is not None:
        reader.build_encoder(state["weights_"])
    check_weights(state["weights_"], reader.layout.n_inputs)
    return state


def pack_tensors(tensors):
    """Write named arrays as safetensors: bytes that hold numbers and nothing that could run."""
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(values) for name, values in tensors.items()})


def unpack_tensors(content):
    """Read named arrays from safetensors, each with memory of its own."""
    from safetensors.numpy import load

    return {name: np.array(values) for name, values in load(bytes(content)).items()}


def check_weights(weights, n_inputs):
    """Raise unless these can be the weights of a network with so many inputs."""
    missing = {"weight", "bias", "output_weight"} - weights.keys()
    if missing:
        raise ValueError(f"{sorted(missing)[0]!r} is missing from the network's weights.")
    n_columns = weights["bias"].size
    shapes = weights["weight"].shape, weights["bias"].shape, weights["output_weight"].shape
    if shapes != ((n_inputs, n_columns), (n_columns,), (n_columns - 1,)):
        raise ValueError(f"the network's weights do not fit together: {shapes}.")
    for name, values in weights.items():
        if values.dtype.kind != "f" or not np.isfinite(values).all():
            raise ValueError(f"the network's weights {name!r} are not finite numbers.")
