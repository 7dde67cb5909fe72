"""Scores and ranks of lists of texts: the shortest way from translations to numbers."""

from collections.abc import Mapping, Sequence
from typing import Literal, overload

import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.marks import marks_of, open_marker
from sklearn_mteval.models.opening import open_model, recommended_model, with_source
from sklearn_mteval.models.ranking import rank_candidates
from sklearn_mteval.models.scoring import score_candidates


@overload
def score(
    sources: Sequence[str] | None, translations: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence | None = ..., *, model: PathLike | BaseEstimator | None = ...,
    marks: Literal[False] = ..., flagged_lose: bool = ...
) -> pd.DataFrame: ...  # fmt: skip


@overload
def score(
    sources: Sequence[str] | None, translations: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence | None = ..., *, model: PathLike | BaseEstimator | None = ...,
    marks: Literal[True] | PathLike | BaseEstimator, flagged_lose: bool = ...
) -> tuple[pd.DataFrame, pd.DataFrame]: ...  # fmt: skip


def score(
    sources: Sequence[str] | None, translations: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence | None = None, *, model: PathLike | BaseEstimator | None = None,
    marks: bool | PathLike | BaseEstimator = False, flagged_lose: bool = False
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Score translations, each by itself.

    Parameters
    ----------
    sources : sequence of str of length n_segments, or None
        What was translated; None: not at hand.
    translations : sequence of str of length n_segments, or mapping of str to such
        Of one system, or of several by name.
    references : sequence of length n_segments, optional
        A reference, or a list of several, of each segment.
    model : path-like or fitted estimator, optional
        As for :func:`open_model`; None: the best one that can be used for these texts.
    marks : bool, path-like or fitted estimator, default=False
        Whether words that are in an error are marked, too: True by the ready-made
        ``error-marker``, or what marks them, a folder or an
        :class:`~sklearn_mteval.features.ErrorMarker`.
    flagged_lose : bool, default=False
        Whether translations with an error of content that is fairly sure score -0.5 at most; see
        :func:`score_candidates`.

    Returns
    -------
    scores : DataFrame of shape (n_segments * n_systems, 1)
        ``score`` in [-1, 1], higher is better, as :func:`score_candidates`; indexed by segment,
        counted from 1, and system ("translation", if it has no name), in the order given. With
        ``marks`` a second column, ``error_free``: the probability that it has no error.
    marks : DataFrame of shape (n_marks, 5)
        If asked for, a row for each run of marked words, indexed likewise: ``start`` and ``end``,
        its characters (code points of the text as given, from 0, the end excluded), ``severity``
        ("minor" or "major"), ``probability`` that they are in an error, and the ``words``. What has
        an ``error_free`` of 0.5 or more has none.

    Raises
    ------
    CandidateError
        For lists of unequal lengths, what is no list, cells that are no texts.
    ValueError
        If no ready-made model can be used, the model reads what is not given, or what is to mark
        errors cannot: it is no marker, or its encoder is not on this machine.

    See Also
    --------
    sklearn_mteval.metrics.span_agreement : Compares marks with those of annotators.

    Examples
    --------
    >>> from sklearn_mteval.models import score
    >>> found = score(["Der Hund."], {"A": ["The dog."], "B": ["Dog is one."]}, ["The dog."])
    >>> bool(found.loc[(1, "A"), "score"] > found.loc[(1, "B"), "score"])
    True
    """
    marker = None if marks is False else open_marker(marks)
    X, model = table_and_model(sources, translations, references, model)
    scores = score_candidates(model, X, flagged_lose=flagged_lose).to_frame()
    if marker is None:
        return scores
    found = marks_of(marker, X)
    return scores.assign(error_free=found.error_free), found.table


def rank(
    sources: Sequence[str] | None, translations: Mapping[str, Sequence[str]],
    references: Sequence | None = None, *, model: PathLike | BaseEstimator | None = None,
    flagged_lose: bool = False
) -> pd.DataFrame:  # fmt: skip
    """Rank the translations of several systems in each segment.

    Parameters
    ----------
    sources, translations, references, model : see :func:`score`
        The same; translations of two systems or more, by name.
    flagged_lose : bool, default=False
        Whether translations with an error of content that is fairly sure stand below all others;
        see :func:`rank_candidates`.

    Returns
    -------
    DataFrame of shape (n_segments * n_systems, 3)
        ``rank`` (1 is best), ``strength``, ``score``, as :func:`rank_candidates`; indexed as of
        :func:`score`.

    Raises
    ------
    CandidateError, ValueError
        As :func:`score`; for fewer than two systems.

    Examples
    --------
    >>> from sklearn_mteval.models import rank
    >>> rank(None, {"A": ["The dog."], "B": ["Dog is one."]}, ["The dog."])["rank"].tolist()
    [1, 2]
    """
    if not isinstance(translations, Mapping) or len(translations) < 2:
        raise CandidateError(
            "translations must be those of two systems or more, by name: {'A': [...], 'B': [...]}. "
            "Those of one system have scores, but no ranks."
        )
    X, model = table_and_model(sources, translations, references, model)
    return rank_candidates(model, X, flagged_lose=flagged_lose)


def table_and_model(sources, translations, references, model):
    """Make a candidate table of lists, and open the model that it is for."""
    X = _table(sources, translations, references)
    if isinstance(model, BaseEstimator):
        return X, model
    name = recommended_model(X) if model is None else model
    return with_source(X, name), open_model(name)


def _table(sources, translations, references):
    """Make a candidate table of lists."""
    systems = translations if isinstance(translations, Mapping) else {"translation": translations}
    if not systems:
        raise CandidateError("translations has no system.")
    columns = {"source": sources, "reference": references}
    columns = {name: texts for name, texts in columns.items() if texts is not None}
    lists = {f"translations[{name!r}]": texts for name, texts in systems.items()}
    check_lists(lists | {f"{name}s": texts for name, texts in columns.items()})
    columns = {name: [text for text in texts for _ in systems] for name, texts in columns.items()}
    columns["hypothesis"] = [text for row in zip(*systems.values(), strict=True) for text in row]
    n_segments = len(columns["hypothesis"]) // len(systems)
    index = pd.MultiIndex.from_product(
        [range(1, n_segments + 1), list(systems)], names=["segment", "system"]
    )
    return pd.DataFrame(columns, index=index, dtype=object)


def is_list(given):
    """Tell whether something can be taken for a list of things, and is no text."""
    return not isinstance(given, str | bytes | Mapping) and hasattr(given, "__len__")


def check_lists(lists):
    """Raise unless all are lists of one length, by what they are called."""
    first = next(iter(lists))
    for name, texts in lists.items():
        if not is_list(texts):
            raise CandidateError(
                f"{name} must be a list of texts, found {type(texts).__name__}. A single text is "
                "a list of one: [text]."
            )
        if len(texts) != len(lists[first]):
            raise CandidateError(
                f"{name} has {len(texts)} entries, {first} has {len(lists[first])}: the n-th of "
                "each must belong to segment n."
            )
