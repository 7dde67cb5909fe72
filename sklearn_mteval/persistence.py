"""Save and load fitted models without pickle.

A model is a folder: ``signature.json`` says what it is and names ``model-<hash>.skops``,
which holds the estimator. skops stores types by name and arrays by value, and loading
builds only types from a list of trusted ones, so that a stranger's file runs no code.

Saving is atomic. The estimator goes to a new file; replacing ``signature.json`` is the
commit. Killed before it, the folder still holds the old model, whole; after it, the new.
"""

import contextlib
import hashlib
import io
import json
import pickle
import platform
import re
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.atomic import TEMPORARY_SUFFIX, write_atomically
from sklearn_mteval._version import __version__
from sklearn_mteval.candidates import check_ranks
from sklearn_mteval.exceptions import ModelFolderError

__all__ = ["load_model", "save_model"]

# scikit-learn's, numpy's and scipy's own types are trusted by skops. Of this package, a model may
# hold the classes that these packages export, ...
TRUSTED_PACKAGES = (
    "sklearn_mteval.classifiers",
    "sklearn_mteval.features",
    "sklearn_mteval.neural",
    "sklearn_mteval.pairwise",
    "sklearn_mteval.text.language_models",
    "sklearn_mteval.text.parsing",
    "sklearn_mteval.text.vectors",
)
# ... what these hold in turn, and paths, as of a cache.
TRUSTED_TYPES = (
    "pathlib.PosixPath",
    "pathlib.WindowsPath",
    "sklearn_mteval.features.overlap._nist_weights.NISTWeights",
    "sklearn_mteval.pairwise.scorers._KendallTauScorer",
    "sklearn_mteval.pairwise.scorers.kendall_tau_scorer",
)

_FORMAT = 1
_SIGNATURE = "signature.json"
_MODEL_NAME = re.compile(r"model-[0-9a-f]{16}\.skops")
_LIBRARIES = (
    "scikit-learn", "numpy", "scipy", "pandas", "sacrebleu", "nltk", "skops", "safetensors",
)  # fmt: skip


def save_model(model, path, *, X=None, y=None, scores=None, trusted=()):
    """Write a fitted model to a folder, atomically.

    Parameters
    ----------
    model : estimator
        A fitted scikit-learn estimator or pipeline.
    path : path-like
        The folder; made if it is not there, replaced if it holds a model.
    X, y : DataFrame and array-like, optional
        The training data, of which a hash is noted.
    scores : dict, optional
        What to note about quality, e.g. tau on held-out segments: names to numbers or texts.
    trusted : iterable of str, default=()
        Full names of further types that :func:`load_model` will be told to trust.

    Returns
    -------
    dict
        The signature as written.

    Raises
    ------
    ModelFolderError
        If the path is a file, or a folder with other things in it; if the model holds types
        that could not be loaded again.
    """
    path = Path(path)
    check_model_folder(path)
    from skops.io import dumps

    content = dumps(_with_arrays_for_indexes(model))
    _, unknown = _types_in(content, trusted)
    if unknown:
        raise ModelFolderError(
            f"The model holds types that load_model does not trust: {', '.join(unknown)}. If you "
            "know them, pass trusted=[...] with these names here and to load_model."
        )
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
    path.mkdir(parents=True, exist_ok=True)
    write_atomically(path / signature["model"], content)
    write_atomically(path / _SIGNATURE, text.encode())
    for other in path.iterdir():  # older models, and what a kill left behind
        made_here = _MODEL_NAME.fullmatch(other.name) or other.name.endswith(TEMPORARY_SUFFIX)
        if made_here and other.name != signature["model"]:
            with contextlib.suppress(FileNotFoundError):
                other.unlink()
    return json.loads(text)


