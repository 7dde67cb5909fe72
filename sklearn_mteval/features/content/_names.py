"""Names in place of which another stands, between the same words."""

import re
import unicodedata
from functools import lru_cache

from sklearn_mteval.features.content._vocabulary import SAME_NAMES

_TOKEN = re.compile(r"[^\W_]+")
_FROM_CYRILLIC = dict(
    zip(
        map(ord, "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ"),
        str.split(
            "a b v g d e e zh z i i k l m n o p r s t u f h c ch sh sch . y . e yu ya i i e g"
        ),
        strict=True,
    )
)
_ALIKE = 0.5  # least similarity of two spellings of a name
_LONGEST = 40  # characters of a name that is compared letter by letter
_MOST = 3  # words of a name


def are_alike(one, other):
    """Tell whether two names are two spellings of one, by Dice's coefficient of their bigrams."""
    if max(len(one), len(other)) > _LONGEST:
        return False
    one, other = ({name[k : k + 2] for k in range(len(name) - 1)} for name in (one, other))
    return 2 * len(one & other) >= _ALIKE * (len(one) + len(other)) > 0


def replaced_names(hypothesis, original, missing):
    """List names of a reference, and those that a hypothesis has between the same words instead.

    ``missing`` are the reference's names that the hypothesis does not have. A source has the name,
    too, in Latin or Cyrillic letters; from other scripts one is written in several ways.
    """
    source = original.source
    spelt = [] if source is None else [_latin(word) for word in source.capitalised]
    if source is not None:
        missing = [name for name in missing if _is_spelt(name, spelt)]
    new = set(hypothesis.names.values()) or hypothesis.capitalised
    new = {
        word
        for word in new - original.capitalised
        if word.lower() not in original.words
        and not original.inflected(word.lower())
        and not _is_spelt(word, spelt)
    }
    if not (missing and new):
        return []
    there = _runs(hypothesis.text, new)
    found = []
    for around, said in _runs(original.reference.text, set(missing)).items():
        instead = there.get(around)
        if instead and not _is_one_name(said, instead):
            found.append((" ".join(said), " ".join(instead)))
    return found


def _runs(text, names):
    """Map the words before and behind each run of names to the run, where there is one only; words
    with a capital are parts of a longer name.
    """
    words = _TOKEN.findall(text)
    runs, at = {}, 0
    while at < len(words):
        end = at
        while end < len(words) and words[end] in names:
            end += 1
        if at < end <= at + _MOST:
            around = words[at - 1] if at else "", words[end] if end < len(words) else ""
            is_longer = any(word[:1].isupper() for word in (around[0] if at > 1 else "", around[1]))
            around = around[0].lower(), around[1]
            runs[around] = None if around in runs or is_longer else words[at:end]
        at = max(end, at + 1)
    return {around: run for around, run in runs.items() if run and around[0]}


def _is_spelt(name, spelt):
    """Tell whether a name is among those that a source spells."""
    name = _plain(name)
    return any(are_alike(name, other) for other in spelt)


@lru_cache(1 << 14)
def _latin(word):
    """Write a word in plain Latin letters; of other scripts than Cyrillic it stays as it is."""
    return _plain(word.lower().translate(_FROM_CYRILLIC))


def _is_one_name(said, instead):
    """Tell whether two names may be one: spelt otherwise, shortened, or in another language."""
    one, other = ("".join(map(_plain, words)) for words in (said, instead))
    same = SAME_NAMES.get(one, one) == SAME_NAMES.get(other, other)
    shortened = _has_abbreviation(said) or _has_abbreviation(instead)
    return same or shortened or are_alike(one, other)


def _has_abbreviation(words):
    """Tell whether a word is in capitals."""
    return any(map(str.isupper, words))


@lru_cache(1 << 14)
def _plain(word):
    """Write a word in lower case without marks on its letters."""
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if c.isalnum())
