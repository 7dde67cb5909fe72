"""Texts that are too long for a marker to read at once: sentences marked window by window."""

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_texts
from sklearn_mteval.text.parted_texts import Parter
from sklearn_mteval.text.sentence_alignment import OF_TWO_LANGUAGES
from sklearn_mteval.text.sentences import width

_LONGEST = 7500  # tenths of a letter of source and translation, mostly less than 256 tokens
_BLANK = 10  # between sentences


def marked_in_windows(marker, X, threshold):
    """Return what ``marker.mark_and_judge`` says of a candidate table, but no marks in what is
    error-free with a probability of ``threshold`` or more.

    A marker whose reader reads no reference is asked about windows of texts that are too long:
    as many aligned sentences as it can read. No error is in a text if none is in its windows, each
    as probable as if there were no others, so that all windows of what is error-free are so.
    """
    columns = getattr(getattr(marker, "reader", None), "columns", ())
    if not isinstance(columns, list | tuple) or {*columns} != {"source", "hypothesis"}:
        return _judged(marker, X, threshold)
    parter, found = Parter(_LONGEST // 2), []
    texts = zip(check_texts(X, "source"), check_texts(X, "hypothesis"), strict=True)
    for row, (source, text) in enumerate(texts):
        found += [
            (row, start, part, text[start:end])
            for part, start, end in _windows(parter, source, text)
        ]
    if len(found) == len(X):
        return _judged(marker, X, threshold)
    rows, starts, sources, parts = zip(*found, strict=True)
    rows, starts = np.array(rows), np.array(starts)
    labels = pd.MultiIndex.from_arrays([range(len(rows)), rows], names=["segment", "system"])
    asked = pd.DataFrame({"source": sources, "hypothesis": parts}, labels, dtype=object)
    table, free = _judged(marker, asked, threshold)
    windows = labels.get_indexer(table.index)
    moved = table[["start", "end"]].to_numpy(dtype=np.int64) + starts[windows, None]
    table = table.assign(start=moved[:, 0], end=moved[:, 1]).set_axis(X.index[rows[windows]])
    return table, free.groupby(rows).prod().set_axis(X.index)


def _judged(marker, X, threshold):
    """Ask the marker; leave marks out where it finds that there is probably no error."""
    table, free = marker.mark_and_judge(X)
    free = pd.Series(np.asarray(free, dtype=np.float64), X.index)
    return table[~table.index.isin(free.index[free >= threshold])], free


def _windows(parter, source, text):
    """Yield windows of a translation: the text of their source, where they begin and end."""
    if width(source) + width(text) <= _LONGEST:
        yield source, 0, len(text)
        return
    sides, taken = (parter.parts(source), parter.parts(text)), 0
    steps = [list(step) for step in parter.aligned(source, text, OF_TWO_LANGUAGES).steps]
    windows = steps[:1]
    for step in steps:
        own = sum(
            side.widths[a:b].sum() + _BLANK * (b - a)
            for side, a, b in zip(sides, step[::2], step[1::2], strict=True)
        )
        if taken and taken + own > _LONGEST:
            windows.append(step)
            taken = 0
        windows[-1][1], windows[-1][3] = step[1], step[3]
        taken += own
    for first, last, start, end in windows:
        (a, b), (c, d) = (
            (side.ranges[i][0], side.ranges[j - 1][1]) if i < j else (0, 0)
            for side, i, j in zip(sides, (first, start), (last, end), strict=True)
        )
        yield source[a:b], c, d
