"""What most lines of a file begin or end with, and other files do not: numbers, "Translation:"."""

import re
from collections import Counter

from sklearn_mteval.datasets.suspicious.lines import Sample

_FEWEST = 5  # lines
_BYTES = 9  # of a beginning: nine letters, or three of Chinese
_COMMON = 0.1  # of the lines, at least, that have a beginning in common
_LEAST = 3  # of them
_ELSEWHERE = 0.5  # the part of such lines that may be found in another file
_MARKS = """["'`*#_~<>|\\[\\](){}«»„“”\u2018\u2019「」『』=\u2013—•/\\\\-]+"""
_FIRST, _LAST = re.compile(_MARKS), re.compile(_MARKS + "$")
_STOPS = " \t\r\n.。!?\uff01\uff1f…।"
_LINE_NUMBER = re.compile(r"\W{0,3}(?:[^\W\d]{1,4}\W?)?(\d{1,9})\W+\w")


def wrapped(sample: Sample) -> dict:
    """Find line numbers, and beginnings and ends that most lines of a part have.

    What the lines of another part have half as often is taken for a part of the texts.
    """
    found = {}
    for kind, of_part in (("Line numbers", _numbers), ("Wrapped lines", _wrappings)):
        told = {name: of_part(*lines) for name, lines in sample.lines.items()}
        proportions = [proportion for proportion, _ in told.values()]
        least = min(proportions, default=0.0)
        found[kind] = [
            f"most of {name} ({what})"
            for name, (proportion, what) in told.items()
            if proportion > 0.5 and least < _ELSEWHERE * proportion
        ]
    return found


def _numbers(places, lines):
    """Tell the proportion of lines that begin with the number of their place, counted up."""
    differences = Counter()
    for place, line in zip(places, lines, strict=True):
        if match := _LINE_NUMBER.match(line):
            differences[int(match[1]) - place] += 1
    n = max(differences.values(), default=0)
    return (n / len(lines), f"{lines[0][:20]!r}") if len(lines) >= _FEWEST else (0.0, "")


def _wrappings(_, lines):
    """Tell the proportion of lines whose beginning, or else end, some others have, and one."""
    if len(lines) < _FEWEST or 2 * len(set(lines)) <= len(lines):
        return 0.0, ""
    return max(_in_common(map(_beginning, lines)), _in_common(map(_end, lines)))


def _in_common(ends):
    """Tell the proportion of ends that are common, and the most common of them."""
    frequencies = Counter(ends)
    total = frequencies.total()
    del frequencies[""]
    common = [(n, end) for end, n in frequencies.items() if n >= max(_LEAST, _COMMON * total)]
    return sum(n for n, _ in common) / total, f"{max(common)[1]!r}" if common else ""


def _beginning(line):
    """Return the marks that a line begins with, or its first letters."""
    line = line.strip()
    if marks := _FIRST.match(line):
        return marks[0]
    return line.encode(errors="replace")[:_BYTES].decode(errors="ignore").casefold()


def _end(line):
    """Return the marks that a line ends with, but stops; verbs at the end are often the same."""
    marks = _LAST.search(line.rstrip(_STOPS))
    return marks[0] if marks else ""
