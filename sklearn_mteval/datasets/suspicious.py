"""Texts that are hardly what was meant: empty, copied, untranslated, in another language."""

import warnings
from collections import Counter
from math import sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_candidates, check_texts, group_codes

_GIVEN = ("the sources", "the references")
_FEW = 3  # lines at least that are equal, or untranslated
_SHOWN = 5  # names at most
# Cosines of counts of character trigrams. On 22 test sets of WMT12 to WMT24, translations of 2,000
# characters and their references have 0.55 and more, and their sources mostly 0.42 and less.
_ONE_LANGUAGE = 0.45
_ENOUGH = 2000  # characters to tell that from
_ENOUGH_BESIDE_SOURCES = 500  # where sources are nearer, or not
_NEARER = 0.2
_SAMPLE = 5000  # characters of the references that are looked at
_OF_A_LINE = 200  # characters at most, lest one that never ends be most of them


class _Texts(NamedTuple):
    """The lines of a table, of segments any text of which is not empty."""

    systems: dict  # name -> (segments, texts)
    given: dict  # "source", "reference" -> text of each segment, those of several references joined
    there: np.ndarray  # (n_segments,), whether any text of a segment is not empty


def suspicious_texts(X: pd.DataFrame) -> list[str]:
    """List texts that are probably mistakes: empty ones, copies, another language.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table with the column ``hypothesis``, and ``source`` and ``reference`` if there
        are any; one without hypotheses has nothing to tell.

    Returns
    -------
    list of str
        Sentences with counts, independent of the order of rows, empty if all looks well:

        - empty lines, by system, and of sources and references; segments that are empty in all of
          these do not count;
        - systems that say the same in all segments, three or more;
        - systems, and references, that equal the source in more than half of the segments;
        - systems, or all of them, that seem to be of another language than the references: the
          cosine of their counts of character trigrams (of characters, where words have no spaces
          between them) is below 0.45, or less than that with the sources by 0.2. Fewer than 2,000
          characters, or 500 if there are sources, tell nothing.

    Raises
    ------
    CandidateError
        If X is no candidate table.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.datasets import suspicious_texts
    >>> rows = pd.MultiIndex.from_product([[1, 2], ["A", "B"]], names=["segment", "system"])
    >>> X = pd.DataFrame({"hypothesis": ["the dog", "a dog", "the cat", ""]}, index=rows)
    >>> suspicious_texts(X)
    ["Empty lines: 1 of 2 of 'B'."]
    """
    findings = Findings()
    findings.add(X)
    return findings.said()


def _in_order(counts):
    """List (name, number, of how many): systems by name, then sources and references."""

    def place(name):
        return (1, _GIVEN.index(name)) if name in _GIVEN else (0, name.strip("'\""))

    return [(name, *counts[name]) for name in sorted(counts, key=place)]


def warn_of_texts(X):
    """Warn of what is suspicious in a table, as whoever called the caller."""
    for finding in suspicious_texts(X):
        warnings.warn(finding, stacklevel=3)


class Findings:
    """What is suspicious in a table seen in blocks; languages are told by the first block."""

    def __init__(self):
        self._empty, self._copied = {}, {}  # name -> (lines that are so, lines)
        self._alike = {}  # name -> (hash of all lines, lines, some of the different ones)
        self._nearest, self._n_blocks = None, 0

    def add(self, X):
        """Look at a block."""
        check_candidates(X)
        if "hypothesis" not in X.columns or len(X) == 0:
            return
        texts = _texts(X)
        for totals, found in ((self._empty, _empty(texts)), (self._copied, _untranslated(texts))):
            for name, n, of in found:
                so_far = totals.get(name, (0, 0))
                totals[name] = so_far[0] + n, so_far[1] + of
        for name, (segments, part) in texts.systems.items():
            before, n, distinct = self._alike.get(name, (0, 0, {""}))
            if len(distinct) <= _FEW + 1:
                distinct |= set(part)
            lines = hash((before, self._n_blocks, segments.tobytes(), tuple(part)))
            self._alike[name] = lines, n + len(part), distinct
        if self._n_blocks == 0 and "reference" in texts.given:
            self._nearest = _nearest(texts)
        self._n_blocks += 1

    def warn(self):
        """Warn of what is suspicious, as whoever called the caller."""
        for finding in self.said():
            warnings.warn(finding, stacklevel=3)

    def said(self):
        """Return the sentences."""
        empty = [entry for entry in _in_order(self._empty) if entry[1]]
        copied = [
            (name, n, of) for name, n, of in _in_order(self._copied) if n >= _FEW and 2 * n > of
        ]
        findings = {
            "Empty lines": _counts(empty),
            "Line by line the same": self._equal(),
            "Line by line equal to the source": _counts(copied),
        }
        said = [f"{what}: {_listed(found)}." for what, found in findings.items() if found]
        leave_out = {name for name, *_ in copied}
        if self._nearest is None or "the references" in leave_out:
            return said
        foreign = _foreign({n: f for n, f in self._nearest.items() if repr(n) not in leave_out})
        return [*said, foreign] if foreign else said

    def _equal(self):
        """Write, of systems all of whose lines are the same, their names and how many lines."""
        alike = {}
        for name, (lines, n, distinct) in sorted(self._alike.items(), key=lambda e: str(e[0])):
            # Fewer different lines may be equal by chance.
            if len(distinct) > _FEW:
                alike.setdefault((lines, n), []).append(name)
        groups = [(names, n) for (_, n), names in alike.items() if len(names) > 1]
        return [f"{' = '.join(map(repr, names))} (all {n})" for names, n in groups]


