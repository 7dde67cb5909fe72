"""The registry of corruptions: what each does, what it needs, in which language."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sklearn_mteval.datasets.corruptions import _content, _whole_texts
from sklearn_mteval.exceptions import CandidateError


class Corruption(NamedTuple):
    """A kind of corruption.

    Attributes
    ----------
    make : callable
        ``make(row, rng, others)`` returns the corrupted text, None where the kind does not apply.
    what : str
        What it does, for ``--help`` and the guide.
    needs_source : bool
        Whether there is none of a table without the column ``source``.
    english : bool
        Whether it is for English translations only.
    keeps : callable or None
        ``keeps(text, reference, corrupted)`` tells whether a text has right what a reference that
        was corrupted has no more, and so is better than that one; None: this cannot be told.
    """

    make: Callable
    what: str
    needs_source: bool = False
    english: bool = False
    keeps: Callable | None = None


CORRUPTIONS = {
    "empty": Corruption(_whole_texts.empty, "the empty text"),
    "dropped_third": Corruption(_whole_texts.dropped_third, "the last third of the words dropped"),
    "doubled": Corruption(_whole_texts.doubled, "the text, twice"),
    "foreign_appended": Corruption(
        _whole_texts.foreign_appended, "the source appended", needs_source=True
    ),
    "shuffled": Corruption(_whole_texts.shuffled, "the words in random order"),
    "halves_swapped": Corruption(_whole_texts.halves_swapped, "the second half before the first"),
    "other_segment": Corruption(_whole_texts.other_segment, "a translation of another segment"),
    "garbage": Corruption(_whole_texts.garbage, "words of random letters"),
    "source_copied": Corruption(
        _whole_texts.source_copied, "the source, not translated", needs_source=True
    ),
    "number": Corruption(_content.number, "one number changed", keeps=_content.keeps_numbers),
    "name": Corruption(
        _content.name, "one name replaced by another", english=True, keeps=_content.keeps_names
    ),
    "negation": Corruption(
        _content.negation,
        "one negation taken away or added",
        english=True,
        keeps=_content.keeps_polarity,
    ),
    "content_word_dropped": Corruption(
        _content.content_word_dropped, "one content word dropped", english=True
    ),
    "content_word_replaced": Corruption(
        _content.content_word_replaced, "one content word replaced by another", english=True
    ),
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
