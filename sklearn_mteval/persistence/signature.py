"""``signature.json``, what a model folder says of itself, and reading it, be it a stranger's."""

import errno
import hashlib
import json
import os
import platform
import re
import stat
from importlib.metadata import version
from pathlib import Path

import numpy as np

from sklearn_mteval._helpers.platforms import patiently
from sklearn_mteval._version import __version__
from sklearn_mteval.candidates import check_ranks
from sklearn_mteval.exceptions import ModelFolderError

SIGNATURE = "signature.json"
MODEL_NAME = re.compile(r"model-[0-9a-f]{16}\.skops")

_FORMAT = 1
_MOST_BYTES = 1 << 22  # of a signature
_LIBRARIES = (
    "scikit-learn", "numpy", "scipy", "pandas", "sacrebleu", "nltk", "skops", "safetensors",
)  # fmt: skip
_SHA256 = re.compile(r"[0-9a-f]{64}")
# What a signature has besides: what must be true of each value.
_KEYS = {
    "sha256": lambda value: isinstance(value, str) and _SHA256.fullmatch(value),
    "estimator": lambda value: _is_line(value),
    "parameters": lambda value: isinstance(value, dict),
    "versions": lambda value: isinstance(value, dict) and all(map(_is_line, value.values())),
    "training_data": lambda value: value is None or isinstance(value, str),
    "n_candidates": lambda value: value is None or type(value) is int,
    "scores": lambda value: isinstance(value, dict),
}


def signature_of(model, content, X, y, scores):
    """Return the signature of a model whose file has some content, as bytes."""
    digest = hashlib.sha256(content).hexdigest()
    signature = {
        "format": _FORMAT,
        "model": f"model-{digest[:16]}.skops",
        "sha256": digest,
        "estimator": type(model).__name__,
        "parameters": _shown_parameters(model),
        "versions": {
            "sklearn_mteval": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in _LIBRARIES},
        },
        "training_data": None if X is None else data_hash(X, y),
        "n_candidates": None if X is None else len(X),
        "scores": dict(scores or {}),
    }
    text = json.dumps(signature, indent=2, ensure_ascii=False, default=_plain) + "\n"
    written = text.encode("utf-8", "backslashreplace")
    if len(written) > _MOST_BYTES:
        raise ValueError(
            f"scores are for a few numbers and texts: the model's {SIGNATURE} would have "
            f"{len(written):,} bytes, more than {_MOST_BYTES:,}."
        )
    return written


def read_signature(path):
    """Return what a model folder says of itself: versions, parameters, hash of the data, scores."""
    file = Path(path) / SIGNATURE
    try:
        content = read_regular_file(file, _MOST_BYTES)
    except NotADirectoryError:
        raise ModelFolderError(f"{path} is no folder: a model is saved as a folder.") from None
    except OSError as error:
        reason = f"{file} cannot be read ({error.strerror})"
        if isinstance(error, FileNotFoundError):
            there = Path(path).exists()
            reason = f"there is no {SIGNATURE} in it" if there else "there is no such folder"
        raise ModelFolderError(f"{path} holds no model: {reason}.") from None
    return parse_signature(content, file)


def parse_signature(content, file):
    """Return a signature from its bytes, checked."""
    try:
        signature = json.loads(content.decode("utf-8"))
    except RecursionError:
        raise ModelFolderError(f"{file} is damaged: it is nested too deeply.") from None
    except ValueError as error:
        raise ModelFolderError(f"{file} is damaged: {error}.") from None
    if not isinstance(signature, dict) or signature.get("format") != _FORMAT:
        raise ModelFolderError(f"{file}: expected a signature of format {_FORMAT}.")
    name = signature.get("model")
    # The name is checked so that it cannot point out of the folder.
    if not isinstance(name, str) or not MODEL_NAME.fullmatch(name):
        raise ModelFolderError(f"{file} is damaged: it names no model file of this folder.")
    for key, is_right in _KEYS.items():
        if key not in signature or not is_right(signature[key]):
            raise ModelFolderError(
                f"{file} is damaged: {key!r} is missing or has another value than save_model "
                "writes. Save the model again."
            )
    return signature


def data_hash(X, y=None):
    """Return the SHA-256, in hexadecimal, of a table and its target, in any order of the rows."""
    ranks = [None] * len(X) if y is None else check_ranks(y, X).tolist()
    columns = [X[name].tolist() for name in X.columns]
    rows = sorted(
        hashlib.sha256(repr(row).encode("utf-8", "surrogatepass")).digest()
        for row in zip(X.index.tolist(), *columns, ranks, strict=True)
    )
    head = repr((list(X.index.names), list(X.columns))).encode()
    return hashlib.sha256(b"".join([head, *rows])).hexdigest()


def _is_line(value):
    """Tell whether a value is a short text that can be printed as it is."""
    return isinstance(value, str) and len(value) <= 200 and value.isprintable()


def _shown_parameters(model):
    """Show parameters that are no estimators; of one that holds data, such as a mapping, a part."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    shown = {
        name: repr(value)
        for name, value in sorted(parameters.items())
        if not hasattr(value, "get_params") and name not in ("steps", "transformer_list")
    }
    return {name: text[:1000] + "…" * (len(text) > 1000) for name, text in shown.items()}


def _plain(value):
    """Turn numpy numbers into JSON's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not a number or text")


# Without O_NONBLOCK, opening a pipe would wait for a writer.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_regular_file(path, most):
    """Return the bytes of a file; OSError if it is a pipe, a folder or the like, or too large."""
    try:
        handle = patiently(os.open, path, _FLAGS)
    except ValueError as error:  # NUL in its name
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        if found.st_size > most:
            size = f"it has {found.st_size:,} bytes, more than {most:,}"
            raise OSError(errno.EFBIG, size, str(path))
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(found.st_size)
    finally:
        os.close(handle)
