"""How far to believe a model: how often it agreed with annotators where that was measured."""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from sklearn_mteval._helpers.extras import MissingExtraError
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.opening import is_english
from sklearn_mteval.persistence.signature import read_signature
from sklearn_mteval.text.languages import language_of

_LOOKED_AT = 200  # rows, to tell a language by
_NOT_MEASURED = (
    "How far this model agrees with annotators was not measured; 'sklearn-mteval evaluate' "
    "measures it on judgements of yours."
)
_WHAT = {"strength": "ranks", "score": "scores"}


class Measured(NamedTuple):
    """How often a model prefers what annotators prefer, on a campaign that it was not trained on.

    ``agreement``, with its 95 % interval ``low`` to ``high``, is the proportion of pairs of
    translations of a segment, of those that the annotator does not tie, in which the model has
    the annotator's preference; its own ties count half. Chance is 0.5.
    """

    campaign: str
    pair: str  # source and target language, "en-de"
    kind: str  # of texts, "news"
    year: int
    model: str
    by: str  # what of the model: "strength", its ranks, or "score"
    segments: int
    pairs: int  # of translations that annotators tell apart
    agreement: float
    low: float
    high: float
    chrf: float  # agreement of chrF in the same pairs, with the reference
    annotators: float  # agreement of annotators with each other in the set; NaN: not known


def belief(
    model: str, *, languages: tuple[str | None, str | None] = (None, None),
    kind: str | None = None, by: str = "score"
) -> Measured | None:  # fmt: skip
    """Find the measurement of a ready-made model that is nearest to the texts at hand.

    Nearest is first the same language that is translated into, then the same source language, then
    the same kind of texts, then the newest year; of several of these news, then the largest.

    Parameters
    ----------
    model : str
        Its name, "static-en" say.
    languages : tuple of (str or None, str or None), default=(None, None)
        Codes of two letters of the source and the target language; None or "": not known.
    kind : str, optional
        "news", "social media", "speech", "literature", "reviews", "manuals", "TED talks" or
        "abstracts" (medical); None: not known.
    by : {"score", "strength"}, default="score"
        Whether scores are to be believed, or ranks.

    Returns
    -------
    Measured or None
        None if nothing was measured of this model.

    Examples
    --------
    >>> from sklearn_mteval.models.belief import belief
    >>> found = belief("static-en", languages=("he", "en"))
    >>> found.pair, found.year
    ('he-en', 2023)
    """
    source, target = languages

    def nearness(row):
        of_source, of_target = row.pair.split("-")
        same = of_target == target, of_source == source, row.kind == kind
        return *same, row.year, row.kind == "news", row.pairs

    rows = [row for row in measurements() if (row.model, row.by) == (model, by)]
    return max(rows, key=nearness, default=None)


@cache
def measurements() -> tuple[Measured, ...]:
    """Read all measurements that come with the package."""
    file = files("sklearn_mteval.models") / "data" / "agreement.tsv"
    with file.open(encoding="utf-8") as lines:
        return tuple(Measured(*row) for row in pd.read_csv(lines, sep="\t").itertuples(index=False))


def belief_line(
    model: PathLike, *, languages: tuple[str | None, str | None] = (None, None),
    kind: str | None = None, by: str = "score"
) -> str:  # fmt: skip
    """Say in one sentence how far to believe a model.

    Parameters
    ----------
    model : path-like
        The name of a ready-made model, or the folder of a saved one, of which its signature tells
        the agreement on what was held out when it was trained.
    languages, kind, by : see :func:`belief`
        The same.

    Returns
    -------
    str
        A sentence of at most two lines; where nothing is known, one that says so.
    """
    if model not in READY_MADE or Path(model).exists():
        return _of_training(model)
    found = belief(str(model), languages=languages, kind=kind, by=by)
    if found is None:
        return _NOT_MEASURED
    annotators = ""
    if found.annotators == found.annotators:
        annotators = f", annotators with each other {found.annotators:.0%}"
    agreed = (
        f"on {found.pair} {found.kind} of {found.year} {_WHAT[by]} agree with annotators in "
        f"{found.agreement:.0%} [{100 * found.low:.0f}, {100 * found.high:.0f}] of pairs, chrF "
        f"{found.chrf:.0%}{annotators}, chance 50%."
    )
    unknown = _unknown(found, languages, kind)
    unknown = f" is unknown {unknown}; " if unknown else ": "
    return f"How far to believe it{unknown}{agreed}".replace("%", " %")


def _unknown(found, languages, kind):
    """Say of what nothing is known, where a measurement is of something else."""
    source, target = (code or "" for code in languages)
    of_source, of_target = found.pair.split("-")
    if not target:
        return "here"
    if of_target != target or source not in ("", of_source):
        return f"for {source}-{target}" if source else f"for texts in {target!r}"
    return "" if kind in (None, found.kind) else f"for {kind}"


def _of_training(folder):
    """Say how far a saved model agreed with annotators on what was held out in its training."""
    try:
        scores = read_signature(folder)["scores"]
    except ModelFolderError:
        return _NOT_MEASURED
    agreement, pairs = (scores.get(name) for name in ("pair_accuracy", "held_out_pairs"))
    if not isinstance(agreement, float) or not 0 <= agreement <= 1 or not isinstance(pairs, int):
        return _NOT_MEASURED
    return (
        f"How far to believe it: it agreed with annotators in {100 * agreement:.0f} % of {pairs:,} "
        "pairs held out from its training, chance 50 %. Of other texts this says little."
    )


def languages_of(X: pd.DataFrame, lang_pair: str | None = None) -> tuple[str, str]:
    """Tell the source and the target language of a candidate table, by its first rows.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table.
    lang_pair : str, optional
        What is known already, such as "de-en" or "zh-zh_TW".

    Returns
    -------
    (str, str)
        Codes of two letters; "" where nothing tells. Without the extra ``languages`` only English
        is told, by its words.
    """
    if lang_pair:
        codes = lang_pair.lower().partition("-" if "-" in lang_pair else "_")
        source, target = (re.split("[-_]", code)[0] for code in codes[::2])
        return source, target
    into = "reference" if "reference" in X.columns else "hypothesis"
    return tuple(_language(X, column) for column in ("source", into))


def _language(X, column):
    """Tell the language of a column, if it is there."""
    if column not in X.columns:
        return ""
    X = X.iloc[:_LOOKED_AT]
    cells = check_texts(X, column, several=True)
    lines = list(dict.fromkeys(text for cell in cells for text in cell))
    try:
        return language_of(lines)[0]
    except MissingExtraError:
        return "en" if any(map(str.split, lines)) and is_english(X, column) else ""