def _texts(X):
    """Sort the texts of a table by system and segment, each once, however often it was judged."""
    hypotheses = check_texts(X, "hypothesis")
    segments = group_codes(X.index.get_level_values("segment"), len(X))
    systems = group_codes(X.index.get_level_values("system"), len(X))
    _, rows, segments = np.unique(segments, return_index=True, return_inverse=True)
    given = {"source": [], "reference": []}
    for column in given:
        if column in X.columns:
            cells = check_texts(X.iloc[rows], column, several=True)
            given[column] = [cell[0] if len(cell) == 1 else " ".join(cell) for cell in cells]
    given = {column: np.array(cells, dtype=object) for column, cells in given.items() if cells}
    _, pairs = np.unique(systems * len(rows) + segments, return_index=True)
    hypotheses = np.array(hypotheses, dtype=object)[pairs]
    there = np.bincount(segments[pairs[~_blank(hypotheses)]], minlength=len(rows)) > 0
    for cells in given.values():
        there |= ~_blank(cells)
    kept = there[segments[pairs]]
    pairs, hypotheses = pairs[kept], hypotheses[kept]
    starts = np.flatnonzero(np.diff(systems[pairs], prepend=-1))
    labels = X.index.get_level_values("system")[pairs[starts]]
    parts = zip(np.split(segments[pairs], starts), np.split(hypotheses, starts), strict=True)
    next(parts)  # before the first
    of_systems = sorted(zip(labels, parts, strict=True), key=lambda entry: str(entry[0]))
    return _Texts(dict(of_systems), given, there)


def _blank(texts):
    """Tell which texts have nothing but white space, (n_texts,)."""
    return np.array([not text.strip() for text in texts], dtype=bool)


def _empty(texts):
    """List (name, empty lines, lines) of systems, sources and references."""
    lines = {repr(name): part for name, (_, part) in texts.systems.items()}
    lines |= {f"the {column}s": cells[texts.there] for column, cells in texts.given.items()}
    return [(name, int(_blank(part).sum()), len(part)) for name, part in lines.items()]


def _untranslated(texts):
    """List (name, lines equal to the source, lines) of systems and references."""
    sources = texts.given.get("source")
    if sources is None:
        return []
    lines = {repr(name): part for name, part in texts.systems.items()}
    if "reference" in texts.given:
        lines["the references"] = (np.arange(len(sources)), texts.given["reference"])
    found = []
    for name, (segments, part) in lines.items():
        pairs = zip(part, sources[segments], strict=True)
        n_equal = sum(text == source and text.strip() != "" for text, source in pairs)
        found.append((name, n_equal, len(part)))
    return found


def _foreign(nearest):
    """Say which systems seem to be of another language than the references, "" if none does."""
    foreign = [repr(name) for name, found in nearest.items() if found != "references"]
    if not foreign:
        return ""
    if len(foreign) < len(nearest):
        return f"Of another language than the references, as it seems: {_listed(foreign)}."
    swapped = 2 * list(nearest.values()).count("sources") > len(nearest)
    return "The references seem to be of another language than the translations" + (
        ", and the sources of theirs: are sources and references swapped?" if swapped else "."
    )


def _nearest(texts):
    """Tell of systems, but short ones, whose language theirs is: "references", "sources"…."""
    given = [texts.given[column] for column in ("reference", "source") if column in texts.given]
    sample, profiles, found = _sample(given[0]), {}, {}
    for name, (segments, part) in texts.systems.items():
        looked_at = np.isin(segments, sample)
        text, rows = _joined(part[looked_at]), segments[looked_at]
        of_references = _joined(given[0][rows])
        n_characters = min(len(text), len(of_references))
        if n_characters < (_ENOUGH_BESIDE_SOURCES if len(given) > 1 else _ENOUGH):
            continue
        size = 3 if of_references.count(" ") * 15 > len(of_references) else 1  # no spaces
        if rows.tobytes() not in profiles:  # mostly, all systems have translated the same
            profiles[rows.tobytes()] = [_profile(_joined(cells[rows]), size) for cells in given]
        own = _profile(text, size)
        cosine, *of_sources = (_cosine(own, other) for other in profiles[rows.tobytes()])
        if of_sources and of_sources[0] > cosine + _NEARER:
            found[name] = "sources"
        elif n_characters >= _ENOUGH:
            found[name] = "references" if cosine >= _ONE_LANGUAGE else "neither"
    return found


def _sample(references):
    """Choose segments, evenly spread, whose references have some thousand characters."""
    there = np.flatnonzero(~_blank(references))
    mean = sum(map(len, references[there])) / max(len(there), 1)
    return there[:: max(1, int(len(there) * mean / _SAMPLE))]


def _joined(lines):
    """Join lines to one text."""
    return "\n".join(line[:_OF_A_LINE] for line in lines)


def _profile(text, size):
    """Count the character n-grams of a text, and its length as a vector."""
    text = " ".join(text.lower().split())
    counts = Counter(zip(*(text[k:] for k in range(size)), strict=False))
    return counts, sqrt(sum(n * n for n in counts.values()))


def _cosine(one, other):
    """Return the cosine of two profiles, 0 if one is empty."""
    product = sum(n * other[0][gram] for gram, n in one[0].items() if gram in other[0])
    return product / max(one[1] * other[1], 1.0)


def _counts(found):
    """Write (name, number, of how many) as texts."""
    return [f"{f'all {of}' if n == of else f'{n} of {of}'} of {name}" for name, n, of in found]


def _listed(found):
    """Join the first names of a list."""
    more = len(found) - _SHOWN
    return ", ".join(found[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
