"""Lines that belong to other lines: one is too many or too few above them, or all are of others.

Of each line and those up to three lines away on the other side, it is asked how much likelier its
length (as Gale and Church, 1993, compare lengths) and its words are if both belong together.
"""

from math import log
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_mteval.datasets.suspicious.lines import REFERENCES, SOURCES, words

_OFFSETS = (-3, -2, -1, 1, 2, 3)  # lines before and after that may be the right ones
_UNRELATED = (-11, -7, -5, 5, 7, 11)  # lines that are not, unless a file is shifted as far
_FEWEST = 12  # lines
_FEWEST_UNRELATED = 40  # of which it is said that they belong to no others
_DIFFERENT = 50  # words of both files, which otherwise say little
_ERRORS = 3.0  # standard errors that lines are nearer to those that they belong to, at least
_MIXED = 0.1  # of the lines that belong together, lengths say nothing
_WIDEST = 4.0  # standard deviations that words in common count at most
_MARGIN = 0.3  # of these, so that what is by chance sums up to nothing
_NEAR = 5  # lines around, whose mean says whether they are where they belong
# A shift is believed if it gains this, and the logarithm of the number of lines. What is not
# shifted gains 6.2 at most in samples of 20 lines, and 9.0 in files of hundreds and thousands.
_BELIEVED = 5.0
_MANY = 500  # lines, above which words are looked at only where lengths gain something
_BY_LENGTHS = 6.0


class Shift(NamedTuple):
    """Lines ``first`` to ``last`` belong to those ``offset`` lines further down."""

    gain: float  # logarithm of a likelihood ratio, about
    offset: int
    first: int
    last: int


class _Lengths:
    """How much likelier lengths in characters are of lines that belong together."""

    def __init__(self, lines, others):
        self._sides = [
            np.array([len(" ".join(text.split())) for text in side], dtype=np.float64)
            for side in (lines, others)
        ]
        one, other = self._sides
        self._ratio = log(max(one.sum(), 1.0) / max(other.sum(), 1.0))
        self._spread = sum(np.log(side + 5.0).var() for side in self._sides) + 0.02

    def __call__(self, one, other):
        """Compare two stretches (slices) of lines: logarithms of likelihood ratios."""
        one, other = self._sides[0][one], self._sides[1][other]
        apart = np.log((one + 5.0) / (other + 5.0)) - self._ratio
        variance = 0.01 + 1.0 / np.maximum(np.minimum(one, other), 5.0)
        exponent = apart**2 / 2 * (1 / self._spread - 1 / variance)
        found = np.log(_MIXED + (1 - _MIXED) * np.exp(exponent) * np.sqrt(self._spread / variance))
        found[(one == 0) | (other == 0)] = 0.0
        return found


class _Words:
    """How many standard deviations more words lines have in common than unrelated lines have."""

    def __init__(self, lines, others):
        self.known = known = {}
        sides = [
            [{known.setdefault(word, len(known)) for word in words(text)} for text in side]
            for side in (lines, others)
        ]
        sides = [_matrix(side, len(known)) for side in sides]
        n_lines = len(lines) + len(others)
        weights = np.log((n_lines + 1.0) / (sum(side.sum(axis=0) for side in sides) + 0.5))
        sides = [side * np.sqrt(np.maximum(weights, 0.0)) for side in sides]
        lengths = [np.sqrt((side * side).sum(axis=1)) + 1e-9 for side in sides]
        self._sides = [side / n[:, None] for side, n in zip(sides, lengths, strict=True)]
        pairs = [_beside(len(lines), offset) for offset in _UNRELATED]
        by_chance = np.concatenate([self._cosines(*pair) for pair in pairs])
        self._mean, self._deviation = by_chance.mean(), by_chance.std() + 0.02
        self._level = np.clip((by_chance - self._mean) / self._deviation, 0.0, _WIDEST).mean()

    def _cosines(self, one, other):
        return self._sides[0][one].multiply(self._sides[1][other]).sum(axis=1)

    def __call__(self, one, other):
        """Compare two stretches (slices) of lines."""
        further = (self._cosines(one, other) - self._mean) / self._deviation
        return np.clip(further, 0.0, _WIDEST) - self._level - _MARGIN


def _matrix(lines, n_words):
    """Put sets of words, as numbers, into a matrix (n_lines, n_words) of ones."""
    ends = np.cumsum([0, *map(len, lines)])
    columns = np.fromiter((word for line in lines for word in line), np.int64, ends[-1])
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(lines), n_words))


def _beside(n, offset):
    """Return the lines that have another ``offset`` lines further down, and these others."""
    rows = slice(max(0, -offset), max(0, n - max(0, offset)))
    return rows, slice(rows.start + offset, rows.stop + offset)


