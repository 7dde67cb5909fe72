"""Weights as safetensors: bytes that hold numbers and nothing that could run."""

import numpy as np

__all__ = ["check_weights", "pack_tensors", "unpack_tensors"]


def pack_tensors(tensors):
    """Write named arrays as safetensors.

    Parameters
    ----------
    tensors : dict of str to ndarray
        Arrays of numbers.

    Returns
    -------
    bytes
        The content of a ``.safetensors`` file.
    """
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(values) for name, values in tensors.items()})


def unpack_tensors(content):
    """Read named arrays from safetensors.

    Parameters
    ----------
    content : bytes
        The content of a ``.safetensors`` file.

    Returns
    -------
    dict of str to ndarray
        The arrays, each with memory of its own.
    """
    from safetensors.numpy import load

    return {name: np.array(values) for name, values in load(bytes(content)).items()}


def check_weights(weights, n_inputs):
    """Raise unless these can be the weights of a network.

    Parameters
    ----------
    weights : dict of str to ndarray
        Weights as they were read.
    n_inputs : int
        Width of the network's input.

    Raises
    ------
    ValueError
        If some are missing, of another shape, or not finite.
    """
    missing = {"weight", "bias", "output_weight"} - weights.keys()
    if missing:
        raise ValueError(f"the network's weights lack {sorted(missing)[0]!r}.")
    n_columns = weights["bias"].size
    shapes = weights["weight"].shape, weights["bias"].shape, weights["output_weight"].shape
    if shapes != ((n_inputs, n_columns), (n_columns,), (n_columns - 1,)):
        raise ValueError(f"the network's weights do not fit together: {shapes}.")
    for name, values in weights.items():
        if values.dtype.kind != "f" or not np.isfinite(values).all():
            raise ValueError(f"the network's weights {name!r} are not finite numbers.")
