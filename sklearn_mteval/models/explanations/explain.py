"""Why a model prefers one translation of a segment to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import shorten
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.shown import Shown
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.classifiers._base import LogOddsClassifier
from sklearn_mteval.classifiers.ensemble import PairEnsemble
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import content_flags
from sklearn_mteval.models.explanations.families import COMPETING, families_of
from sklearn_mteval.models.explanations.shapley import split_decision
from sklearn_mteval.models.explanations.words import unmatched_words
from sklearn_mteval.models.lists import table_and_model
from sklearn_mteval.models.opening import english_vectors
from sklearn_mteval.models.ranking import ranked_rows
from sklearn_mteval.pairwise.answers import Pairs, margins, probabilities, strengths
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.pairwise.pairs import is_of_numbers
from sklearn_mteval.pairwise.ranker import RankRecomposer

_NEAREST = 1e-9  # of probabilities to 0 or 1, so that log-odds are finite
_FEW = 0.005  # values that would be shown as 0.00
_WINDOWS = 4  # whose decisions are split over families, those that count most
_SURE = logit(0.98)  # the decision against what has no counterpart
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
        preferred, and the ``probability`` that it is better, where decisions are log-odds (else
        NaN: they are differences of margins or strengths).
    families : DataFrame of shape (n_pairs * n_families, 1)
        Indexed by ``first``, ``second``, ``family``: the ``value`` that a family of columns adds to
        the decision. Values add up to it.
    columns : DataFrame of shape (n_pairs * n_columns, 3)
        Indexed by ``first``, ``second``, ``family``, ``column``: what both translations have in it,
        ``of_first`` and ``of_second``, and the ``value`` that it adds.
    windows : DataFrame of shape (n_pairs * n_windows, 4)
        Indexed by ``first``, ``second`` and ``window``, from 1: the ``value`` that a window of both
        texts adds to the decision, and its texts, ``anchor`` (of reference or source), ``of_first``
        and ``of_second``. Empty of texts that are judged as a whole.
    words : DataFrame of shape (n_systems, 2)
        Words of the reference without a counterpart in the translation, ``missing``, and of the
        translation without one in the reference, ``own``; empty lists without references.
    flags : Series of length n_systems
        What each translation contradicts, as :func:`content_flags`.
    """

    ranks: pd.DataFrame
    pairs: pd.DataFrame
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
        for who, some in (
            (better, values[values >= _FEW].sort_values(ascending=False)),
            (worse, values[values <= -_FEW].sort_values()),
        ):
            told = [f"{family} {abs(value):+.2f}" for family, value in some.items()]
            lines += [f"  For {who}: {', '.join(told)}."] * bool(told)
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
        Printed, it is a text. Its attributes are tables: ``pairs`` (the decision, in log-odds where
        the model has probabilities), ``families`` and ``columns`` (what spoke for and against),
        ``words`` (of the reference that are missing, and of a translation's own), ``flags``, as of
        :func:`content_flags`, and ``ranks``.

    Raises
    ------
    CandidateError
        For fewer than two translations, or what is no text.
    ValueError
        If the pair is not among the translations, no model can be used, or the model decides by
        texts, whose columns have no mean.

    Notes
    -----
    The decision of a pair, its log-odds, is split over families of columns by Shapley values. A
    family that is not told has the same numbers, the means of the pair, in both translations; its
    value is what it adds to the decision, on average over all orders of telling. Values add up to
    the decision; those of a linear model are coefficients times differences. Up to ten families
    that differ are computed exactly, more by 128 orders, drawn with a fixed seed; so are single
    columns. A family tells what the *model* looked at, not what is wrong with a translation: what
    ``flags`` say may have weighed little.

    Words have a counterpart if they are equal or similar, by the vectors that come with the
    package, if references are English, or by spelling. The model may align otherwise.

    References
    ----------
    Shapley 1953, *A value for n-person games*. Owen 1977, *Values of games with a priori unions*.
    Lundberg and Lee 2017, *A unified approach to interpreting model predictions*.

    Examples
    --------
    >>> from sklearn_mteval.models import explain
    >>> texts = {"A": "The dog does not bark.", "B": "The dog barks."}
    >>> found = explain("Der Hund bellt nicht.", texts, "The dog is not barking.",
    ...                 model="static-en")
    >>> found.flags["B"]
    ['negation of the reference is missing']
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
    if pair is not None and not (len(set(pair)) == len(pair) == 2 and set(pair) <= set(names)):
        raise ValueError(f"pair={pair!r} must be two of the translations {list(names)}.")
    best = ranks["rank"].idxmin()
    pairs = [tuple(pair)] if pair is not None else [(best, name) for name in names if name != best]
    table, ranker = judged.table, judged.ranker
    if not is_of_numbers(table):
        texts = [name for name, dtype in table.dtypes.items() if dtype.kind not in "iufb"]
        raise ValueError(
            f"{type(ranker).__name__} decides by the column {texts[0]!r}, which is not of numbers: "
            "only decisions by numbers can be split. Explain a model of numeric features."
        )
    split = _Split(model, judged)
    decisions, of_families, of_columns, of_windows = {}, {}, [], []
    for both in pairs:
        found = split.of_pair(*map(list(names).index, both))
        tells = _tells_log_odds(ranker)
        decisions[both] = found.decision, expit(found.decision) if tells else np.nan
        of_families |= {(*both, family): value for family, value in found.families.items()}
        told = zip(split.families, table.columns, *found.columns, strict=True)
        of_columns += [(*both, *one) for one in told]
        of_windows += [(*both, *one) for one in found.windows]
    levels = ["first", "second", "family", "column"]
    return Explanation(
        ranks,
        _indexed([(*key, *value) for key, value in decisions.items()], levels[:2],
                 ["decision", "probability"]),
        _indexed([(*key, value) for key, value in of_families.items()], levels[:3], ["value"]),
        _indexed(of_columns, levels, ["of_first", "of_second", "value"]),
        _indexed(of_windows, [*levels[:2], "window"],
                 ["value", "anchor", "of_first", "of_second"]),
        _words(X).set_axis(names),
        _flags(X).set_axis(names),
    )  # fmt: skip


class _OfPair(NamedTuple):
    """A decision and what it is made of; columns have values of both rows, and what they add."""

    decision: float
    families: dict
    columns: tuple
    windows: list


class _Split:
    """Splits decisions of pairs of rows, over windows first where texts are judged in windows."""

    def __init__(self, model, judged):
        self._judged, table = judged, judged.table
        self.families = families_of(model, table.columns)
        self._decide = _deciding(judged.ranker, table.columns, table.index.names)

    def of_pair(self, i, j):
        """Split the decision between two rows of the candidate table."""
        windows, table = self._judged.windows, self._judged.table
        if windows is None:
            first, second = table.to_numpy(np.float64)[[i, j]]
            decision, values, columns = split_decision(self._decide, first, second, self.families)
            return _OfPair(decision, values, (first, second, columns), [])
        (take, weights), (other, _) = map(self._judged.windows_of_row, (i, j))
        if len(take) != len(other):
            raise ValueError("Translations with different references share no windows.")
        added = windows.added[[i, j]]
        weights = weights / (weights.sum() + added.sum())
        rows = table.iloc[take].to_numpy(np.float64), table.iloc[other].to_numpy(np.float64)
        parts = weights * self._decide(*rows)
        values, columns = {}, np.zeros((3, table.shape[1]))
        for k in np.argsort(-np.abs(parts), kind="stable")[:_WINDOWS].tolist():
            _, found, of_columns = split_decision(
                self._decide, rows[0][k], rows[1][k], self.families
            )
            for family, value in found.items():
                values[family] = values.get(family, 0.0) + weights[k] * value
            columns += weights[k] * np.array([rows[0][k], rows[1][k], of_columns])
        rest = parts.sum() - sum(values.values())
        if len(parts) > _WINDOWS:
            values[f"the other {len(parts) - _WINDOWS} windows"] = rest
        lost = (
            _SURE * (added[1] - added[0]) / (added.sum() + self._judged.windows_of_row(i)[1].sum())
        )
        if lost:
            values["sentences without counterpart"] = lost
        of_windows = [
            (k + 1, part, *self._texts(take[k], other[k])) for k, part in enumerate(parts.tolist())
        ]
        return _OfPair(parts.sum() + lost, values, tuple(columns), of_windows)

    def _texts(self, i, j):
        """Return the texts of two windows: the anchor's, and both translations'."""
        texts = self._judged.windows.table
        anchor = texts[self._judged.anchor].iloc[i]
        anchor = anchor if isinstance(anchor, str) else anchor[0]
        return anchor, texts["hypothesis"].iloc[i], texts["hypothesis"].iloc[j]


def _indexed(rows, levels, columns):
    """Make a table of rows, their first cells as index."""
    return pd.DataFrame(rows, columns=[*levels, *columns]).set_index(levels)


def _tells_log_odds(ranker):
    """Tell whether decisions on pairs are log-odds."""
    return isinstance(ranker, RankRecomposer) and hasattr(ranker.estimator_, "predict_proba")


def _deciding(ranker, columns, levels):
    """Return a function that tells how far the first translation of each pair is preferred.

    Of features of both, shape (n_pairs, n_columns), it makes an array of shape (n_pairs,). Log-odds
    of both directions are averaged, so that exchanging them changes the sign.
    """
    estimator = getattr(ranker, "estimator_", None)
    if isinstance(estimator, PairEnsemble):  # ranking has checked the numbers, signs are exact
        return lambda first, second: estimator._log_odds_of_differences(first - second)
    return partial(_decisions, ranker, columns, levels)


def _decisions(ranker, columns, levels, first, second):
    """Ask a ranker, or its classifier, about a table of pairs."""
    n = len(first)
    labels = [np.tile(np.arange(n), 2) for _ in levels]
    labels[list(levels).index("system")] = np.repeat([0, 1], n)
    index = pd.MultiIndex.from_arrays(labels, names=levels)
    table = pd.DataFrame(np.vstack([first, second]), index, columns)
    if not isinstance(ranker, RankRecomposer):
        ahead, behind = np.split(strengths(ranker, table), 2)
        return ahead - behind
    estimator, (i, j) = ranker.estimator_, np.split(np.arange(2 * n), 2)
    forth, back = (_asked(Pairs(estimator, table, *rows, "system")) for rows in ((i, j), (j, i)))
    return (forth - back) / 2


def _asked(pairs):
    """Return log-odds that t1 is better, or margins."""
    estimator = pairs.estimator
    if len(estimator.classes_) == 2 and isinstance(estimator, LogOddsClassifier):
        return margins(pairs)
    if pairs.log_odds is not None:
        return pairs.log_odds
    if hasattr(estimator, "predict_proba"):
        return logit(np.clip(probabilities(pairs), _NEAREST, 1 - _NEAREST))
    return margins(pairs)


def _words(X):
    """Find words without counterparts; of several references, in the one that leaves the fewest."""
    found = [([], [])] * len(X)
    if "reference" in X:
        vectors = english_vectors(X)
        cells = zip(check_texts(X, "reference", several=True), X["hypothesis"], strict=True)
        found = [
            min((unmatched_words(reference, text, vectors) for reference in references), key=_size)
            for references, text in cells
        ]
    return pd.DataFrame(found, columns=["missing", "own"])


def _size(lists):
    """Count words of both sides."""
    return sum(map(len, lists))


def _flags(X):
    """Say what translations contradict; nothing where there is nothing to compare with."""
    if {"source", "reference"} & set(X.columns):
        return content_flags(X)
    return pd.Series([[] for _ in range(len(X))], dtype=object)