def _best(comparisons, n):
    """Find the stretch of lines that gains most by belonging ``offset`` lines further down."""

    def evidence(offset):
        found = np.zeros(n)
        rows, others = _beside(n, offset)
        found[rows] = sum(compared(rows, others) for compared in comparisons)
        return found

    here = np.convolve(evidence(0), np.ones(_NEAR) / _NEAR, "same")
    here = np.maximum(here, 0.0)
    found = []
    for offset in _OFFSETS:
        sums = np.concatenate([[0.0], np.cumsum(evidence(offset) - here)])
        gains = sums - np.minimum.accumulate(sums)
        last = int(np.argmax(gains))
        first = int(np.argmin(sums[: last + 1]))
        found.append(Shift(float(gains[last]), offset, first, last - 1))
    return max(found)


def _unrelated(compared, n):
    """Tell whether lines are no nearer to those beside them than to lines further away."""
    here = compared(*_beside(n, 0))
    away = np.concatenate([compared(*_beside(n, offset)) for offset in _UNRELATED])
    error = np.sqrt(here.var() / n + away.var() / len(away))
    return here.mean() - away.mean() < _ERRORS * error


def find_shift(lines, others):
    """Find a stretch of lines that belong to others above or below; None: no one.

    Its offset is 0 if the lines belong to none of the others, nor to those up to three away.
    """
    n = len(lines)
    if n < _FEWEST or min(len(set(side)) for side in (lines, others)) < _FEWEST:
        return None
    lengths = _Lengths(lines, others)
    apart = n >= _FEWEST_UNRELATED and _unrelated(lengths, n)
    if n > _MANY and not apart and _best([lengths], n).gain < _BY_LENGTHS:
        return None
    of_words = _Words(lines, others)
    found = _best([lengths, of_words], n)
    believed = found.gain > _BELIEVED + log(n)
    apart = apart and len(of_words.known) >= _DIFFERENT and _unrelated(of_words, n)
    if apart and not (believed and 2 * (found.last - found.first) > n):
        return Shift(0.0, 0, 0, n - 1)
    return found if believed else None


class Shifts:
    """Shifts of the parts of files, block by block."""

    def __init__(self):
        self._systems, self._found = set(), {}

    def add(self, lines):
        """Look at a block."""
        self._systems |= set(lines.systems)
        anchor = REFERENCES if REFERENCES in lines.parts else SOURCES
        pairs = [(name, anchor) for name in lines.systems]
        for name, other in [*pairs, (REFERENCES, SOURCES)]:
            if {name, other} <= lines.parts.keys() and (name, other) not in self._found:
                segments, part = lines.parts[name]
                found = find_shift(part.tolist(), lines.parts[other][1][segments].tolist())
                if found:
                    first = found.first if found.first > 2 + abs(found.offset) else 0
                    labels = [lines.labels[segments[k]] for k in (first, found.last)]
                    ends = found.last >= len(part) - 3 - abs(found.offset)
                    self._found[name, other] = found.offset, labels, ends

    def said(self):
        """Return what is found, by kind."""
        found = {"Shifted lines": [], "Lines that belong to none of those beside them": []}
        shifted, apart = found.values()
        for (name, other), (offset, labels, ends) in self._blamed():
            if offset == 0:
                apart.append(f"{name} and {other}")
                continue
            way = "behind" if offset < 0 else "ahead of"
            lines = f"{abs(offset)} line{'s' * (abs(offset) > 1)}"
            are = "are" if name in (SOURCES, REFERENCES) else "is"
            shifted.append(f"{name} {are} {lines} {way} {other} {_where(labels, ends)}")
        return found

    def _blamed(self):
        """List shifts, those of all systems alike as one of what they are compared with."""
        found = dict(self._found)
        of_references = found.pop((REFERENCES, SOURCES), None)
        kept = sorted(found.items(), key=str)
        if found and len(found) == len(self._systems) and len({e[0] for e in found.values()}) == 1:
            (_, anchor), (offset, *where) = kept[0]
            by_references = of_references is not None and of_references[0] == -offset
            if by_references or (len(found) > 1 and of_references is None):
                return [((anchor, "the translations"), (-offset, *where))]
        if of_references is not None:
            offset, *where = of_references
            kept.append(((SOURCES, REFERENCES), (-offset, *where)))
        return kept


def _where(labels, ends):
    """Name the first line of a stretch, and the last one unless it ends with the file."""
    what = "line" if isinstance(labels[0], int) else "segment"
    first, last = labels
    return f"from {what} {first} on" if ends else f"in {what}s {first} to {last}"
