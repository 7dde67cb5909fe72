"""Families of columns: what the features of a model tell, in words for readers."""

import re

from sklearn_mteval._helpers.fitting import unwrapped
from sklearn_mteval.features.lexical._columns import GROUPS
from sklearn_mteval.pairwise.ranking_pipeline import transformers_in

COMPETING = "likeness to the other translations"
_SOURCE = "likeness to the source"
_ENCODER = "meaning (encoder)"
_SURFACE = "letters, marks and markup"
_LEXICAL = {
    "alignment": "words like the reference's",
    "order": "the reference's words in its order",
    "ngrams": "phrases of the reference",
    "unknown": "unknown and copied words",
    "competing": COMPETING,
    "small": "length and marks",
    "source": _SOURCE,
    "characters": "spelling (character n-grams)",
}
# The first pattern that is found in the name of a column tells its family, by the transformer.
_FAMILIES = {
    "LexicalFeatures": (
        ("^competing_", COMPETING),
        ("^source_character_(?!copied)", _SOURCE),
        *(
            (f"^{column}$", _LEXICAL[group])
            for group, both in GROUPS.items()
            for columns in both
            for column in columns
        ),
    ),
    "ContentErrors": (
        ("number|unit", "numbers"),
        ("name", "names"),
        ("negation", "negation"),
        ("opposite|quantifier|date|roles", "contradictions"),
        ("flagged", "errors that are flagged"),
        ("untranslated", "untranslated words"),
        ("beginning|ending", "beginning and end"),
    ),
    "SurfaceErrors": (("names", "names"), ("longer|shorter", "length and marks"), ("", _SURFACE)),
    "LearnedTokenAlignment": (("(^|_)competing_", COMPETING), ("", _ENCODER)),
    "TokenAlignment": (("(^|_)competing_", COMPETING), ("", _ENCODER)),
    "CrossEncoder": (("", _ENCODER),),
    "SentenceEncoder": (("", _ENCODER),),
    "WordVectorAlignment": (("", "words like the reference's"),),
    "EmbeddingAverager": (("", "meaning (word vectors)"),),
    "SyntacticVectors": (("", "syntax"),),
    "ChrFComp": (("", "characters in common (chrF)"),),
    "BLEUComp": (("", "phrases in common (BLEU)"),),
    "METEORComp": (("", "words in common (METEOR)"),),
    "NISTScore": (("", "phrases in common (NIST)"),),
    "TERComp": (("", "edits (TER)"),),
    "LanguageModelScore": (("", "fluency (language model)"),),
}

# What only tells how like a translation is to the reference's wording, or to other translations.
_OF_WORDING = (
    *(_LEXICAL[group] for group in ("alignment", "order", "ngrams", "characters")),
    *(_FAMILIES[kind][0][1] for kind in ("ChrFComp", "BLEUComp", "METEORComp", "NISTScore")),
    _FAMILIES["TERComp"][0][1],
    COMPETING,
)


def in_order(values):
    """Order families by what they are reasons for.

    Returns two Series, of what speaks for the decision and of what speaks against it: the largest
    first, but what only tells the likeness of wording last, and the other translations after it.
    """

    def place(family):
        return is_of_wording(family) + (family == COMPETING), -abs(values[family])

    order = values.loc[sorted(values.index, key=place)]
    return order[order > 0], order[order < 0]


def is_of_wording(family):
    """Tell whether a family only tells how like a translation is to other texts in wording."""
    return family in _OF_WORDING


def families_of(model, columns):
    """Return the family of each column that the last step of a model is given.

    What is not known here is named after the transformer or, outside of unions, the column.
    """
    kinds = {}
    for prefix, step in transformers_in(unwrapped(model)):
        if (kind := type(step).__name__) in _FAMILIES:
            kinds.setdefault(prefix, kind)
    return [_family(str(column), kinds) for column in columns]


def _family(column, kinds):
    """Return the family of a column; ``kinds`` are classes of transformers by prefix."""
    prefix, bar, name = column.rpartition("__")
    for pattern, family in _FAMILIES.get(kinds.get(prefix + bar), ()):
        if re.search(pattern, name):
            return family
    return prefix.rpartition("__")[2] or re.sub("_?[0-9]+$", "", name) or name
