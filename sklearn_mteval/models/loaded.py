"""A model that is loaded once and asked often, about a translation or a few at a time."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.compiled import compiling_at_once
from sklearn_mteval._helpers.devices import compute_on
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import as_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.lists import is_list
from sklearn_mteval.models.opening import open_model
from sklearn_mteval.models.ranking import rank_candidates
from sklearn_mteval.models.scoring import scored_block
from sklearn_mteval.pairwise.consensus import is_consensus, refuse_scores

_WARM_UP = "It is one. There were two of them."  # sentences, which are aligned


def load(
    model: PathLike | BaseEstimator, *, device: str | None = None, dtype: str | None = None
) -> "LoadedModel":
    """Load a model to be asked again and again, as a service does.

    Parameters
    ----------
    model : path-like or fitted estimator
        As for :func:`open_model`: the name of a ready-made model, or the folder of one of your own.
    device, dtype : str, optional
        Where its encoders compute, and in what, as for :func:`open_model`.

    Returns
    -------
    LoadedModel
        It has been asked once, so that the first translation takes no longer than the next. On a
        machine where that was not done before, its kernels are compiled, which takes half a minute.

    Raises
    ------
    ValueError
        If there is no such model, or its encoder or the device is not on this machine.
    ImportError
        If it needs an extra that is not installed.

    Examples
    --------
    >>> from sklearn_mteval import models
    >>> model = models.load("static-en")
    >>> good = model.score("The dog barks.", reference="The dog barks.", source="Der Hund bellt.")
    >>> good > model.score("Dog is one.", reference="The dog barks.", source="Der Hund bellt.")
    True
    >>> model.rank(["Dog is one.", "The dog barks."], reference="The dog barks.")
    [2, 1]
    """
    return LoadedModel(model, device=device, dtype=dtype)


class LoadedModel:
    """A model in memory, which several threads may ask at once; :func:`load` makes it.

    Parameters
    ----------
    model, device, dtype : see :func:`load`
        The same.

    Attributes
    ----------
    model : fitted estimator
        The model.
    """

    def __init__(
        self, model: PathLike | BaseEstimator, *, device: str | None = None,
        dtype: str | None = None
    ):  # fmt: skip
        known = isinstance(model, str) and model in READY_MADE
        self._card = READY_MADE[model] if known else None
        given = isinstance(model, BaseEstimator)
        self.model = compute_on(model if given else open_model(model), device, dtype)
        self._only_ranks = is_consensus(self.model)
        if self._card is not None:
            with compiling_at_once():
                self.rank([_WARM_UP, "It was."], reference=_WARM_UP, source=_WARM_UP)
                self.score(_WARM_UP, reference=_WARM_UP, source=_WARM_UP)

    def score(
        self, translation: str, *, reference: str | Sequence[str] | None = None,
        source: str | None = None
    ) -> float:  # fmt: skip
        """Score a translation by itself.

        Parameters
        ----------
        translation : str
            The translation.
        reference : str or sequence of str, optional
            One reference, or several.
        source : str, optional
            What was translated.

        Returns
        -------
        float
            In [-1, 1], higher is better: to the bit what :func:`sklearn_mteval.models.score` says.
            NaN if all texts are blank.

        Raises
        ------
        CandidateError
            If something is no text, or the model reads what is not given.
        ValueError
            If the model can only rank.
        """
        if self._only_ranks:
            refuse_scores(self.model)
        scores, _ = scored_block(self.model, self._table([translation], reference, source))
        return float(scores.to_numpy()[0])

    def rank(
        self, translations: Sequence[str], *, reference: str | Sequence[str] | None = None,
        source: str | None = None
    ) -> list[int]:  # fmt: skip
        """Rank translations of one segment.

        Parameters
        ----------
        translations : sequence of str of length n_translations
            Two or more.
        reference, source : see :meth:`score`
            The same.

        Returns
        -------
        list of int of length n_translations
            1 is best; equal texts have equal ranks, as of :func:`sklearn_mteval.models.rank`.

        Raises
        ------
        CandidateError, ValueError
            As :meth:`score`; for fewer than two translations.
        """
        if not is_list(translations) or len(translations) < 2:
            raise CandidateError(
                f"translations must be a list of two texts or more, found {translations!r:.60}."
            )
        table = self._table(translations, reference, source)
        return rank_candidates(self.model, table)["rank"].tolist()

    def _table(self, translations, reference, source):
        """Make a candidate table of one segment."""
        given = {"source": source, "reference": reference}
        for name in [name for name, cell in given.items() if cell is None]:
            role = getattr(self._card, name, "unused")
            if role == "needed":
                raise CandidateError(f"{self._card.name} needs a {name}: give {name}=.")
            given[name] = "" if role == "used" else None
        given = {name: cell for name, cell in given.items() if cell is not None}
        for name, cell in (*given.items(), *(("translation", text) for text in translations)):
            several = name == "reference"
            if not isinstance(cell, str) and not (several and as_texts(cell)):
                kind = "a text or a list of texts" if several else "a text"
                raise CandidateError(f"{name} must be {kind}, found {cell!r:.60}.")
        cells = np.empty((len(translations), len(given) + 1), dtype=object)
        for k, cell in enumerate(given.values()):
            for row in range(len(cells)):
                cells[row, k] = cell
        cells[:, -1] = translations
        columns = _columns(tuple(given))
        return pd.DataFrame(cells, _rows(len(cells)), columns, dtype=object, copy=False)


@lru_cache(maxsize=16)
def _rows(n):
    """Label n translations of one segment; what is made for each call takes as long as the call."""
    return pd.MultiIndex.from_product([[1], range(n)], names=["segment", "system"])


@lru_cache
def _columns(names):
    """Name the columns of a table of some texts and a hypothesis."""
    return pd.Index([*names, "hypothesis"], dtype=object)
