"""What a translation contradicts, as sentences for readers."""

import re
from itertools import pairwise

import pandas as pd

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.content._comparison import (
    compare_rows,
    compare_with_reference,
    compare_with_source,
)
from sklearn_mteval.features.content._contradictions import COLUMN_OF_KIND, contradictions
from sklearn_mteval.features.content._garbled import garbled, other_languages
from sklearn_mteval.features.content._names import replaced_names
from sklearn_mteval.features.content._numbers import all_keys, further_keys
from sklearn_mteval.features.content._vocabulary import (
    IMPLIED_NEGATIONS,
    ROUND_NUMBERS,
    SMALL_NUMBERS,
)

_MOST = 5  # sentences of one kind
_NEAR = 0.6  # of the words of two texts both have: particles then mean what they say
_VAGUE = {"too", "whether", "first"}  # "too quiet to hear", "the first time"
_ROUND = re.compile(r"10+|1[89]\d0")  # "eine Billion", "neunziger Jahre"
_LONG_NUMBER = 6  # digits, such as of a telephone
_FEW_LOANS = {"en", "de", "cs", "ru"}
# In quotes, or an address.
_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab].{1,60}?[\"\u201c\u201d\u00bb]|\S+://\S+|www\.\S+|\S+@\S+"
)
_FEWEST_UNTRANSLATED = 2  # one word may be the same in both languages
_MOST_KEPT = 1 << 15  # translations, some 20 MB
_LAST = {}  # of texts what was found last


def content_flags(X: pd.DataFrame, *, language: str | None = None) -> pd.Series:
    """Name probable errors of content, each with what was compared.

    Of what :class:`ContentErrors` counts, only that which is fairly sure is said. A number of the
    source is missing, or one is in neither text. A name, an opposite, a quantifier, a weekday, a
    month, a unit or a currency stands in the reference's place, or subject and object are
    exchanged. What one side negates the other affirms. Two words or more are untranslated. The text
    is garbled: an HTML entity, characters decoded wrongly, or no capitals.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table with the column ``hypothesis``, and ``source`` or ``reference`` or both.
    language : str, optional
        The language that is translated into, an ISO 639-1 code, which may name a region ("zh_TW"):
        what is certainly in another one is flagged. Needs the extra ``languages``.

    Returns
    -------
    Series of length n_candidates
        With the index of X: a list of sentences for each candidate, by the texts of its row only.
        Of several references, the one with the fewest sentences counts.

    Raises
    ------
    CandidateError
        If a column is missing or has a cell that is no text.
    MissingExtraError
        If a language is given, without the extra ``languages``.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import content_flags
    >>> X = pd.DataFrame({"source": ["Der Patient ist nicht allergisch.", "Das Treffen ist um 9."],
    ...                   "reference": ["The patient is not allergic.", "The meeting is at 9 am."],
    ...                   "hypothesis": ["The patient is allergic.", "The meeting is at 7 am."]})
    >>> content_flags(X).explode().tolist()
    ['negation: not allergic in the reference, allergic here', 'number 9 in the source, 7 am here']
    """
    columns = {"source", "reference"} & set(getattr(X, "columns", ()))
    if not columns and isinstance(X, pd.DataFrame):
        raise CandidateError(
            "Expected a column 'source' or 'reference' to compare translations with, found the "
            f"columns {list(X.columns)}."
        )
    found = compare_rows(X, flags_of, references="reference" in columns)
    if language is not None:
        languages = other_languages(X["hypothesis"], language)
        found = [told + said for told, said in zip(languages, found, strict=True)]
    return pd.Series(found, index=X.index, name="flags", dtype=object)


