"""What a translation contradicts, as sentences for readers."""

import pandas as pd

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.content._comparison import (
    compare_rows,
    compare_with_reference,
    compare_with_source,
)
from sklearn_mteval.features.content._numbers import all_keys, further_keys

_MOST = 5  # sentences of one kind
_MOST_NAMES = 2  # that stand for each other; more are a title or a free translation
_FEWEST_UNTRANSLATED = 2  # one word may be the same in both languages


def content_flags(X: pd.DataFrame) -> pd.Series:
    """Name probable errors of content: numbers, names, negation and untranslated words.

    Of what :class:`ContentErrors` counts, only that which is fairly sure is said: a number or name
    of the source that is missing, one that stands in place of another, a negation that only one
    side has, and two untranslated words or more.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table with the column ``hypothesis``, and ``source`` or ``reference`` or both.

    Returns
    -------
    Series of length n_candidates
        With the index of X: a list of sentences for each candidate, by the texts of its row only.
        Of several references, the one with the fewest sentences counts.

    Raises
    ------
    CandidateError
        If a column is missing or has a cell that is no text.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import content_flags
    >>> X = pd.DataFrame({"source": ["Der Patient ist nicht allergisch.", "Das Treffen ist um 9."],
    ...                   "reference": ["The patient is not allergic.", "The meeting is at 9 am."],
    ...                   "hypothesis": ["The patient is allergic.", "The meeting is at 7 am."]})
    >>> content_flags(X).explode().tolist()  # doctest: +NORMALIZE_WHITESPACE
    ['negation of the reference is missing', 'number 9 of the source is missing',
     'number 7 am is in neither source nor reference']
    """
    columns = {"source", "reference"} & set(getattr(X, "columns", ()))
    if not columns and isinstance(X, pd.DataFrame):
        raise CandidateError(
            "Expected a column 'source' or 'reference' to compare translations with, found the "
            f"columns {list(X.columns)}."
        )
    found = compare_rows(X, _flags, references="reference" in columns)
    return pd.Series(found, index=X.index, name="flags", dtype=object)


def _flags(hypothesis, originals, source, foreign):
    """Return the sentences about a translation."""
    missing, extra, sentences = [], [], []
    if source is not None:
        references = [original.reference for original in originals]
        missing, extra = compare_with_source(hypothesis, source, references)
        sentences = _said("number {} of the source is missing", [n[2] for n in missing])
        # Without references, names are among the words that only the source has.
        names = () if originals else {word.lower() for word in source.capitalised}
        words = sorted(word for word in hypothesis.words & foreign if word not in names)
        if len(words) >= _FEWEST_UNTRANSLATED:
            some = ", ".join(words[:_MOST]) + ", …" * (len(words) > _MOST)
            sentences.append(f"{len(words)} words of the source are untranslated: {some}")
    if not originals:
        return sentences + _said("number {} is not in the source", [n[2] for n in extra])
    against = [_against(hypothesis, original, missing, extra) for original in originals]
    return sentences + min(against, key=lambda found: (len(found), found))


def _against(hypothesis, original, missing, extra):
    """Say what is wrong by one reference, given numbers that are missing or extra by the source."""
    source, reference = original.source, original.reference
    lacking, surplus, _, _, names, others, negations, other_negations = compare_with_reference(
        hypothesis, original
    )
    nowhere = "is not in the reference"
    if source is not None:
        nowhere = "is in neither source nor reference"
        known = all_keys(source.digits) | further_keys(source, hypothesis)
        surplus = [n for n in surplus if n in extra or (lacking and n[0] not in known)]
        # The source's own are said; a reference alone may be free in its wording.
        lacking = [] if missing or not surplus else lacking
    sentences = [
        *_said("number {} of the reference is missing", [n[2] for n in lacking]),
        *_said(f"number {{}} {nowhere}", [n[2] for n in surplus]),
        *_of_names(names, others, source, nowhere),
    ]
    if negations and reference.negates(hypothesis):
        sentences.append("negation of the reference is missing")
    if other_negations and hypothesis.negates(reference):
        sentences.append("negation is not in the reference")
    return sentences


def _of_names(names, others, source, nowhere):
    """Return the sentences about names that are missing, and others that are extra."""
    copied = set() if source is None else {name for name in names if name in source.capitalised}
    if not (0 < len(names) <= _MOST_NAMES and 0 < len(others) <= _MOST_NAMES):
        names, others = copied, []
    return [
        *_said("name {} of the source is missing", sorted(copied)),
        *_said("name {} of the reference is missing", sorted(set(names) - copied)),
        *_said(f"name {{}} {nowhere}", others),
    ]


def _said(sentence, things):
    """Say the same of several things; of many, the first of them."""
    said = [sentence.format(thing) for thing in things[:_MOST]]
    if len(things) > _MOST:
        said[-1] += f", and {len(things) - _MOST} more"
    return said
