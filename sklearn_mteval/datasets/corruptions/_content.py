"""Corruptions of one word, which change what is said.

A word counts only where a reference has it, too: to change what is wrong already makes nothing
worse. Without references, any word does.
"""

import re
from collections import Counter
from itertools import takewhile

from sklearn_mteval.datasets.corruptions import _words
from sklearn_mteval.datasets.corruptions._words import NUMBER_WORDS, capital, pick, replaced

_MORE_NAMES = ("Johnson", "Garcia", "Berlin", "Miller", "Nairobi", "Petrova", "Kimura", "Lisbon")
_MORE_ACRONYMS = ("UNHCR", "IBM", "OPEC", "BBC")

_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should|may|might|must|do|does|did)\b"
    r"(?!['\u2019-]| only\b)"  # 'not only' denies nothing
)
# What a negation becomes when it is taken away; the first pattern that fits a place counts.
_NEGATIONS = {
    r"\bca ?n['\u2019]t\b": "can",
    r"\bcan ?not\b": "can",
    r"\bwo ?n['\u2019]t\b": "will",
    r"\bsha ?n['\u2019]t\b": "shall",
    r"(?<=[a-z]) ?n['\u2019]t\b": "",
    r"\bnot\b ?(?! ?only\b)": "",
    r"\bnever\b ?": "",
    r"\bno longer\b ?": "",
    r"\b(?:nobody|no one)\b": "everybody",
    r"\bnothing\b": "everything",
    r"\bnone\b": "all",
    r"\bwithout\b": "with",
    r"\bno (?=\w)": "",
}
_NEGATION = re.compile("|".join(f"({pattern})" for pattern in _NEGATIONS), re.IGNORECASE)
_AFFIRMED = tuple(_NEGATIONS.values())


def number(row, rng, others):
    """Change one number: a digit of it, or its word to another of the same kind."""
    known = _numbers((*row.references, row.source))
    spans = _words.numbers(row.text)
    span = _one(row, rng, spans, lambda old: _words.number_key(old) in known)
    if span is None:
        return None
    known |= _numbers([row.text])
    new = _other_numbers(row.text[slice(*span)])
    new = [text for text in new if _words.number_key(text) not in known]
    return replaced(row.text, span, pick(rng, new)) if new else None


def keeps_numbers(text, reference, corrupted):
    """Tell whether a text has the numbers of a reference and no others."""
    return _numbers([text]) == _numbers([reference])


def _numbers(texts):
    """Return the set of the numbers in texts."""
    return {_words.number_key(text[a:z]) for text in texts for a, z in _words.numbers(text)}


def _one(row, rng, spans, confirmed):
    """Draw a span whose text is confirmed by what stands around; any, if no reference could."""
    found = [(a, z) for a, z in spans if confirmed(row.text[a:z])]
    if not found and not row.references:
        found = spans
    return pick(rng, found) if found else None


def _other_numbers(old):
    """List numbers of the form of this one: words of its row, or another last digit that counts."""
    for words in NUMBER_WORDS:
        if old.lower() in words:
            return [capital(word) if old[0].isupper() else word for word in words]
    # 1997 becomes 1994, 3.5 becomes 3.8, 1,000 becomes 4,000; 10:30 becomes 10:34, a time still.
    at = len(old) - 1
    if ":" not in old:
        at = max((k for k, digit in enumerate(old) if digit in "123456789"), default=at)
    return [old[:at] + digit + old[at + 1 :] for digit in "123456789"]


def name(row, rng, others):
    """Put another segment's name in the place of one."""
    known = _names(row.references or (row.source,))
    within, first = _words.names(row.text)
    own = _names((*row.references, row.source, row.text))
    # A sentence begins with a capital letter anyway.
    spans = within + [(a, z) for a, z in first if row.text[a:z] in others.pool("names")]
    span = _one(row, rng, spans, known.__contains__)
    if span is None:
        return None
    acronym = row.text[slice(*span)].isupper()
    more = _MORE_ACRONYMS if acronym else _MORE_NAMES
    start = int(rng.random() * len(more))
    drawn = [*others.pool("names").draw(row.unit, rng), *more[start:], *more[:start]]
    new = [word for word in drawn if word not in own and word.isupper() == acronym]
    return replaced(row.text, span, new[0]) if new else None


def keeps_names(text, reference, corrupted):
    """Tell whether a text has the names that a corrupted reference has no more."""
    return _names([reference]) - _names([corrupted]) <= _names([text])


def _names(texts):
    """Return the set of the names in texts."""
    return {text[a:z] for text in texts for spans in _words.names(text) for a, z in spans}


def negation(row, rng, others):
    """Take a negation away, or negate an auxiliary; where a reference has a negation iff it has."""
    found = list(_NEGATION.finditer(row.text))
    if row.references and not any(keeps_polarity(row.text, sound) for sound in row.references):
        return None
    if not found:
        places = [match.span() for match in _AUXILIARY.finditer(row.text)]
        if not places:
            return None
        start, end = pick(rng, places)
        return replaced(row.text, (end, end), "not" if row.text[start:end] == "can" else " not")
    match = pick(rng, found)
    affirmed = _AFFIRMED[match.lastindex - 1]
    rest = row.text[match.end() :]
    if match[0][0].isupper():
        affirmed, rest = capital(affirmed), rest if affirmed else capital(rest)
    return row.text[: match.start()] + affirmed + rest


def keeps_polarity(text, reference, corrupted=None):
    """Tell whether a text has a negation iff a reference has one."""
    return bool(_NEGATION.search(text)) == bool(_NEGATION.search(reference))


def content_word_dropped(row, rng, others):
    """Drop one content word."""
    span = _content_word(row, rng)
    if span is None:
        return None
    before, after = row.text[: span[0]], row.text[span[1] :]
    return before.rstrip() + after if before else after.lstrip()


def content_word_replaced(row, rng, others):
    """Put another segment's content word in the place of one, with the same ending if there is."""
    span = _content_word(row, rng)
    own = {text[a:z] for text in (row.text, *row.references) for a, z in _words.content_words(text)}
    drawn = [word for word in others.pool("words").draw(row.unit, rng) if word not in own]
    if span is None or not drawn:
        return None
    old = row.text[slice(*span)][::-1]
    return replaced(row.text, span, max(drawn, key=lambda word: _shared(word[::-1], old)))


def _shared(one, other):
    """Count the characters that two texts share from the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _content_word(row, rng):
    """Draw a content word that stands once in the text, and in a reference if there is one."""
    known = {text[a:z] for text in row.references for a, z in _words.content_words(text)}
    spans = _words.content_words(row.text)
    times = Counter(row.text[a:z] for a, z in spans)
    once = [(a, z) for a, z in spans if times[row.text[a:z]] == 1]
    return _one(row, rng, once, known.__contains__)
