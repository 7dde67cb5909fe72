"""Words of one text that another contradicts: opposites, quantifiers, dates, units and roles.

A side of a contrast (:mod:`sklearn_mteval.text.contrasts`) is contradicted where the other text
lacks it and has another side of it, which this text lacks, in like surroundings, and no negation
undoes it.
"""

import re
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from sklearn_mteval.features.content._roles import exchanged_roles
from sklearn_mteval.features.content._vocabulary import IMPLIED_NEGATIONS, NEGATING_ELSEWHERE
from sklearn_mteval.text.contrasts import (
    LANGUAGES,
    contrast_table,
    contrasts_in,
    language_by_words,
)

# What is counted together, by kind of contrast; a "focus" is a word that may be dropped or added.
COLUMN_OF_KIND = {
    "opposite": "opposite", "quantifier": "quantifier", "bound": "quantifier",
    "modality": "quantifier", "focus": "quantifier", "weekday": "date", "month": "date",
    "unit": "unit", "currency": "unit", "roles": "roles",
}  # fmt: skip
_NEAR = 3  # words before and after that are the surroundings
_LEAST_SHARED = 2  # of them
_AGES = frozenset(
    ["years", "year", "jahre", "jahren", "let", "ans", "años", "лет"]
)  # old, or young
_THAN = frozenset(["than", "als", "než", "que", "чем"])
_WORD = re.compile(r"\w+")
_CONTRACTED = re.compile(r"n['\u2019]t\b")
_UNDOING = IMPLIED_NEGATIONS | NEGATING_ELSEWHERE


class Contradiction(NamedTuple):
    """What the reference says, and what the hypothesis says in its place; "" is nothing."""

    kind: str
    said: str
    instead: str
    is_weak: bool = False  # a particle, which stands for much


@lru_cache(maxsize=1)
def _cues():
    """Map each word of a side to the words of sides that exclude it; and collect words of focus."""
    opposed, focus = {}, set()
    for language in LANGUAGES:
        table, sides = contrast_table(language), {}
        for some in table.entries.values():
            for words, _, contrast, side, _ in some:
                if contrast.kind == "focus":
                    focus.update(words)
                elif contrast.kind in COLUMN_OF_KIND:
                    telling = set(words) - (table.words if len(words) > 1 else set())
                    sides.setdefault(contrast, {}).setdefault(side, set()).update(telling)
        for of_one in sides.values():
            for one, other in combinations(of_one.values(), 2):
                for words, others in ((one, other), (other, one)):
                    for word in words - others:
                        opposed.setdefault(word, set()).update(others - words)
    opposed = {word: frozenset(others) for word, others in opposed.items()}
    return opposed, frozenset(opposed), frozenset(focus)


def contradictions(reference, hypothesis):
    """List the contradictions between Facts of a reference and of a hypothesis."""
    opposed, cues, focus = _cues()
    lacking, surplus = reference.words - hypothesis.words, hypothesis.words - reference.words
    excluded = any(not opposed[word].isdisjoint(surplus) for word in lacking & cues)
    focused = {
        **{w: (w, "") for w in lacking & focus if _is_only_there(w, reference, hypothesis)},
        **{w: ("", w) for w in surplus & focus if _is_only_there(w, hypothesis, reference)},
    }
    is_english = reference.language in ("en", "")
    perhaps_exchanged = is_english and reference.roles.perhaps_exchanged(hypothesis.lower)
    if not (excluded or focused or perhaps_exchanged):
        return []
    language = reference.language or language_by_words(reference.text, hypothesis.text)
    found = _exclusions(reference, hypothesis, language) if excluded and language else []
    found += _focuses(focused, language)
    if perhaps_exchanged and language in ("en", ""):
        roles = exchanged_roles(reference.roles, hypothesis.roles)
        found += [Contradiction("roles", *said) for said in roles]
    return found


def _focuses(focused, language):
    """List the words of focus of a language among those that were dropped or added."""
    words = contrast_table(language).entries if language else {}
    return [
        Contradiction("focus", *focused[word], is_weak=True)
        for word in sorted(focused.keys() & words.keys())
        if any(entry[2].kind == "focus" for entry in words[word])
    ]


def _is_only_there(word, one, other):
    """Tell whether a text has a word between two that stand side by side in another text."""
    words = one.in_order()
    place = words.index(word)
    if not 0 < place < len(words) - 1:
        return False
    return f" {words[place - 1]} {words[place + 1]} " in f" {' '.join(other.in_order())} "


def _exclusions(reference, hypothesis, language):
    """List the sides of contrasts that a hypothesis has in place of the reference's."""
    wanted = contrasts_in(reference.text, language)
    given = contrasts_in(hypothesis.text, language)
    sides = _sides(wanted), _sides(given)
    found, places = [], set()
    for one in wanted:
        for other in given:
            if (
                one.contrast == other.contrast
                and one.side != other.side
                and one.contrast.kind in COLUMN_OF_KIND
                and one.start not in places
                and (one.contrast, one.side) not in sides[1]
                and (other.contrast, other.side) not in sides[0]
                and _is_alike(reference.text, one, hypothesis.text, other)
            ):
                places.add(one.start)
                said, instead = (t.text[f.start : f.end] for t, f in
                                 ((reference, one), (hypothesis, other)))  # fmt: skip
                weak = one.contrast.kind == "opposite" and _is_particle(one.contrast)
                found.append(Contradiction(one.contrast.kind, said, instead, weak))
    return found


def _is_particle(contrast):
    """Tell whether the sides have one form each, such as "for" and "against"."""
    return all(len(side) == 1 for side in contrast.sides)


def _sides(found):
    """Collect the sides of contrasts that a text has."""
    return {(some.contrast, some.side) for some in found}


def _is_alike(text, one, other_text, other):
    """Tell whether what stands around two places is alike, and negated in both or in none."""
    before, after = _around(text, one)
    other_before, other_after = _around(other_text, other)
    if _negated(before, after) != _negated(other_before, other_after):
        return False
    kind = one.contrast.kind
    if kind in ("weekday", "month"):
        return True
    if kind in ("unit", "currency"):
        same = before[-1:] == other_before[-1:] and before[-1:] not in ([], ["pro"], ["per"])
        return same or after[:1] == other_after[:1] != []
    if other_after[:1] == after[:1] and after[:1] and after[0] in _THAN:
        return after[1:3] == other_after[1:3]
    if before[-1:] == other_before[-1:] and _AGES.intersection(before[-1:]):
        return False
    if _is_particle(one.contrast):
        return before[-1:] == other_before[-1:] and after[:1] == other_after[:1]
    shared = len(set(before[-_NEAR:]) & set(other_before[-_NEAR:]))
    shared += len(set(after[:_NEAR]) & set(other_after[:_NEAR]))
    return shared >= _LEAST_SHARED


def _around(text, found):
    """List the words before and after a place."""
    before = _CONTRACTED.sub(" not", text[max(found.start - 60, 0) : found.start].lower())
    return _WORD.findall(before)[-_NEAR - 1 :], _WORD.findall(
        text[found.end : found.end + 60].lower()
    )[: _NEAR + 1]


def _negated(before, after):
    """Tell whether an odd number of words negates what stands between them."""
    return sum(word in _UNDOING for word in (*before, *after)) % 2
