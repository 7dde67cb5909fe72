"""Lines that are empty, that several systems have, or that are those of the source or reference."""

import re

from sklearn_mteval.datasets.suspicious.lines import REFERENCES, SOURCES, blank, counts

_FEW = 3  # lines at least that are equal, or untranslated
_MANY = 10  # different lines that equal the reference's, long enough not to do so by chance
_MOST = 0.6  # of these; references that people made from a system's text have up to half
_LONG = 30  # bytes: about as many letters, or ten of Chinese
_HUMAN = re.compile(r"'(ref|human|post-?edit)", re.IGNORECASE)  # a system that may be the reference


class Copies:
    """Counts of such lines, block by block."""

    def __init__(self):
        self._empty, self._copied = {}, {}  # name -> (lines that are so, lines)
        self._perfect = {}  # name -> (those that are long and so, long ones, some different ones)
        self._alike = {}  # name -> (hash of all lines, lines, some of the different ones)
        self._n_blocks = 0

    def add(self, lines):
        """Look at a block."""
        for name, (segments, part) in lines.parts.items():
            _count(self._empty, name, blank(part))
            if name != SOURCES and SOURCES in lines.parts:
                sources = lines.parts[SOURCES][1][segments]
                _count(self._copied, name, (part == sources) & ~blank(part))
        for name in lines.systems:
            segments, part = lines.parts[name]
            before, n, distinct = self._alike.get(name, (0, 0, {""}))
            if len(distinct) <= _FEW + 1:
                distinct |= set(part)
            of_block = hash((before, self._n_blocks, segments.tobytes(), tuple(part)))
            self._alike[name] = of_block, n + len(part), distinct
            if REFERENCES in lines.parts and not _HUMAN.match(name):
                self._compare(name, part, lines.parts[REFERENCES][1][segments])
        self._n_blocks += 1

    def _compare(self, name, part, references):
        """Count the long lines of a system that equal the reference's."""
        n, of, distinct = self._perfect.get(name, (0, 0, set()))
        long = [len(text.encode(errors="replace")) >= _LONG for text in part]
        equal = part[long][part[long] == references[long]]
        if len(distinct) < _MANY:
            distinct |= set(equal)
        self._perfect[name] = n + len(equal), of + sum(long), distinct

    def said(self):
        """Return (kind, what is found of it), and the names of copies of the source."""
        empty = [(name, n, of) for name, (n, of) in _in_order(self._empty) if n]
        copied = [
            (name, n, of) for name, (n, of) in _in_order(self._copied) if n >= _FEW and 2 * n > of
        ]
        perfect = [
            (name, n, of)
            for name, (n, of, distinct) in _in_order(self._perfect)
            if len(distinct) >= _MANY and n > _MOST * of
        ]
        found = {
            "Empty lines": counts(empty),
            "Line by line the same": self._equal(),
            "Line by line equal to the source": counts(copied),
            "Long lines equal to the reference, line by line": counts(perfect),
        }
        return found, {name for name, *_ in copied}

    def _equal(self):
        """Write, of systems all of whose lines are the same, their names and how many lines."""
        alike = {}
        for name, (lines, n, distinct) in _in_order(self._alike):
            # Fewer different lines may be equal by chance.
            if len(distinct) > _FEW:
                alike.setdefault((lines, n), []).append(name)
        groups = [(names, n) for (_, n), names in alike.items() if len(names) > 1]
        return [f"{' = '.join(names)} (all {n})" for names, n in groups]


def _count(totals, name, found):
    """Add lines that are so, (n_lines,), and all lines to those of former blocks."""
    n, of = totals.get(name, (0, 0))
    totals[name] = n + int(found.sum()), of + len(found)


def _in_order(totals):
    """Sort entries: systems by name, then sources and references."""
    given = {SOURCES: 1, REFERENCES: 2}
    return sorted(totals.items(), key=lambda e: (given.get(e[0], 0), e[0].strip("'\"")))
