"""Counts on the surface of a translation and its source (2012 paper, section 3.4)."""

from collections.abc import Collection
from os import PathLike

import numpy as np

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.options import check_boolean, check_integer
from sklearn_mteval._helpers.restored import is_list_of
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.linguistic.quality_estimation._sides import SIDES, SideTransformer
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import sums_by_text, word_ids

_NAMES = ("tokens", "characters_per_token", "punctuation", "dots", "commas", "unknown_words")


class SurfaceCounts(SideTransformer):
    """Counts of tokens, characters, punctuation and unknown words, of translation and source.

    Parameters
    ----------
    features : list of str or None, default=None
        The output columns wanted, in this order; None: all, ratios only if ``ratios``.
    ratios : bool, default=False
        Whether each number of the translation divided by the source's is a column too.
    vocabulary : path-like, collection of str or None, default=None
        Words of the target language: a file with one word in a line (UTF-8, at most 1 GiB),
        anything that holds words, such as the keys of word vectors, or None: the words that occur
        in the translations of at least ``min_count`` different sources of the table in ``fit``.
    source_vocabulary : path-like, collection of str or None, default=None
        The same for the source language; None: the words of at least ``min_count`` sources.
    min_count : int, default=2
        Used where a vocabulary is None. 1 makes every word of the training data known, and so
        the count 0 in training, and not elsewhere.
    lowercase : bool, default=True
        Whether words are compared in lower case.

    Attributes
    ----------
    vocabularies_ : dict
        From "source" and "hypothesis" to the sorted list of known words, where they are needed.

    Notes
    -----
    Six numbers of the source, then of the translation, with the prefixes ``source_`` and
    ``hypothesis_``, all finite and not negative, neither direction better by itself:

    - ``tokens``: tokens by mteval-v13a's rules (sacreBLEU's "13a");
    - ``characters_per_token``: mean length of a token; 0 of an empty text;
    - ``punctuation``: tokens without a letter or digit;
    - ``dots``, ``commas``: tokens that are "." or ",";
    - ``unknown_words``: tokens with a letter that are not in the vocabulary.

    Ratios are named ``tokens_ratio`` and so on. Where the source's number is 0, the ratio is 1 if
    the translation's is 0 too, else the translation's number. A vocabulary that is learnt counts
    different *sources*, as systems share most of their words.

    References
    ----------
    Avramidis 2012, section 3.4 and Table 3; Specia et al. 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import SurfaceCounts
    >>> X = pd.DataFrame({"source": ["Die Katze schläft."],
    ...                   "hypothesis": ["The cat, she sleept."]})
    >>> names = ["hypothesis_tokens", "hypothesis_unknown_words", "tokens_ratio"]
    >>> words = ["the", "cat", "she", "sleeps"]
    >>> SurfaceCounts(features=names, vocabulary=words).fit_transform(X)
    array([[6. , 1. , 1.5]])
    """

    def __init__(
        self, *, features: list[str] | None = None, ratios: bool = False,
        vocabulary: PathLike | Collection[str] | None = None,
        source_vocabulary: PathLike | Collection[str] | None = None, min_count: int = 2,
        lowercase: bool = True
    ):  # fmt: skip
        self.features = features
        self.ratios = ratios
        self.vocabulary = vocabulary
        self.source_vocabulary = source_vocabulary
        self.min_count = min_count
        self.lowercase = lowercase

    def _fit(self, X):
        check_boolean(lowercase=self.lowercase)
        check_integer("min_count", self.min_count, minimum=1)
        self._remember_sides(X)
        wanted = [name for name in self._output_names() if "unknown_words" in name]
        self.vocabularies_ = {side: self._vocabulary(X, side) for side in self._needed(wanted)}

    def _is_whole(self):
        known = self.vocabularies_
        return set(known) <= set(SIDES) and all(is_list_of(str, words) for words in known.values())

    def _sides(self):
        return SIDES

    def _text_names(self):
        return _NAMES

    def _vocabulary(self, X, side):
        """List the words that are given, or those that occur with enough different sources."""
        option, given = self._side_option("vocabulary", side)
        if given is not None:
            words = _given_words(given, option)
            return sorted({word.lower() for word in words} if self.lowercase else words)
        pairs = dict.fromkeys(zip(check_texts(X, "source"), check_texts(X, side), strict=True))
        of_pair, sources = numbered(source for source, _ in pairs)
        flat, bounds, words = word_ids([text for _, text in pairs], lowercase=self.lowercase)
        segments = np.repeat(of_pair, np.diff(bounds))
        distinct = np.unique(flat * len(sources) + segments) // max(len(sources), 1)
        counts = np.bincount(distinct, minlength=len(words))
        return sorted(words[k] for k in np.flatnonzero(counts >= self.min_count))

    def _text_numbers(self, texts, column):
        """Add up what the distinct words of texts count."""
        flat, bounds, words = word_ids(texts, lowercase=self.lowercase)
        known = set(self.vocabularies_.get(column, ()))
        unknown = [word not in known and any(map(str.isalpha, word)) for word in words]
        of_word = [
            (len(word), not any(map(str.isalnum, word)), word == ".", word == ",", is_unknown)
            for word, is_unknown in zip(words, unknown, strict=True)
        ]
        of_word = np.array(of_word, dtype=np.int64).reshape(-1, 5)
        characters, *counts = sums_by_text(of_word, flat, bounds).T
        tokens = np.diff(bounds)
        return np.column_stack([tokens, ratio(characters, tokens, 0.0), *counts])


def _given_words(words, option):
    """Read a vocabulary that the user gave."""
    if isinstance(words, str | PathLike):
        return set(read_text(words).split())
    if not isinstance(words, Collection) or not all(isinstance(word, str) for word in words):
        raise ValueError(
            f"{option} must be None, a file with a word in each line or a collection of words, "
            f"found {words!r}."
        )
    return set(words)
