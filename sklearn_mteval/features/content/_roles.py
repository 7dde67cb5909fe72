"""Who does what to whom, by the order of English words around a word that two texts share.

What stands left of a verb does it, what stands right of it undergoes it, and "by" behind a
participle exchanges both. Roles are exchanged where each side of one text has words that the other
text has on the other side. No parser: it would take a thousand times as long, and a doubtful
structure has no sides here.
"""

import re
from typing import NamedTuple

_TOKEN = re.compile(r"['\u2019]s\b|\w+|[^\w\s]")
_FROM_TO = re.compile(r"\bfrom (?:the |an? )?(\w+) to (?:the |an? )?(\w+)", re.IGNORECASE)
_split = str.split
_AUXILIARIES = frozenset(
    _split(
        "is are was were be been being am has have had do does did will would shall should can"
        " could may might must not never also only just still already then now later soon again"
        " always often ever"
    )
)
_PASSIVE = frozenset(_split("is are was were be been being am get gets got"))
_DETERMINERS = frozenset(
    _split("the a an this that these those his her its their our my your some any all no")
)
_PREPOSITIONS = frozenset(
    _split("to for on at with against from over about into upon of by as in than")
)
# Words in place of nouns: their case tells the role, and belongs to it.
_PRONOUNS = {
    "i": "i", "me": "i", "we": "we", "us": "we", "he": "he", "him": "he", "she": "she",
    "they": "they", "them": "they",
}  # fmt: skip
_CASES = frozenset(_PRONOUNS.values())
_ENDS = frozenset(_split("and or but which who whom whose when while because if since although to"))
# What holds in either direction.
_SYMMETRIC = re.compile(
    r"meet|met\b|marr|resembl|equal|match|join|fac(?:e|es|ed|ing)\b|differ|talk|spoke|speak|share"
    r"|competed?\b|fought|fight|play|border|follow|includ|contain|compris|represent|mean|becom"
)
_NO_VERBS = ("ing", "ment", "ments", "tion", "tions", "ness", "ity", "ance", "ence", "sure")
_PIVOTS = frozenset(_split("than before after"))
_FUNCTION = _AUXILIARIES | _DETERMINERS | _PREPOSITIONS | _ENDS | _PIVOTS | frozenset(
    _split(
        "it there here up down off out so very more most less own both such what between among"
        " during through yesterday today tomorrow once twice home back away"
    )
)  # fmt: skip
_REACH = 5  # words on either side of a verb
_STEM = 5  # letters


class Roles(NamedTuple):
    """What an English text says of who does what to whom."""

    verbs: dict  # stem -> (left side, right side, both as written)
    ways: dict  # (from, to) -> as written

    @classmethod
    def of(cls, text):
        """Read a text."""
        verbs = {stem: sides for stem, sides in _verbs(text).items() if sides}
        ways = {(match[1].lower(), match[2].lower()): match[0] for match in _FROM_TO.finditer(text)}
        return cls(verbs, ways)

    def perhaps_exchanged(self, lower):
        """Tell, fast, whether a text in lower case may exchange sides, by where words stand."""
        by = " by " in lower
        for stem, (left, right, said) in self.verbs.items():
            if stem in lower and (
                by
                or not _CASES.isdisjoint(left | right)
                or " by " in said
                or (
                    any(-1 < lower.find(word) < lower.rfind(stem) for word in right)
                    and any(lower.rfind(word) > lower.find(stem) for word in left)
                )
            ):
                return True
        return any(-1 < lower.find(b) < lower.rfind(a) for a, b in self.ways)


def exchanged_roles(one, other):
    """List what one text says, and what the other says with exchanged sides; of two Roles."""
    found = []
    for stem in one.verbs.keys() & other.verbs.keys():
        said, instead = one.verbs[stem], other.verbs[stem]
        if _exchanged(said, instead, lenient=stem in _PIVOTS):
            found.append((said[2], instead[2]))
    for (start, end), said in one.ways.items():
        back = other.ways.get((end, start))
        if back and start != end and (end, start) not in one.ways:
            found.append((said, back))
    return sorted(found)


