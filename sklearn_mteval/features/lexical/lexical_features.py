"""Lexical features of a translation: alignment, order, copies, competitors."""

import json
import warnings
from typing import Any

import numpy as np

from sklearn_mteval._helpers.options import check_boolean, check_one_of
from sklearn_mteval._helpers.restored import is_array, is_number, refusing
from sklearn_mteval.features.lexical._columns import (
    COMPUTED,
    PLACES,
    READS_SOURCE,
    is_competing,
    select_columns,
)
from sklearn_mteval.features.lexical._segments import distinct_translations
from sklearn_mteval.text.transformer import TextTransformer
from sklearn_mteval.text.vectors.word_vectors import WordVectors, load_word_vectors

# The package's vectors know 92 % and more of the running words of English, letters in them, and at
# most half of other languages' (docs/ready_made.md).
_FEW_KNOWN = 0.6
_ENOUGH_WORDS = 200  # fewer tell little
_WEIGHTS = ("idf", "length", "characters")
_LONG_WORD = 10  # characters of words that weigh 1


class LexicalFeatures(TextTransformer):
    """Features of the words of a translation, in named groups; no encoder or program is needed.

    Competing systems with equal translations count once: a copy changes no number of the others.

    Parameters
    ----------
    vectors : path-like, mapping, KeyedVectors, WordVectors or None, default=None
        Word vectors of the target language (see
        :func:`~sklearn_mteval.text.load_word_vectors`); their words are the vocabulary. None:
        words are compared by their spelling, in any language, and none is unknown.
    features : list of str or None, default=None
        Groups or single columns (``unknown`` is the group), in this order; None: all that
        ``use_references`` and ``vectors`` allow, but those of ``characters``.
    use_references : bool, default=True
        Whether references are read. Without, ``alignment``, ``order`` and ``ngrams`` are empty and
        other groups do not have the columns marked †.
    weights : {"idf", "length", "characters"}, default="idf"
        What a word weighs, in [0, 1]: "idf", its inverse document frequency in the distinct
        references (without references: hypotheses) of the fit table; "length", the length of its
        vector, at most 1, for vectors that were trained to have one. Words that these do not have
        weigh 1. "characters": a tenth of its characters, at most 1, in languages, too, that the
        fit table does not have.
    lowercase : bool, default=True
        Whether words are compared in lower case.
    limit : int or None, default=None
        Keep the first so many vectors, and those of the words in the hypotheses and references of
        the fit table. None: keep all.

    Attributes
    ----------
    vectors_ : WordVectors or None
        The vectors.
    word_weights_ : dict
        Inverse document frequency of each word, scaled to [0, 1]; empty with other weights.
    means_ : ndarray of shape (n_output_columns,)
        Means over the distinct training translations that have competitors, 0 if none has: what a
        translation without competitors gets in the columns of ``competing``.

    Raises
    ------
    CandidateError
        If a column of ``competing`` is asked for and the index has no level ``segment``, or the
        rows of a segment differ in their source.

    Notes
    -----
    Words are the first 1,000 of sacreBLEU's 13a. c is the cosine of two words' vectors, 0 if it is
    below; a word is like itself (c = 1). A word without a vector has the mean of its pieces' (such
    as ``##ing``), else one of its spelling: of its character n-grams, n = 2 to 4, each hashed to a
    dimension and a sign.

    What the columns of each group are. A † marks what needs references; "higher" and "lower" say
    which is better, of values in [0, 1] where no other range is named.

    ==================================  ===========================================================
    group and columns                   what they are
    ==================================  ===========================================================
    **alignment** †                     higher
    ``precision``                       mean over the hypothesis's words of the highest c with a
                                        word of the reference
    ``recall``                          the same from the reference's side
    ``f``                               harmonic mean of both
    ``weighted_…``                      the three, words weighted by ``weights``
    ``common_…``                        the three, words weighted by 1 less these; plain means
                                        where all weights are 0
    ``similarity``                      cosine of the two texts' weighted sums, computed from c,
                                        at most 1
    **order** †                         higher
    ``position_…``                      the means of ``alignment`` of c less half the distance of
                                        the two words' places (k + ½)/n, the highest being 0 if it
                                        is below
    ``weighted_position_…``             the same, weighted
    ``pairs_f``                         F of two words in a row, (c[i, j] + c[i+1, j+1]) / 2; 0 if
                                        a text has but one word
    ``context_f``                       F of (c[i, j] + ½ c[i−1, j−1] + ½ c[i+1, j+1]) / 2, c being
                                        0 beyond the ends
    ``monotone``                        proportion of the hypothesis's words whose counterpart by
                                        ``position_precision``, the first of equals, stands after
                                        that of the word before; of the first word: anywhere
    ``adjacent``                        the same, right after; of the first word: first
    **ngrams** †                        higher
    ``1gram_precision`` to ``4gram_…``  proportion of the hypothesis's n-grams that the reference
                                        has, each copy once
    ``1gram_recall`` to ``4gram_…``     proportion of the reference's that the hypothesis has
    **unknown**                         lower; proportions of the hypothesis's words
    ``unknown``                         with a letter and outside the vocabulary; not without
                                        ``vectors``
    ``source_copied``                   of more than three letters and in the source
    ``copied`` †                        of these, not in the reference
    ``unknown_copied``                  unknown, in the source, and not in the reference if there
                                        is one
    **competing**                       higher, unless it says otherwise
    ``competing_…``                     the mean of each ``alignment`` and ``order`` column against
                                        each competing translation in place of a reference
    ``competing_1gram_support`` to      mean proportion of the n-grams that a competitor has,
    ``competing_4gram_support``         however often
    ``competing_unsupported``           proportion of words that no competitor and not the
                                        reference has; lower
    ``competing_missed`` †              mean over the reference's words of the proportion of
                                        competitors that have it, 0 for words that this translation
                                        has; lower
    ``competing_length``                log of the length less the mean of the competitors'; any
                                        number, near 0
    ``competing_length_difference``     its size; lower, from 0
    ``competing_first``                 proportion of competitors that begin with the same word
    **small**                           as each says
    ``digits`` †, ``punctuation`` †     words with a digit, or without letter and digit, that one
                                        side has more often, each surplus copy, over the
                                        reference's length; lower, from 0
    ``first`` †, ``last`` †             c of the first and of the last words; higher
    ``repetition``                      proportion of words that stood before, less the
                                        reference's if there is one; lower
    ``length`` †                        log of the ratio of lengths; any number, near 0
    ``length_difference`` †             its size; lower, from 0
    ==================================  ===========================================================

    The group ``source`` has the same lengths, digits and punctuation, these over the hypothesis's
    length, against the source; 0 if it is empty.

    The group ``characters`` must be asked for. It counts as words are counted, with upper case and
    spaces, but overlapping character trigrams: ``3char_…`` to ``6char_…`` are n-grams of 3 to 6
    characters, ``character_…``, ``source_character_…`` and ``competing_character_…`` what the names
    without ``character_`` say of words, ``character_copied`` and ``source_character_copied`` of
    trigrams of any kind.

    Of several references the one with the highest ``f`` counts, for all columns, the first of
    equals. An empty text has length 1 where lengths are compared. Rows of a segment with other
    references do not compete. The source is read by ``unknown`` and ``source``, the index (segment,
    system) by ``competing``: **other rows of a segment matter** to it, so score all systems of a
    segment together. It is warned of vectors of the package that know less than 60 % of the words.

    References
    ----------
    Zhang et al. 2020 (BERTScore), section 3; Soricut, Bach and Wang 2012 (competing systems);
    Weinberger et al. 2009 (feature hashing).

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import LexicalFeatures
    >>> rows = pd.MultiIndex.from_product([[1], ["A", "B"]], names=["segment", "system"])
    >>> X = pd.DataFrame({"source": "der Hund bellt", "reference": "the dog barks",
    ...                   "hypothesis": ["the dog barks", "der dog barking"]}, index=rows)
    >>> lexical = LexicalFeatures(features=["recall", "monotone", "copied", "competing_recall"])
    >>> lexical.set_output(transform="pandas").fit_transform(X).round(2)
                    recall  monotone  copied  competing_recall
    segment system
    1       A         1.00       1.0     0.0              0.57
            B         0.51       1.0     0.0              0.51
    """

    def __init__(
        self, vectors: Any = None, *, features: list[str] | None = None,
        use_references: bool = True, weights: str = "idf", lowercase: bool = True,
        limit: int | None = None
    ):  # fmt: skip
        self.vectors = vectors
        self.features = features
        self.use_references = use_references
        self.weights = weights
        self.lowercase = lowercase
        self.limit = limit

    def _fit(self, X):
        check_boolean(use_references=self.use_references, lowercase=self.lowercase)
        check_one_of("weights", self.weights, _WEIGHTS)
        if self.weights == "length" and self.vectors is None:
            raise ValueError("weights='length' is the length of vectors: give vectors.")
        names = self._output_names()
        self._remember_table(X, self._columns(names))
        segments = self._segments(X, names)
        self.vectors_ = None
        if self.vectors is not None:
            vocabulary = None if self.limit is None else segments.target_words()
            self.vectors_ = load_word_vectors(self.vectors, limit=self.limit, vocabulary=vocabulary)
        self.word_weights_ = {}
        if self.weights == "idf":
            self.word_weights_ = self._inverse_document_frequencies(segments)
        values, lone = self._values(segments, names)
        values = values[np.setdiff1d(segments.rows, np.flatnonzero(lone))]
        # Sorted, so that the sum does not depend on the order of the rows.
        self.means_ = np.sort(values, axis=0).sum(axis=0) / max(len(values), 1)

    def _transform(self, X):
        names = self._output_names()
        segments = self._segments(X, names)
        values, lone = self._values(segments, names)
        competing = np.array([is_competing(name) for name in names])
        np.copyto(values, self.means_, where=lone[:, np.newaxis] & competing)
        return values[segments.rows]

    def _segments(self, X, names):
        """Read the distinct translations."""
        return distinct_translations(
            X,
            columns=self._columns(names),
            competing=any(map(is_competing, names)),
            lowercase=self.lowercase,
        )

    def _columns(self, names):
        """List the text columns that are read."""
        read = {"source": READS_SOURCE & set(names), "reference": self.use_references}
        return [*(name for name, needed in read.items() if needed), "hypothesis"]

    def _inverse_document_frequencies(self, segments):
        """Weigh words by log((M + 1) / (document frequency + 1)), scaled to [0, 1]."""
        documents = {}
        for s, n_references in enumerate(segments.n_references.tolist()):
            start, end = segments.segment_bounds[s : s + 2]
            for t in range(start, start + n_references if self.use_references else end):
                words = segments.flat[segments.bounds[t] : segments.bounds[t + 1]]
                documents[words.tobytes()] = words
        frequencies = np.zeros(len(segments.words), dtype=np.int64)
        for words in documents.values():
            frequencies[np.unique(words)] += 1
        n = len(documents)
        # Logarithms of one array: those of another could differ in a bit.
        logs = np.log((n + 1) / np.arange(1, n + 2)) / np.log(max(n, 1) + 1)
        found = np.flatnonzero(frequencies).tolist()
        return {segments.words[at]: float(logs[frequencies[at]]) for at in found}

    def _values(self, segments, names):
        """Compute the named columns of each distinct text, and which texts have no competitor."""
        from sklearn_mteval.features.lexical._counts_kernel import count_characters, count_segments
        from sklearn_mteval.features.lexical._kernel import compare_segments
        from sklearn_mteval.features.lexical._words import kinds_of_words, unit_vectors

        texts = (segments.flat, segments.bounds, segments.segment_bounds, segments.n_references)
        words = segments.target_words()
        units, lengths, known = unit_vectors(words, self.vectors_)
        if self.vectors_ is not None and self.vectors_.shipped is not None:
            _warn_of_unknown(words, known, segments.flat)
        if self.weights == "idf":
            weights = np.array([self.word_weights_.get(word, 1.0) for word in words])
        elif self.weights == "characters":
            weights = np.array([min(len(word), _LONG_WORD) / _LONG_WORD for word in words])
        else:
            weights = np.where(known, np.minimum(lengths, 1), 1)
        against, chosen, competing = compare_segments(*texts, units, weights[segments.flat])
        kinds = kinds_of_words(segments.words, ~known)
        sources = segments.sources, segments.source_bounds
        counted = count_segments(*texts, chosen, *sources, kinds)
        n_hypotheses = np.diff(segments.segment_bounds) - segments.n_references
        lone = np.repeat(n_hypotheses < 2, np.diff(segments.segment_bounds))
        values, places = [against, counted, competing], [PLACES[name] for name in names]
        if max(places) >= len(COMPUTED):
            values.append(count_characters(segments, chosen))
        return np.take(np.hstack(values), places, axis=1), lone

    def _output_names(self):
        return select_columns(
            self.features, reference=self.use_references, vocabulary=self.vectors is not None
        )

    def _is_whole(self):
        weights, n_columns = self.word_weights_, len(self._output_names())
        return (
            isinstance(self.vectors_, WordVectors | None)
            and (self.vectors_ is None) == (self.vectors is None)
            and isinstance(self.use_references, bool)
            and isinstance(self.lowercase, bool)
            and (self.weights == "idf" or (self.weights in _WEIGHTS and not weights))
            and is_array(self.means_, (n_columns,), np.float64)
            and type(weights) is dict
            and all(is_number(weight, 0, 1) for weight in weights.values())
        )

    def __getstate__(self):
        # One string and one array, because skops would store a dict as two nodes for each word.
        state = super().__getstate__()
        if "word_weights_" in state:
            weights = state["word_weights_"]
            state["word_weights_"] = [json.dumps(list(weights)), np.array(list(weights.values()))]
        return state

    def __setstate__(self, state):
        if "word_weights_" in state:
            with refusing(self):
                words, weights = state["word_weights_"]
                weights = dict(zip(json.loads(words), weights.tolist(), strict=True))
            state = {**state, "word_weights_": weights}
        super().__setstate__(state)


def _warn_of_unknown(words, known, flat):
    """Warn if English vectors know few of the running words of hypotheses and references."""
    spelt = np.array([any(map(str.isalpha, word)) for word in words], dtype=bool)[flat]
    share = known[flat[spelt]].mean() if spelt.sum() >= _ENOUGH_WORDS else 1.0
    if share < _FEW_KNOWN:
        warnings.warn(
            f"The English vectors know only {share:.0%} of the words of hypotheses and references: "
            "are these of another language? The others are compared by their spelling. For any "
            "language: vectors=None, or the ready-made model 'any'.",
            stacklevel=5,
        )
