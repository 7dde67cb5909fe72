"""Windows: aligned sentences of source, reference and translation, each judged as a row of its own.

What a model has learnt of single sentences does not hold for longer texts, which are parted.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_texts, comparable_groups, segment_codes
from sklearn_mteval.text.parted_texts import Parter
from sklearn_mteval.text.sentence_alignment import OF_ONE_LANGUAGE, OF_TWO_LANGUAGES

CHANCE = 0.02  # of what has no counterpart, to be better than another translation

_ALL = -1  # in place of the number of an anchor
_WEIGHTS = {"source": OF_TWO_LANGUAGES, "reference": OF_ONE_LANGUAGE}  # of alignments


class Windows(NamedTuple):
    """The windows of a candidate table: those of a row's *own* texts make its score, those *shared*
    with rows that it may be compared with its strength, where an empty hypothesis stands for an
    omission.
    """

    table: pd.DataFrame  # a row for each window, which is a segment of its own
    row: np.ndarray  # which row of the candidate table, or text of ``bound``, each window is of
    own: np.ndarray  # weight of each window in the score of its row, 0: it is not its own
    shared: np.ndarray  # weight of each window in the strength of its row, 0: it is not shared
    lost: np.ndarray  # weight in each row's score of what has no counterpart
    added: np.ndarray  # weight in each row's strength of what is in no shared window
    parted: np.ndarray  # whether a row is judged in windows
    # Of parted rows that are their reference, less something, the number (behind those of rows) of
    # the reference as a translation of itself, than which they have no higher score; −1 of others.
    bound: np.ndarray
    itself: np.ndarray  # whether a row is its reference
    by_length: int = 0  # how many sentences had to be parted at words


def windows_of(X, *, anchor, longest):
    """Part texts into windows, ``longest`` letters wide, aligned with sentences of ``anchor``."""
    if anchor not in X.columns or "hypothesis" not in X.columns:
        return _unparted(X)
    parter = Parter(10 * longest)
    hypotheses, anchors, sources = _texts_of(X, anchor)
    anchors, is_long = _long_rows(parter, hypotheses, anchors)
    if is_long is None:
        return _unparted(X)
    codes, parted, differ = _rows_alike(X, anchors, sources, is_long)
    found = [_Window(row, 0, None, 1.0, 1.0) for row in np.flatnonzero(~parted).tolist()]
    lost, added = np.zeros((2, len(X)))
    bound, n_texts = -np.ones(len(X), np.int64), len(X)
    for _, rows in pd.Series(np.flatnonzero(parted)).groupby(codes[parted], sort=False):
        texts = anchors[rows.iloc[0]], sources[rows.iloc[0]], [hypotheses[row] for row in rows]
        group = _Group(parter, *texts, is_long[rows], _WEIGHTS[anchor])
        for row, (windows, lost[row], added[row]) in zip(rows, group.windows(), strict=True):
            if differ[row]:  # its own windows, and the row itself for what it is compared with
                windows = [window._replace(shared=0.0) for window in windows if window.own]
                windows, added[row] = [*windows, _Window(-1, 0, None, 0.0, 1.0)], 0.0
            found += [window._replace(row=row) for window in windows]
        for losers, windows in group.bounds() if anchor == "reference" else ():
            bound[rows[losers]] = n_texts
            found += [window._replace(row=n_texts) for window in windows]
            n_texts += 1
    table, weights, windows = _assembled(X, anchor, found, bound)
    parted = windows | (lost + added > 0)
    itself = np.array([text in texts for text, texts in zip(hypotheses, anchors, strict=True)])
    return Windows(table, *weights, lost, added, parted, bound, itself, parter.by_length)


def _unparted(X):
    """Return rows that are judged as a whole."""
    rows, ones, zeros = np.arange(len(X)), np.ones(len(X)), np.zeros(len(X))
    none = zeros > 0
    return Windows(X, rows, ones, ones, zeros, zeros, none, -np.ones_like(rows), none)


def _texts_of(X, anchor):
    """Return hypotheses, tuples of anchors, and sources beside a reference, or None for each."""
    hypotheses = check_texts(X, "hypothesis")
    anchors = check_texts(X, anchor, several=anchor == "reference")
    if anchor == "source":
        return hypotheses, [(text,) for text in anchors], [None] * len(X)
    sources = check_texts(X, "source") if "source" in X.columns else [None] * len(X)
    return hypotheses, anchors, sources


def _long_rows(parter, hypotheses, anchors):
    """Return anchors without blank ones, and which rows are long with one, or None of none."""
    is_long = [
        any(map(parter.is_long, (text, *texts)))
        for text, texts in zip(hypotheses, anchors, strict=True)
    ]
    if not any(is_long):
        return anchors, None
    # What is blank has no sentences to align with.
    there = [tuple(filter(str.strip, texts)) for texts in anchors]
    anchors = [some or texts for some, texts in zip(there, anchors, strict=True)]
    return anchors, np.array(is_long) & np.array(list(map(bool, there)))


def _rows_alike(X, anchors, sources, is_long):
    """Number rows that share windows; tell whose are parted, and which meet other anchors."""
    alike = {"group": comparable_groups(X), "anchor": anchors, "source": sources}
    codes = pd.DataFrame(alike).groupby(list(alike), dropna=False, sort=False).ngroup().to_numpy()
    differ = pd.Series(codes).groupby(alike["group"]).transform("nunique").to_numpy() > 1
    return codes, np.isin(codes, codes[np.flatnonzero(is_long)]), differ


class _Window(NamedTuple):
    """A window: the row that it is of, its label, its texts (None: those of the row), weights."""

    row: int
    label: int
    texts: tuple | None  # source, anchor, hypothesis
    own: float
    shared: float


class _Group:
    """Rows of one ranking with the same source and anchors, of which the likest one counts."""

    def __init__(self, parter, anchors, source, hypotheses, is_long, weights):
        self._parter, self._anchors, self._source = parter, anchors, source
        self._hypotheses, self._is_long = hypotheses, is_long
        self._aligned = [[parter.aligned(a, h, weights) for h in hypotheses] for a in anchors]
        self._places = []  # parts of the source that are behind at each end of a step of an anchor
        if source is not None:
            of_source = (parter.aligned(anchor, source, OF_TWO_LANGUAGES) for anchor in anchors)
            self._places = [found.places() for found in of_source]
        self._gains = np.array([[found.gain for found in row] for row in self._aligned])

    def bounds(self):
        """Yield of anchors which long rows only lose words of them, or Chinese characters: first
        which rows, then the anchor's windows as a translation of itself.
        """
        words, numbers = self._parter.words, self._gains.argmax(axis=0)
        rows = zip(self._hypotheses, numbers.tolist(), self._is_long, strict=True)
        for k, (text, number, is_long) in enumerate(rows):
            anchor = self._anchors[number]
            if not is_long or text == anchor or not words(text) <= words(anchor):
                numbers[k] = -1
        for number in np.unique(numbers[numbers >= 0]).tolist():
            yield numbers == number, self._itself(number)

    def _itself(self, number):
        """Return the windows of an anchor as a translation of itself."""
        anchor = self._anchors[number]
        aligned = self._parter.aligned(anchor, anchor, OF_ONE_LANGUAGE)
        found, parts = [], self._parter.parts(anchor)
        for first, end in pairwise(self._cuts(number, [aligned])):
            label, text = next(self._parter.labels), parts.slice(((first, end),))
            texts = self._source_of(number, first, end), text, text
            found.append(_Window(-1, label, texts, parts.widths[first:end].sum(), 0.0))
        return found

    def windows(self):
        """Yield of each row its windows, what its score has lost and its strength is without."""
        together = int(self._gains.sum(axis=1).argmax())
        cuts = self._cuts(together, self._aligned[together])
        labels = [next(self._parter.labels) for _ in cuts[1:]]
        for k, best in enumerate(self._gains.argmax(axis=0).tolist()):  # the likest anchor
            shared, _, added = self._spans(together, k, cuts)
            own, omitted, more = self._own(best, k)
            found = {
                key: _Window(-1, label, self._texts(key, k), 0.0, weight)
                for (key, weight), label in zip(shared, labels, strict=True)
            }
            for key, weight in own:
                if key not in found:
                    label = next(self._parter.labels)
                    found[key] = _Window(-1, label, self._texts(key, k), 0.0, 0.0)
                found[key] = found[key]._replace(own=weight)
            # In order, so that sums over a row's own windows do not hang on the shared ones.
            yield [found[key] for key in sorted(found)], omitted + more, added

    def _own(self, number, k):
        """Return the windows of one text by itself as :meth:`_spans` does, without omissions."""
        if not self._is_long[k]:  # judged as it stands, whatever there is beside it
            return [(self._whole(k), 1.0)], 0.0, 0.0
        cuts = self._cuts(number, [self._aligned[number][k]])
        found, omitted, added = self._spans(number, k, cuts)
        return [(key, weight) for key, weight in found if key[3]], omitted, added

    def _whole(self, k):
        """Return the window that is the whole row, with all of its anchors."""
        if len(self._anchors) > 1:
            return (_ALL, 0, 0, ())
        anchor, hypothesis = map(self._parter.parts, (self._anchors[0], self._hypotheses[k]))
        return (0, 0, len(anchor.ranges), hypothesis.whole())

    def _cuts(self, number, aligned):
        """Return where windows of an anchor may end, for all that is aligned with it."""
        ends = [found.places() for found in aligned]
        if self._source is not None:
            ends.append(self._places[number])
        return sorted(set(ends[0]).intersection(*ends))

    def _spans(self, number, k, cuts):
        """Return windows between cuts, their weights, what is omitted and what is added."""
        widths = self._parter.parts(self._anchors[number]).widths
        own = self._parter.parts(self._hypotheses[k]).widths
        found, omitted, added = [], 0.0, own.sum()
        spans = self._aligned[number][k].spans(cuts)
        for (first, end), parts in zip(pairwise(cuts), spans, strict=True):
            weight = widths[first:end].sum()
            found.append(((number, first, end, parts), weight))
            omitted += 0.0 if parts else weight
            added -= sum(own[start:stop].sum() for start, stop in parts)
        return found, omitted, added

    def _texts(self, key, k):
        """Return the texts of a window: source, anchor and hypothesis; None: those of the row."""
        if key == self._whole(k):
            return None
        number, first, end, spans = key
        anchor = self._parter.parts(self._anchors[number]).slice(((first, end),))
        hypothesis = self._parter.parts(self._hypotheses[k]).slice(spans)
        return self._source_of(number, first, end), anchor, hypothesis

    def _source_of(self, number, first, end):
        """Return what parts of an anchor are aligned with of the source, None without one."""
        parts = self._parter.parts
        if self._source is None or (first, end) == (0, len(parts(self._anchors[number]).ranges)):
            return self._source
        places = self._places[number]
        return parts(self._source).slice(((places[first], places[end]),))


def _assembled(X, anchor, found, bound):
    """Make the table of windows, rows and weights, and tell which rows have windows."""
    found.sort(key=lambda window: window.row)
    row = np.array([window.row for window in found])
    like = np.arange(bound.max(initial=len(X) - 1) + 1)
    like[bound[bound >= 0]] = np.flatnonzero(bound >= 0)  # a row with such a source and reference
    changed = [k for k, window in enumerate(found) if window.texts is not None]
    texts = {column: X[column] for column in ("source", anchor, "hypothesis") if column in X}
    table = X.drop(columns=list(texts)).iloc[like[row]]
    for place, (column, of_rows) in enumerate(texts.items(), 3 - len(texts)):
        cells = of_rows.to_numpy(dtype=object)[like[row]]  # long texts are not copied, as by pandas
        cells[changed] = [found[k].texts[place] for k in changed]
        table[column] = pd.Series(cells, table.index, dtype=object)
    table = table[list(X.columns)]
    labels = np.array([window.label for window in found])
    segments = segment_codes(table)
    segments = np.where(labels > 0, segments.max() + labels, segments)
    weights = (np.array([getattr(window, name) for window in found]) for name in ("own", "shared"))
    has_windows = np.bincount(row[changed], minlength=len(X))[: len(X)] > 0
    return table.set_axis(as_segments(table.index, segments)), (row, *weights), has_windows


def as_segments(index, segments):
    """Put other segments into the labels of rows."""
    levels = [index.get_level_values(name) for name in index.names]
    levels[index.names.index("segment")] = segments
    return pd.MultiIndex.from_arrays(levels, names=index.names)
