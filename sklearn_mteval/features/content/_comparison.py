"""What a translation says otherwise than its reference or source, as lists of what was found."""

from difflib import SequenceMatcher

from sklearn_mteval.features.content._facts import FEWEST_LETTERS
from sklearn_mteval.features.content._numbers import compare_numbers

__all__ = ["compare_with_reference", "compare_with_source", "untranslated"]

_ALIKE = 0.7  # least similarity of two spellings of a name
_NOTHING = ((), ())
_LONGEST = 40  # characters of a name that is compared letter by letter


def compare_with_reference(hypothesis, reference, source):
    """Return lists: numbers, units, names and negations that are missing, and that are extra."""
    numbers = units = names = negations = _NOTHING
    if hypothesis.numbers or reference.numbers:
        numbers = compare_numbers(reference, reference.numbers, hypothesis, hypothesis.numbers)
        if hypothesis.numbers and reference.numbers:
            wanted, found = reference.units(), hypothesis.units()
            units = sorted(wanted - found), sorted(found - wanted)
    if hypothesis.capitalised != reference.capitalised:
        names = _compare_names(hypothesis, reference, source)
    if hypothesis.negations != reference.negations:
        negations = _compare_negations(hypothesis, reference)
    return *numbers, *units, *names, *negations


def _compare_names(hypothesis, reference, source):
    """List the reference's names that the hypothesis lacks, and those that only it has."""
    wanted = reference.names()
    missing = wanted.keys() - hypothesis.words
    if source is not None:
        copied = {
            word.lower(): word
            for word in reference.capitalised & source.capitalised
            if len(word) >= FEWEST_LETTERS
        }
        wanted = {**wanted, **copied}
        missing = missing | (copied.keys() - hypothesis.words)
    missing = [name for name in sorted(missing) if not hypothesis.inflected(name)]
    others = [reference] if source is None else [reference, source]
    extra = []
    for word in hypothesis.capitalised - reference.capitalised:
        name = word.lower()
        if (
            not any(name in facts.words or facts.inflected(name) for facts in others)
            and name in hypothesis.names()
        ):
            extra.append(name)
    if missing and extra:
        missing, extra = _without_alike(missing, sorted(set(extra)))
    return [wanted[name] for name in missing], extra


def _without_alike(missing, extra):
    """Leave out names that are spelt alike."""
    pairs = [(a, b) for a in missing[:20] for b in extra[:20] if _alike(a, b)]
    spelt, others = {a for a, _ in pairs}, {b for _, b in pairs}
    return [a for a in missing if a not in spelt], [b for b in extra if b not in others]


def _alike(one, other):
    """Tell whether two names are two spellings of one."""
    if max(len(one), len(other)) > _LONGEST or min(len(one), len(other)) < FEWEST_LETTERS:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _compare_negations(hypothesis, reference):
    """Count negations that one text has more often, and the other does not say otherwise."""
    difference = reference.negations - hypothesis.negations
    if difference > 0:
        return range(max(difference - hypothesis.implied_negations(reference), 0)), ()
    if difference < 0:
        return (), range(max(-difference - reference.implied_negations(hypothesis), 0))
    return (), ()


def compare_with_source(hypothesis, source):
    """Return lists: numbers in digits of the source that are missing, and that are extra.

    Words of the source that say numbers are mostly unknown, so that small numbers are not extra.
    """
    if not (hypothesis.digits or source.digits):
        return _NOTHING
    wanted = list({number[0]: number for number in source.digits}.values())
    found = list({number[0]: number for number in hypothesis.digits}.values())
    return compare_numbers(source, wanted, hypothesis, found)


def untranslated(hypothesis, source, references):
    """List words of letters that a hypothesis has of its source, and no reference has."""
    shared = hypothesis.words & source.words
    for reference in references:
        shared = shared - reference.words
    return sorted(word for word in shared if len(word) >= FEWEST_LETTERS and word.isalpha())
