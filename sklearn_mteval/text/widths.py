"""The width of a text: its length, comparable between scripts (Gale and Church 1993)."""

from unicodedata import category

from sklearn_mteval._helpers.memo import Memo

# Tenths of the width of a Latin letter, by ranges of code points: so wide that parallel texts of
# WMT23 (zh, he) and WMT24 (ja) are as wide as their English; Arabic and Hangul are estimates.
_RANGES = (
    (0x0590, 0x05FF, 16), (0x0600, 0x08FF, 13), (0x2E80, 0x2FFF, 40), (0x3040, 0x30FF, 16),
    (0x31F0, 0x31FF, 16), (0x3400, 0x9FFF, 40), (0xAC00, 0xD7A3, 22), (0xF900, 0xFAFF, 40),
    (0xFF66, 0xFF9F, 16), (0x20000, 0x323AF, 40)
)  # fmt: skip
USUAL, WIDEST = 10, 40
_MARK_WIDTH = 1  # of accents and what is not seen; vowel signs from India to Cambodia are letters


def width(text):
    """Return the width of a text, in tenths of a Latin letter; a run of whitespace is one blank."""
    text = " ".join(text.split())
    if text.isascii():
        return USUAL * len(text)
    return sum(map(WIDTHS.__getitem__, text))


def _width_of(char):
    """Return the width of a character."""
    code = ord(char)
    if category(char) in ("Mn", "Me", "Cf") and not 0x0900 <= code < 0x1AB0:
        return _MARK_WIDTH
    return next((value for low, high, value in _RANGES if low <= code <= high), USUAL)


WIDTHS = Memo(_width_of)
