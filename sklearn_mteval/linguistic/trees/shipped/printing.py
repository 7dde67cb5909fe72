"""Trees as lines of brackets, from labelled spans of words."""

import re
from functools import lru_cache

from sklearn_mteval.linguistic.trees.brackets import escape_word

EMPTY = "()"
_NO_LABEL = re.compile(r"[()\s]")
_escape = lru_cache(maxsize=1 << 16)(escape_word)


@lru_cache(maxsize=1 << 12)
def _label(label):
    """Write a label or tag, such as TIGER's ``$(``; ``-LRB-`` is a tag and stays."""
    return _NO_LABEL.sub(lambda found: escape_word(found.group()), label)


def bracket_line(words, tags, spans):
    """Write a tree: words under tags, under spans (start, end, label), parts first; else ``()``."""
    if not words:
        return EMPTY
    opening, closing = [""] * len(words), [""] * len(words)
    pieces = [[] for _ in words]
    for start, end, label in spans:
        pieces[start].append(_label(label))
        closing[end - 1] += ")"
    for k, labels in enumerate(pieces):
        if labels:
            opening[k] = "(" + " (".join(labels[::-1]) + " "
    return " ".join(
        [
            f"{before}({_label(tag)} {_escape(word)}){behind}"
            for before, tag, word, behind in zip(opening, tags, words, closing, strict=True)
        ]
    )
