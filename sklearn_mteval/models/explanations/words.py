"""Which words of a reference and a translation have no counterpart on the other side, and where."""

import re
import unicodedata
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.error_spans import ErrorSpan
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.features.lexical._words import unit_vectors
from sklearn_mteval.models.opening import english_vectors
from sklearn_mteval.text.tokenizers import language_of, tokenizer_of
from sklearn_mteval.text.tokens import TokenInterner, flatten

_SIMILAR = 0.5  # least cosine of words that are counterparts
_LONG = 64  # characters of a word that has no spelling to compare, only itself
_REWRITTEN = re.compile(r"&(?:quot|amp|lt|gt);|<skipped>|\n")  # by 13a, into marks or nothing


class WordMarks(NamedTuple):
    """What of a translation and its nearest reference has no counterpart.

    Ranges are (start, end) of characters (code points), counted from 0, the end excluded;
    neighbouring words are one range.
    """

    own: list  # ranges of the translation
    missing: list  # ranges of the reference
    moved: list  # ranges of the translation that stand in another order in the reference
    reference: int | None = None  # which of several references, from 0; None: there is none


class _Words(NamedTuple):
    """The words of texts, without marks."""

    texts: list
    keys: np.ndarray  # words as compared, as integers, text after text
    bounds: np.ndarray  # of each text among them
    starts: np.ndarray  # place of each word in its text
    ends: np.ndarray
    distinct: list  # what the integers stand for


def word_marks(X):
    """Mark the words of each row of a candidate table; nothing where there are no references."""
    if "reference" not in X:
        return [WordMarks([], [], [])] * len(X)
    references = check_texts(X, "reference", several=True)
    return marked_words(references, X["hypothesis"], english_vectors(X))


def unmatched_spans(X):
    """Take words of translations without counterpart for major errors: lists of ErrorSpan."""
    found = [[ErrorSpan(*bounds, "major") for bounds in marks.own] for marks in word_marks(X)]
    return pd.Series(found, X.index, dtype=object)


def marked_words(references, hypotheses, vectors):
    """Mark words of hypotheses, and of the references of each, that have no counterpart.

    Of several references the one that leaves the fewest words counts. Each word has one counterpart
    at most: an equal one, in lower case, or else the most similar one, by ``vectors`` or, if they
    are None, by spelling; of words with digits, in which points and commas are alike, and in texts
    of more than 400 words, only an equal one. Marks are left out.
    """
    both = list(zip(map(tuple, references), hypotheses, strict=True))
    texts = chain.from_iterable((*refs, text) for refs, text in both)
    numbers = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    words = _words_of(list(numbers))
    pairs = {
        (numbers[ref], numbers[text]): None for refs, text in dict.fromkeys(both) for ref in refs
    }
    pairs = {pair: k for k, pair in enumerate(pairs)}
    marks, left = _marks(words, np.array(list(pairs), dtype=np.int64).reshape(-1, 2), vectors)
    found = {}
    for refs, text in dict.fromkeys(both):
        rows = [pairs[numbers[ref], numbers[text]] for ref in refs]
        nearest = min(range(len(rows)), key=lambda k: left[rows[k]], default=None)
        lists = ([], [], []) if nearest is None else marks[rows[nearest]]
        found[refs, text] = WordMarks(*lists, nearest)
    return [found[one] for one in both]


def unmatched_words(reference, translation, vectors):
    """List words of a reference, and of a translation, that are like none of the other side."""
    words = _words_of([reference, translation])
    free, own, _ = _unmatched(words, np.array([[0, 1]]), vectors)
    (start, middle, end) = words.bounds
    texts = (reference, slice(start, middle), free), (translation, slice(middle, end), own)
    return [
        [text[s:e] for s, e in zip(words.starts[at][flag], words.ends[at][flag], strict=True)]
        for text, at, flag in texts
    ]


