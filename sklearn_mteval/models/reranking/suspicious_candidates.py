"""Candidates that are hardly translations: empty, refused, wrapped, copied, of odd length."""

import re
import unicodedata

import numpy as np

from sklearn_mteval.candidates import check_texts, comparable_groups
from sklearn_mteval.text.answers import is_refusal, wrapper

EMPTY = "empty"
NO_NUMBER = "no number of the source"
_TOO_LONG = 3.0  # times the median length of its list, or a third of it
_FEWEST = 3  # candidates whose median length tells, and lists with the same answer
_SHORT = 20  # letters of a text below which length and repetition tell nothing
_LETTERS = 60  # that are looked at to tell a script
_NUMBERS = re.compile(r"\d+")
_SPACES = re.compile(r"[\W\d_]+")
_ONE_SCRIPT = dict.fromkeys(("CJK", "HIRAGANA", "KATAKANA", "HANGUL"), "CJK")


def reasons(X):
    """Say of each row of whole lists why it is hardly a translation, "" if nothing tells.

    A text is looked at by itself, with its source, and with the others of its list; and whether it
    is the answer to different sources, in three lists of X at least.
    """
    texts = check_texts(X, "hypothesis")
    sources = check_texts(X, "source") if "source" in X.columns else [""] * len(X)
    found = [_reason(*pair) for pair in zip(texts, sources, strict=True)]
    groups = comparable_groups(X)
    for rows in np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1]):
        _within_list(rows.tolist(), texts, found)
    _repeated(texts, sources, groups, found)
    return np.array(found, dtype=object)


def _reason(text, source):
    """Look at a text and its source."""
    if not text.strip():
        return EMPTY
    if is_refusal(text) and not is_refusal(source):
        return "a refusal"
    if wrapper(text) and not wrapper(source):
        return "words around a translation"
    if source and len(text) >= _SHORT and text.strip() == source.strip():
        return "the source"
    n_numbers = len(set(_NUMBERS.findall(source)))
    if n_numbers >= _FEWEST and not _NUMBERS.search(text):
        return NO_NUMBER
    return ""


def _within_list(rows, texts, found):
    """Look at length and script of candidates next to those of which nothing is said yet.

    Numbers may be words in all of a list: then that one has none says nothing.
    """
    if not any(_NUMBERS.search(texts[row]) for row in rows if not found[row]):
        for row in rows:
            found[row] = "" if found[row] == NO_NUMBER else found[row]
    rows = [row for row in rows if not found[row]]
    if len(rows) < _FEWEST:
        return
    median = np.median([len(texts[row]) for row in rows])
    scripts = {row: _script(texts[row]) for row in rows}
    counts = {script: list(scripts.values()).count(script) for script in scripts.values()}
    usual = max(counts, key=counts.__getitem__)
    for row in rows:
        length = len(texts[row])
        if (
            max(length, median) >= _SHORT
            and not median < _TOO_LONG * length < _TOO_LONG**2 * median
        ):
            found[row] = "of odd length"
        elif scripts[row] != usual and scripts[row] and 2 * counts[usual] > len(rows):
            found[row] = "in another script"


def _script(text):
    """Name the script of most letters at a text's beginning."""
    names = [unicodedata.name(c, "").split(" ")[0] for c in text[: 3 * _LETTERS] if c.isalpha()]
    names = [_ONE_SCRIPT.get(name.split("-")[0], name) for name in names[:_LETTERS]]
    return max(sorted(set(names)), key=names.count, default="")


def _repeated(texts, sources, groups, found):
    """Find texts that answer different sources, letters only and in any case, in several lists."""
    lists = {}
    for row, text in enumerate(texts):
        key = _SPACES.sub("", text.lower())
        if len(key) >= _SHORT:
            lists.setdefault(key, []).append(row)
    for rows in lists.values():
        asked = {_SPACES.sub("", sources[row].lower()) or str(groups[row]) for row in rows}
        if len(asked) >= _FEWEST:
            for row in rows:
                found[row] = found[row] or "the answer to different sources"
