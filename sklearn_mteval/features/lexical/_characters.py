"""Character trigrams of texts, counted as words are."""

import numpy as np
import pandas as pd

from sklearn_mteval.features.lexical._columns import COUNTED, OF_CHARACTERS
from sklearn_mteval.features.lexical._counts_kernel import LONG, count_segments

_MOST_TEXTS = 4096  # worked on at a time, whole segments: some 10 MB
_COLUMNS = [COUNTED.index(name) for name in OF_CHARACTERS]
_BITS = 21  # of a code point


def count_characters(segments, chosen):
    """Count the columns of ``characters`` for each distinct text: shape (n_texts, n).

    ``chosen`` is the reference that each is compared with, -1 for none. Trigrams overlap; each run
    of spaces, and each end of a text, is one space.
    """
    last = segments.segment_bounds[1:]
    blocks = np.flatnonzero(np.diff(last // _MOST_TEXTS)) + 1
    parts = [np.zeros((0, len(_COLUMNS)))]
    for some in np.split(np.arange(len(last)), blocks):
        if not len(some):
            continue
        bounds = segments.segment_bounds[some[0] : some[-1] + 2]
        first, end = bounds[0], bounds[-1]
        texts = segments.texts[first:end]
        sources = segments.source_texts[some[0] : some[-1] + 1]
        keys, starts = _trigrams([*texts, *sources])
        numbers, distinct = pd.factorize(keys)
        at = starts[len(texts)]  # where the sources begin
        found = count_segments(
            numbers[:at], starts[: len(texts) + 1], bounds - first,
            segments.n_references[some], np.where(chosen >= 0, chosen - first, -1)[first:end],
            numbers[at:], starts[len(texts) :] - at, np.full(len(distinct), LONG, dtype=np.uint8),
        )  # fmt: skip
        parts.append(found[:, _COLUMNS])
    return np.concatenate(parts)


def _trigrams(texts):
    """Return the trigrams of all texts, each as one number, and where each text's begin."""
    spaced = [f" {' '.join(text.split())} " for text in texts]
    ends = np.cumsum([len(text) for text in spaced], dtype=np.int64)
    encoded = "".join(spaced).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(encoded, dtype="<u4").astype(np.int64)
    keys = (codes[:-2] << 2 * _BITS) | (codes[1:-1] << _BITS) | codes[2:]
    # None begins in the last two characters of a text.
    keys = np.delete(np.append(keys, [0, 0]), np.concatenate([ends - 1, ends - 2]))
    return keys, np.concatenate([[0], ends - 2 * np.arange(1, len(texts) + 1)])
