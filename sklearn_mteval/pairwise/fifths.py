"""The empty translations of "fifths" for candidates that are never in memory together."""

import numpy as np

from sklearn_mteval._helpers.exact_sums import ExactSums
from sklearn_mteval._helpers.order import hash_sets
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.pairwise.empty_translation import bounds_of_fifths
from sklearn_mteval.pairwise.pairs import group_order, row_keys
from sklearn_mteval.pairwise.prediction import better_than_empty

_BINS = 1 << 20  # of strengths


class Fifths:
    """Means of each fifth of the candidates by score: a first pass counts strengths in narrow bins,
    a second adds up fifths and keeps, to be sorted, what is in bins where a fifth ends.
    """

    def __init__(self, ranker, columns, n_rows):
        self.ranker, self._columns = ranker, columns
        self._counts = np.zeros(_BINS + 1, dtype=np.int64)
        self._starts, self._ends = bounds_of_fifths(n_rows)
        self._sums = [ExactSums(ranker.n_features_in_) for _ in range(5)]
        self._kept = []

    def count(self, block):
        """Count the candidates of a block by their strength."""
        _, _, strengths = self._sorted(block)
        self._counts += np.bincount(_bins(strengths), minlength=_BINS + 1)

    def add(self, block):
        """Add the candidates of a block to their fifths, or keep them."""
        rows, keys, strengths = self._sorted(block)
        bins = _bins(strengths)
        last = np.cumsum(self._counts)[bins]
        fifth = np.searchsorted(self._ends, last - self._counts[bins], side="right")
        # Of fewer than five candidates, some are in two fifths.
        whole = (last <= self._ends[np.minimum(fifth, 4)]) & (self._ends[-1] >= 5)
        for k in range(5):
            self._sums[k].add(rows[whole & (fifth == k)])
        kept = ~whole
        self._kept.append((rows[kept], keys[:, kept], strengths[kept]))

    def means(self):
        """Return the means, weakest first, shape (5, n_features)."""
        rows, keys, strengths = (
            np.concatenate(parts, axis=-1 if parts[0].ndim == 1 else axis)
            for parts, axis in zip(zip(*self._kept, strict=True), (0, 1, 0), strict=True)
        )
        order = np.lexsort((*keys, strengths))
        bins = _bins(strengths[order])
        within = np.arange(len(order)) - np.searchsorted(bins, bins)
        places = np.cumsum(self._counts)[bins] - self._counts[bins] + within
        for k in range(5):
            chosen = (self._starts[k] <= places) & (places < self._ends[k])
            self._sums[k].add(rows[order][chosen])
        return np.array([
            sums.totals(over=int(end - start))
            for sums, start, end in zip(self._sums, self._starts, self._ends, strict=True)
        ])  # fmt: skip

    def _sorted(self, block):
        """Return a block's rows in order, the hashes that order them, last key first, strengths."""
        ranker = self.ranker
        X = block.X.iloc[:, self._columns]
        groups = comparable_groups(X, item_level=ranker.item_level)
        order = group_order(groups, X, block.ranks)
        keys = row_keys(order.content, block.ranks)
        of_group = hash_sets(keys, groups)[groups]
        against = ranker.empty_, ranker.shared_features_
        strengths = better_than_empty(ranker.estimator_, X, *against, order.rows)
        rows = X.to_numpy(np.float64)[order.rows]
        return rows, np.stack([keys, of_group])[:, order.rows], strengths


def _bins(strengths):
    """Number the bins of strengths, which are from -1 to 1."""
    return ((strengths + 1) * (_BINS / 2)).astype(np.int64)
