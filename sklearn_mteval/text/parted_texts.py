"""Texts in parts, and parts aligned with those of another text: what windows are made of."""

from collections import Counter
from functools import cache
from itertools import count
from typing import NamedTuple

import numpy as np

from sklearn_mteval.text.sentence_alignment import align_sentences
from sklearn_mteval.text.sentences import WIDEST, pieces, sentences, width

# Tenths of a letter: what is too long for a window is parted to pieces; windows of several
# sentences on both sides are no wider. Models have learnt of single sentences: of what is longer
# they say the less, the longer it is.
_PIECE, _MERGED = 3000, 3000.0
_WIDE = 15  # tenths of a letter, of the average character of a script without blanks


class Text(NamedTuple):
    """A text, and the ranges and widths of its parts."""

    text: str
    ranges: list
    widths: np.ndarray

    def whole(self):
        """Return the spans of all parts."""
        return ((0, len(self.ranges)),) if self.ranges else ()

    def slice(self, spans):
        """Return the text of the parts in spans (first, end), with one blank between them."""
        if spans and spans == self.whole():
            return self.text
        ranges = (self.ranges[k] for first, end in spans for k in range(first, end))
        return " ".join(self.text[start:stop] for start, stop in ranges)


class Aligned(NamedTuple):
    """A text aligned with its anchor: steps, and how alike they are."""

    steps: list
    gain: float

    def places(self):
        """Tell how many parts are behind, where a step ends, by the parts of the anchor behind."""
        return {0: 0} | {step[1]: step[3] for step in self.steps}

    def spans(self, cuts):
        """Return for each window of the anchor the spans (first, end) of its parts."""
        found, steps = [], iter([step for step in self.steps if step[0] < step[1]])
        step = next(steps, None)
        for end in cuts[1:]:
            spans = []
            while step is not None and step[1] <= end:
                if spans and step[2] == spans[-1][1]:
                    spans[-1] = spans[-1][0], step[3]
                elif step[2] < step[3]:
                    spans.append(step[2:])
                step = next(steps, None)
            found.append(tuple(spans))
        return found


class Parter:
    """Parts texts and aligns them: each text and each pair of texts once."""

    def __init__(self, longest):
        self._longest, self.by_length, self.labels = longest, 0, count(1)
        self.is_long, self.parts = cache(self._is_long), cache(self._parts)
        self.aligned, self.words = cache(self._aligned), cache(_words)

    def _is_long(self, text):
        """Tell whether a text has several sentences, or one that is too long."""
        if len(sentences(text)) > 1:
            return True
        return len(text) * WIDEST > self._longest and width(text) > self._longest

    def _parts(self, text):
        """Part a text into sentences, and those that are too long into pieces."""
        found, widths = [], []
        for start, end in sentences(text):
            own = width(text[start:end])
            if own <= self._longest:
                found.append((start, end))
                widths.append(own)
                continue
            self.by_length += 1
            for a, b in pieces(text[start:end], _PIECE):
                found.append((start + a, start + b))
                widths.append(width(text[start + a : start + b]))
        return Text(text, found, np.array(widths, dtype=np.float64))

    def _aligned(self, first, second, weights):
        """Align the parts of two texts."""
        texts = map(self.parts, (first, second))
        sides = [[one.text[start:end] for start, end in one.ranges] for one in texts]
        return Aligned(*align_sentences(*sides, weights, longest=_MERGED))


def _words(text):
    """Count the words of a text, of wide scripts its characters."""
    is_wide = width(text) > _WIDE * len(text)
    return Counter("".join(text.split()) if is_wide else text.split())
