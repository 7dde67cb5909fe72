"""Models by what a user calls them."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.devices import compute_on
from sklearn_mteval._helpers.files import nearby
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_columns, check_texts
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.ready_made import find_encoder, load_pretrained
from sklearn_mteval.persistence import load_model
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.text.tokens import sums_by_text, word_ids

# The English vectors know 93 to 99 % of the running words of English references of WMT13 to 23, of
# other languages 57 % (French), 47 % (German), 38 % (Czech) or less.
_ENGLISH = 0.75
_TEXTS = 1000  # that are looked at


def open_model(
    name_or_folder: PathLike | None = None, X: pd.DataFrame | None = None, *,
    windows: bool = True, device: str | None = None, dtype: str | None = None
) -> Any:  # fmt: skip
    """Open a saved model by its folder, or a ready-made one by its name.

    Parameters
    ----------
    name_or_folder : path-like, optional
        The folder of a saved model, or the name of a ready-made one (where there is no such
        folder). None: the best ready-made one for the columns of X.
    X : DataFrame of shape (n_candidates, n_columns), optional
        A candidate table: what the model is wanted for.
    windows : bool, default=True
        Whether a model that judges long texts in windows does so; else it is the one within.
    device, dtype : str, optional
        Where its encoders compute, wherever they were trained: "cpu", "cuda", "auto" (a GPU if
        torch sees one); and in what: see :class:`~sklearn_mteval.features.TokenAlignment`. None:
        as saved, or of a ready-made one the processor and "auto".

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ModelFolderError
        If there is no whole model in the folder.
    ValueError
        If none is named and X has no references, the encoder of a ready-made one is missing, or
        torch has no such device.
    ImportError
        If the ready-made model needs an extra that is not installed.
    """
    if name_or_folder is None:
        name_or_folder = recommended_model(X)
    if name_or_folder in READY_MADE and not Path(name_or_folder).exists():
        model = load_pretrained(name_or_folder, windows=windows)
        return compute_on(model, device, dtype)
    path = Path(name_or_folder)
    if not path.exists():
        plain = path.name == str(name_or_folder)  # hardly meant as a folder
        raise ModelFolderError(
            f"there is no folder {str(path)!r}, nor a ready-made model of that name. Ready-made "
            f"are {', '.join(READY_MADE)}; 'sklearn-mteval models' says what each is for."
            f"{nearby(path, READY_MADE if plain else ())}"
        )
    model = compute_on(load_model(name_or_folder), device, dtype)
    return model if windows else getattr(model, "ranker_", model)


def open_ranker(name: PathLike, *, windows: bool = True) -> Any:
    """Open a model; raise ValueError for one that cannot rank."""
    model = open_model(name, windows=windows)
    if not hasattr(model, "decision_function"):
        raise ValueError(
            f"{name} is no ranker: expected a RankRecomposer or a pipeline that ends in one, found "
            f"a {type(model).__name__}."
        )
    return model


def recommended_model(
    X: pd.DataFrame | None = None, *, encoders: bool = True, language: str | None = None
) -> str:
    """Name the best ready-made model that can be used here for a candidate table.

    That is the first in the order of the models' cards whose columns X all has, that is for the
    language that is translated into, and whose encoder, if it has one, is on this machine.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns), optional
        A candidate table. English is told by the words of its references or translations.
    encoders : bool, default=True
        Whether models with an encoder are taken, too.
    language : str, optional
        Two letters of the language that is translated into; None: English is told by the words.

    Returns
    -------
    str
        Its name. With references there is always one.

    Raises
    ------
    CandidateError
        If X is no candidate table.
    ValueError
        If X has no references, and no model that judges translations by their sources can be used.
    """
    check_columns(X, ["hypothesis"])
    told_by = "reference" if "reference" in X.columns else "hypothesis"
    if language is None and is_english(X, told_by):
        language = "en"
    cards = [card for card in READY_MADE.values() if encoders or card.encoder is None]
    problems = []
    for card in cards:
        if card.is_for(X.columns, language):
            problem = encoder_problem(card)
            if problem is None:
                return card.name
            problems.append(problem)
    if problems:
        start = f"without references: {problems[0]} Or give"
    elif by_source := [card.name for card in cards if card.is_for({"source"}, language)]:
        start = f"without references: give sources (-s, the column 'source') for {by_source[0]}; or"
    else:
        start = "no ready-made model judges translations without references. Give"
    raise ValueError(
        f"{start} references (-r, the column 'reference'); or name a model of your own that reads "
        "the source; or choose one of several translations by how far they agree (rerank): it "
        "gives no scores, and outliers lose, better ones too."
    )


def with_source(X, name):
    """Add an empty source to a table without one for a ready-made model that can do with it."""
    can = name in READY_MADE and READY_MADE[name].source == "used"
    return X.assign(source="") if can and "source" not in X.columns else X


def is_english(X, column="reference"):
    """Tell whether texts are English: the shipped vectors know most words of the first ones."""
    cells = check_texts(X.iloc[:_TEXTS], column, several=True)
    texts = list(dict.fromkeys(text for cell in cells for text in cell))
    flat, bounds, words = word_ids(texts, lowercase=True)
    known = (_english().rows(words) >= 0)[:, None].astype(np.int64)
    return sums_by_text(known, flat, bounds).sum() >= _ENGLISH * len(flat)


def english_vectors(X):
    """Return the word vectors that come with the package if references are English, else None."""
    return _english() if is_english(X) else None


@cache
def _english():
    return load_word_vectors("english")


def encoder_problem(card):
    """Say why the encoder of a model cannot be used; None if it can, or there is none."""
    try:
        if card.encoder is not None:
            find_encoder(card.name)
    except (ImportError, ValueError) as error:
        return str(error)
    return None
