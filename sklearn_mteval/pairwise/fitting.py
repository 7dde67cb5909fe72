"""Fitting a classifier on pairs: which pairs, in how much memory, in which inner folds."""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.memory import free_memory, gibibytes
from sklearn_mteval._helpers.order import by_content
from sklearn_mteval.candidates import segment_codes, segment_labels
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pair_classifiers import declares
from sklearn_mteval.pairwise.answers import steps_of
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.folds import SegmentKFold
from sklearn_mteval.pairwise.leaks import inner_splits, means_segments, warn_of_inner_splits
from sklearn_mteval.pairwise.pairs import (
    GroupOrder,
    columns_explained,
    is_of_numbers,
    pair_differences,
    pair_table,
    plain_columns,
)

# Bytes of a pair besides its features: two positions, the label, the index.
_BYTES_OF_PAIR = 40


def pairs_that_fit(
    order, X, ranks, estimator, max_pairs, *, n_directions, random_state, ties=False
):
    """Keep the groups of so many segments, chosen at random, as have ``max_pairs`` at most."""
    of_groups = order.sizes * (order.sizes - 1)
    if not ties:
        group = np.repeat(np.arange(len(order.sizes)), order.sizes)
        equal = pd.Series(group).groupby([group, ranks[order.rows]]).size()
        of_groups = of_groups - (equal * (equal - 1)).groupby(level=0).sum().to_numpy()
    n_pairs = of_groups * n_directions // 2
    kept = np.ones(len(n_pairs), dtype=bool)
    if max_pairs is not None and n_pairs.sum() > max_pairs:
        kept = _sampled(order, X, n_pairs, max_pairs, random_state)
    _check_memory(int(n_pairs[kept].sum()), X, estimator)
    sizes = order.sizes[kept]
    rows = order.rows[np.repeat(kept, order.sizes)]
    return GroupOrder(rows, np.cumsum(sizes) - sizes, sizes, order.content)


def _sampled(order, X, n_pairs, max_pairs, random_state):
    """Choose groups of whole segments, a mask, by what is in them, not by labels or row order."""
    by_row = np.zeros(len(X), dtype=np.int64)
    if isinstance(X, pd.DataFrame) and "segment" in X.index.names:
        by_row = segment_codes(X)
    by_group = by_row[order.rows[order.starts]]
    in_segment = np.bincount(by_group, weights=n_pairs)
    chosen = by_content(order.content, by_row, plain_columns(X))
    chosen = check_random_state(random_state).permutation(chosen)
    chosen = chosen[np.cumsum(in_segment[chosen]) <= max_pairs]
    if not in_segment[chosen].any():
        raise CandidateError(
            f"max_pairs={max_pairs} is less than what one segment has: whole segments are "
            f"sampled, and they have {in_segment.mean():.0f} pairs on average, "
            f"{in_segment.max():.0f} at most."
        )
    return np.isin(by_group, chosen)


def _check_memory(n_pairs, X, estimator):
    """Raise CandidateError if so many pairs cannot fit into memory."""
    width = X.shape[1] * (1 if _takes_differences(estimator, X) else 2)
    dtype = X.dtypes.iloc[0] if isinstance(X, pd.DataFrame) else X.dtype
    n_bytes = getattr(dtype, "itemsize", 8)
    needed, free = n_pairs * (width * n_bytes + _BYTES_OF_PAIR), free_memory()
    if needed > free:
        raise _too_large(
            f"{n_pairs} pairs of {width} numbers need {gibibytes(needed)}, and "
            f"{gibibytes(free)} are free"
        )


def _too_large(problem):
    """Make the error for pairs that do not fit into memory."""
    return CandidateError(
        f"The pairs to learn from do not fit into memory: {problem}. Pass max_pairs=… (whole "
        "segments are sampled), dtype='float32' (half the size), or a pipeline that begins with "
        "PairDifference (half the size again)."
    )


def keep_names(estimator, X):
    """Let the steps of a pipeline hand names and segments on to a classifier that reads them."""
    named = isinstance(X, pd.DataFrame) and isinstance(estimator, Pipeline)
    if named and declares(estimator[-1], "reads_names"):
        estimator.set_output(transform="pandas")


def fit_on_pairs(estimator, X, i, j, labels, *, item_level):
    """Fit a classifier on pairs of rows, ``labels`` largest where t1 is better; folds that it, or a
    step, would make itself are made here, of whole segments, as pipelines hand on no index.
    """
    *steps, last = steps_of(estimator)
    if isinstance(last, PairEnsemble) and any(isinstance(s, PairDifference) for s in steps):
        raise TypeError(
            "PairEnsemble takes the differences itself: leave PairDifference out of the pipeline."
        )
    folds = {}
    if item_level is not None:
        warn_of_inner_splits(estimator)
        folds = _folds_of_segments(estimator)
    if folds:
        segments = pd.DataFrame(index=segment_labels(X)[i])
        estimator.set_params(**{k: _segment_folds(cv, segments) for k, cv in folds.items()})
    try:
        if _takes_differences(estimator, X):
            # Differences, from the second step on, are half as large as the pair table.
            estimator.steps[0][1].fit(pair_table(X, i[:1], j[:1]))
            estimator.steps[1:] = estimator[1:].fit(pair_differences(X, i, j), labels).steps
        else:
            with columns_explained(X):
                estimator = estimator.fit(pair_table(X, i, j, item_level=item_level), labels)
    except MemoryError as error:
        raise _too_large(f"{len(i)} pairs of {X.shape[1]} features ({error})") from error
    return estimator.set_params(**folds)


def _folds_of_segments(estimator):
    """Return options of an estimator, and of steps that see all pairs, that mean whole segments."""
    return {
        name: cv
        for name, owner, cv in inner_splits(estimator, sees_all_pairs=True)
        # Given the table itself, an owner reads the segments from its index.
        if isinstance(cv, SegmentKFold) or (means_segments(owner, cv) and owner is not estimator)
    }


def _segment_folds(cv, segments):
    """Split pairs, whose segments an index names, by SegmentKFold or into an integer of folds."""
    if isinstance(cv, int):
        cv = SegmentKFold(min(cv, max(2, segments.index.nunique())))
    return list(cv.split(segments))


def _takes_differences(estimator, X):
    """Tell whether a pipeline begins with plain differences of numbers, as arrays."""
    if not isinstance(estimator, Pipeline) or len(estimator.steps) < 2 or not is_of_numbers(X):
        return False
    first, one = estimator.steps[0][1], np.array([0])
    if type(first) is not PairDifference or estimator.memory is not None:
        return False
    return type(clone(first).fit_transform(pair_table(X, one, one))) is np.ndarray  # no set_output
