"""A segment's translations aligned with each other, all at once."""

import numpy as np

from sklearn_mteval.candidates import check_sources, check_texts, segment_codes
from sklearn_mteval.features.base import number_within
from sklearn_mteval.features.embeddings._token_transformer import TextSet

_CELLS = 1 << 24  # cosines that are held in memory at once


def competing_sets(X, *, reference):
    """List each segment's distinct translations as ``TextSet``, and say where each row's is.

    Rows of a segment with other references are a segment of their own.
    """
    hypotheses = check_texts(X, "hypothesis")
    references = check_texts(X, "reference", several=True) if reference else [()] * len(X)
    labels = check_sources(X) if "source" in X.columns else segment_codes(X)
    keys = list(zip(labels.tolist(), references, strict=True))
    segments, rows = number_within(keys, hypotheses, order=sorted)
    sets = [TextSet(texts, list(there), competing=True) for (_, texts), there in segments.items()]
    return sets, rows


def mean_alignments(texts):
    """Return P, R and cos of each text, mean over the other ones, shape (n_texts, 3).

    A text is (vectors of tokens, their weights, its mean vector), or None without tokens: 0.
    """
    n = len(texts)
    found = np.zeros((n, 3))
    there = [at for at, text in enumerate(texts) if text is not None]
    if len(there) < 2:
        return found
    vectors = [texts[at][0] for at in there]
    columns = np.concatenate(vectors).T
    starts = np.cumsum([0, *map(len, vectors[:-1])])
    step = max(1, _CELLS // columns.shape[1])
    precision = np.zeros((len(there), len(there)))
    for row, at in zip(precision, there, strict=True):
        tokens, weights, _ = texts[at]
        total = weights.sum(dtype=np.float64)
        for start in range(0, len(tokens), step) if total > 0 else ():
            rows = slice(start, start + step)
            best = np.maximum.reduceat(tokens[rows] @ columns, starts, axis=1)
            row += weights[rows].astype(np.float64) @ np.clip(best, -1, 1) / total
    means = np.array([texts[at][2] for at in there], dtype=np.float64)
    for column, matrix in enumerate((precision, precision.T, np.clip(means @ means.T, -1, 1))):
        sums = matrix.sum(axis=1) - np.diag(matrix)
        found[there, column] = sums / (n - 1)
    return found
