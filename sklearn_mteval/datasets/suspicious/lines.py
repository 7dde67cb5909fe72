"""The lines of a candidate table: those of each system, of the sources and of the references."""

import re
import unicodedata

import numpy as np

from sklearn_mteval.candidates import check_texts, group_codes
from sklearn_mteval.datasets._lines import as_object

SOURCES, REFERENCES = "the sources", "the references"
# A character of a script that parts no words; letters; digits; a mark.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W\\d_{_UNSPACED}]+|\\d+|[^\\w\\s.,]")
_STEM = 5  # letters of a word, which inflected forms and names in other languages have in common
_OF_A_LINE = 400  # characters at most, lest a line that never ends be most of the text
_NUMBER = re.compile(r"(\d+)")


class Lines:
    """The lines of a block, of segments any text of which is not empty, in the order of ``labels``:
    ``parts`` has of each of ``systems`` (as shown), then of sources and references if there are
    any, the segments, an array of places in ``labels``, and an array of texts.
    """

    def __init__(self, X):
        labels, segments, rows = _ordered(X.index.get_level_values("segment"))
        everywhere = np.arange(len(labels))
        parts = _systems(X, segments)
        self.systems = [*parts]
        for column, name in (("source", SOURCES), ("reference", REFERENCES)):
            if column in X.columns:
                cells = check_texts(X.iloc[rows], column, several=True)
                texts = [cell[0] if len(cell) == 1 else " ".join(cell) for cell in cells]
                parts[name] = everywhere, as_object(texts)
        there = np.zeros(len(labels), dtype=bool)
        for where, part in parts.values():
            there[where] |= ~blank(part)
        self.labels = [label for label, kept in zip(labels, there, strict=True) if kept]
        place = np.cumsum(there) - 1
        self.parts = {
            name: (place[where[there[where]]], part[there[where]])
            for name, (where, part) in parts.items()
        }


def _ordered(of_rows):
    """Return the labels of segments in order, the place of each row's, and a row of each."""
    codes = group_codes(of_rows, len(of_rows))
    _, rows, codes = np.unique(codes, return_index=True, return_inverse=True)
    labels = of_rows[rows].tolist()
    order = sorted(range(len(labels)), key=lambda k: _place(labels[k]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [labels[k] for k in order], place[codes], rows[order]


def _place(label):
    """Make a key by which labels are sorted as files have them: "a:9" before "a:10"."""
    if isinstance(label, int | float):
        return 0, label, ""
    parts = _NUMBER.split(str(label))
    digits = (part.lstrip("0") or "0" for part in parts[1::2])
    parts[1::2] = [f"{len(number):03d}{number}" for number in digits]
    return 1, 0, ("".join(parts), str(label))


def _systems(X, segments):
    """Sort the rows of a table by system and segment, each text once, however often judged."""
    hypotheses = as_object(check_texts(X, "hypothesis"))
    names = X.index.get_level_values("system")
    systems = group_codes(names, len(X))
    _, pairs = np.unique(systems * (segments.max() + 1) + segments, return_index=True)
    starts = np.flatnonzero(np.diff(systems[pairs], prepend=-1))
    parts = np.split(pairs, starts)[1:]
    labels = names[[part[0] for part in parts]].tolist()
    found = {
        label: (segments[part], hypotheses[part]) for label, part in zip(labels, parts, strict=True)
    }
    return {repr(name): found[name] for name in sorted(found, key=str)}


def blank(texts):
    """Tell which texts have nothing but white space, (n_texts,)."""
    return np.array([not text.strip() for text in texts], dtype=bool)


def words(text):
    """Return the beginnings of the words of a text, numbers, and marks but stops and commas."""
    text = text[:_OF_A_LINE]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return [word[:_STEM] for word in _WORD.findall(text.casefold())]


class Sample:
    """Some ``lines`` of each part, evenly spread over the first block, or the first ones of blocks:
    their places in the file, from 0, and texts.
    """

    most = 200  # lines of a part

    def __init__(self):
        self.lines, self._read = {}, 0

    def add(self, lines):
        """Look at a block."""
        for name, (segments, part) in lines.parts.items():
            places, kept = self.lines.setdefault(name, ([], []))
            there = np.flatnonzero(~blank(part)) if len(kept) < self.most else []
            n = min(self.most - len(kept), len(there))
            for k in np.linspace(0, len(there) - 1, n).round().astype(int) if n else []:
                places.append(self._read + int(segments[there[k]]))
                kept.append(part[there[k]])
        self._read += len(lines.labels)


def counts(found):
    """Write (name, number, of how many) as texts."""
    return [f"{f'all {of}' if n == of else f'{n} of {of}'} of {name}" for name, n, of in found]
