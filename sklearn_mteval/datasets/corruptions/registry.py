"""The registry of corruptions, and those of the whole text, in any language."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sklearn_mteval.datasets.corruptions import _content, _opposed, _structure, _surface
from sklearn_mteval.datasets.corruptions._words import pick, spans, without_closing
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.text.contrasts import LANGUAGES

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def dropped_third(row, rng, others):
    """Drop the last third of the words, of texts that have three."""
    words = spans(row.text)
    if len(words) < 3:
        return None
    return row.text[: words[len(words) - (len(words) + 1) // 3][0]].rstrip()


def foreign_appended(row, rng, others):
    """Append the source; where that is the translation itself, the source of another segment."""
    if row.source.strip() not in ("", row.text.strip()):
        return f"{row.text} {row.source}"
    return next((f"{row.text} {text}" for text in others.pool("sources").draw(row.unit, rng)), None)


def shuffled(row, rng, others):
    """Put the words in another order, punctuation at the end aside; of three different words."""
    words = _words(row.text)
    texts = [row.text[a:z] for a, z in words]
    if len(set(texts)) < 3:
        return None
    order = sorted(range(len(texts)), key=[rng.random() for _ in texts].__getitem__)
    if [texts[k] for k in order] == texts:
        order = [*order[1:], order[0]]
    return _arranged(row.text, words, [texts[k] for k in order])


def halves_swapped(row, rng, others):
    """Put the second half of the words before the first, punctuation at the end aside."""
    words = _words(row.text)
    if len(words) < 4:
        return None
    texts = [row.text[a:z] for a, z in words]
    half = (len(texts) + 1) // 2
    return _arranged(row.text, words, texts[half:] + texts[:half])


def _words(text):
    """List the words of a text as spans, without the punctuation that closes the text."""
    end = without_closing(text)
    return [(a, min(z, end)) for a, z in spans(text)]


def _arranged(text, words, texts):
    """Put texts in the places of a text's words; what stands between the words stays."""
    parts, last = [], 0
    for (start, end), new in zip(words, texts, strict=True):
        parts += [text[last:start], new]
        last = end
    return "".join([*parts, text[last:]])


def other_segment(row, rng, others):
    """Take another segment's translation, of like length."""
    drawn = others.pool("texts").draw(row.unit, rng)
    drawn = [text for text in drawn if text not in others.said[row.unit]]
    return min(drawn, key=lambda text: abs(len(text) - len(row.text)), default=None)


def garbage(row, rng, others):
    """Write words of random letters, about as many characters as the text has."""
    words, written = [], 0
    while not words or written < len(row.text):
        length = 5 + int(rng.random() * 5)  # of shorter ones, some are words
        words.append("".join(pick(rng, _LETTERS) for _ in range(length)))
        written += length + 1
    return " ".join(words)


class Corruption(NamedTuple):
    """A kind of corruption."""

    make: Callable  # (row, rng, others) → the corrupted text, None where it does not apply
    what: str  # what it does, for ``--help`` and the guide
    needs_source: bool = False  # whether there is none of a table without the column ``source``
    languages: tuple = ()  # those that it is for; empty: any
    # (text, reference, corrupted) → whether a text has right what a reference that was corrupted
    # has no more, and so is better than that one; None: this cannot be told.
    keeps: Callable | None = None


CORRUPTIONS = {
    "empty": Corruption(lambda row, rng, others: "", "the empty text"),
    "dropped_third": Corruption(dropped_third, "the last third of the words dropped"),
    "doubled": Corruption(lambda row, rng, others: f"{row.text} {row.text}", "the text, twice"),
    "foreign_appended": Corruption(foreign_appended, "the source appended", needs_source=True),
    "shuffled": Corruption(shuffled, "the words in random order"),
    "halves_swapped": Corruption(halves_swapped, "the second half before the first"),
    "other_segment": Corruption(other_segment, "a translation of another segment"),
    "garbage": Corruption(garbage, "words of random letters"),
    "source_copied": Corruption(
        lambda row, rng, others: row.source or None, "the source, not translated", needs_source=True
    ),
    "lowercased": Corruption(_surface.lowercased, "all letters small"),
    "wrapped": Corruption(_surface.wrapped, "words of a language model around it"),
    "entities": Corruption(_surface.entities, "spaces as entities of HTML"),
    "mojibake": Corruption(_surface.mojibake, "UTF-8 read as Windows-1252"),
    "clause_dropped": Corruption(_structure.clause_dropped, "a clause dropped"),
    "clause_added": Corruption(_structure.clause_added, "a clause of another segment added"),
    "number": Corruption(_content.number, "one number changed", keeps=_content.keeps_numbers),
    "name": Corruption(
        _content.name, "one name replaced by another", languages=("en",), keeps=_content.keeps_names
    ),
    "negation": Corruption(
        _content.negation,
        "one negation taken away or added",
        languages=("en",),
        keeps=_content.keeps_polarity,
    ),
    "content_word_dropped": Corruption(
        _content.content_word_dropped, "one content word dropped", languages=("en",)
    ),
    "content_word_replaced": Corruption(
        _content.content_word_replaced, "one content word replaced by another", languages=("en",)
    ),
    "roles": Corruption(_structure.roles, "two arguments or names exchanged"),
    "date": Corruption(_opposed.date, "another weekday, month or year", keeps=_opposed.keeps_side),
    **{
        kind: Corruption(
            _opposed.opposed(*contrasts), what, languages=LANGUAGES, keeps=_opposed.keeps_side
        )
        for kind, contrasts, what in (
            ("opposite", ("opposite",), "a word replaced by its opposite"),
            ("quantifier", ("quantifier", "bound"), "all for some, at least for at most"),
            ("modality", ("modality", "tense"), "must for may, is for was"),
            ("unit", ("unit", "currency"), "another unit or currency"),
        )
    },
    "focus": Corruption(_opposed.focus, "only or almost added or dropped", languages=LANGUAGES),
}


def named_kinds(kinds, known):
    """Return the kinds that a user names as a list; ValueError for what is none of those known."""
    named = [kinds] if isinstance(kinds, str) or not isinstance(kinds, Iterable) else list(kinds)
    for kind in named:
        if not isinstance(kind, str) or kind not in known:
            raise ValueError(f"kinds must be of {', '.join(known)}, found {kind!r}.")
    if not named or len(set(named)) < len(named):
        raise ValueError(f"kinds must be distinct, and one at least, found {named}.")
    return named


def check_columns_of(kinds, column, columns):
    """Raise CandidateError if there are kinds, and the column that they need is not there."""
    if kinds and column not in columns:
        raise CandidateError(
            f"The corruption {kinds[0]!r} needs the column {column!r}, which X does not have: its "
            f"columns are {list(columns)}. Add it, or leave this kind out."
        )
