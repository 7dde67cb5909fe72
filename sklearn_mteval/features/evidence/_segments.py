"""The distinct translations of each segment, as the compiled loops take them."""

from typing import NamedTuple

import numpy as np

from sklearn_mteval.candidates import check_sources, segment_labels
from sklearn_mteval.features.base import text_cells
from sklearn_mteval.text.tokens import TokenInterner, flatten

__all__ = ["Segments", "distinct_translations"]


class Segments(NamedTuple):
    """Distinct translations: of segment s the references, then the hypotheses, and its source.

    Text k has the words ``bounds[k]`` to ``bounds[k + 1] - 1`` of ``flat``; the texts of segment s
    are ``segment_bounds[s]`` to ``segment_bounds[s + 1] - 1``, ``n_references[s]`` references
    first. ``rows`` says which text each row of the table is.
    """

    flat: np.ndarray
    bounds: np.ndarray
    segment_bounds: np.ndarray
    n_references: np.ndarray
    sources: np.ndarray
    source_bounds: np.ndarray
    words: list
    rows: np.ndarray


def distinct_translations(X, *, reference, source, competing, lowercase):
    """Collect the distinct translations of each segment of a table.

    Rows of a segment with other references are a segment of their own. Without ``competing`` the
    index is not looked at: what is compared with one reference counts as one segment.
    """
    n = len(X)
    hypotheses = [text for (text,) in text_cells(X, "hypothesis")]
    references = text_cells(X, "reference") if reference else [()] * n
    sources = [text for (text,) in text_cells(X, "source")] if source else [""] * n
    labels = [None] * n
    if competing:
        labels = segment_labels(X).tolist()
        if "source" in X.columns:
            check_sources(X)
    segments = {}
    for label, given, text, hypothesis in zip(labels, references, sources, hypotheses, strict=True):
        segments.setdefault((label, given, text), {})[hypothesis] = 0
    tokens = TokenInterner("13a", lowercase)
    numbered, at, counts = [], 0, []
    for (_, given, _), texts in segments.items():
        # In one order, so that sums over competitors do not depend on that of the rows.
        ordered = sorted(texts)
        at += len(given)
        texts.update(zip(ordered, range(at, at + len(texts)), strict=True))
        numbered += [*map(tokens, given), *map(tokens, ordered)]
        at += len(texts)
        counts.append((len(given), len(texts)))
    flat, bounds = flatten(numbered)
    flat_sources, source_bounds = flatten([tokens(text) for _, _, text in segments])
    counts = np.array(counts, dtype=np.int64).reshape(-1, 2)
    segment_bounds = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
    rows = [
        segments[key][hypothesis]
        for *key, hypothesis in zip(labels, references, sources, hypotheses, strict=True)
        for key in [tuple(key)]
    ]
    rows = np.array(rows, dtype=np.int64)
    return Segments(
        flat, bounds, segment_bounds, counts[:, 0].copy(), flat_sources, source_bounds,
        tokens.words, rows,
    )  # fmt: skip
