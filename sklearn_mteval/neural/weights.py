"""Weights as safetensors: bytes that hold numbers and nothing that could run."""

import numpy as np

__all__ = ["pack_tensors", "unpack_tensors"]


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