def _exchanged(one, other, lenient):
    """Tell whether the sides of a verb are those of another, exchanged."""
    (left, right, _), (other_left, other_right, _) = one, other
    if not lenient and (left & other_left or right & other_right):
        return False
    there, back = left & other_right, right & other_left
    return bool(there - right - other_left and back - left - other_right)


def _verbs(text):
    """Map stems of what may be a verb to (left side, right side, both as written), or None."""
    words = _TOKEN.findall(text)
    lower = [word.lower() for word in words]
    found = {}
    for place in range(1, len(words) - 1):
        word = lower[place]
        if word in _PIVOTS or _may_be_verb(words, lower, place):
            stem = word if word in _PIVOTS else _stem(word)
            found[stem] = None if stem in found else _around(words, lower, place)
    return found


def _may_be_verb(words, lower, place):
    """Tell whether a word may be a verb that holds one way: by its letters and what follows it."""
    word, following = lower[place], lower[place + 1]
    if len(word) < 3 or not words[place].islower() or word in _FUNCTION or word.endswith(_NO_VERBS):
        return False
    begins_object = (
        following in _DETERMINERS
        or (following in _PREPOSITIONS and following != "of")
        or following in _PRONOUNS
        or words[place + 1][0].isupper()
        or word.endswith("ed")
    )
    return begins_object and not _SYMMETRIC.match(word)


def _around(words, lower, place):
    """Return who does and who undergoes it, and the words from the one to the other."""
    first, left = _left(lower, place)
    last, right = _right(lower, place)
    if not (left and right):
        return None
    said = " ".join(words[first : last + 1]).replace(" '", "'").replace(" \u2019", "\u2019")
    is_passive = lower[place + 1] != "than" and _is_passive(lower, place)
    if lower[place + 1] == "by":
        is_participle = is_passive or lower[place].endswith("ed")
        return (right, left, said) if is_participle else None
    # "stipulated in laws" may be a passive, too.
    is_passive |= lower[place].endswith("ed") and lower[place + 1] in _PREPOSITIONS
    return None if is_passive else (left, right, said)


def _left(lower, place):
    """Return where the words before a verb begin, and their stems: one noun, name or pronoun and
    what stands before it, up to another phrase.
    """
    found, begin = set(), place
    for at in range(place - 1, max(place - 1 - _REACH, -1), -1):
        word = lower[at]
        if word in _PRONOUNS:
            return (begin, found) if found else (at, {_PRONOUNS[word]})
        if not found and (word in _AUXILIARIES or word.endswith("ly") or word == "to"):
            continue
        if not found and lower[at + 1] == "to":  # "threatened to sue"
            continue
        if word in _FUNCTION or not word.isalpha():
            break
        found.add(_stem(word))
        begin = at
    return begin, found


def _right(lower, place):
    """Return where the words behind a verb end, and their stems, up to another phrase."""
    found, end = set(), place
    for at in range(place + 1, min(place + 1 + _REACH, len(lower))):
        word = lower[at]
        is_object = word == "her" and not _is_noun(lower[at + 1 : at + 2])
        if word in _PRONOUNS or is_object:
            return (end, found) if found else (at, {_PRONOUNS.get(word, "she")})
        if word[1:] == "s" and found:  # of the bank's customers, the customers
            found.clear()
        elif word in _DETERMINERS or (at == place + 1 and word in _PREPOSITIONS):
            if found:
                break
        elif word in _FUNCTION or not word.isalpha():
            break
        else:
            found.add(_stem(word))
            end = at
    return end, found


def _is_noun(words):
    """Tell whether a word, if there is one, may be a noun."""
    return bool(words) and words[0].isalpha() and words[0] not in _FUNCTION


def _is_passive(lower, place):
    """Tell whether a form of "be" stands before a verb, auxiliaries aside."""
    if lower[place] in _PIVOTS:
        return False
    before = lower[max(place - 3, 0) : place]
    while before and (before[-1] in _AUXILIARIES or before[-1].endswith("ly")):
        if before.pop() in _PASSIVE:
            return True
    return False


def _stem(word):
    """Cut a word so that its inflected forms are alike."""
    return word[:_STEM] if len(word) > _STEM else word.rstrip("s")
