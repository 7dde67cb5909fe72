"""Corruptions of what is said of whom: arguments exchanged, clauses dropped or invented."""

import re
from itertools import combinations, pairwise

from sklearn_mteval.datasets.corruptions import _words
from sklearn_mteval.datasets.corruptions._words import capital, pick, spans, without_closing

_OBJECTS = {"he": "him", "she": "her", "they": "them", "we": "us", "I": "me"}
_SUBJECTS = {form: subject for subject, form in _OBJECTS.items()}
_DETERMINER = (
    r"(?:the|a|an|his|her|their|its|our|my|this|that|these|those|some|many|two|three|four|five)"
)
_NAME = r"[A-Z][\w'\u2019-]{1,40}(?: [A-Z][\w'\u2019-]{1,40}){0,3}"
_VERB = (
    r"(?:(?:has|have|had|will|would|may|might|could|should|must|can|was|were|is|are|been|be|not|also"
    r"|later|already|then|finally) ){0,3}(?:[a-z]{2,}ed|told|met|gave|beat|saw|paid|sold|bought|hit"
    r"|led|left|sent|taught|won|knew|found|shot|hurt|held|caught|fed|fought|kept|lost|sought|threw"
    r"|took|understood|chose|drove|forgave|struck|brought|built|su(?:e|es)|(?:tell|ask|help|love|hate"
    r"|thank|call|blame|accuse|support|follow|visit|owe|replace|protect|attack|defeat)s?)"
)
# A clause of two arguments: "the bank sued the customer", "they were sued by her".
_CLAUSE = re.compile(
    rf"(?<![\w-])(?P<a>(?i:{_DETERMINER}) [a-z]+|{_NAME}|(?i:he|she|they|we)|I) "
    rf"{_VERB}(?: (?:by|to|against|with|from|over))? "
    rf"(?P<b>{_DETERMINER} [a-z]+|{_NAME}|him|her|them|us|me)"
    r"(?=[.,;:!?]|$| (?:and|but|or|in|on|at|for|to|from|with|after|before|over|by|when|because|last"
    r"|this|next|yesterday|today|during|since|about|of|into|as|while|until|if|that|who|which)\b)"
)
_DETERMINED = re.compile(rf"{_DETERMINER} ", re.IGNORECASE)
_LISTED = re.compile(r"[\s,/&-]*(?:and|or|und|oder|et|ou|y|e|o|a|i|nebo|и|или)?[\s,/&-]*")
_BREAK = re.compile(
    r"[,;:\u2013\u2014]\s+|[\uff0c\uff1b]|(?<=\S)\s-\s+"
    r"|(?<=\S)\s+(?=(?:and|but|because|which|who|while|after|before|although|und|aber|weil|nachdem|obwohl"
    r"|ale|protože|zatímco|et|mais|parce|pero|porque|но|потому)\b)"
)
_FEWEST, _MOST = 3, 0.6  # words of a clause, and how much of the text at most
_LONGEST = 14  # words of a clause that is invented
_MOST_NAMES = 50  # of a text, whose pairs are looked at


def roles(row, rng, others):
    """Exchange subject and object of an English clause, or two names that are no list."""
    clauses = [m for m in _CLAUSE.finditer(row.text) if _role(m["a"]) != _role(m["b"])]
    if clauses:
        match = pick(rng, clauses)
        first, second = _as_subject(match), _as_object(match["a"])
        return _put(row.text, match.span("a"), first, match.span("b"), second)
    within, first = _words.names(row.text)
    known = others.pool("names")
    names = _joined(row.text, sorted(within + [s for s in first if row.text[slice(*s)] in known]))
    pairs = [
        (a, b)
        for a, b in combinations(names[:_MOST_NAMES], 2)
        if row.text[slice(*a)] != row.text[slice(*b)]
        and not _LISTED.fullmatch(row.text[a[1] : b[0]])
    ]
    if not pairs:
        return None
    a, b = pick(rng, pairs)
    return _put(row.text, a, row.text[slice(*b)], b, row.text[slice(*a)])


def _as_subject(match):
    """Write the object of a clause as its subject."""
    word = _SUBJECTS.get(match["b"], match["b"])
    begins = _words.begins_sentence(match.string, match.start("a"))
    return capital(word) if begins else word


def _as_object(words):
    """Write the subject of a clause as its object."""
    pronoun = words if words == "I" else words.lower()
    if pronoun in _OBJECTS:
        return _OBJECTS[pronoun]
    return words[:1].lower() + words[1:] if _DETERMINED.match(words) else words


def _role(words):
    """Return what is equal for a pronoun as subject and as object."""
    return _SUBJECTS.get(words, words).lower()


def _joined(text, names):
    """Join names that stand side by side: "Angela Merkel"."""
    found = []
    for start, end in names:
        if found and text[found[-1][1] : start] == " ":
            start = found.pop()[0]
        found.append((start, end))
    return found


def _put(text, a, first, b, second):
    """Put one text in the place of the span a, another in that of b, which is behind it."""
    return text[: a[0]] + first + text[a[1] : b[0]] + second + text[b[1] :]


def clause_dropped(row, rng, others):
    """Drop a clause, but the first."""
    end = without_closing(row.text)
    edges = [*(match.start() for match in _BREAK.finditer(row.text[:end])), end]
    of_all = len(spans(row.text))
    parts = [
        (a, z) for a, z in pairwise(edges) if _FEWEST <= len(spans(row.text[a:z])) <= _MOST * of_all
    ]
    if not parts:
        return None
    a, z = pick(rng, parts)
    return row.text[:a] + row.text[z:]


def clause_added(row, rng, others):
    """Add a clause of another segment at the end."""
    for text in others.pool("texts").draw(row.unit, rng):
        text = text[: without_closing(text)]
        breaks = list(_BREAK.finditer(text))
        clause = text[breaks[-1].end() :] if breaks else ""
        if _FEWEST <= len(spans(clause)) <= _LONGEST and clause not in row.text:
            end = without_closing(row.text)
            mark = breaks[-1][0] if breaks[-1][0].strip() else " "
            return row.text[:end] + mark + clause + row.text[end:]
    return None
