"""Cross-validation that never splits a segment."""

from collections.abc import Iterator
from math import ceil
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.model_selection import BaseCrossValidator, PredefinedSplit
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_integer, check_proportion
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_ranks, segment_labels
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.segments import deal, document_codes, documents_of_segments, hold_out


class SegmentKFold(BaseCrossValidator):
    """K folds of whole segments, read from the ``segment`` level of X's index, or of documents.

    The folds have equally many segments, or documents if these are given as ``groups``, give or
    take one. They depend on the labels, not on the order of the rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        False takes runs of sorted segments, which keeps documents together; True deals
        them at random.
    random_state : int, RandomState or None, default=0
        Seed of the shuffling; None with ``shuffle=True`` gives other folds each time.

    Examples
    --------
    >>> from sklearn_mteval import SegmentKFold
    >>> from sklearn_mteval.datasets import load_sample
    >>> X, y = load_sample(return_X_y=True)
    >>> train, test = next(SegmentKFold(4).split(X))
    >>> X.iloc[train].index.unique("segment").intersection(X.iloc[test].index.unique("segment"))
    Index([], dtype='int64', name='segment')
    """

    __metadata_request__split: ClassVar = {"groups": True}

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Seed = 0):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def split(
        self, X: pd.DataFrame, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Generate the row positions of training and test sets.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            A candidate table.
        y : array-like of shape (n_candidates,), optional
            Its ranks, which do not change the folds: they are only checked.
        groups : array-like of shape (n_candidates,), optional
            The document of each row, or a Series indexed by segment: what stays together beyond
            segments. A segment of two documents is an error; an empty label is a document of its
            own.

        Yields
        ------
        train, test : ndarray, int64
            Row positions, in the order of X.
        """
        n_splits = self.get_n_splits()
        segments, labels = pd.factorize(segment_labels(X))
        if y is not None:  # cross_val_predict would take NaN for the worst rank, and forget rows
            check_ranks(y, X)
        order = _sorted_positions(labels)
        units = np.arange(len(labels))
        if groups is not None:
            units = document_codes(documents_of_segments(groups, X, part=True).reindex(labels))
            order = pd.unique(units[order])
            if len(order) < n_splits:
                raise CandidateError(
                    f"{n_splits} folds need as many documents, found {len(order)}."
                )
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(order)
        fold = deal(order, n_splits, runs=True)
        yield from PredefinedSplit(fold[units][segments]).split()

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : None
            Ignored.

        Returns
        -------
        int
            ``n_splits``.
        """
        check_integer("n_splits", self.n_splits, minimum=2)
        return int(self.n_splits)


def segment_train_test_split(
    X: pd.DataFrame, y: ArrayLike | None = None, *, test_size: float = 0.25, random_state: Seed = 0
) -> tuple:
    """Split a candidate table into training and test so that no segment is in both.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table.
    y : array-like of shape (n_candidates,), optional
        Its ranks; a Series must have the index of X.
    test_size : float, default=0.25
        Proportion of the *segments* for the test, between 0 and 1.
    random_state : int, RandomState or None, default=0
        Seed of the choice, which does not depend on the order of the rows.

    Returns
    -------
    X_train, X_test : DataFrame
        The rows of each part, in the order of X.
    y_train, y_test : Series or ndarray
        Their ranks, if y is given.

    Raises
    ------
    CandidateError
        If the index of X is lost, or y is misaligned.

    Examples
    --------
    >>> from sklearn_mteval import segment_train_test_split
    >>> from sklearn_mteval.datasets import load_sample
    >>> X_train, X_test, y_train, y_test = segment_train_test_split(*load_sample(return_X_y=True))
    >>> X_train.index.unique("segment").size, X_test.index.unique("segment").size
    (96, 32)
    """
    train, test = hold_out_segments(X, test_size, random_state=random_state, name="test_size")
    if y is None:
        return X.iloc[train], X.iloc[test]
    check_ranks(y, X)
    y = y.iloc if hasattr(y, "iloc") else np.asarray(y)
    return X.iloc[train], X.iloc[test], y[train], y[test]


def hold_out_segments(X, proportion, *, random_state=0, name="proportion"):
    """Return row positions, int64, of training and of a ``proportion`` of the segments."""
    check_proportion(name, proportion)
    labels, segments = pd.factorize(segment_labels(X))
    if len(segments) < 2:
        raise ValueError(f"A split needs two segments at least, found {len(segments)}.")
    rng = check_random_state(random_state)
    chosen = hold_out(_sorted_positions(segments), proportion, rng, rounded=ceil)
    test = np.isin(labels, chosen)
    return np.flatnonzero(~test), np.flatnonzero(test)


def _sorted_positions(labels):
    """Sort labels of any kinds; return their positions."""
    try:
        return np.argsort(labels, kind="stable")
    except TypeError:  # numbers among strings
        names = [type(label).__name__ for label in labels]
        return np.lexsort([[str(label) for label in labels], names])
