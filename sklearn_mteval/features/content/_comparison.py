"""What a translation says otherwise than its reference or source, as lists of what was found."""

from sklearn_mteval._helpers.memo import Memo
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.features.content._facts import FEWEST_LETTERS, Facts
from sklearn_mteval.features.content._names import are_alike
from sklearn_mteval.features.content._numbers import compare_numbers
from sklearn_mteval.features.content._vocabulary import ROUND_NUMBERS

_NOTHING = ((), ())


def compare_rows(X, function, *, references):
    """Call a function of facts of hypothesis, references (``Original``), source (or None) and the
    words that only the source has, once for each distinct row.
    """
    hypotheses = check_texts(X, "hypothesis")
    several = check_texts(X, "reference", several=True) if references else [()] * len(X)
    sources = check_texts(X, "source") if "source" in X else [""] * len(hypotheses)
    facts = Memo(Facts)
    originals = Memo(lambda texts: _originals(*texts, facts))
    found = Memo(lambda texts: function(Facts(texts[2]), *originals[texts[:2]]))
    return [found[texts] for texts in zip(sources, several, hypotheses, strict=True)]


def _originals(source, references, facts):
    """Read a source and its references, each text once."""
    references = [facts[text] for text in references]
    if not source:
        return [Original(reference, None) for reference in references], None, frozenset()
    source = facts[source]
    originals = [Original(reference, source) for reference in references]
    foreign = source.words.difference(*(reference.words for reference in references))
    foreign = {word for word in foreign if len(word) >= FEWEST_LETTERS and word.isalpha()}
    return originals, source, foreign


class Original:
    """What a reference and its source ask of translations; ``source`` may be None."""

    __slots__ = ("capitalised", "keys", "names", "reference", "source", "words")

    def __init__(self, reference, source):
        self.reference = reference
        self.source = source
        self.words, self.capitalised = reference.words, reference.capitalised
        self.names = reference.names
        if source is not None:
            copied = (
                word
                for word in self.capitalised & source.capitalised
                if len(word) >= FEWEST_LETTERS
            )
            self.names = {**{word.lower(): word for word in copied}, **self.names}
            self.words |= source.words
            self.capitalised |= source.capitalised
        self.keys = frozenset(self.names)

    def inflected(self, name):
        """Tell whether reference or source has a word that begins like a name."""
        source = self.source
        return self.reference.inflected(name) or (source is not None and source.inflected(name))


def compare_with_reference(hypothesis, original):
    """Return lists: numbers, units, names and negations that are missing, and that are extra."""
    reference = original.reference
    numbers = units = names = negations = _NOTHING
    if hypothesis.numbers or reference.numbers:
        numbers = compare_numbers(reference, reference.numbers, hypothesis, hypothesis.numbers)
        if hypothesis.numbers and reference.numbers:
            wanted, found = reference.units, hypothesis.units
            if wanted != found:
                units = sorted(wanted - found), sorted(found - wanted)
    if hypothesis.capitalised != reference.capitalised:
        names = _compare_names(hypothesis, original)
    if hypothesis.negations != reference.negations:
        negations = _compare_negations(hypothesis, reference)
    return *numbers, *units, *names, *negations


def _compare_names(hypothesis, original):
    """List the reference's names that the hypothesis does not have, and those that only it has."""
    names = original.names
    missing = [
        name
        for name in original.keys - hypothesis.words
        if not (names[name] in hypothesis.capitalised or hypothesis.inflected(name))
    ]
    extra = _further_names(hypothesis, original)
    if missing and extra:
        some = sorted(missing)[:20], sorted(extra)[:20]
        alike = [(a, b) for a in some[0] for b in some[1] if are_alike(a, b)]
        missing, extra = set(missing) - {a for a, _ in alike}, extra - {b for _, b in alike}
    if not (missing or extra):
        return _NOTHING
    return sorted(names[name] for name in missing), sorted(hypothesis.names[n] for n in extra)


def _further_names(hypothesis, original):
    """Return the names that only the hypothesis has, in lower case."""
    extra = set()
    for word in hypothesis.capitalised - original.capitalised:
        name = word.lower()
        known = name in original.words or original.inflected(name)
        if not (known or hypothesis.text.startswith(word)) and name in hypothesis.names:
            extra.add(name)
    return extra


def _compare_negations(hypothesis, reference):
    """Count negations that one text has more often, and the other does not say otherwise."""
    is_missing = hypothesis.negations < reference.negations
    one, other = (reference, hypothesis) if is_missing else (hypothesis, reference)
    excused = other.implied_negations(one) + one.needless_negations(other)
    surplus = range(max(one.negations - other.negations - excused, 0))
    return (surplus, ()) if is_missing else ((), surplus)


def compare_with_source(hypothesis, source, references=()):
    """List numbers in digits of the source that are missing, and that are extra."""
    if not (hypothesis.digits or source.digits):
        return _NOTHING
    wanted = {number[0]: number for number in source.digits}
    found = {number[0]: number for number in hypothesis.digits}
    missing, extra = compare_numbers(
        source, wanted.values(), hypothesis, found.values(), hypothesis.numbers
    )
    if extra:
        known = {number[0] for text in (source, *references) for number in text.numbers}
        if not missing:
            known |= ROUND_NUMBERS
        extra = [number for number in extra if number[0] not in known]
    return missing, extra
