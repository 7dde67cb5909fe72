"""Errors that are seen on the surface: letters, marks, markup, repetition, length."""

# ruff: noqa: RUF001 - marks are what this is about
import re
from itertools import pairwise
from math import log
from unicodedata import name as character_name

import numpy as np

from sklearn_mteval._helpers.memo import Memo
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.features.content._facts import Facts
from sklearn_mteval.text.sentences import sentences, width
from sklearn_mteval.text.transformer import TextTransformer, check_names

_MOST = 3  # of a count; more is as bad
_FEW = 3  # letters that may be an abbreviation
_RUN = 4  # words, or Chinese characters, that are the same twice
_MARKUP = re.compile(
    r"&(?:#\w{1,8}|[A-Za-z]\w{1,31});|</?[A-Za-z][^<>]*>|\*\*|`+|[{}\\|]|^#+ ", re.M
)
_MARKS = {
    "colons": re.compile("[:：]"),
    "quotes": re.compile("[\"“”„‟«»「」『』″]|''"),
    "brackets": re.compile(r"[()\[\]（）]"),
}
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
# UTF-8 read as Latin-1 or Windows-1252: what begins and goes on a character of several bytes.
_BYTES = {bytes([k]).decode("cp1252", "ignore"): k for k in range(128, 256)} | {
    chr(k): k for k in range(128, 256)
}
_MISREAD = re.compile(
    "[ÂÃÄÅÎÏÐÑ×ØÙàáâãäåæçèéêëìíïð]"
    f"[{''.join(re.escape(c) for c, k in _BYTES.items() if c and k < 0xC0)}]+"
)
_ALIKE = ({"LATIN", "CYRILLIC"}, {"LATIN", "GREEK"})  # a letter looks like one of the other
_ONE_SYSTEM = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "HANGUL": "CJK"}


def _script_of(char):
    """Return the script of a letter, the empty text for what is none."""
    if not char.isalpha():
        return ""
    script = character_name(char, "UNKNOWN").partition(" ")[0]
    return _ONE_SYSTEM.get(script, script)


_SCRIPTS = Memo(_script_of)
NAMES = (
    "capitals_missing", "capitals_only", "beginning_small", "ending_open", "markup_extra",
    "misread", "repeated", "other_script", "shorter", "longer", "sentences_extra", "lines_extra",
    "names_missing", *(f"{kind}_extra" for kind in _MARKS),
)  # fmt: skip


class SurfaceErrors(TextTransformer):
    """Tell by letters, marks, markup and length what can hardly be a translation of its source.

    Each translation is compared with its source, row by row, without knowing either language.

    Parameters
    ----------
    features : list of str or None, default=None
        Columns, in this order. None: all.

    Notes
    -----
    All columns are at least 0, lower is better. Texts should be as they were written: entities and
    wrong encodings are undone by :class:`NormalizeText`. What the source has as well is no error;
    where a table has no column ``source``, or its text is empty, what compares with it is 0.

    ====================  =========================================================================
    column                what it tells
    ====================  =========================================================================
    ``capitals_missing``  1 if no letter is a capital, but some of the source, or it has no case
    ``capitals_only``     1 if nearly all letters are capitals, and most of the source are not
    ``beginning_small``   1 if the first letter is small, and that of the source is not
    ``ending_open``       1 if no mark ends the last sentence, and one ends that of the source
    ``markup_extra``      HTML entities, tags, marks of Markdown and braces, at most 3
    ``misread``           characters of UTF-8 that were read as another encoding, at most 3
    ``repeated``          proportion of sequences of four words that were there before
    ``other_script``      proportion of letters of another script than most; Latin words may be
                          among others, but not within a Russian or Greek word
    ``shorter``           logarithm of source's width / translation's, at least 0
    ``longer``            logarithm of translation's width / source's, at least 0
    ``sentences_extra``   sentences more than the source has, at most 3
    ``lines_extra``       the same of lines
    ``names_missing``     proportion of the source's names that a translation in Latin letters does
                          not have, nor a word that begins like them
    ``colons_extra``      colons more than the source has, at most 3
    ``quotes_extra``      the same of quotes
    ``brackets_extra``    the same of round and square brackets
    ====================  =========================================================================

    The width of a text is the number of its letters, those of scripts with wide ones weighed.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import SurfaceErrors
    >>> X = pd.DataFrame({"source": "The cat sat.",
    ...                   "hypothesis": ["Die Katze saß.", "die&nbsp;katze&nbsp;saß",
    ...                                  "Ok: Die Katze saÃŸ."]})
    >>> errors = SurfaceErrors().set_output(transform="pandas").fit_transform(X)
    >>> errors[["capitals_missing", "ending_open", "markup_extra", "misread", "colons_extra"]]
       capitals_missing  ending_open  markup_extra  misread  colons_extra
    0               0.0          0.0           0.0      0.0           0.0
    1               1.0          1.0           2.0      0.0           0.0
    2               0.0          0.0           0.0      1.0           1.0
    """

    def __init__(self, *, features: list[str] | None = None):
        self.features = features

    def _fit(self, X):
        if self.features is not None:
            check_names("features", self.features, NAMES)
        self._remember_table(X, ["hypothesis", *(["source"] if "source" in X else [])])

    def _is_whole(self):
        return self.features is None or set(self.features) <= set(NAMES)

    def _output_names(self):
        return list(NAMES if self.features is None else self.features)

    def _transform(self, X):
        hypotheses = check_texts(X, "hypothesis")
        sources = check_texts(X, "source") if "source" in X else [""] * len(hypotheses)
        surfaces = Memo(_Surface)
        errors = Memo(lambda pair: _errors(*map(surfaces.__getitem__, pair)))
        found = [errors[pair] for pair in zip(sources, hypotheses, strict=True)]
        found = np.array(found, dtype=np.float64).reshape(len(found), len(NAMES))
        return found[:, [NAMES.index(name) for name in self._output_names()]]


