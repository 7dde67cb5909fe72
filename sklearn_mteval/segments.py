"""Split data by whole segments, so that no segment is in both training and test.

A *unit* is what must never be parted: a segment, with all that share a reference with it.
"""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sklearn_mteval.candidates import (
    as_texts,
    check_columns,
    column_cells,
    segment_codes,
    segment_labels,
)
from sklearn_mteval.exceptions import CandidateError


def units_of_rows(X, reference="reference"):
    """Number the units of a table's rows: segments, joined by their first ``reference``, if any."""
    segments = segment_codes(X)
    return joined(segments, reference_codes(X, reference)) if reference in X.columns else segments


def reference_codes(X, column):
    """Number the first text of each cell; -1 where there is none."""
    check_columns(X, [column])
    first = [(as_texts(cell) or ("",))[0] or None for cell in X[column].tolist()]
    return pd.factorize(np.array(first, dtype=object))[0]


def units_of_pairs(X, candidates):
    """Number a pair table's units; without an index, pairs connected by ``candidates``."""
    if isinstance(X, pd.DataFrame) and "segment" in X.index.names:
        return units_of_rows(X, "t1__reference")
    n_pairs = len(candidates) // 2
    pairs = np.tile(np.arange(n_pairs), 2)
    return joined(pairs, pd.factorize(candidates)[0])[:n_pairs]


def joined(*codes):
    """Number rows that share a code >= 0 in any array, directly or over others, by appearance."""
    n_rows, rows, nodes = len(codes[0]), [], []
    n_nodes = n_rows
    for some in codes:
        rows.append(np.flatnonzero(some >= 0))
        nodes.append(some[rows[-1]] + n_nodes)
        n_nodes += int(some.max(initial=-1)) + 1
    links = np.concatenate(rows), np.concatenate(nodes)
    graph = coo_array((np.ones(len(links[0]), dtype=np.int8), links), shape=(n_nodes, n_nodes))
    units = connected_components(graph, directed=False)[1][:n_rows]
    return pd.factorize(units)[0].astype(np.int64)


def documents_of_segments(documents, X, *, part=False):
    """Return the document of each segment of a table, a Series of texts indexed by segment.

    ``documents`` are labels of the rows of X, or a Series indexed by segment, which may have more;
    an empty label is a document of its own. None: nothing is known of documents, as where several
    segments, no ``part`` of a table, have one and the same: it tells nothing of what varies.
    """
    if documents is None:
        return None
    segments = segment_labels(X)
    if isinstance(documents, pd.Series) and not documents.index.equals(X.index):
        if documents.index.nlevels > 1 or documents.index.has_duplicates:
            raise CandidateError(
                "documents has another index than X: give labels of the rows of X, in their order, "
                "or a Series indexed by segment, each once."
            )
        missing = segments[~segments.isin(documents.index)]
        if len(missing):
            raise CandidateError(f"documents has no label of segment {missing.tolist()[0]!r}.")
        labels = documents
    else:
        if isinstance(documents, str) or np.shape(documents) != (len(X),):
            raise CandidateError(
                f"documents must be a label for each of the {len(X)} rows of X, or a Series "
                f"indexed by segment, found {type(documents).__name__} of shape "
                f"{np.shape(documents)}."
            )
        labels = pd.Series(np.asarray(documents, dtype=object), segments)
    labels = labels.fillna("").astype(str)
    known = labels[labels != ""]
    once = known[~known.index.duplicated()]
    differs = np.flatnonzero(once.loc[known.index].to_numpy() != known.to_numpy())
    if len(differs):
        name = known.index[differs].tolist()[0]
        raise CandidateError(
            f"Segment {name!r} is of two documents, {once[name]!r} and "
            f"{known.iloc[differs[0]]!r}: if segments are numbered within documents, make their "
            "labels unique, such as 'document:1'."
        )
    found = once.reindex(labels.index.unique(), fill_value="")
    one = len(found) > 1 and not part and found.iloc[0] and (found == found.iloc[0]).all()
    return None if one else found


def document_codes(labels):
    """Number documents from 0, given their labels; an empty one is a document of its own."""
    labels = np.asarray(labels, dtype=object)
    alone = np.array([f"\0{k}" for k in range(len(labels))], dtype=object)
    return pd.factorize(np.where(labels == "", alone, labels))[0]


def blank_everywhere(X):
    """Tell which rows are of segments that nobody translates: all of their texts are blank, bool.

    These are source and references, where there are any, and all hypotheses.
    """
    blank = np.zeros(len(X), dtype=bool)
    if not isinstance(X, pd.DataFrame) or not {"hypothesis", "segment"} <= {
        *X.columns, *X.index.names
    }:  # fmt: skip
        return blank
    rows = np.arange(len(X))
    for column in ("hypothesis", "source", "reference"):
        if column in X.columns and len(rows):
            cells = column_cells(X, column) if len(X) == 1 else X[column].iloc[rows].tolist()
            rows = rows[[not any(text.strip() for text in as_texts(cell)) for cell in cells]]
    if len(rows):
        blank[rows] = True
        segments = segment_codes(X)
        blank = np.bincount(segments, ~blank)[segments] == 0
    return blank


def cut(X, n_rows):
    """List row positions in blocks of whole segments, each of ``n_rows`` or a segment more."""
    if len(X) <= n_rows or not isinstance(X, pd.DataFrame) or "segment" not in X.index.names:
        return [np.arange(len(X))]
    segments = segment_codes(X)
    ends = np.cumsum(np.bincount(segments))
    block = ((ends - 1) // n_rows)[segments]  # of a segment that of its last row
    order = np.argsort(block, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(block[order])) + 1)


class Seen:
    """Which segments came before: sorted runs of hashes, merged as they grow, in n log n steps."""

    def __init__(self):
        self._runs = []

    def add(self, labels):
        """Note distinct labels, an Index or a list; return which were there before, bool."""
        # Labels may be of several types, in one block or in another.
        hashes = pd.util.hash_array(np.array([ascii(label) for label in labels], dtype=object))
        before = np.zeros(len(hashes), dtype=bool)
        for run in self._runs:
            before |= run[np.searchsorted(run, hashes) % len(run)] == hashes
        if len(hashes):
            self._runs.append(np.sort(hashes))
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]), kind="stable")
        return before


def deal(order, n_folds, *, runs=False):
    """Return the fold of each unit: dealt one by one, or in ``runs`` of the order."""
    if len(order) < n_folds:
        raise CandidateError(
            f"{n_folds} folds need as many segments, found {len(order)}, of which those that share "
            "a reference are one. Ask for fewer folds."
        )
    parts = np.array_split(order, n_folds) if runs else [order[k::n_folds] for k in range(n_folds)]
    fold = np.empty(order.max() + 1, dtype=np.int64)
    for k, part in enumerate(parts):
        fold[part] = k
    return fold


def hold_out(order, fraction, rng, *, rounded=round):
    """Choose a proportion of units at random, at least one, and leave at least one, if any."""
    n_held_out = min(max(1, rounded(fraction * len(order))), max(0, len(order) - 1))
    return rng.permutation(order)[:n_held_out]
