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
    "order": "word order",
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
