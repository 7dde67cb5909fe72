"""A trained model: seven machines and word classes; its safetensors file has text in the header."""

import hashlib
import json
import os
import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.files import open_file
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.shipped.analysis import TOKEN_COLUMNS
from sklearn_mteval.linguistic.trees.shipped.grammars.discourse import EDU_COLUMNS
from sklearn_mteval.linguistic.trees.shipped.learning.machine import KINDS, Machine
from sklearn_mteval.linguistic.trees.shipped.words import N_CLASSES

MACHINES = (
    "tags", "chunks", "supertags", "dependencies", "constituents", "boundaries", "discourse",
)  # fmt: skip
FILE = "model.safetensors"
_FORMAT = 2
_MOST_BYTES = 1 << 28
_TAGGERS = {"tags", "chunks", "supertags", "boundaries"}
_TEMPERATURES = 1e-3, 1e6
_ANY, _TAG, _NUCLEARITIES = re.compile(""), re.compile("."), re.compile("(NS|SN|NN):")
_DTYPES = {
    "keys": np.uint8, "counts": np.uint8, "classes": np.uint8, "weights": np.int8,
}  # fmt: skip


class Model(NamedTuple):
    """Machines by name, classes of words, and a checksum that is part of parsers' signatures."""

    machines: dict
    classes: dict
    checksum: str = ""


def save_model_folder(model, folder):
    """Write a model; equal models give equal bytes."""
    arrays, head = {}, {"format": _FORMAT, "machines": {}}
    for name, machine in sorted(model.machines.items()):
        parts = ("actions", "templates", "columns", "tagging", "temperature")
        head["machines"][name] = {part: getattr(machine, part) for part in parts}
        counts = np.diff(machine.bounds)
        found = _packed(machine.keys), counts, machine.classes, machine.weights
        for (part, dtype), array in zip(_DTYPES.items(), found, strict=True):
            wide = np.uint16 if part == "classes" and len(machine.actions) > 256 else dtype
            arrays[f"{name}.{part}"] = array.astype(wide)
    keys = sorted(model.classes)
    arrays["classes.keys"] = np.array(keys, dtype=np.int32)
    numbers = np.array([model.classes[k] for k in keys], dtype=np.uint16)
    arrays["classes.numbers"] = numbers.reshape(len(keys), N_CLASSES)
    Path(folder).mkdir(parents=True, exist_ok=True)
    content = save(arrays, {"model": json.dumps(head, sort_keys=True)})
    write_atomically(Path(folder) / FILE, content)


@lru_cache(maxsize=4)
def _load(path, changed):
    """Read a file, again if it has changed."""
    with open_file(path, max_bytes=_MOST_BYTES, whole=True, lines=False) as file:
        content = file.read()
    try:
        size = int.from_bytes(content[:8], "little")
        head = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["model"])
        if head["format"] != _FORMAT:
            raise ValueError(f"it is of format {head['format']!r:.40}, expected {_FORMAT}")
        arrays = load(content)
        machines = {name: _machine(name, head["machines"][name], arrays) for name in MACHINES}
        keys, numbers = arrays["classes.keys"], arrays["classes.numbers"]
        if (
            (keys.ndim, keys.dtype, numbers.dtype) != (1, np.int32, np.uint16)
            or numbers.shape != (len(keys), N_CLASSES)
            or not (keys[1:] > keys[:-1]).all()
        ):
            raise ValueError("the classes of words do not fit together")
        classes = dict(zip(keys.tolist(), map(tuple, numbers.tolist()), strict=True))
    except (
        SafetensorError, AttributeError, KeyError, TypeError, ValueError, RecursionError
    ) as error:  # fmt: skip
        raise DataFileError(
            path, f"it is no model of parsers, or is damaged ({type(error).__name__}: {error}). "
            "Write it anew with sklearn-mteval treebank train."
        ) from None  # fmt: skip
    return Model(machines, classes, hashlib.sha256(content).hexdigest())


def _machine(name, head, arrays):
    """Build a machine from its part of the header and its arrays, checked."""
    packed, counts, classes, weights = (arrays[f"{name}.{part}"] for part in _DTYPES)
    keys = _unpacked(packed)
    bounds = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    actions = head["actions"]
    fit = (
        all(array.ndim == 1 for array in (counts, classes, weights))
        and (counts.dtype, weights.dtype) == (np.uint8, np.int8)
        and classes.dtype in (np.uint8, np.uint16)
        and len(keys) == len(counts)
        and len(classes) == len(weights) == bounds[-1]
        and (not len(classes) or classes.max() < len(actions))
    )
    if not fit or not _is_head(name, head):
        raise ValueError(f"the parts of {name!r} do not fit together")
    return Machine(
        actions, head["templates"], head["columns"], head["tagging"],
        keys, bounds, classes.astype(np.uint16), weights, float(head["temperature"]),
    )  # fmt: skip


def _is_head(name, head):
    """Tell whether a part of the header can be that of the machine of this name."""
    return (
        isinstance(head["templates"], list)
        and head["columns"] == list(EDU_COLUMNS if name == "discourse" else TOKEN_COLUMNS)
        and head["tagging"] is (name in _TAGGERS)
        and type(head["temperature"]) in (int, float)
        and _TEMPERATURES[0] <= head["temperature"] <= _TEMPERATURES[1]
        and _are_actions(name, head["actions"])
    )


def _packed(keys):
    """Return the differences of ascending keys, a row for each of their bytes: most are 0."""
    steps = np.diff(keys, prepend=np.uint32(0)).astype("<u4")
    return np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T)


def _unpacked(rows):
    """Return the keys of :func:`_packed`, which ascend from above 0."""
    if rows.dtype != np.uint8 or rows.ndim != 2 or len(rows) != 4:
        raise ValueError("keys are not four rows of bytes")
    steps = np.ascontiguousarray(rows.T).view("<u4").ravel()
    keys = np.cumsum(steps, dtype=np.uint64)
    if not steps.all() or (len(keys) and keys[-1] >= 1 << 32):
        raise ValueError("keys do not ascend within 32 bits")
    return keys.astype(np.uint32)


def _are_actions(name, actions):
    """Tell whether there are actions from which a machine of this name can always choose."""
    kinds = {kind for kind, _, _ in actions}
    labels_of = {"discourse": _NUCLEARITIES, "tags": _TAG}.get(name, _ANY)
    return (
        all(
            isinstance(label, str)
            and isinstance(is_open, bool)
            and (labels_of.match(label) or (kind == "shift" and name == "discourse"))
            for kind, label, is_open in actions
        )
        and kinds <= set(KINDS)
        and "shift" in kinds
        and (len(kinds) == 1) == (name in _TAGGERS)
    )


def load_model_folder(folder=None):
    """Read a model; None: the one that comes with the package."""
    if folder is None:
        path = files("sklearn_mteval.linguistic.trees.shipped").joinpath("data", "english", FILE)
    elif isinstance(folder, str | os.PathLike):
        path = Path(folder) / FILE
    else:
        raise TypeError(f"parser_model must be a folder or None, found {folder!r}.")
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # ValueError: NUL, or what the encoding has not
        raise DataFileError(
            repr(str(path)) if isinstance(error, ValueError) else path,
            f"cannot be read: {getattr(error, 'strerror', error)}. parser_model= is a folder that "
            "sklearn-mteval treebank train has written.",
        ) from None
    return _load(path, (status.st_mtime_ns, status.st_size))
