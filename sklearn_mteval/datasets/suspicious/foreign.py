"""Files of another language than they should be, or of several.

That two files are of one language shows in how often they have which words: on all test sets of
WMT12 to WMT24 and others at hand the cosine of these counts is 0.54 and more for 20 lines of one
language, and 0.28 and less for those of two. Which language it is says a model, where it is there.
"""

from collections import Counter
from functools import cached_property
from itertools import combinations
from math import sqrt

from sklearn_mteval._helpers.extras import MissingExtraError
from sklearn_mteval.datasets.suspicious.lines import REFERENCES, SOURCES, words
from sklearn_mteval.text.languages import identify, is_known, language_of, same_language

_ENOUGH = 80  # words of a file, to count them
_LEAST = 20  # words, to ask the model
_DIFFERENT = 4  # words, so that they are of a language
_SAME, _OTHER = 0.5, 0.4  # cosines; in between nothing is said
_LONG = 40  # characters of a line whose language is told by itself
_SEVERAL = 0.15  # of the long lines that are in a second language
_FEW = 3
_LINES = 60  # whose language is told, of each file
_SYSTEMS = 20  # that are compared with each other, or whose lines are told


class Languages:
    """The languages of the parts of a sample."""

    def __init__(self, lines):
        self._lines = {name: part for name, (_, part) in lines.items() if part}
        self._counts = {name: _word_counts(part) for name, part in self._lines.items()}
        self.systems = [name for name in self._lines if name not in (SOURCES, REFERENCES)]

    @cached_property
    def codes(self):
        """The language of each part, "" where that is not known."""
        try:
            return {
                name: language_of(part)[0] if self._counts[name].total() >= _LEAST else ""
                for name, part in self._lines.items()
            }
        except MissingExtraError:
            return dict.fromkeys(self._lines, "")

    def same(self, one, other):
        """Tell whether two parts are of one language; None: unknown."""
        if not {one, other} <= self._lines.keys():
            return None
        if self.codes[one] and self.codes[other]:
            return same_language(self.codes[one], self.codes[other])
        counts = self._counts[one], self._counts[other]
        if any(len(some) < _DIFFERENT or some.total() < _ENOUGH for some in counts):
            return None
        cosine = _cosine(*counts)
        return True if cosine > _SAME else False if cosine < _OTHER else None

    def shown(self, name):
        """Write the name of a part, and its language if known."""
        code = self.codes.get(name)
        return f"{name} ({code})" if code else name

    def several(self, name):
        """Return the two languages that most lines of a part are of, and how many; "" if one."""
        long = [line for line in self._lines.get(name, ()) if len(line) >= _LONG]
        try:
            some = long[:: 1 + len(long) // _LINES]
            told = Counter(code for code, _ in identify(some) if code)
        except MissingExtraError:
            return ""
        most = told.most_common(2)
        if len(most) < 2 or same_language(most[0][0], most[1][0]):
            return ""
        few = max(_FEW, _SEVERAL * told.total())
        return " and ".join(f"{n} {code}" for code, n in most) if most[1][1] >= few else ""


def _word_counts(lines):
    """Count words but those of one letter, where the script parts words."""
    return Counter(
        word
        for line in lines
        for word in words(line)
        if word.isalpha() and (len(word) > 1 or word > "\u0e00")
    )


def _cosine(one, other):
    """Return the cosine of two counts."""
    product = sum(n * other[word] for word, n in one.items() if word in other)
    norms = sum(n * n for n in one.values()) * sum(n * n for n in other.values())
    return product / sqrt(max(norms, 1))


def foreign(lines: dict, expected=("", "")) -> list[str]:
    """Say which parts of a sample seem to be of another language than they should be.

    ``expected`` are the languages of sources and translations, "" if unknown.
    """
    languages = Languages(lines)
    systems = languages.systems
    if REFERENCES in lines:
        others = [name for name in systems if languages.same(name, REFERENCES) is False]
        found = _beside_references(languages, others)
    else:
        others = _minority(languages)
        found = _beside_others(languages, others)
    for name in (*systems[:_SYSTEMS], SOURCES, REFERENCES):
        if mixed := languages.several(name):
            found.append(f"Lines of {name} are of several languages: {mixed}.")
    for code, names in zip(expected, ([SOURCES], [*systems, REFERENCES]), strict=True):
        wrong = [name for name in names if not same_language(languages.codes.get(name, ""), code)]
        if wrong and not others and is_known(code):
            found.append(f"Not of the language {code}, as it seems: {_shown(languages, wrong)}.")
    return found


def _shown(languages, names):
    return ", ".join(map(languages.shown, names))


def _beside_references(languages, others):
    """Say what is wrong where there are references, and some systems are of another language."""
    like_references = languages.same(SOURCES, REFERENCES)
    if not others:
        return [_one_language(languages, REFERENCES)] if like_references else []
    swapped = "."
    if like_references:
        swapped = ". That of the sources is the references': are sources and translations swapped?"
    if len(others) < len(languages.systems):
        said = f"Of another language than {languages.shown(REFERENCES)}, as it seems: "
        return [said + _shown(languages, others) + swapped]
    if 2 * sum(languages.same(SOURCES, name) is True for name in others) > len(others):
        swapped = ", and the sources of theirs: are sources and references swapped?"
    return ["The references seem to be of another language than the translations" + swapped]


def _minority(languages):
    """Name systems of another language than most others; of two, the one that is the sources'."""
    same = Counter()
    for one, other in combinations(languages.systems[:_SYSTEMS], 2):
        if languages.same(one, other):
            same.update((one, other))

    def place(name):
        return same[name], languages.same(name, SOURCES) is False

    middle = max(languages.systems[:_SYSTEMS], key=place, default="")
    return [name for name in languages.systems if languages.same(name, middle) is False]


def _beside_others(languages, others):
    """Say what is wrong where there are no references."""
    rest = [name for name in languages.systems if name not in others]
    like_sources = [name for name in rest if languages.same(SOURCES, name)]
    if others:
        said = "Of another language than the other translations, as it seems: "
        swapped = ". Their language is the sources': are sources and translations swapped?"
        return [said + _shown(languages, others) + (swapped if like_sources else ".")]
    if like_sources and len(like_sources) == len(rest):
        return [_one_language(languages, "the translations")]
    return []


def _one_language(languages, name):
    code = languages.codes[SOURCES]
    language = f" ({code})" if code else ""
    return f"The sources seem to be of the same language as {name}{language}."
