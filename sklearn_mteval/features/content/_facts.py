"""What one text says that a translation must keep: numbers, names, negation, words."""

import re
from functools import cached_property

from sklearn_mteval._helpers.memo import Memo
from sklearn_mteval.features.content._numbers import ROMAN, digit_numbers, word_numbers
from sklearn_mteval.features.content._roles import Roles
from sklearn_mteval.features.content._vocabulary import (
    GERMAN,
    IMPLIED_NEGATIONS,
    NEGATING_PREFIXES,
    NEGATIONS,
    NO_NAMES,
    NUMBER_WORDS,
    UNITS,
)
from sklearn_mteval.text.contrasts import language_by_words

FEWEST_LETTERS = 4  # of a word whose inflected forms are told by their beginning

# A capital first, which is found fast, then a look at what stands before it.
_CAPITALISED = re.compile(r"[A-Z](?<![A-Za-z0-9].)[A-Za-z0-9]*")
_PERHAPS_CAPITALISED = re.compile(
    r"[A-Z\u00c0-\U0010ffff](?<=[^\W_])(?<![^\W_].)[^\W_]*", re.DOTALL
)
_DIGIT = re.compile(r"\d")
# After these a sentence, a title or a quotation begins; but not after "Mr." or an initial.
_OPENING = frozenset('.!?:;([|\n"-\u2022\u2026\u00ab\u201c\u201d\u201e\u2018\u2013\u2014')
_ABBREVIATED = re.compile(r"(?:\b\w|\b[Mm]rs?|\b[MmDdSs][rst])\. $")
# "isn't", "is n't", "isn 't"; and what is said with a negation but negates nothing.
_CONTRACTED = re.compile(r"n\s?['\u2019\u00b4`]\s?t(?!\w)")
_NO_NEGATION = re.compile(r"no(?:(?<=\bno)(?:\. ?\d| doubt\b)|(?<=\bor no)t\b)")
_NOT_ONLY = re.compile(r"\bnot (only|just|merely|simply)\b")
_GERMAN_WORDS = 2  # one may be part of an English text
_CLOSING = " \t\"'`)]\u00b4\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e"
_FINAL = (".", "!", "?", ":", ";", "\u2026", "\u3002", "\uff01", "\uff1f")
_SIGNS = re.compile(r"[%$€£]")
# What is part of no word becomes a space.
_SPACES = Memo(lambda code: code if chr(code).isalnum() else ord(" "))
# The same of ASCII, by the byte, which is several times as fast.
_ASCII_SPACES = bytes(_SPACES[code] if code < 128 else 0 for code in range(256))
_ASCII_DIGITS = b"0123456789"
_CUES = NEGATIONS | NUMBER_WORDS
_UNDOING = NEGATIONS | IMPLIED_NEGATIONS | {"non", "lose", "loses", "lost", "losing"}
_CONDITIONS = {"until", "unless", "without", "except", "yet", "but"}  # "cannot enter until …"
_UNIT_WORDS = frozenset(UNITS)


