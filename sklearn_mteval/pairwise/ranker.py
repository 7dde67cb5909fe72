"""RankRecomposer: a classifier of pairs, whose decisions make ranks (2012 paper, 3.2 and 3.3)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.options import check_integer, check_n_jobs, check_one_of
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval._helpers.restored import check_restored, is_array, is_count, is_number
from sklearn_mteval._helpers.shown import Shown
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.classifiers import TiedPairClassifier
from sklearn_mteval.metrics import calibrate_ties
from sklearn_mteval.pair_classifiers import declares
from sklearn_mteval.pairwise import answers, prediction
from sklearn_mteval.pairwise.block_training import BlockTraining
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.empty_translation import mean_row, rows_of_fifths, shared_features
from sklearn_mteval.pairwise.fitting import fit_on_pairs, keep_names, pairs_that_fit
from sklearn_mteval.pairwise.pairs import labelled_pairs, pair_index
from sklearn_mteval.pairwise.recomposition import (
    find_recomposition,
    ranks_from_strengths,
    snap_ties,
)


class RankRecomposer(Shown, BlockTraining, MetaEstimatorMixin, BaseEstimator):
    """Rank the comparable candidates of each segment with a classifier of pairs.

    Parameters
    ----------
    estimator : classifier, optional
        Any scikit-learn classifier; it is given the pair table (t1's features, then t2's) and the
        label 1 iff t1 is better, else 0. Default: logistic regression on standardised differences;
        with ``ties="model"`` :class:`~sklearn_mteval.classifiers.TiedPairClassifier`.
    recomposition : str or callable, default="soft"
        How pair decisions become strengths: a name in ``RECOMPOSITIONS``, or a callable that maps
        the matrix P(row better than column) of one ranking, diagonal 0.5, to its strengths. With
        c = +1 if the classifier decides for t_i against t_j, else −1, and p the probability of
        that decision, the strength of t_i is

        - "hard": Σ_j c, from ``predict`` alone;
        - "soft": Σ_j p c;
        - "expected": Σ_j P(t_i better than t_j), expected wins;
        - "absolute": P(t_i better than ∅) − P(∅ better than t_i), which does not look at
          competitors; a classifier without probabilities has (1 + m / (1 + abs(m))) / 2 in
          their place, m its margin;
        - any other: see ``sklearn_mteval.pairwise.recomposition``.
    empty : {"mean", "fifths", "zero"}, default="mean"
        The empty translation ∅ of "absolute" in columns of numbers: mean of the training
        candidates, zeros, or the means of each fifth of the candidates by their score against the
        mean, over which the score is averaged; in others the empty text or a list of one. Columns
        that describe the segment (``shared_features_``) are the candidate's own.
    item_level : str or None, default="system"
        Index level that tells the items of one ranking apart; rows that agree on all
        other levels are comparable. None: plain arrays, all rows one ranking.
    n_jobs : int or None, default=None
        Processes that decide blocks of pairs; the result does not depend on it.
    max_pairs : int or None, default=None
        Train on the pairs of so many segments, chosen at random, as have this many at most.
    random_state : int, RandomState or None, default=0
        Seed of that choice, which depends neither on labels nor on the order of the rows.
    dtype : {"float32", "float64"} or None, default=None
        Type of columns of numbers, in training and prediction; None keeps what X has.
    ties : {"drop", "model"}, default="drop"
        "drop" leaves pairs out that the human tied. "model" trains on them, too: the classifier
        learns the labels 0 (t1 is worse), 1 (they tie) and 2 (t1 is better), and must have
        ``predict_proba``; ``predict`` ties candidates, see Notes.
    standalone : bool, default=True
        Whether a second ranker, for scores, is trained where columns compare systems; see Notes.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier of pairs.
    empty_ : ndarray of shape (``n_features_in_``,) or (5, ``n_features_in_``)
        Mean of the training candidates, or of each fifth; NaN for a column that is not of numbers.
    shared_features_ : ndarray of shape (``n_features_in_``,), bool
        Columns that have one value in each ranking of the training data.
    n_pairs_ : int
        Pairs trained on, each direction counted that the classifier is given.
    n_tied_pairs_ : int
        Ordered pairs that the human tied: left out, or trained on with ``ties="model"``.
    standalone_ : RankRecomposer or None
        The stand-alone head. None where no column compares systems, or all do.
    epsilon_ : float
        With ``ties="model"``: the threshold up to which strengths of the training candidates are
        best taken as tied (:func:`~sklearn_mteval.metrics.calibrate_ties`).

    Notes
    -----
    What a classifier may declare, for instance to be asked about one direction of each pair only,
    is on the page *Writing a classifier of pairs*. A pipeline that ends in a ``PairwiseNN`` is set
    to pandas output, so that the network sees names and segments.

    *Scores.* Ranks and strengths may look at competitors; a score must not. Where columns compare
    systems (the last part of their names has ``competing_`` or ``contrastive_`` at its beginning or
    after a ``_``), a clone is trained on the others, whose absolute scores are what
    :func:`~sklearn_mteval.models.score_candidates` gives. ``standalone=False`` saves its fit.

    *Ties.* With ``ties="model"`` a tie counts half: "probability" in the recompositions is
    P(better) + P(tie) / 2, and c is 0 where a tie is likeliest. ``predict`` cuts the candidates of
    a segment, sorted by strength, into tiers of equal rank so that the expected number of pairs
    told right, ties included, is highest: what acc_eq counts (Deutsch et al. 2023).

    *Memory.* Training holds the pair table, n_pairs rows of twice the features; of a pipeline that
    begins with ``PairDifference``, half of that. What cannot fit is refused. Prediction holds
    64 MiB of pairs in each job. Larger data are for :meth:`fit_blocks` and :meth:`partial_fit`.

    *Leaks.* A ranker warns (``SegmentLeakWarning``) if it is to predict segments that it was
    trained on, until it is pickled or saved, and of classifiers that split their pairs themselves,
    unless ``cv=SegmentKFold(3)`` tells them to split segments.

    Groups are read from the index of X. Strengths that differ by less than 1e-9 are equal. The
    result depends on ``n_jobs``, and on what else is in the table, as little as the classifier's
    own answers do. A row's prediction does depend on the rows that it is comparable with, except
    for "absolute".

    References
    ----------
    Avramidis 2012; Guzmán et al. 2017, section 6.1; Bradley and Terry 1952. Ties: Davidson 1970;
    Rao and Kupper 1967; Deutsch, Foster and Freitag 2023, "Ties matter".

    Examples
    --------
    >>> from sklearn_mteval import RankRecomposer
    >>> ranker = RankRecomposer(item_level=None).fit([[1.], [2.], [3.]], [3, 2, 1])
    >>> ranker.predict([[5.], [7.], [6.]])
    array([3, 1, 2])
    """

    def __init__(
        self, estimator: Any = None, *, recomposition: str | Callable = "soft", empty: str = "mean",
        item_level: str | None = "system", n_jobs: int | None = None, max_pairs: int | None = None,
        random_state: Seed = 0, dtype: str | None = None, ties: str = "drop",
        standalone: bool = True
    ):  # fmt: skip
        self.estimator = estimator
        self.recomposition = recomposition
        self.empty = empty
        self.item_level = item_level
        self.n_jobs = n_jobs
        self.max_pairs = max_pairs
        self.random_state = random_state
        self.dtype = dtype
        self.ties = ties
        self.standalone = standalone

    def _fit(self, X, y):
        """Train the classifier on all ordered pairs, tied ones only if ties are modelled."""
        estimator = self._new_classifier()
        self._check_parameters()
        n_directions = 1 if declares(estimator, "antisymmetric") else 2
        X, ranks, order = self._learnt(X, y)
        self.empty_ = mean_row(X)
        self.shared_features_ = shared_features(X, order)
        ties = self._models_ties
        order = pairs_that_fit(
            order, X, ranks, estimator, self.max_pairs,
            n_directions=n_directions, random_state=self.random_state, ties=ties,
        )  # fmt: skip
        one_direction, level = n_directions == 1, self.item_level
        i, j, labels, self.n_tied_pairs_ = labelled_pairs(
            ranks, order, item_level=level, one_direction=one_direction, ties=ties
        )
        self.n_pairs_ = len(labels)
        keep_names(estimator, X)
        self.estimator_ = fit_on_pairs(estimator, X, i, j, labels, item_level=level)
        self._so_far = self.estimator_, len(X)
        self._check_classifier()
        if self.empty == "fifths":
            rows = order.rows  # sorted by content, which decides between equals
            part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
            against = self.empty_, self.shared_features_
            strengths = prediction.better_than_empty(self.estimator_, X, *against, rows)
            self.empty_ = rows_of_fifths(part, strengths)
        if ties:
            strengths, _ = self._strengths_and_tiers(X, order, tiers=False)
            groups = np.repeat(np.arange(len(order.sizes)), order.sizes)
            self.epsilon_ = calibrate_ties(ranks[order.rows], strengths, groups=groups).epsilon
        self._fit_head(X, ranks)

    def compare(
        self, X: ArrayLike, *, pairs: tuple[ArrayLike, ArrayLike] | None = None
    ) -> pd.DataFrame:
        """Tell for every ordered pair of comparable candidates, or for some, which is better.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_candidates, n_features)
            As in fit, with any segments and systems.
        pairs : tuple of two arrays of shape (n_pairs,), optional
            Row positions of t1 and of t2, which must be comparable: no others are asked about.

        Returns
        -------
        DataFrame of shape (n_pairs, 1) or (n_pairs, 2)
            Column ``probability``: P(first better than second), in [0, 1]; with ``ties="model"``
            besides ``tie``: P(they tie). The index has the levels of X but ``item_level``, then
            ``<item_level>_1`` and ``<item_level>_2``; row positions ``item_1``, ``item_2`` for
            plain arrays.
        """
        check_is_fitted(self)
        _require_probabilities(self.estimator_, "compare")
        self._check_classifier()
        X, order = self._prepared(X, stacklevel=3)
        ask = answers.outcomes if self._models_ties else answers.probabilities
        asked, level = (ask, self.estimator_, X, order), self.item_level
        if pairs is None:
            i, j = (order.rows[k] for k in pairs_within(order.sizes))
            as_given = np.lexsort((j, i))
            found = prediction.answers_of_all(*asked, level=level, n_jobs=self.n_jobs)
            i, j, found = i[as_given], j[as_given], found[as_given]
        else:
            i, j = _checked_pairs(pairs, order)
            found = prediction.answers_of_some(*asked, i, j, level=level)
        columns = {"probability": found}
        if self._models_ties:
            columns = {"probability": found[:, 2], "tie": found[:, 1]}
        if self.item_level is None:
            index = pd.MultiIndex.from_arrays([i, j], names=["item_1", "item_2"])
        else:
            index = pair_index(X.index, i, j, self.item_level)
        return pd.DataFrame(columns, index)

    def _new_classifier(self):
        """Return the classifier to train."""
        if self.estimator is None and self.ties == "model":
            return TiedPairClassifier()
        if self.estimator is None:
            scale = StandardScaler(copy=False)  # the differences are ours
            return make_pipeline(PairDifference(), scale, LogisticRegression(max_iter=1000))
        if not hasattr(self.estimator, "fit") or isinstance(self.estimator, type):
            raise TypeError(f"estimator must be a classifier, found {self.estimator!r}.")
        return clone(self.estimator)

    def _found(self, X, *, ranks):
        """Return strengths or ranks in the order of X."""
        check_is_fitted(self)
        recomposition = self._check_parameters()
        self._check_classifier()
        X, order = self._prepared(X)
        absolute, asked = recomposition.needs == ("empty",), (self.estimator_, X)
        if self._models_ties:
            strengths, tiers = self._strengths_and_tiers(X, order, tiers=ranks)
            if ranks:
                return order.as_given(tiers)
        elif absolute:
            strengths = prediction.better_than_empty(*asked, *self._against_empty(), order.rows)
        else:
            how = {"level": self.item_level, "n_jobs": self.n_jobs}
            strengths = prediction.strengths_from_pairs(*asked, order, recomposition, **how)
        if not absolute:  # which no competitor may change in a bit
            strengths = snap_ties(strengths, order.starts)
        return order.as_given(ranks_from_strengths(strengths, order.starts) if ranks else strengths)

    def _strengths_and_tiers(self, X, order, *, tiers):
        """Return strengths and tied ranks of sorted rows, where ties are modelled."""
        return prediction.tied_strengths_from_pairs(
            self.estimator_, X, order, find_recomposition(self.recomposition),
            self._against_empty(), level=self.item_level, n_jobs=self.n_jobs, tiers=tiers,
        )  # fmt: skip

    def _against_empty(self):
        """Return the empty translation's numbers, and which columns describe the segment."""
        empty = np.zeros_like(self.empty_) if self.empty == "zero" else self.empty_
        return empty, self.shared_features_

    @property
    def _models_ties(self):
        return self.ties == "model"

    def _check_parameters(self):
        """Check the values of the parameters; return the recomposition."""
        check_one_of("empty", self.empty, ("mean", "fifths", "zero"))
        check_one_of("ties", self.ties, ("drop", "model"))
        check_n_jobs(self.n_jobs)
        if self.dtype is not None:
            check_one_of("dtype", self.dtype, ("float32", "float64"))
        if self.max_pairs is not None:
            check_integer("max_pairs", self.max_pairs, minimum=1)
        return find_recomposition(self.recomposition)

    def __setstate__(self, state):
        super().__setstate__(state)
        check_restored(self, self._is_whole)

    def _is_whole(self):
        """Tell whether what was loaded can be what a fit leaves; the mean of texts is NaN."""
        width, empty = (self.n_features_in_,), self.empty_
        if np.isnan(empty).any():
            empty = np.where(np.isnan(empty), 0.0, empty)
        rows = (5,) if empty.ndim == 2 and self.empty == "fifths" else ()
        return (
            is_array(empty, rows + width)
            and is_array(self.shared_features_, width, np.bool_)
            and hasattr(self.estimator_, "predict")
            and not isinstance(self.estimator_, type)
            and is_count(self.n_pairs_, 1)
            and is_count(self.n_tied_pairs_)
            and is_number(vars(self).get("epsilon_", 0.0), low=0)
        )

    def _check_classifier(self):
        """Check what the fitted estimator can do: some know it only then (stacking)."""
        answers.check_classes(self.estimator_, ties=self._models_ties)
        if self._models_ties:
            _require_probabilities(self.estimator_, "ties='model'")
        if find_recomposition(self.recomposition).needs_probabilities:
            _require_probabilities(self.estimator_, f"recomposition={self.recomposition!r}")


def _checked_pairs(pairs, order):
    """Return row positions of pairs; raise unless they are of comparable rows."""
    i, j = (np.asarray(rows, dtype=np.int64) for rows in pairs)
    group = order.as_given(np.repeat(np.arange(len(order.sizes)), order.sizes))
    inside = i.shape == j.shape and np.isin(np.append(i, j), np.arange(len(group))).all()
    if not inside or ((group[i] != group[j]) | (i == j)).any():
        raise ValueError(
            f"pairs must be two arrays of equal length, of the positions, from 0 to "
            f"{len(group) - 1}, of different rows that are comparable."
        )
    return i, j


def _require_probabilities(estimator, purpose):
    """Raise unless the classifier tells probabilities."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{purpose} needs predict_proba, which {estimator!r} does not have: use "
            "recomposition='hard', or wrap the classifier in CalibratedClassifierCV."
        )
