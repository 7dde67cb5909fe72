"""Why a model prefers one translation of a segment to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.shown import Shown
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import content_flags
from sklearn_mteval.models.explanations.differences import differences_of
from sklearn_mteval.models.explanations.families import COMPETING, in_order, is_of_wording
from sklearn_mteval.models.explanations.shapley import Split
from sklearn_mteval.models.explanations.words import unmatched_words, word_marks
from sklearn_mteval.models.lists import table_and_model
from sklearn_mteval.models.opening import english_vectors
from sklearn_mteval.models.ranking import ranked_rows, tells_probabilities
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.pairwise.pairs import not_of_numbers

_FEW = 0.005  # values that would be shown as 0.00
_SHOWN = 60  # characters of a window


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """Why a model prefers translations of one segment; ``str`` says it in sentences.

    Attributes
    ----------
    ranks : DataFrame of shape (n_systems, 3)
        ``rank``, ``strength``, ``score`` of each translation, as :func:`rank_candidates`.
    pairs : DataFrame of shape (n_pairs, 2)
        Indexed by ``first`` and ``second``: the ``decision``, positive where the first is
        preferred, and the ``probability`` that it is better (NaN where decisions are no log-odds).
    differences : DataFrame of shape (n_pairs, 2)
        Indexed by ``first`` and ``second``: what speaks ``against_first`` and ``against_second``,
        lists of sentences on what one has and the other has not, found by rules, not by the model.
    families : DataFrame of shape (n_pairs * n_families, 1)
        Indexed by ``first``, ``second``, ``family``: the ``value`` that a family of columns adds to
        the decision. Values add up to it.
    columns : DataFrame of shape (n_pairs * n_columns, 3)
        Indexed by ``first``, ``second``, ``family``, ``column``: what both translations have in it,
        ``of_first`` and ``of_second``, and the ``value`` that it adds.
    windows : DataFrame of shape (n_pairs * n_windows, 4)
        Indexed by ``first``, ``second`` and ``window``, from 1: the ``value`` that it adds to the
        decision, and its texts, ``anchor`` (of reference or source), ``of_first`` and
        ``of_second``. Empty of texts that are judged as a whole.
    words : DataFrame of shape (n_systems, 2)
        Words of the reference without a counterpart in the translation, ``missing``, and of the
        translation without one in the reference, ``own``; empty lists without references.
    flags : Series of length n_systems
        What each translation contradicts, as :func:`content_flags`.
    """

    ranks: pd.DataFrame
    pairs: pd.DataFrame
    differences: pd.DataFrame
    families: pd.DataFrame
    columns: pd.DataFrame
    windows: pd.DataFrame
    words: pd.DataFrame
    flags: pd.Series

    def __str__(self):
        paragraphs = [self._of_pair(*pair) for pair in self.pairs.index]
        if len(self.ranks) == 2 and COMPETING in self.families.index.get_level_values("family"):
            paragraphs.append(f"  Of two, {COMPETING} tells little: give all of the segment.")
        return "\n".join([*paragraphs, *map(self._of_translation, self.words.index)])

    __repr__ = __str__

    def _of_pair(self, first, second):
        """Say who is preferred, and what speaks for and against."""
        decision, probability = self.pairs.loc[(first, second)]
        values = self.families["value"].xs((first, second), level=("first", "second"))
        if decision == 0:
            return f"{first} and {second} are equal to the model."
        better, worse = (first, second) if decision > 0 else (second, first)
        values = values if decision > 0 else -values
        sure = f" (probability {max(probability, 1 - probability):.2f})"
        lines = [f"{better} beats {worse}{'' if np.isnan(probability) else sure}."]
        against = self.differences.loc[(first, second)]
        sides = [against["against_second"], against["against_first"]][:: 1 if decision > 0 else -1]
        for who, sentences in zip((worse, better), sides, strict=True):
            lines += [f"  Against {who}: {'; '.join(sentences)}."] * bool(sentences)
        for who, some in zip((better, worse), in_order(values), strict=True):
            lines += _of_families(who, some[some.abs() >= _FEW])
        lines += self._of_windows(first, second, better)
        return "\n".join(lines)

    def _of_windows(self, first, second, better):
        """Say which window decided, if there are several."""
        if not len(self.windows):
            return []
        parts = self.windows.xs((first, second), level=("first", "second"))
        value = parts["value"] if better == first else -parts["value"]
        number = value.idxmax()
        if value[number] < _FEW:
            return []
        texts = (shorten(parts.loc[number, of], _SHOWN) for of in ("of_first", "of_second"))
        told = " | ".join(
            f"{who}: {text!r}" for who, text in zip((first, second), texts, strict=True)
        )
        return [f"  Window {number} of {len(parts)} decided most ({value[number]:+.2f}). {told}"]

    def _of_translation(self, name):
        """Say which words of a translation have no counterpart, and what it contradicts."""
        missing, own = self.words.loc[name, ["missing", "own"]]
        parts = [f"Words missing: {', '.join(missing)}."] * bool(missing)
        parts += [f"Words added: {', '.join(own)}."] * bool(own)
        parts += [f"Flags: {'; '.join(self.flags[name])}."] * bool(self.flags[name])
        return f"{name}: {' '.join(parts) or 'No word is without counterpart, and no flag.'}"


def _of_families(who, values):
    """Say which families of columns speak for a translation, those on wording apart."""
    told = {False: [], True: []}
    for family, value in values.items():
        told[is_of_wording(family)].append(f"{family} {abs(value):+.2f}")
    parts = [", ".join(told[False])] * bool(told[False])
    parts += [f"by wording only: {', '.join(told[True])}"] * bool(told[True])
    return [f"  The model for {who}: {'; '.join(parts)}."] * bool(parts)


def explain(
    source: str | None, translations: Mapping[str, str],
    reference: str | Sequence[str] | None = None, *, model: PathLike | BaseEstimator | None = None,
    pair: tuple[str, str] | None = None
) -> Explanation:  # fmt: skip
    """Explain why a model prefers one translation of a segment to another.

    Parameters
    ----------
    source : str or None
        What was translated; None: not at hand.
    translations : mapping of str to str
        Two translations or more, by the names of their systems.
    reference : str or sequence of str, optional
        A reference, or several.
    model : path-like or fitted estimator, optional
        As for :func:`open_model`; None: the best one that can be used for these texts.
    pair : tuple of two str, optional
        Names of the translations to compare. None: the best one with each of the others.

    Returns
    -------
    Explanation
        Printed, it is a text. Its attributes are tables: ``pairs``, ``differences``,
        ``families`` and ``columns``, ``windows``, ``words``, ``flags`` and ``ranks``.

    Raises
    ------
    CandidateError
        For fewer than two translations, or what is no text.
    ValueError
        If the pair is not among the translations, no model can be used, or the model decides by
        texts, whose columns have no mean.

    Notes
    -----
    The decision of a pair, its log-odds, is split over families of columns by Shapley values: what
    a family adds on average over all orders of telling, untold ones having the means of the pair in
    both translations. Of linear models and boosted trees, those of all ready-made models, families
    are computed exactly; of others up to ten that differ. More, and single columns, are by 128
    orders, drawn with a fixed seed. A family tells what the *model* looked at, not what is wrong
    with a translation.

    References
    ----------
    Shapley 1953, *A value for n-person games*. Owen 1977, *Values of games with a priori unions*.
    Lundberg and Lee 2017, *A unified approach to interpreting model predictions*. Lundberg et al.
    2020, *From local explanations to global understanding with explainable AI for trees*.

    Examples
    --------
    >>> from sklearn_mteval.models import explain
    >>> texts = {"A": "The dog does not bark.", "B": "The dog barks."}
    >>> found = explain("Der Hund bellt nicht.", texts, "The dog is not barking.",
    ...                 model="static-en")
    >>> found.flags["B"]
    ['negation: not barking in the reference, barks here']
    >>> bool(abs(found.families["value"].sum() - found.pairs["decision"].sum()) < 1e-9)
    True
    """
    if not isinstance(translations, Mapping) or len(translations) < 2:
        raise CandidateError(
            "translations must be two texts or more, by system: {'A': 'The dog.', 'B': 'A dog.'}."
        )
    for name, text in translations.items():
        if not isinstance(text, str):
            raise CandidateError(
                f"translations[{name!r}] must be one text, found {type(text).__name__}: one "
                "segment is explained at a time."
            )
    texts = {name: [text] for name, text in translations.items()}
    sources = None if source is None else [source]
    references = None if reference is None else [reference]
    X, model = table_and_model(sources, texts, references, model)
    return explain_segment(model, X, pair)


def explain_segment(model, X, pair=None):
    """Explain the decisions of a fitted model on a candidate table of one segment."""
    names = X.index.get_level_values("system")
    judged = Judged(model, X)
    ranks, competitors = ranked_rows(judged, X)
    if competitors is not None:
        competitors.check()
        competitors.warn()
    ranks = ranks.set_axis(names)
    pairs = _pairs_of(ranks["rank"], pair)
    if texts := not_of_numbers(judged.table):
        raise ValueError(
            f"{type(judged.ranker).__name__} decides by the column {texts[0]!r}, which is not of "
            "numbers: only decisions by numbers can be split. Explain a model of numeric features."
        )
    split, log_odds = Split(model, judged), tells_probabilities(judged.ranker)
    decisions, of_families, of_columns, of_windows = [], [], [], []
    for both in pairs:
        found = split.of_pair(*map(list(names).index, both))
        decisions.append((*both, found.decision, expit(found.decision) if log_odds else np.nan))
        of_families += [(*both, family, value) for family, value in found.families.items()]
        told = zip(split.families, judged.table.columns, *found.columns, strict=True)
        of_columns += [(*both, *one) for one in told]
        of_windows += [(*both, *one) for one in found.windows]
    flags = pd.Series([[] for _ in names], dtype=object)  # where there is nothing to compare with
    if {"source", "reference"} & set(X.columns):
        flags = content_flags(X)
    words, marks, at = _words(X).set_axis(names), word_marks(X), list(names).index
    differences = [
        (*both, *(differences_of(X, words, marks, flags, *map(at, order))
                  for order in (both, both[::-1])))
        for both in pairs
    ]  # fmt: skip
    levels = ["first", "second", "family", "column"]
    return Explanation(
        ranks,
        _indexed(decisions, levels[:2], ["decision", "probability"]),
        _indexed(differences, levels[:2], ["against_first", "against_second"]),
        _indexed(of_families, levels[:3], ["value"]),
        _indexed(of_columns, levels, ["of_first", "of_second", "value"]),
        _indexed(of_windows, [*levels[:2], "window"],
                 ["value", "anchor", "of_first", "of_second"]),
        words,
        flags.set_axis(names),
    )  # fmt: skip


def _pairs_of(ranks, pair):
    """List the pair, which must be of translations, or the best one with each of the others."""
    names = ranks.index
    if pair is None:
        best = ranks.idxmin()
        return [(best, name) for name in names if name != best]
    if not (len(set(pair)) == len(pair) == 2 and set(pair) <= set(names)):
        raise ValueError(f"pair={pair!r} must be two of the translations {list(names)}.")
    return [tuple(pair)]


def _indexed(rows, levels, columns):
    """Make a table of rows, their first cells as index."""
    return pd.DataFrame(rows, columns=[*levels, *columns]).set_index(levels)


def _words(X):
    """Find words without counterparts; of several references, in the one that leaves the fewest."""
    found = [([], [])] * len(X)
    if "reference" in X:
        vectors = english_vectors(X)
        cells = zip(check_texts(X, "reference", several=True), X["hypothesis"], strict=True)
        of_each = ([unmatched_words(ref, text, vectors) for ref in refs] for refs, text in cells)
        found = [min(words, key=lambda both: sum(map(len, both))) for words in of_each]
    return pd.DataFrame(found, columns=["missing", "own"])
