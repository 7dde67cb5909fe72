"""Blocks of whole segments: read one after the other, as often as wanted, and checked each time."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.exact_sums import ExactSums
from sklearn_mteval._helpers.order import MULTIPLIER
from sklearn_mteval._helpers.progress import working
from sklearn_mteval.candidates import segment_labels
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise.leaks import TrainedRows
from sklearn_mteval.pairwise.pairs import GroupOrder, is_of_numbers, not_of_numbers
from sklearn_mteval.segments import Seen

_ROWS = 1 << 14  # of a block that are copied at a time
_JOINED = 64  # blocks whose hashes are put together at a time
_CURE = (
    "Pass a list of (X, y), or an object whose __iter__ begins a new pass over the data each time "
    "it is called: training reads them several times."
)


class Block(NamedTuple):
    """A validated block: columns of numbers, ranks in the order of the rows, and its rankings."""

    X: pd.DataFrame
    ranks: np.ndarray
    order: GroupOrder


class Blocks:
    """What a user gives to train on, read pass after pass for a ranker."""

    def __init__(self, ranker, blocks, *, allow_nan=False):
        if not hasattr(blocks, "__iter__") or isinstance(blocks, str | pd.DataFrame | dict):
            raise TypeError(f"blocks must yield tables (X, y), found {blocks!r:.200}. {_CURE}")
        if iter(blocks) is blocks:
            raise TypeError(
                f"blocks can be read only once, being a {type(blocks).__name__}. {_CURE}"
            )
        self._ranker, self._blocks, self._allow_nan = ranker, blocks, allow_nan
        self._n_passes, self._seen = 0, None
        self.n_rows, self.trained = 0, None

    def read(self, *, by_content=False):
        """Yield each :class:`Block` of the next pass, the rows of rankings in any order."""
        first, seen = self._n_passes == 0, np.zeros(2, dtype=np.uint64)
        self._n_passes += 1
        segments, levels, trained = Seen(), None, []
        total = len(self._blocks) if hasattr(self._blocks, "__len__") else None
        with working(f"pass {self._n_passes}", total, "blocks") as step:
            for number, block in enumerate(self._blocks, 1):
                try:
                    X, y = _two_tables(block)
                    options = {"reset": first and number == 1, "by_content": first or by_content}
                    read = Block(*self._ranker._read(X, y, **options))
                    check_numbers_only(read.X, allow_nan=self._allow_nan)
                    if first:
                        levels = levels or X.index.names
                        _check_follows(X, levels, segments)
                        item_level = self._ranker.item_level
                        trained.append(TrainedRows.of(X, read.order.content, item_level))
                except ValueError as error:
                    raise CandidateError(f"Block {number} of blocks: {error}") from error
                seen += np.array([len(X), _fingerprint(read)], dtype=np.uint64)
                if len(trained) > _JOINED:
                    trained = [TrainedRows.joined(trained)]
                yield read
                step.advance()
        self._compare(seen)
        if first:
            self.n_rows = int(seen[0])
            self.trained = TrainedRows.joined(trained)

    def _compare(self, seen):
        """Check that a pass has read what the first one has."""
        if self._seen is None:
            self._seen = seen
        if not seen[0]:
            raise CandidateError(f"blocks is empty: nothing to learn from. {_CURE}")
        if (seen != self._seen).any():
            raise CandidateError(
                f"blocks changed while they were read: the first pass had {self._seen[0]} rows, "
                f"pass {self._n_passes} has {seen[0]}, or others. {_CURE}"
            )


def _fingerprint(block):
    """Sum up the rows of a block, which are as good as random, in any order."""
    cells = np.ascontiguousarray(block.X.to_numpy(np.float64)).view(np.uint64)
    powers = np.cumprod(np.full(cells.shape[1], MULTIPLIER))
    rows = cells @ powers ^ block.ranks.view(np.uint64) * MULTIPLIER
    return (rows * (rows | np.uint64(1))).sum()


def check_cuttable(ranker):
    """Raise CandidateError for a ranker to which all rows are one ranking."""
    if ranker.item_level is None:
        raise CandidateError(
            "Training in blocks needs an index: with item_level=None all rows are one ranking, "
            "which cannot be cut. Name the level that tells the items of a ranking apart."
        )


def _two_tables(block):
    """Return X and y of a block; CandidateError for what is no such pair, or no row."""
    if not isinstance(block, tuple | list) or len(block) != 2:
        raise CandidateError(f"expected a pair (X, y), found {type(block).__name__}.")
    if isinstance(block[0], pd.DataFrame) and not len(block[0]):
        raise CandidateError("X has no rows: leave empty blocks out.")
    return block


def check_numbers_only(X, *, allow_nan=False):
    """Raise CandidateError unless all columns are of numbers, without NaN unless allowed."""
    if not is_of_numbers(X):
        raise CandidateError(
            f"expected columns of numbers, found others in {not_of_numbers(X)}: put the "
            "transformer that makes numbers of them before the blocks."
        )
    if allow_nan:
        return
    missing = np.isnan(X.to_numpy(np.float64))
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise CandidateError(
            f"column {X.columns[column]!r} has NaN in row {row} (index {X.index[row]!r}), which "
            "training in blocks does not read: fill it in, or leave the column out."
        )


def _check_follows(X, levels, seen):
    """Raise CandidateError for a block that has other levels, or a segment that was seen before."""
    if list(X.index.names) != list(levels):
        raise CandidateError(
            f"its index has the levels {list(X.index.names)}, that of the blocks before "
            f"{list(levels)}."
        )
    segments = segment_labels(X).unique()
    before = seen.add(segments)
    if before.any():
        raise CandidateError(
            f"segment {segments[before].tolist()[0]!r} stands in an earlier block, too. A block "
            "must hold all rows of its segments; segments of several campaigns that are numbered "
            "alike need labels of their own."
        )


def rankings(block):
    """Yield rows in the order of a block's rankings, whole rankings, a bounded number at a time.

    That is, their values, float64 of shape (n_rows, n_features), ranks, and sizes of the rankings.
    """
    X, ranks, order = block
    values = X.to_numpy()
    starts = order.starts
    cuts = np.append(starts[np.diff(starts // _ROWS, prepend=-1) > 0], len(order.rows))
    for begin, end in pairwise(cuts):
        rows = order.rows[begin:end]
        of_part = slice(*np.searchsorted(starts, [begin, end]))
        yield values[rows].astype(np.float64, copy=False), ranks[rows], order.sizes[of_part]


class ColumnStatistics:
    """Mean of each column, and which are the same within each ranking, of all rows added so far."""

    def __init__(self, n_columns):
        self.n_rows = 0
        self._sums = ExactSums(n_columns)
        self._spread, self._size = np.zeros((2, n_columns))
        self._may_be_shared = np.ones(n_columns, dtype=bool)

    @classmethod
    def after(cls, n_rows, mean, shared):
        """Go on after rows of which only this is known."""
        found = cls(len(mean))
        found.n_rows, found._may_be_shared = n_rows, shared
        found._sums.add(n_rows * mean[np.newaxis])
        return found

    def add(self, values, sizes):
        """Add rankings as :func:`rankings` gives them, their rows in the order of content."""
        starts = np.cumsum(sizes) - sizes
        relative = values - np.repeat(values[starts], sizes, axis=0)
        self.n_rows += len(values)
        self._sums.add(values)
        self._spread = np.maximum(self._spread, np.abs(relative).max(axis=0))
        self._size = np.maximum(self._size, np.abs(values).max(axis=0))

    def mean(self):
        """Return the mean row, shape (n_columns,): the exact one, rounded once."""
        return self._sums.totals(over=self.n_rows)

    def shared(self):
        """Tell which columns do not differ within a ranking but for rounding, (n_columns,)."""
        return self._may_be_shared & (self._spread <= 1e-6 * self._size)
