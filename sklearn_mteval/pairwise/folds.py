"""Cross-validation that never splits a segment."""

import numpy as np
import pandas as pd
from sklearn.model_selection import BaseCrossValidator, PredefinedSplit
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval.candidates import segment_labels

__all__ = ["SegmentKFold"]


class SegmentKFold(BaseCrossValidator):
    """K folds of whole segments, read from the ``segment`` level of X's index.

    Translations of one segment share source, reference and often annotator: with some in
    training and some in test, a score is too good to be true. The folds have equally many
    segments, give or take one; nothing is stratified or balanced beyond that. The folds
    depend on the labels, not on the order of the rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        False takes runs of sorted segments, which keeps documents together; True deals
        them at random.
    random_state : int, RandomState or None, default=None
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

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def split(self, X, y=None, groups=None):
        """Generate the row positions of training and test sets.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            A candidate table.
        y : None
            Ignored.
        groups : None
            Must not be given: the segments come from X.

        Yields
        ------
        train, test : ndarray, int64
            Row positions, in the order of X.
        """
        n_splits = self.get_n_splits()
        if groups is not None:
            raise ValueError(
                "SegmentKFold reads the segments from the index of X and takes no groups; "
                "use sklearn.model_selection.GroupKFold to split by other groups."
            )
        segments, labels = pd.factorize(segment_labels(X))
        order = _sorted_positions(labels)
        if len(order) < n_splits:
            raise ValueError(f"{n_splits} folds need as many segments, found {len(order)}.")
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(order)
        fold = np.empty(len(order), dtype=np.int64)
        for k, members in enumerate(np.array_split(order, n_splits)):
            fold[members] = k
        yield from PredefinedSplit(fold[segments]).split()

    def get_n_splits(self, X=None, y=None, groups=None):
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


def _sorted_positions(labels):
    """Sort labels of any kinds; return their positions."""
    try:
        return np.argsort(labels, kind="stable")
    except TypeError:  # numbers among strings
        return np.lexsort(
            [[str(label) for label in labels], [type(label).__name__ for label in labels]]
        )