def flags_of(hypothesis, originals, source, foreign):
    """Return the sentences about a translation; the last are kept, for a model counts them before a
    page says them.
    """
    texts = tuple(original.reference.text for original in originals)
    key = hypothesis.text, texts, None if source is None else source.text
    found = _LAST.get(key)
    if found is None:
        if len(_LAST) >= _MOST_KEPT:  # what was found first goes
            for oldest in list(_LAST)[: _MOST_KEPT // 2]:
                _LAST.pop(oldest, None)
        found = _LAST[key] = tuple(_flags_of(hypothesis, originals, source, foreign))
    return list(found)


def _flags_of(hypothesis, originals, source, foreign):
    """Return the sentences about a translation."""
    if not hypothesis.words and any(original.reference.words for original in originals):
        return ["text: nothing is said here"]
    missing, extra = [], []
    texts = [original.reference.text for original in originals]
    sentences = garbled(hypothesis.text, [*texts, *([] if source is None else [source.text])])
    if source is not None:
        references = [original.reference for original in originals]
        missing, extra = compare_with_source(hypothesis, source, references)
        sentences += _untranslated(hypothesis, originals, source, foreign)
    if not originals:
        missing, extra = _believable(missing, extra, hypothesis, source)
        return sentences + _of_numbers(missing, extra, "source", "is not in the source")
    against = [_against(hypothesis, original, missing, extra) for original in originals]
    return sentences + min(against, key=lambda found: (len(found), found))


def _believable(missing, extra, hypothesis, *others):
    """Leave out numbers that may be there in another way: as part of a name or another number, or,
    where none is in their place, as words.
    """
    written = [n for n in missing if n[0] == "1" or _is_hidden(n, others, (hypothesis,))]
    missing = [n for n in missing if n not in written]
    long = [n[2] for n in written if len(n[2]) >= _LONG_NUMBER]
    extra = [n for n in extra if not _is_hidden(n, (hypothesis,), others)]
    extra = [n for n in extra if not any(n[2] in other for other in long)]
    if not extra:
        missing = _not_as_words(missing, hypothesis)
    if not missing:
        extra = _not_as_words(extra, hypothesis)
    return missing, extra


def _is_hidden(number, having, lacking):
    """Tell whether a number of texts is part of a name there, or written in one that lacks it."""
    return _is_of_a_name(number, having) or any(_is_written(number, text) for text in lacking)


def _not_as_words(numbers, hypothesis):
    """Leave out what may be there as a word: small numbers, in other languages round ones."""
    if hypothesis.is_perhaps_english():
        return [n for n in numbers if n[0] not in SMALL_NUMBERS]
    return [n for n in numbers if n[0] not in ROUND_NUMBERS and not _ROUND.fullmatch(n[0])]


def _is_of_a_name(number, texts):
    """Tell whether digits are part of a name, such as COVID-19."""
    pattern = re.compile(rf"[^\W\d]-{re.escape(number[2])}")
    return any(pattern.search(text.lower) for text in texts)


def _is_written(number, text):
    """Tell whether the digits of a number are there by themselves ("19:54"), or parted."""
    digits = number[2].split(":")
    if not all(map(str.isdigit, digits)):
        return False
    groups = re.findall(r"\d+", text.lower)
    is_parted = len(digits[0]) >= _LONG_NUMBER and digits[0] in "".join(groups)
    return is_parted or set(digits).issubset(groups)


def _untranslated(hypothesis, originals, source, foreign):
    """Say which words of the source a translation has kept, but for names and loans."""
    # Without references, names are among the words that only the source has.
    names = () if originals else {word.lower() for word in source.capitalised}
    capitalised = {word.lower() for word in hypothesis.capitalised}
    unquoted = _QUOTED.sub(" ", hypothesis.lower)
    words = sorted(
        word
        for word in hypothesis.words & foreign
        if word not in names
        and word in unquoted
        and not any(original.reference.inflected(word) for original in originals)
    )
    if len(words) < _FEWEST_UNTRANSLATED or capitalised.issuperset(words):
        return []
    if not {source.language, hypothesis.language} <= _FEW_LOANS:
        # Such as French and English share many words, but seldom two side by side.
        pairs = (set(pairwise(text.in_order())) for text in (source, hypothesis))
        if not any(set(words).issuperset(pair) for pair in set.intersection(*pairs)):
            return []
    some = ", ".join(words[:_MOST]) + ", …" * (len(words) > _MOST)
    return [f"{len(words)} words of the source are untranslated: {some}"]


def _against(hypothesis, original, missing, extra):
    """Say what is wrong by one reference, given numbers that are missing or extra by the source."""
    reference = original.reference
    found = compare_with_reference(hypothesis, original)
    lacking, surplus, units, other_units, names, _, negations, other_negations = found
    place, nowhere = "reference", "is not in the reference"
    if original.source is not None:
        nowhere = "is in neither source nor reference"
        if missing := _shared(missing, reference, original.source):
            place = "source"
        lacking, surplus = _by_source(hypothesis, original, (lacking, surplus), (missing, extra))
    texts = filter(None, (reference, original.source))
    lacking, surplus = _believable(lacking, surplus, hypothesis, *texts)
    contradicted = [
        some
        for some in _contradictions(reference, hypothesis)
        if not any(number[2].endswith(some.said.lower() or " ") for number in lacking)  # "10 a.m"
    ]
    return [
        *_of_numbers(lacking, surplus, place, nowhere),
        *_of_currencies(units, other_units, contradicted),
        *_of_names(hypothesis, original, names, contradicted),
        *_of_negations(negations, reference, hypothesis, "{0} in the reference, {1} here"),
        *_of_negations(other_negations, hypothesis, reference, "{1} in the reference, {0} here"),
        *[
            f"{COLUMN_OF_KIND[some.kind]}: {some.said or 'nothing'} in the reference, "
            f"{some.instead or 'nothing'} here"
            for some in contradicted
        ],
    ]


def _shared(missing, reference, source):
    """Return the numbers of the source that a reference has, too."""
    known = all_keys(reference.numbers) | further_keys(reference, source)
    return [number for number in missing if not known.isdisjoint((number[0], *number[1]))]


def _by_source(hypothesis, original, of_reference, of_source):
    """Return numbers that are missing or extra by the reference, and by the source."""
    (lacking, surplus), (missing, extra), source = of_reference, of_source, original.source
    known = all_keys(source.digits) | further_keys(source, hypothesis)
    surplus = [n for n in surplus if n in extra or (lacking and n[0] not in known)]
    if source.digits:  # what only the reference has may be converted
        copied = [n for n in lacking if not known.isdisjoint((n[0], *n[1]))]
        surplus = surplus[len(lacking) - len(copied) :]
        lacking = copied
    # The source's own are said; a reference alone may be free in its wording.
    return missing or (lacking if surplus else []), surplus


def _of_numbers(missing, extra, place, nowhere):
    """Say which numbers are missing, and which are extra."""
    if len(missing) == len(extra) == 1:
        return [f"number {missing[0][2]} in the {place}, {extra[0][2]} here"]
    return [
        *_said(f"number {{}} of the {place} is missing", [n[2] for n in missing]),
        *_said(f"number {{}} {nowhere}", [n[2] for n in extra]),
    ]


def _of_negations(surplus, text, other, sentence):
    """Say what one text negates and the other says without negation, if it has more of them."""
    if not (surplus and text.is_perhaps_english() and other.is_perhaps_english()):
        return []
    if not (other.words - text.words).isdisjoint(IMPLIED_NEGATIONS | _VAGUE):
        return []
    said = ((negated, other.affirms(word)) for word, negated in text.negated_words())
    found = ["negation: " + sentence.format(*both) for both in said if both[1]]
    return found[: len(surplus)]


def _contradictions(reference, hypothesis):
    """List what stands in place of what the reference says; particles, where texts are alike."""
    found = contradictions(reference, hypothesis)
    common = len(reference.words & hypothesis.words)
    is_near = common >= _NEAR * len(reference.words | hypothesis.words)
    found = [some for some in found if is_near or not some.is_weak]
    # References often say percent where points are meant.
    return [some for some in found if "point" in some.said or "point" not in some.instead]


def _of_currencies(missing, extra, contradicted):
    """Say which currency stands in place of another, if that was not said already."""
    if len(missing) != 1 or len(extra) != 1 or "percent" in (*missing, *extra):
        return []
    if any(COLUMN_OF_KIND[some.kind] == "unit" for some in contradicted):
        return []
    return [f"unit: {missing[0]} in the reference, {extra[0]} here"]


def _of_names(hypothesis, original, names, contradicted):
    """Say which names stand in place of the reference's, but for those said already."""
    known = {some.said for some in contradicted}
    return [
        f"name {said} in the reference, {instead} here"
        for said, instead in replaced_names(hypothesis, original, names)
        if said not in known
    ]


def _said(sentence, things):
    """Say the same of several things; of many, the first of them."""
    said = [sentence.format(thing) for thing in things[:_MOST]]
    if len(things) > _MOST:
        said[-1] += f", and {len(things) - _MOST} more"
    return said
