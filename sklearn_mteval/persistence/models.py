"""Saving and loading of fitted models, equal ones as equal bytes."""

import hashlib
import io
import json
import os
import pickle
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.extras import MissingExtraError
from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval._version import __version__
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.persistence.archive import SCHEMA, checked_archive
from sklearn_mteval.persistence.folders import (
    check_model_folder,
    read_model_file,
    write_model_files,
)
from sklearn_mteval.persistence.signature import signature_of
from sklearn_mteval.persistence.trust import skops_io, types_in

_MOST_BYTES = 1 << 32  # of a model file that is loaded without asking


def save_model(
    model: BaseEstimator, path: PathLike, *, X: pd.DataFrame | None = None,
    y: ArrayLike | None = None, scores: dict | None = None, trusted: Iterable[str] = ()
) -> dict:  # fmt: skip
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
        If the path is a file, or a folder with other things in it, or cannot be written to, as
        when the disk is full: then the folder is as it was before. If the model holds types that
        could not be loaded again.
    NotFittedError
        If the model, or a step of the pipeline, is not fitted.

    Notes
    -----
    Equal models are equal bytes. Of several that save into one folder at once the last one wins,
    and whoever loads in the meantime gets one model or the other.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the path of a folder, found {path!r}.")
    if isinstance(model, type):
        raise TypeError(f"model must be a fitted estimator, found the class {model.__name__}.")
    if not isinstance(scores, dict | None):
        raise TypeError(f"scores must be a dict, found {scores!r}.")
    if not isinstance(X, pd.DataFrame | None):
        raise TypeError(f"X must be a candidate table, a DataFrame, found {type(X).__name__}.")
    path = Path(path)
    check_model_folder(path)
    _check_fitted(model)
    content = repeatable(skops_io().dumps(_with_arrays_for_indexes(model)))
    _, unknown = types_in(content, trusted)
    if unknown:
        raise ModelFolderError(
            f"The model holds types that load_model does not trust: {', '.join(unknown)}. If you "
            "know them, pass trusted=[...] with these names here and to load_model."
        )
    signature = signature_of(model, content, X, y, scores)
    write_model_files(path, content, signature)
    return json.loads(signature)


def load_model(path: PathLike, *, trusted: Iterable[str] = (), max_bytes: int | None = None) -> Any:
    """Read a model that :func:`save_model` wrote.

    Parameters
    ----------
    path : path-like
        The folder.
    trusted : iterable of str, default=()
        Full names of further types that may be built, for models that hold classes of
        your own. Only add what you know: their code runs.
    max_bytes : int or None, default=None
        Bytes that the model may have in its file, and unpacked. None: 4 GiB in the file, which
        may unpack to twice its size, or to 64 MiB (models are saved without compression).

    Returns
    -------
    estimator
        The fitted model; its predictions are those of the saved one, to the bit.

    Raises
    ------
    ModelFolderError
        If there is no model, it is damaged, exceeds the limit, holds types that are not trusted,
        or numbers that no fit leaves.
    ImportError
        If the model needs an extra that is not installed, as one that encodes texts ``[neural]``.
    """
    path = Path(path)
    if max_bytes is not None:
        check_integer("max_bytes", max_bytes, minimum=1)
    signature, content = read_model_file(path, max_bytes or _MOST_BYTES)
    if hashlib.sha256(content).hexdigest() != signature["sha256"]:
        raise ModelFolderError(
            f"{path / signature['model']} is damaged: it does not match its signature."
        )
    try:
        content = _undisturbed(checked_archive, content, max_bytes)
        known, unknown = types_in(content, trusted)
    except Exception as error:  # whatever a hostile file makes the parsers raise
        raise ModelFolderError(f"{path}: not a skops model ({_said(error)}).") from None
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
        return _undisturbed(skops_io().loads, content, trusted=known)
    except MissingExtraError:  # nothing is wrong with the model
        raise
    except Exception as error:  # likewise
        raise ModelFolderError(f"{path}: the model cannot be built ({_said(error)}).") from None


def _undisturbed(read, *args, **kwargs):
    """Read again where Python 3.11's parser, of arrays' headers, trips over other threads."""
    for _ in range(9):
        try:
            return read(*args, **kwargs)
        except SystemError:  # "AST constructor recursion depth mismatch", cpython issue 106905
            continue
    return read(*args, **kwargs)


def _check_fitted(model):
    """Raise unless a model, and each step of a pipeline, is fitted."""
    if isinstance(model, Pipeline):
        for _, step in model.steps:
            _check_fitted(step)
        return
    # A class of one's own may have learnt nothing that shows.
    known = type(model).__module__.partition(".")[0] in ("sklearn", "sklearn_mteval")
    if hasattr(model, "fit") and (known or hasattr(model, "__sklearn_is_fitted__")):
        try:
            check_is_fitted(model)
        except NotFittedError:
            raise NotFittedError(
                f"This {type(model).__name__} is not fitted: call fit before save_model."
            ) from None


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


def _said(error):
    """Say what an error says; some say nothing."""
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    if isinstance(error, RecursionError):
        return "its objects are nested too deeply"
    return str(error) or type(error).__name__


def repeatable(content):
    """Rewrite a skops file: objects and arrays numbered in order, not by address; no times."""
    numbers, names = {}, {}

    def renumber(node):
        """Renumber the objects in a part of the tree, in place."""
        if isinstance(node, list):
            for item in node:
                renumber(item)
        elif isinstance(node, dict):
            if isinstance(node.get("__id__"), int):
                node["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
            if isinstance(node.get("file"), str):
                _, dot, suffix = node["file"].rpartition(".")
                node["file"] = names.setdefault(node["file"], f"{len(names) + 1}{dot}{suffix}")
            for item in node.values():
                renumber(item)

    rewritten = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(rewritten, "w") as archive:
        schema = json.loads(given.read(SCHEMA))
        renumber(schema)
        for name, new in names.items():
            archive.writestr(zipfile.ZipInfo(new), given.read(name))  # of 1980
        archive.writestr(zipfile.ZipInfo(SCHEMA), json.dumps(schema, indent=2))
    return rewritten.getvalue()
