"""What a text has that is often translated wrongly: numbers, names, negation, a question."""

from sklearn_mteval.features.content._facts import Facts
from sklearn_mteval.features.content._vocabulary import NEGATING_ELSEWHERE

TRAITS = ("number", "name", "negation", "question")
_QUESTION_MARKS = frozenset("?\uff1f\u061f\u037e\u055e\u1367\u2cfa")


def traits_of(text):
    """Return which of TRAITS a text has; names where capitals tell them, which they do not in
    German, negation in English and the languages whose words for it are known.
    """
    facts = Facts(text)
    negates = facts.negations > 0
    if not facts.is_perhaps_english():
        negates = not facts.words.isdisjoint(NEGATING_ELSEWHERE)
    asks = not _QUESTION_MARKS.isdisjoint(text)
    there = bool(facts.numbers), bool(facts.names), negates, asks
    return frozenset(trait for trait, has in zip(TRAITS, there, strict=True) if has)
