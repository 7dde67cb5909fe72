"""Words of a text: where they begin and end, which are names, numbers or content words."""

import re
import unicodedata
from functools import lru_cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from sklearn_mteval._helpers.unspaced import UNSPACED_CHARACTERS

# Of scripts that are written without spaces each character counts as a word.
_WORD = re.compile(rf"[{UNSPACED_CHARACTERS}]|[^\s{UNSPACED_CHARACTERS}]+")
_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_WHOLE_WORD = re.compile(rf"(?<![\w'\u2019-]){_LETTERS.pattern}(?![\w'\u2019-])")
_DIGITS = re.compile(r"(?<![\w.,:])[0-9]+(?:[.,:][0-9]+)*(?!\w)")
# Quotation marks, brackets.
_OPENING = frozenset("\"'\u2018\u2019\u201a\u201c\u201d\u201e\xab\xbb([")
_BEFORE = _OPENING.union(" \t\n\r\xa0*\u2022-")  # may stand before a sentence
_ENDS = frozenset(".!?:;\u2026")

# Words that name a number, in rows within which one can stand for the other.
NUMBER_WORDS = (
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
    ("hundred", "thousand", "million", "billion"),
)
_VALUES = dict(zip(NUMBER_WORDS[0], map(str, range(2, 13)), strict=True))
_VALUES |= zip(NUMBER_WORDS[1], map(str, range(13, 20)), strict=True)
_VALUES |= zip(NUMBER_WORDS[2], map(str, range(20, 100, 10)), strict=True)
_VALUES |= zip(NUMBER_WORDS[3], ("100", "1000", "1000000", "1000000000"), strict=True)
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_NO_NAMES = ENGLISH_STOP_WORDS.union(f"mr mrs ms dr {_DAYS} {_MONTHS}".split())


def spans(text):
    """List where the words of a text begin and end; a word holds a letter or a digit."""
    found = (match.span() for match in _WORD.finditer(text))
    return [(a, z) for a, z in found if any(map(str.isalnum, text[a:z]))]


def without_closing(text):
    """Return a text's length without the spaces and the punctuation that close it."""
    end = len(text)
    while end and (text[end - 1].isspace() or unicodedata.category(text[end - 1])[0] == "P"):
        end -= 1
    return end


def pick(rng, options):
    """Draw one of a sequence; ``Random.random`` alone is the same in all versions of Python."""
    return options[int(rng.random() * len(options))]


def capital(text):
    """Give a text a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def replaced(text, span, word):
    """Put a word in the place of a span of a text."""
    return text[: span[0]] + word + text[span[1] :]


@lru_cache(maxsize=1 << 14)
def numbers(text):
    """List the numbers of a text, as spans: digits, or a number as an English word."""
    found = [match.span() for match in _DIGITS.finditer(text)]
    letters = (match.span() for match in re.finditer(r"[^\W\d_]+", text))
    return found + [(a, z) for a, z in letters if text[a:z].lower() in _VALUES]


def number_key(number):
    """Return what is equal for numbers of equal value: 1,000 is 1.000, seven is 7."""
    return _VALUES.get(number.lower()) or re.sub("[.,:]", "", number)


@lru_cache(maxsize=1 << 14)
def names(text):
    """List the capitalised words of a text, as spans: those within, those that begin a sentence."""
    within, first = [], []
    for match in _LETTERS.finditer(text):
        word = match[0]
        lower = word.lower()
        if len(word) > 1 and word[0].isupper() and lower not in _NO_NAMES:
            (first if begins_sentence(text, match.start()) else within).append(match.span())
    return within, first


def begins_sentence(text, at):
    """Tell whether a sentence, or a quotation, begins at a place."""
    start = at
    while start and text[start - 1] in _BEFORE:
        start -= 1
    quoted = any(character in _OPENING for character in text[start:at])
    return quoted or not start or text[start - 1] in _ENDS


@lru_cache(maxsize=1 << 14)
def content_words(text):
    """List the content words of a text, as spans: lower case, four letters, no stop word."""
    found = (match.span() for match in _WHOLE_WORD.finditer(text))
    words = ((a, z, text[a:z]) for a, z in found if z - a >= 4)
    return [(a, z) for a, z, w in words if w.islower() and w not in ENGLISH_STOP_WORDS]