class Facts:
    """What is read of a text; what few texts are asked for is read when it is."""

    def __init__(self, text):
        self.text = text
        self.lower = lower = text.lower()
        if text.isascii():
            code = lower.encode()
            words = code.translate(_ASCII_SPACES).decode().split()
            capitalised = _CAPITALISED.findall(text)
            has_digits = len(code.translate(None, _ASCII_DIGITS)) < len(code)
        else:
            words = lower.translate(_SPACES).split()
            capitalised = _PERHAPS_CAPITALISED.findall(text)
            has_digits = _DIGIT.search(text)
        self.words = known = frozenset(words)
        self.capitalised = frozenset(capitalised) - known
        self.digits = self.numbers = digit_numbers(lower) if has_digits else ()
        self.negations = 0
        cues = known & _CUES
        if cues:
            negating = cues & NEGATIONS
            if negating:
                self.negations = _negations(lower, words, negating)
            if len(negating) < len(cues) and self.is_perhaps_english():
                self.numbers = [*self.digits, *word_numbers(words)]

    def is_perhaps_english(self):
        """Tell whether words may be English: "ten" is Czech for "that"."""
        return self.language == "en" or (not self.language and self.text.isascii())

    @cached_property
    def language(self):
        """The language among those of contrasts, "" if it is none or too little is said."""
        return language_by_words(self.text)

    @cached_property
    def roles(self):
        """Who does what to whom, as an English text says it."""
        return Roles.of(self.text)

    def in_order(self):
        """List the words in lower case."""
        return self.lower.translate(_SPACES).split()

    def begins_small(self):
        """Tell whether the first letter, if no digit stands before it, is a small one."""
        return next(filter(str.isalnum, self.text), "").islower()

    def ends_open(self):
        """Tell whether no mark ends the last sentence, quotes and brackets aside."""
        return not self.text.rstrip(_CLOSING).endswith(_FINAL)

    @cached_property
    def units(self):
        """The units that stand with numbers, or would."""
        found = self.words & _UNIT_WORDS | set(_SIGNS.findall(self.lower))
        return frozenset(UNITS[unit] for unit in found)

    @cached_property
    def names(self):
        """Names in lower case, and how they are written: capitalised, but begin no sentence."""
        names = {}
        is_title = 2 * len(self.capitalised) > len(self.words) + 2
        if is_title or len(self.words & GERMAN) >= _GERMAN_WORDS:
            return names
        pattern = _CAPITALISED if self.text.isascii() else _PERHAPS_CAPITALISED
        for match in pattern.finditer(self.text):
            word = match.group()
            name = word.lower()
            known = name in names or name in NO_NAMES or len(name) < 2
            known |= word not in self.capitalised or bool(ROMAN.fullmatch(word))
            if not known and not self._is_initial(match.start()):
                names[name] = word
        return names

    def _is_initial(self, start):
        """Tell whether a sentence begins at a place of the text."""
        before = self.text[max(start - 6, 0) : start]
        bare = before.rstrip()
        return not bare or (bare[-1] in _OPENING and not _ABBREVIATED.search(before))

    def inflected(self, name):
        """Tell whether there is a word that begins like a name, or "U.S." for "US"."""
        if len(name) < FEWEST_LETTERS:
            return ".".join(name) in self.lower
        return name[:FEWEST_LETTERS] in self._beginnings

    @cached_property
    def _beginnings(self):
        """What long words begin with."""
        return {word[:FEWEST_LETTERS] for word in self.words if len(word) >= FEWEST_LETTERS}

    def negated_words(self):
        """List what follows negations: the first word that is no small one, and what is negated."""
        words, found = self._with_not(), []
        for place, word in enumerate(words):
            if word in NEGATIONS and _CONDITIONS.isdisjoint(words[place + 1 : place + 10]):
                negated = words[place + 1 : place + 5]
                long = (at for at, w in enumerate(negated) if w not in NO_NAMES and len(w) > 2)
                at = next(long, None)
                if at is not None:
                    found.append((negated[at], " ".join([word, *negated[: at + 1]])))
        return found

    def affirms(self, word):
        """Return the form of a word that stands here without anything that negates it, or ""."""
        words = self._with_not()
        for place, other in enumerate(words):
            if _is_form(word, other) and _UNDOING.isdisjoint(
                words[max(place - 5, 0) : place] + words[place + 1 : place + 3]
            ):
                return other
        return ""

    def _with_not(self):
        """List the words in lower case, "n't" as "not"."""
        return _CONTRACTED.sub(" not", self.lower).translate(_SPACES).split()

    def implied_negations(self, other):
        """Count the words that may stand for a negation of another text."""
        return sum(
            word in IMPLIED_NEGATIONS
            or any(word.removeprefix(prefix) in other.words for prefix in NEGATING_PREFIXES)
            or word.endswith("less")
            for word in self.words - other.words
        )

    def needless_negations(self, other):
        """Count what is "not only" here, and not "only" in another text: "both" may stand there."""
        return sum(word not in other.words for word in _NOT_ONLY.findall(self.lower))


def _negations(lower, words, cues):
    """Count the words that negate."""
    count = sum(map(words.count, cues - {"t"}))
    if "t" in cues:
        count += len(_CONTRACTED.findall(lower))
    if "not" in cues or "no" in cues:
        count -= len(_NO_NEGATION.findall(lower))
    return max(count, 0)


def _is_form(one, other):
    """Tell whether two words may be forms of one."""
    least = max(FEWEST_LETTERS, min(len(one), len(other)) - 1)
    return one == other or (len(one) >= least <= len(other) and one[:least] == other[:least])
