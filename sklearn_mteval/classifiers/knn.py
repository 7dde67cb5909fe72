"""KNN: the k nearest neighbours, k the square root of the number of training pairs."""

import numpy as np
from sklearn.utils import gen_batches

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.restored import is_array, is_count
from sklearn_mteval.classifiers._base import LARGEST, NumberClassifier

# Bytes of the distances that are computed at a time.
_BYTES = 1 << 26
# Columns that vary less than this, relative to their size, are rounding of a constant.
_CONSTANT = 1e-12
# Squared distances that differ by less, relatively, are equal.
_EQUAL = 1e-12
# Standard deviations from the median at which a query is cut off, so that squares stay exact.
_FARTHEST = 1e6
# No standard deviation is smaller; divided by it, no number leaves double precision.
_LEAST_SCALE = 1e-160


class KNN(NumberClassifier):
    """K nearest neighbours: the k most similar training pairs vote (Avramidis 2012, section 3.5).

    Parameters
    ----------
    n_neighbors : int or None, default=None
        k; None: the square root of the number of training pairs, rounded.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.
    n_neighbors_ : int
        k.
    points_ : ndarray of shape (n_points, n_features)
        The distinct training pairs, in units of standard deviations from the median.
    weights_ : ndarray of shape (n_points, 2)
        Training pairs of each class at each point.
    centre_, scale_ : ndarray of shape (n_features,)
        Median and standard deviation of the features; infinity for a constant one.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names, where they have names.

    Notes
    -----
    All training pairs as far as the k-th neighbour share the votes that the nearer ones leave, so
    that the order of the training pairs changes no bit, and both directions' probabilities add up
    to 1 but for rounding where training holds every pair in both. Constant features do not count;
    more than 10^6 standard deviations count as that many. Prediction takes time in proportion to
    the distinct training pairs, and 64 MiB at a time.

    References
    ----------
    Avramidis 2012, section 3.5; Coomans and Massart 1982.

    Examples
    --------
    >>> from sklearn_mteval import KNN
    >>> model = KNN().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.n_neighbors_
    2
    >>> model.predict_proba([[0.4], [2]])  # 1 and 3 are equally near to 2, and share a vote
    array([[1.  , 0.  ],
           [0.25, 0.75]])
    """

    def __init__(self, *, n_neighbors: int | None = None):
        self.n_neighbors = n_neighbors

    def _chances(self, X):
        """Compute the proportion of votes for each class."""
        queries, which = _distinct(self._scaled(self._read(X)))
        second = np.empty(len(queries))
        squares = np.einsum("ij,ij->i", self.points_, self.points_)
        # |q - p|² - |q|² = |p|² - 2 q·p: one product, and the query's own square is not needed.
        points = np.column_stack([squares, -2 * self.points_]).T
        size = max(1, _BYTES // (16 * len(squares)))
        buffers = np.empty((2, min(size, len(queries)), len(squares)))
        for rows in gen_batches(len(queries), size):
            some = queries[rows]
            nearly, ordered = buffers[:, : len(some)]
            np.matmul(np.column_stack([np.ones(len(some)), some]), points, out=nearly)
            # As every point has a vote at least, the k-th vote is no farther than the k-th point.
            k = min(self.n_neighbors_, len(squares))
            ordered[:] = nearly
            ordered.partition(k - 1, axis=1)
            # What rounding may have moved beyond the k-th is let in as well.
            rounding = 1e-13 * (np.einsum("ij,ij->i", some, some) + squares.max())
            limits = ordered[:, [k - 1]] + rounding[:, np.newaxis]
            query, near = divmod(np.flatnonzero(nearly <= limits), len(squares))
            second[rows] = self._votes(some, query, near)
        return np.column_stack([1 - second, second])[which]

    def _check_options(self):
        if self.n_neighbors is not None:
            check_integer("n_neighbors", self.n_neighbors, minimum=1)

    def _fit(self, X, y):
        k = round(np.sqrt(len(X))) if self.n_neighbors is None else int(self.n_neighbors)
        if k > len(X):
            raise ValueError(f"n_neighbors={k} is more than the {len(X)} training pairs.")
        self.n_neighbors_ = k
        self.centre_, self.scale_ = _centre_and_scale(X)
        self.points_, which = _distinct(self._scaled(X))
        counts = [np.bincount(which[y == c], minlength=len(self.points_)) for c in (False, True)]
        self.weights_ = np.column_stack(counts).astype(np.float64)

    def _is_whole(self, n_features):
        n_points = len(self.points_)
        return (
            n_points > 0
            and is_array(self.points_, (n_points, n_features), low=-_FARTHEST, high=_FARTHEST)
            and is_array(self.centre_, (n_features,), low=-LARGEST, high=LARGEST)
            and is_array(self.scale_, (n_features,), low=_LEAST_SCALE, finite=False)
            and is_array(self.weights_, (n_points, 2), low=0, high=2**53)
            and bool((self.weights_ == np.floor(self.weights_)).all())
            and bool((self.weights_.sum(axis=1) >= 1).all())  # see predict_proba
            and is_count(self.n_neighbors_, 1, int(min(self.weights_.sum(), 2**53)))
        )

    def _scaled(self, X):
        """Bring features to a common scale."""
        return np.clip((X - self.centre_) / self.scale_, -_FARTHEST, _FARTHEST)

    def _votes(self, queries, query, near):
        """Return the votes for the second class, given pairs (query, near) with all neighbours."""
        difference = queries[query] - self.points_[near]
        squares = np.einsum("ij,ij->i", difference, difference)
        order = np.lexsort((squares, query))  # `query` ascends already
        squares, votes = squares[order], self.weights_[near[order]]
        # Votes are whole numbers, so that sums are exact in any order. The k-th neighbour of each
        # query is where its first neighbour's predecessors' votes are exceeded by k.
        voted = votes.sum(axis=1).cumsum()
        before = np.concatenate([[0], voted])[np.searchsorted(query, np.arange(len(queries)))]
        kth = squares[np.searchsorted(voted, before + self.n_neighbors_)][query]
        nearer = squares < kth * (1 - _EQUAL)
        tied = ~nearer & (squares <= kth * (1 + _EQUAL))

        def count(which):
            """Add up the votes of some neighbours by query and class."""
            some = query[which], votes[which]
            return [np.bincount(some[0], some[1][:, c], len(queries)) for c in (0, 1)]

        (nearer_first, nearer_second), (tied_first, tied_second) = count(nearer), count(tied)
        left = self.n_neighbors_ - nearer_first - nearer_second
        return (nearer_second + left * tied_second / (tied_first + tied_second)) / self.n_neighbors_


def _centre_and_scale(X):
    """Compute median and standard deviation of columns, whatever the order of the rows."""
    X = np.sort(X, axis=0)
    # Of values that mirror each other the median is exactly 0, which a mean need not be.
    centre = X[(len(X) - 1) // 2] / 2 + X[len(X) // 2] / 2
    largest = np.maximum(X[-1], -X[0])
    unit = np.where(largest > 0, largest, 1)
    scale = (X / unit).std(axis=0)
    return centre, np.where(scale > _CONSTANT, scale * unit, np.inf)


def _distinct(rows):
    """Return the distinct rows and, for each row, which it is."""
    found, which = np.unique(rows + 0.0, axis=0, return_inverse=True)
    return found, which.ravel()
