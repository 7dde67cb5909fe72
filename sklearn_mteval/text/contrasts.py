"""Words that contradict each other: opposites, quantifiers, weekdays, units … of some languages.

Each language has a file in ``data/contrasts``, which says in its first lines how it is read.
"""

import re
from collections import defaultdict
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

_FILES = files("sklearn_mteval.text") / "data" / "contrasts"
LANGUAGES = ("en", "de", "cs", "fr", "es", "ru")
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[$€£¥]|°[CF]")
_FEWEST_WORDS = 2  # frequent words of a language that tell it
_LONGEST_SIGN = 2  # letters of "km", "m" and others that are units after a number only


class Contrast(NamedTuple):
    """Sides that exclude each other; each lists forms, those of one place belong together."""

    kind: str
    sides: tuple


class Found(NamedTuple):
    """A side of a contrast in a text: from ``start`` to ``end`` a form of it stands."""

    start: int
    end: int
    contrast: Contrast
    side: int
    form: int


class _Table(NamedTuple):
    """What is known of a language."""

    words: frozenset  # frequent ones
    letters: frozenset  # that few other languages have
    entries: dict  # first word of a form -> (its words, as written, contrast, side, place)


@lru_cache
def contrast_table(language: str) -> _Table:
    """Read the table of a language."""
    lines = (_FILES / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    about = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    endings, frequent, letters = _endings(" ".join(about)), frozenset(), frozenset()
    entries = defaultdict(list)
    for line in lines:
        kind, _, rest = line.partition(": ")
        if kind == "words":
            frequent = frozenset(rest.split())
        elif kind == "letters":
            letters = frozenset(rest)
        elif not line.startswith("#"):
            sides = tuple(tuple(_forms(side, endings)) for side in rest.split("|"))
            contrast = Contrast(kind, sides)
            for number, side in enumerate(sides):
                for place, form in enumerate(side):
                    words = _WORD.findall(form)
                    entry = tuple(map(str.lower, words)), words, contrast, number, place
                    entries[entry[0][0]].append(entry)
    longest_first = {
        word: sorted(some, key=lambda entry: -len(entry[0])) for word, some in entries.items()
    }
    return _Table(frequent, letters, longest_first)


def _endings(about):
    """Read what the signs for endings mean: '* is "", s' and the like."""
    found = {"*": ("", "s"), "~": ("", "s", "ed", "ing"), "^": ("e", "es", "ed", "ing")}
    for sign, said in re.findall(r"([+*%]) is ([^;.]+)", about):
        found[sign] = tuple("" if end == '""' else end for end in said.split(", "))
    return found


def _forms(side, endings):
    """List the forms of a side."""
    for form in side.strip().split(","):
        sign = next((sign for sign in endings if sign in form), None)
        if sign is None:
            yield form
        else:
            yield from (form.replace(sign, end) for end in endings[sign])


def language_by_words(*texts: str) -> str:
    """Tell which of ``LANGUAGES`` texts are of, by frequent words and letters; "" if of none."""
    text = " ".join(texts).lower()
    words = [word.strip(".,;:!?") for word in text.split()]
    counts = {}
    for name in LANGUAGES:
        table = contrast_table(name)
        counts[name] = sum(map(table.words.__contains__, words))
        counts[name] += len(table.letters.intersection(text))
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= min(_FEWEST_WORDS, len(words)) > 0 else ""


def contrasts_in(text: str, language: str) -> list[Found]:
    """List the sides of contrasts in a text, in its order; at one place all of the longest form."""
    entries, found, last = contrast_table(language).entries, [], 0
    words = [(match[0], *match.span()) for match in _WORD.finditer(text)]
    lower = [word.lower() for word, _, _ in words]
    for place, word in enumerate(lower):
        if place < last or word not in entries:
            continue
        length = 0
        for key, written, contrast, side, form in entries[word]:
            if length and len(key) < length:
                break
            if tuple(lower[place : place + len(key)]) != key or not _stands(words, place, written):
                continue
            if contrast.kind == "unit" and len(key) == 1 and len(word) <= _LONGEST_SIGN:
                before = text[: words[place][1]].rstrip()
                if not before[-1:].isdigit():
                    continue
            length, last = len(key), place + len(key)
            end = words[last - 1][2]
            found.append(Found(words[place][1], end, contrast, side, form))
    return found


def _stands(words, place, written):
    """Tell whether words that are written with a capital have it, in the text."""
    return not written[0][0].isupper() or words[place][0][0].isupper()
