"""Corruptions by words that contradict each other: of six languages, told by frequent words."""

import re

from sklearn_mteval.datasets.corruptions._words import capital, pick, replaced
from sklearn_mteval.text.contrasts import contrasts_in, language_by_words

_YEAR = re.compile(r"(?<![\d.,])(?:1[89]|20)\d\d(?![\d.,]*\d)")
_NUMBER = re.compile(r"(?<![\w.,:-])(?!(?:1[89]|20)\d\d\b)\d+(?![.,:]?\w|-)")
_FOCUS = {  # what is put before a number
    "en": ("only", "almost"),
    "de": ("nur", "fast"),
    "cs": ("pouze", "téměř"),
    "fr": ("seulement", "presque"),
    "es": ("solo", "casi"),
    "ru": ("только", "почти"),
}


def opposed(*kinds):
    """Return a maker of corruptions that puts another side of a contrast of these kinds."""

    def make(row, rng, others):
        language = language_by_words(row.text, *row.references)
        if not language:
            return None
        places = [
            found
            for found in contrasts_in(row.text, language)
            if found.contrast.kind in kinds
            and len(found.contrast.sides) > 1
            and _confirmed((found.contrast, found.side), row.references, language)
        ]
        if not places:
            return None
        found = pick(rng, places)
        sides = [k for k in range(len(found.contrast.sides)) if k != found.side]
        forms = found.contrast.sides[pick(rng, sides)]
        old = row.text[found.start : found.end]
        new = forms[min(found.form, len(forms) - 1)]
        return replaced(row.text, (found.start, found.end), _as_written(new, old))

    return make


def _confirmed(side, references, language):
    """Tell whether a reference has the same side, or there is none to ask."""
    return not references or any(side in _sides(text, language) for text in references)


def _as_written(new, old):
    """Give a word the capital of the one that it replaces."""
    return capital(new) if old[:1].isupper() else new


def keeps_side(text, reference, corrupted):
    """Tell whether a text has the side of a contrast that a corrupted reference has no more."""
    language = language_by_words(reference)
    if not language:
        return None
    of_text, before, after = (_sides(t, language) for t in (text, reference, corrupted))
    return before - after <= of_text and not (after - before) & of_text


def _sides(text, language):
    """Return the sides of contrasts that are in a text."""
    return {(found.contrast, found.side) for found in contrasts_in(text, language)}


def focus(row, rng, others):
    """Drop "only", "almost" or the like, or put one before a number."""
    language = language_by_words(row.text, *row.references)
    if not language:
        return None
    words = [f for f in contrasts_in(row.text, language) if f.contrast.kind == "focus"]
    if words:
        found = pick(rng, words)
        before, after = row.text[: found.start], row.text[found.end :]
        return before + _as_written(after.lstrip(), row.text[found.start :])
    places = [match.start() for match in _NUMBER.finditer(row.text)]
    if not places:
        return None
    at = pick(rng, places)
    return f"{row.text[:at]}{pick(rng, _FOCUS[language])} {row.text[at:]}"


def date(row, rng, others):
    """Put another weekday, month or year in the place of one."""
    years = [match.span() for match in _YEAR.finditer(row.text)]
    if row.references:
        years = [y for y in years if any(row.text[slice(*y)] in text for text in row.references)]
    named = opposed("weekday", "month")(row, rng, others)
    if not years or (named is not None and rng.random() < 0.5):
        return named
    year = pick(rng, years)
    new = int(row.text[slice(*year)]) + pick(rng, (-10, -3, -2, -1, 1, 2, 3, 10))
    return replaced(row.text, year, str(new))
