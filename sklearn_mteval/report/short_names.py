"""Short names of systems: what the names of all share is cut, as WMT's files have it."""

import re

_SEPARATOR = re.compile(r"[._/ -]")


def short_names(names):
    """Cut of each name what all of them begin and end with, as far as whole parts go.

    Parts stand between dots, hyphens, underlines, slashes and blanks. Different names stay
    different, and each has a letter left: of "gpt-4" and "gpt-5" nothing is cut.

    >>> short_names(["newstest2013.fr-en.MES.2662", "newstest2013.fr-en.online-A"])
    ['MES.2662', 'online-A']
    """
    names = list(map(str, names))
    before, after = common_ends(names)
    return [name[len(before) : len(name) - len(after)] for name in names]


def common_ends(names):
    """Return what several names all begin with, and what they end with, that is cut; or ""."""
    names = sorted(set(map(str, names)))
    before = _common_head(names)
    after = _common_head([name[len(before) :][::-1] for name in names])[::-1]
    return before, after


def _common_head(names):
    """Return the longest run of whole parts with which all begin, and which leaves a letter."""
    for separator in reversed(list(_SEPARATOR.finditer(names[0]))) if len(names) > 1 else ():
        head = names[0][: separator.end()]
        if all(name.startswith(head) and _has_letter(name[len(head) :]) for name in names):
            return head
    return ""


def _has_letter(text):
    """Tell whether a text is more than numbers and marks."""
    return any(map(str.isalpha, text))