class _Surface:
    """What is seen of one text."""

    def __init__(self, text):
        self.text, self.facts = text, Facts(text)
        self.small = sum(map(str.islower, text))
        self.large = sum(map(str.isupper, text))
        self.marks = [len(pattern.findall(text)) for pattern in _MARKS.values()]
        self.markup = len(_MARKUP.findall(text))
        self.sentences = len(sentences(text))
        self.lines = len(text.strip().splitlines())
        self.width = width(text.strip())
        self.misread = _misread(text)
        tokens = _TOKEN.findall(text.lower())
        runs = [tuple(tokens[k : k + _RUN]) for k in range(len(tokens) - _RUN + 1)]
        self.repeated = 1 - len(set(runs)) / len(runs) if runs else 0.0
        self.scripts = [_SCRIPTS[char] for char in text]


def _errors(source, found):
    """Return the columns of a translation."""
    there = bool(source.text.strip())
    return [
        found.small > 1 and not found.large and (source.large > 0 or not source.small),
        found.large > _FEW and found.small < found.large / 4 and source.small > source.large,
        found.facts.begins_small() and not source.facts.begins_small(),
        there and found.facts.ends_open() and not source.facts.ends_open(),
        _further(source.markup, found.markup),
        _further(source.misread, found.misread),
        max(found.repeated - source.repeated, 0.0),
        _other_script(found),
        *_lengths(source, found),
        there and _further(source.sentences, found.sentences),
        there and _further(source.lines, found.lines),
        _names_missing(source, found),
        *(there and _further(*both) for both in zip(source.marks, found.marks, strict=True)),
    ]


def _further(wanted, has):
    """Return how many more there are than are wanted, up to some."""
    return min(max(has - wanted, 0), _MOST)


def _lengths(source, found):
    """Return by what a translation is shorter and longer than its source, as logarithms."""
    if not source.width:
        return 0.0, 0.0
    ratio = log((1 + found.width) / (1 + source.width))
    return max(-ratio, 0.0), max(ratio, 0.0)


def _misread(text):
    """Count characters that were one in UTF-8, and were read as several."""
    count = text.count("\ufffd")
    for match in _MISREAD.finditer(text) if not text.isascii() else ():
        try:
            bytes(_BYTES[char] for char in match.group()).decode()
        except UnicodeDecodeError:
            continue
        count += 1
    return count


def _other_script(found):
    """Return the share of letters of another script than most are of, Latin words aside."""
    counts = {s: found.scripts.count(s) for s in set(found.scripts) - {"", "LATIN"}}
    if not counts:
        return 0.0
    latin, main = found.scripts.count("LATIN"), max(counts.values())
    total = latin + sum(counts.values())
    others = sum(counts.values()) - (main if main >= latin else 0)
    mixed = sum(set(both) in _ALIKE for both in pairwise(found.scripts))
    return min((others + mixed) / total, 1.0)


def _names_missing(source, found):
    """Return the share of the source's names that a translation in Latin letters does not have."""
    names = source.facts.names
    if not names or "LATIN" not in found.scripts:
        return 0.0
    return np.mean([n not in found.facts.words and not found.facts.inflected(n) for n in names])
