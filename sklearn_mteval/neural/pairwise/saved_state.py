"""A trained network as bytes: weights are safetensors, numbers and nothing that could run."""

import json

import numpy as np

from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, is_number
from sklearn_mteval.neural.encoders.options import EncoderOptions, check_options
from sklearn_mteval.neural.pairwise.architectures import ARCHITECTURES, without_squares
from sklearn_mteval.neural.pairwise.column_roles import ColumnRoles
from sklearn_mteval.neural.pairwise.table_reader import TableReader

_LARGEST = 1e18  # of a weight: products of two, added up, stay in the range of single precision


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
    weights, squares = state["weights_"], state["_squares"] = without_squares(tensors)
    roles = ColumnRoles(**state["column_roles_"])
    if not _are_roles(roles, state["n_features_in_"]) or not _is_rest(state):
        raise ValueError("what the network says of itself is not what training leaves.")
    encoder, vocabulary = state["_encoder"], state["_vocabulary"]
    encodes = encoder is not None, vocabulary is not None, roles.hypothesis_text is not None
    if len(set(encodes)) > 1:
        raise ValueError("the network has an encoder, a vocabulary or texts, but not all of them.")
    reader = TableReader(roles, encoder, vocabulary)
    if encoder is not None:
        check_options(encoder)
        if not is_list_of(str, json.loads(vocabulary), distinct=True):
            raise ValueError("the network's vocabulary is no list of words.")
        reader.build_encoder(weights)
        trained = [name for name in weights if name.startswith("encoder.")]
        if not reader.fixed and trained == ["encoder.initial"]:
            raise ValueError("the weights of the network's encoder are missing.")
    check_weights(weights, reader.layout.n_inputs)
    for name, values in squares.items():
        like = weights.get(name.removeprefix("squares."))
        if like is None or not is_array(values, like.shape, values.dtype, low=0):
            raise ValueError(f"the network's {name!r} do not fit its weights.")
    return state


def _are_roles(roles, n_features):
    """Tell whether columns have at most one role each, and there are so many."""
    last = n_features // 2 - 1
    texts = [at for at in roles[3:] if at is not None]
    if not (
        is_count(n_features, 1)
        and all(is_count(at, 0, last) for at in texts)
        and all(is_array(at, (len(at),), np.int64, low=0, high=last) for at in roles[:3])
    ):
        return False
    every = np.concatenate([*roles[:3], np.array(texts, dtype=np.int64)])
    return len(np.unique(every)) == len(every)


def _is_rest(state):
    """Tell whether the rest of the state is what training leaves."""
    return (
        state["_architecture"] in ARCHITECTURES
        and isinstance(state["antisymmetric_"], bool)
        and isinstance(state["_encoder"], EncoderOptions | None)
        and is_number(state["_reference_scale"], 0)
        and is_list_of(dict, state["history_"])
        and is_count(state["best_epoch_"])
    )


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
        bounds = {"low": -_LARGEST, "high": _LARGEST}
        if values.dtype.kind != "f" or not is_array(values, values.shape, values.dtype, **bounds):
            raise ValueError(
                f"the network's weights {name!r} are not finite numbers, or larger than any "
                f"that training comes to ({_LARGEST:g})."
            )
