"""The registry of corruptions: what each does, what it needs, in which language."""

from collections.abc import Callable
from typing import NamedTuple

from sklearn_mteval.datasets.corruptions import _content, _whole_texts

__all__ = ["CORRUPTIONS", "Corruption"]


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
    """

    make: Callable
    what: str
    needs_source: bool = False
    english: bool = False


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
    "number": Corruption(_content.number, "one number changed"),
    "name": Corruption(_content.name, "one name replaced by another", english=True),
    "negation": Corruption(_content.negation, "one negation taken away or added", english=True),
    "content_word_dropped": Corruption(
        _content.content_word_dropped, "one content word dropped", english=True
    ),
    "content_word_replaced": Corruption(
        _content.content_word_replaced, "one content word replaced by another", english=True
    ),
}
