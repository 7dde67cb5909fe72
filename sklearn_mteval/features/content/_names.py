"""Names in place of which another stands, between the same words."""

import re
import unicodedata

from sklearn_mteval.features.content._vocabulary import SAME_NAMES

_TOKEN = re.compile(r"[^\W_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]{2}")
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

    ``missing`` are the reference's names that the hypothesis does not have. Of a source in Latin
    letters it has a name, too; names from other scripts are transliterated in several ways, but
    begin alike, and abbreviations are made in either language.
    """
    source = original.source
    is_latin = source is not None and _LATIN.search(source.text)
    if is_latin:
        missing = [name for name in missing if name in source.capitalised]
    new = {
        word
        for word in hypothesis.capitalised - original.capitalised
        if word.lower() not in original.words and not original.inflected(word.lower())
    }
    if not (missing and new):
        return []
    there = _runs(hypothesis.text, new)
    found = []
    for around, said in _runs(original.reference.text, set(missing)).items():
        instead = there.get(around)
        if instead and not _is_one_name(said, instead, source is None or is_latin):
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


def _is_one_name(said, instead, is_spelt_alike):
    """Tell whether two names may be one: spelt otherwise, shortened, or in another language."""
    one, other = ("".join(map(_plain, words)) for words in (said, instead))
    same = SAME_NAMES.get(one, one) == SAME_NAMES.get(other, other)
    shortened = _has_abbreviation(said) != _has_abbreviation(instead)
    may_differ = not is_spelt_alike and (one[:1] == other[:1] or "".join(said).isupper())
    return same or shortened or may_differ or are_alike(one, other)


def _has_abbreviation(words):
    """Tell whether a word is in capitals."""
    return any(map(str.isupper, words))


def _plain(word):
    """Write a word in lower case without marks on its letters."""
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if c.isalnum())