def _words_of(texts):
    """Find the words of texts and their places."""
    tokens = TokenInterner(tokenizer_of(language_of(texts)), lowercase=False)
    # With characters of the same number in their place, words are where they were.
    as_read = [_REWRITTEN.sub(lambda found: " " * len(found[0]), text) for text in texts]
    ids = [tokens(text) for text in as_read]
    forms, distinct = tokens.words, {}
    keys = [
        distinct.setdefault(form.lower().replace(",", "."), len(distinct))
        if any(map(str.isalnum, form)) else -1
        for form in forms
    ]  # fmt: skip
    found, starts, ends = [], [], []
    for text, numbers in zip(as_read, ids, strict=True):
        at, kept = 0, []
        for number in numbers:
            # Between words are only marks and spaces, so that a word is found where it stands.
            if keys[number] >= 0 and (start := text.find(forms[number], at)) >= 0:
                at = start + len(forms[number])
                kept.append(keys[number])
                starts.append(start)
                ends.append(at)
        found.append(kept)
    places = (np.array(values, dtype=np.int64) for values in (starts, ends))
    return _Words(texts, *flatten(found), *places, list(distinct))


def _units(words, vectors):
    """Return vectors of distinct words to compare by, 0 for what is only like itself."""
    as_read = [word if len(word) <= _LONG else "" for word in words]
    units, _, known = unit_vectors(as_read, vectors)
    sizes = np.array(list(map(len, words)), dtype=np.int64)
    digits = np.array([any(map(str.isdigit, word)) for word in words], dtype=bool)
    units[digits | (sizes > _LONG) | (sizes == 1) & ~known] = 0  # one character has no spelling
    return units


def _unmatched(words, pairs, vectors):
    """Tell of each word of the pairs' references and hypotheses whether it has no counterpart.

    Also of each word of hypotheses whether it moved; all flat, pair after pair.
    """
    from sklearn_mteval.models.explanations._word_kernel import align_words

    texts = words.keys, words.bounds
    units = _units(words.distinct, vectors)
    partners, moved = align_words(*texts, *texts, pairs, units, _SIMILAR)
    sizes = np.diff(words.bounds)[pairs]
    starts = np.cumsum(sizes[:, 0]) - sizes[:, 0]
    free = np.ones(sizes[:, 0].sum(), dtype=bool)
    free[(partners + np.repeat(starts, sizes[:, 1]))[partners >= 0]] = False
    return free, partners < 0, moved


def _marks(words, pairs, vectors):
    """Return ranges of each pair (own, missing, moved), and how many words are unmatched."""
    free, own, moved = _unmatched(words, pairs, vectors)
    lists = [
        _ranges(words, pairs[:, side], flags) for side, flags in ((1, own), (0, free), (1, moved))
    ]
    sizes, left = np.diff(words.bounds)[pairs], np.zeros(len(pairs), dtype=np.int64)
    for side, flags in ((0, free), (1, own)):
        np.add.at(left, np.repeat(np.arange(len(pairs)), sizes[:, side])[flags], 1)
    return list(zip(*lists, strict=True)), left


def _ranges(words, texts, flags):
    """Join flagged neighbours to ranges of characters: a list for each of n texts, by number."""
    sizes = np.diff(words.bounds)[texts]
    row = np.repeat(np.arange(len(texts)), sizes)
    before = np.cumsum(sizes) - sizes
    at = np.arange(len(row)) + np.repeat(words.bounds[texts] - before, sizes)
    joined = np.zeros(len(row), dtype=bool)  # with the word before it
    joined[1:] = flags[1:] & flags[:-1] & (row[1:] == row[:-1])
    first, last = flags & ~joined, flags & ~np.append(joined[1:], False)
    found = [[] for _ in texts]
    places = row[first], words.starts[at[first]], words.ends[at[last]]
    for k, start, end in zip(*(values.tolist() for values in places), strict=True):
        text = words.texts[texts[k]]
        # Signs above and below a letter are no words of their own for a tokeniser of characters.
        while end < len(text) and unicodedata.category(text[end])[0] == "M":
            end += 1
        found[k].append((start, end))
    return found