def check_model_folder(path):
    """Raise unless a model may be saved in a folder, which need not be there yet."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise ModelFolderError(f"{path} is a file: a model is saved as a folder.")
    names = sorted(file.name for file in path.iterdir()) if path.is_dir() else []
    strangers = [name for name in names if not name.endswith(TEMPORARY_SUFFIX)]
    if strangers and not any(_MODEL_NAME.fullmatch(name) for name in names):
        raise ModelFolderError(
            f"{path} holds other files ({strangers[0]}, …) and no model: choose a folder that "
            "is new, empty or an older model."
        )


def load_model(path, *, trusted=()):
    """Read a model that :func:`save_model` wrote.

    Parameters
    ----------
    path : path-like
        The folder.
    trusted : iterable of str, default=()
        Full names of further types that may be built, for models that hold classes of
        your own. Only add what you know: their code runs.

    Returns
    -------
    estimator
        The fitted model; its predictions are those of the saved one, to the bit.

    Raises
    ------
    ModelFolderError
        If there is no model, it is damaged, or it holds types that are not trusted.
    """
    path = Path(path)
    signature = read_signature(path)
    try:
        content = (path / signature["model"]).read_bytes()
    except OSError as error:
        raise ModelFolderError(f"{path}: the model file cannot be read ({error}).") from None
    if hashlib.sha256(content).hexdigest() != signature["sha256"]:
        raise ModelFolderError(
            f"{path / signature['model']} is damaged: it does not match its signature."
        )
    from skops.io import loads

    try:
        known, unknown = _types_in(content, trusted)
    except Exception as error:  # whatever a hostile file makes the parser raise
        raise ModelFolderError(f"{path}: not a skops model ({error}).") from None
    if unknown:
        raise ModelFolderError(
            f"{path} holds types that are not trusted: {', '.join(unknown)}. Loading it could "
            "run a stranger's code. If you know them, pass trusted=[...] with these names."
        )
    saved = signature["versions"].get("sklearn_mteval")
    if saved != __version__:
        warnings.warn(
            f"{path} was saved by sklearn_mteval {saved}; this is {__version__}. Check its "
            "predictions, or train it again.",
            stacklevel=2,
        )
    try:
        return loads(content, trusted=known)
    except Exception as error:  # likewise
        raise ModelFolderError(f"{path}: the model cannot be built ({error}).") from None


class _IndexesToArrays(pickle.Pickler):
    """Pickle every pandas Index of column names as an array."""

    def reducer_override(self, obj):
        if isinstance(obj, pd.Index) and obj.nlevels == 1:
            return np.asarray, (obj.to_numpy(),)
        return NotImplemented


def _with_arrays_for_indexes(model):
    """Copy a model; skops cannot store a pandas Index, and a fitted FeatureUnion holds some."""
    copied = io.BytesIO()
    try:
        _IndexesToArrays(copied).dump(model)
    except (pickle.PicklingError, AttributeError, TypeError):
        return model  # a lambda, say: skops and _types_in name it
    return pickle.loads(copied.getvalue())  # our own bytes, written two lines above


def _types_in(content, trusted):
    """List the types in a skops file that skops does not trust: those that we do, and others."""
    from skops.io import get_untrusted_types

    found = sorted(get_untrusted_types(data=content))
    known = [name for name in found if name in (*TRUSTED_TYPES, *trusted) or _is_exported(name)]
    return known, [name for name in found if name not in known]


def _is_exported(name):
    """Tell whether a full name is that of a class, not a function, that we export."""
    short = name.rpartition(".")[2]
    for package in map(import_module, TRUSTED_PACKAGES):
        if short in package.__all__:
            value = getattr(package, short)
            if isinstance(value, type) and f"{value.__module__}.{value.__qualname__}" == name:
                return True
    return False


def read_signature(path):
    """Return what a model folder says of itself: versions, parameters, hash of the data, scores."""
    file = Path(path) / _SIGNATURE
    try:
        signature = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelFolderError(f"{path} holds no model: {file} cannot be read ({error}).") from None
    except (ValueError, RecursionError) as error:
        raise ModelFolderError(f"{file} is damaged: {error}.") from None
    if not isinstance(signature, dict) or signature.get("format") != _FORMAT:
        raise ModelFolderError(f"{file}: expected a signature of format {_FORMAT}.")
    name, digest, versions = (signature.get(key) for key in ("model", "sha256", "versions"))
    complete = isinstance(digest, str) and isinstance(versions, dict)
    # The name is checked so that it cannot point out of the folder.
    if not complete or not isinstance(name, str) or not _MODEL_NAME.fullmatch(name):
        raise ModelFolderError(f"{file} is damaged: it names no model file of this folder.")
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
