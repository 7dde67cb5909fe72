"""Word vectors that come with the package, in 8 bits; ``benchmarks/ready_made.py`` makes them."""

import hashlib
import io
import json
from functools import lru_cache
from importlib.resources import files

import numpy as np

SHIPPED = ("english",)
_LEVELS = 127  # of a number, on either side of 0


def in_8_bits(matrix):
    """Round rows to whole numbers, int8, times the scale of each row, float32."""
    scales = (np.abs(matrix).max(axis=1, initial=0) / _LEVELS).astype(np.float32)
    codes = np.rint(matrix / np.where(scales > 0, scales, 1)[:, np.newaxis])
    return np.clip(codes, -_LEVELS, _LEVELS).astype(np.int8), scales


def write_shipped(path, words, matrix):
    """Write words and their vectors, float32, as 8-bit numbers; equal input gives equal bytes."""
    codes, scales = in_8_bits(matrix)
    text = np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), dtype=np.uint8)
    with open(path, "wb") as stream:
        for array in (text, codes, scales):  # npz would note the time
            np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)


def read_vectors(path):
    """Return words, vectors (float32, read-only) and the SHA-256 of what is in a file."""
    content = path.read_bytes()
    stream = io.BytesIO(content)
    text, codes, scales = (np.lib.format.read_array(stream, allow_pickle=False) for _ in range(3))
    matrix = codes.astype(np.float32)
    matrix *= scales[:, np.newaxis]
    matrix.flags.writeable = False
    return json.loads(text.tobytes()), matrix, hashlib.sha256(content).hexdigest()


@lru_cache
def read_shipped(name):
    """Return what :func:`read_vectors` returns of a file of the package."""
    return read_vectors(files("sklearn_mteval.text.vectors").joinpath("data", f"{name}.vectors"))
