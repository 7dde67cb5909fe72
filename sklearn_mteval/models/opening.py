"""Models by what a user calls them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_columns, check_texts
from sklearn_mteval.models.ready_made import READY_MADE, find_encoder, load_pretrained
from sklearn_mteval.persistence import load_model
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.text.tokens import sums_by_text, word_ids

__all__ = ["is_english", "open_model", "recommended_model"]

# The English vectors know 93 to 99 % of the running words of English references of WMT13 to 23, of
# other languages 57 % (French), 47 % (German), 38 % (Czech) or less.
_ENGLISH = 0.75
_TEXTS = 1000  # that are looked at


def open_model(name_or_folder: PathLike | None = None, X: pd.DataFrame | None = None) -> Any:
    """Open a fitted model.

    Parameters
    ----------
    name_or_folder : path-like, optional
        The folder of a saved model, or the name of a ready-made one (where there is no such
        folder). None: the one that :func:`recommended_model` names for X.
    X : DataFrame of shape (n_candidates, n_columns), optional
        A candidate table: what the model is wanted for.

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ModelFolderError
        If there is no whole model in the folder.
    ValueError
        If none is named and X has no references, or the encoder of a ready-made one is missing.
    ImportError
        If the ready-made model needs an extra that is not installed.
    """
    if name_or_folder is None:
        name_or_folder = recommended_model(X)
    if name_or_folder in READY_MADE and not Path(name_or_folder).exists():
        return load_pretrained(name_or_folder)
    return load_model(name_or_folder)


def recommended_model(X: pd.DataFrame | None = None) -> str:
    """Name the best ready-made model that can be used here for a candidate table.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns), optional
        A candidate table, without which nothing can be said. What is translated into English is
        told by the words of its references.

    Returns
    -------
    str
        Into English: "encoder-large-en" or "encoder-en" if the extra and the encoder are
        installed, else "static-en"; into another language: "any".

    Raises
    ------
    CandidateError
        If X is no candidate table.
    ValueError
        Without references: no ready-made model judges translations by their sources.
    """
    check_columns(X, ["hypothesis"])
    if "reference" not in X.columns:
        raise ValueError(
            "no ready-made model judges translations without references. Give references (-r, the "
            "column 'reference'); or name a model of your own that reads the source; or, to see "
            "how three systems or more into English agree, rank with consensus-en: it has no "
            "scores, and outliers lose, better ones too."
        )
    if not is_english(X):
        return "any"
    return next(name for name in READY_MADE if READY_MADE[name] is None or _has_encoder(name))


def is_english(X, column="reference"):
    """Tell whether texts are English: the shipped vectors know most words of the first ones."""
    cells = check_texts(X.iloc[:_TEXTS], column, several=True)
    texts = list(dict.fromkeys(text for cell in cells for text in cell))
    flat, bounds, words = word_ids(texts, lowercase=True)
    known = (load_word_vectors("english").rows(words) >= 0)[:, None].astype(np.int64)
    return sums_by_text(known, flat, bounds).sum() >= _ENGLISH * len(flat)


def _has_encoder(name):
    """Tell whether the encoder of a model is on this machine."""
    try:
        find_encoder(name)
    except (ImportError, ValueError):
        return False
    return True
