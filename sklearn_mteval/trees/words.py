"""Words as labels of bracketed trees, and back."""

import re

__all__ = ["escape_word", "unescape_word"]

_SPELLED = {
    "LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}",
}  # fmt: skip
_ESCAPES = {"(": "-LRB-", ")": "-RRB-"}
_NAME = r"(?:[LR][RSC]B|U\+[0-9A-F]{4})"
# What no label may hold, and a hyphen from which on a label would read as an escape.
_FORBIDDEN = re.compile(rf"[()\s]|-(?={_NAME}[-()\s])")
_ESCAPED = re.compile(rf"-({_NAME})-")


def escape_word(word):
    """Write a word so that it can stand as a label in a bracketed tree.

    Parameters
    ----------
    word : str
        Any text.

    Returns
    -------
    str
        The same with ``-LRB-`` for "(" and ``-RRB-`` for ")", as the Penn Treebank has it; white
        space, which few words have, by its number: ``-U+0020-``. What looks like an escape already
        keeps its meaning: its first hyphen becomes ``-U+002D-``.

    Examples
    --------
    >>> from sklearn_mteval.trees import escape_word, unescape_word
    >>> escape_word("Spouse(s)")
    'Spouse-LRB-s-RRB-'
    >>> escape_word("10 000")
    '10-U+0020-000'
    >>> unescape_word(escape_word("-LRB-"))
    '-LRB-'
    """
    return _FORBIDDEN.sub(_escape, word)


def unescape_word(label):
    """Undo :func:`escape_word`, and the Penn Treebank's escapes of other brackets.

    Parameters
    ----------
    label : str
        A label, such as ``-LRB-``, ``-LSB-`` or ``Spouse-LRB-s-RRB-``.

    Returns
    -------
    str
        The word.
    """
    return _ESCAPED.sub(_unescape, label)


def _escape(found):
    """Spell a character."""
    character = found.group()
    return _ESCAPES.get(character) or f"-U+{ord(character):04X}-"


def _unescape(found):
    """Give the character that is spelt."""
    name = found.group(1)
    return _SPELLED.get(name) or chr(int(name[2:], 16))
