"""RankRecomposer: rank candidates with a classifier of pairs.

Decompose rankings into ordered pairs, train one classifier on them, recompose its decisions into
strengths and ranks (2012 paper, sections 3.2 and 3.3; absolute scores: 2017 paper, section 6.1).
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval._helpers.options import check_integer, check_n_jobs, check_one_of
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval._helpers.restored import check_restored, is_array, is_count, is_number
from sklearn_mteval._helpers.shown import Shown
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_feature_columns, check_numbers
from sklearn_mteval.classifiers import TiedPairClassifier
from sklearn_mteval.metrics import calibrate_ties
from sklearn_mteval.pair_classifiers import declares
from sklearn_mteval.pairwise import answers
from sklearn_mteval.pairwise.answers import check_classes
from sklearn_mteval.pairwise.block_training import BlockTraining
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.empty_translation import mean_row, rows_of_fifths, shared_features
from sklearn_mteval.pairwise.fitting import fit_on_pairs, keep_names, pairs_that_fit
from sklearn_mteval.pairwise.pairs import labelled_pairs, pair_index
from sklearn_mteval.pairwise.prediction import (
    answers_of_some,
    better_than_empty,
    outcomes_of_pairs,
    probabilities_of_pairs,
    strengths_from_pairs,
    tied_strengths_from_pairs,
)
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
        Any scikit-learn classifier; it is given the pair table (t1's features, then t2's)
        and the label 1 iff t1 is better, else 0. Default: logistic regression on
        standardised differences; with ``ties="model"``
        :class:`~sklearn_mteval.classifiers.TiedPairClassifier`.
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
        - any other: see ``sklearn_mteval.pairwise.recomposition``, such as
          ``bradley_terry``.
    empty : {"mean", "fifths", "zero"}, default="mean"
        The empty translation ∅ of "absolute" in columns of numbers: mean of the training
        candidates, zeros, or five of them, the means of each fifth of the candidates by their score
        against the mean, over which the score is averaged. It is the empty text in columns of
        texts, and a list of one empty text in columns of lists. Columns that describe the segment
        and not the translation (``shared_features_``), such as the reference's embedding, are the
        candidate's own.
    item_level : str or None, default="system"
        Index level that tells the items of one ranking apart; rows that agree on all
        other levels are comparable. None: plain arrays, all rows one ranking.
    n_jobs : int or None, default=None
        Processes that decide blocks of pairs; the result does not depend on it.
    max_pairs : int or None, default=None
        Train on the pairs of so many segments, chosen at random, as have this many at most. None:
        on all pairs.
    random_state : int, RandomState or None, default=0
        Seed of that choice, which depends neither on labels nor on the order of the rows.
    dtype : {"float32", "float64"} or None, default=None
        Type of columns of numbers, in training and prediction; None keeps what X has.
    ties : {"drop", "model"}, default="drop"
        What becomes of pairs that the human tied. "drop" leaves them out. "model" trains on them,
        too: the classifier learns the labels 0 (t1 is worse), 1 (they tie) and 2 (t1 is better),
        and must have ``predict_proba``; ``predict`` ties candidates, see Notes.
    standalone : bool, default=True
        Whether a second ranker, for scores, is trained on what describes each candidate alone,
        where X has columns that compare systems, too; see Notes.

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
        best taken as tied (:func:`~sklearn_mteval.metrics.calibrate_ties`), for functions of
        strengths that take an ``epsilon``.

    Notes
    -----
    A pipeline as ``estimator`` whose last step is a ``PairwiseNN`` is set to pandas output, so that
    the network sees names and segments.

    A classifier for which P(t1 better than t2) = 1 − P(t2 better than t1), and that decides for the
    more probable, may declare so and save half the work: with ``antisymmetric_ = True`` when
    fitted, it is asked about one direction of each pair only; with ``antisymmetric = True`` before,
    it is trained on one direction as well. The page *Writing a classifier of pairs* has all that it
    may declare.

    *Scores.* Ranks and strengths may look at competitors; a score must not. Columns that compare
    systems are told by their names, the last part of which has ``competing_`` or ``contrastive_``
    at its beginning or after a ``_``. Where there are any, a clone is trained on the others, and
    its absolute scores are what :func:`~sklearn_mteval.models.score_candidates` gives. That takes
    the time of a second fit; ``standalone=False`` saves it where only ranks are wanted, as in a
    grid search.

    *Ties.* With ``ties="model"`` a tie counts half: "probability" in the recompositions is
    P(better) + P(tie) / 2, and c is 0 where a tie is likeliest. ``predict`` cuts the candidates of
    a segment, sorted by strength, into tiers of equal rank so that the expected number of pairs
    told right, ties included, is highest under the classifier's probabilities: what acc_eq counts
    (Deutsch et al. 2023). ``decision_function`` gives strengths as they are, hardly ever equal.

    *Memory.* Training holds the pair table, n_pairs rows of twice the features; of a pipeline that
    begins with ``PairDifference``, the differences only, half of that. What cannot fit is refused
    before it is allocated. Prediction holds 64 MiB of pairs at a time, in each job. Data that do
    not fit into memory at all are trained on by :meth:`fit_blocks` and :meth:`partial_fit`.

    *Leaks.* A ranker remembers, until it is pickled or saved, which segments it was trained on, and
    warns (``SegmentLeakWarning``) if it is to predict some of them: folds have cut segments. It
    also warns of classifiers that split their pairs themselves, such as ``StackingClassifier``,
    ``CalibratedClassifierCV`` and ``LogisticRegressionCV``, unless they are told to split segments:
    ``cv=SegmentKFold(3)`` works in the classifier itself and in steps of a pipeline.

    Groups are read from the index of X, which only ``set_output(transform="pandas")`` carries
    through a pipeline (``make_ranking_pipeline`` sees to it). Strengths that differ by less than
    1e-9 are equal. The result depends on ``n_jobs``, and on what else is in the table, as little as
    the classifier's own answers do (brute-force k-nearest neighbours break equal distances by
    chance; ``algorithm="kd_tree"`` does not). A row's prediction does depend on the rows that it is
    comparable with, except for "absolute".

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

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train the classifier on all ordered pairs, without those tied unless ties are modelled.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_candidates, n_features)
            Features; a DataFrame indexed by segment and system unless ``item_level=None``.
        y : array-like of shape (n_candidates,)
            Rank-like, lower is better, ties allowed.

        Returns
        -------
        RankRecomposer
            The estimator itself.

        Raises
        ------
        CandidateError
            If the index is lost, y is misaligned, no pair is left to learn from, or the pairs
            do not fit into memory.
        TypeError
            If the recomposition needs ``predict_proba`` and the classifier has none.
        """
        estimator = self._new_classifier()
        self._check_parameters()
        n_directions = 1 if declares(estimator, "antisymmetric") else 2
        X, ranks, order = self._learnt(X, y)
        self.empty_ = mean_row(X)
        self.shared_features_ = shared_features(X, order)
        order = pairs_that_fit(
            order, X, ranks, estimator, self.max_pairs,
            n_directions=n_directions, random_state=self.random_state, ties=self._models_ties,
        )  # fmt: skip
        i, j, labels, self.n_tied_pairs_ = labelled_pairs(
            ranks, order, item_level=self.item_level, one_direction=n_directions == 1,
            ties=self._models_ties,
        )  # fmt: skip
        self.n_pairs_ = len(labels)
        keep_names(estimator, X)
        self.estimator_ = fit_on_pairs(estimator, X, i, j, labels, item_level=self.item_level)
        self._so_far = self.estimator_, len(X)
        self._check_classifier()
        if self.empty == "fifths":
            rows = order.rows  # sorted by content, which decides between equals
            part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
            absolute = find_recomposition("absolute"), self.empty_, self.shared_features_
            strengths = better_than_empty(self.estimator_, X, *absolute, rows)
            self.empty_ = rows_of_fifths(part, strengths)
        if self._models_ties:
            strengths, _ = self._strengths_and_tiers(X, order, tiers=False)
            groups = np.repeat(np.arange(len(order.sizes)), order.sizes)
            self.epsilon_ = calibrate_ties(ranks[order.rows], strengths, groups=groups).epsilon
        self._fit_head(X, ranks)
        return self

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Rank each candidate among those comparable with it.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_candidates, n_features)
            As in fit, with any segments and systems.

        Returns
        -------
        ndarray of shape (n_candidates,), int64
            1 is best; equal strength gives equal rank, 1 + the number of stronger ones. With
            ``ties="model"`` candidates of one tier have equal rank, 1 + the number of those in
            better tiers.
        """
        if self._models_ties:
            self._ready()
            X, order = self._prepared(X)
            _, found = self._strengths_and_tiers(X, order, tiers=True)
        else:
            strengths, order = self._strengths(X)
            found = ranks_from_strengths(strengths[order.rows], order.starts)
        return order.as_given(found)

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
        X, order = self._prepared(X)
        options = {"level": self.item_level, "n_jobs": self.n_jobs}
        if pairs is not None:
            i, j = self._checked_pairs(pairs, order)
            ask = answers.outcomes if self._models_ties else answers.probabilities
            found = answers_of_some(ask, self.estimator_, X, order, i, j, level=self.item_level)
            return self._of_pairs(X, i, j, found)
        ask = outcomes_of_pairs if self._models_ties else probabilities_of_pairs
        found = ask(self.estimator_, X, order, **options)
        i, j = (order.rows[k] for k in pairs_within(order.sizes))
        as_given = np.lexsort((j, i))
        return self._of_pairs(X, i[as_given], j[as_given], found[as_given])

    def _of_pairs(self, X, i, j, found):
        """Label P(better) of rows i against rows j, or P(worse), P(tie), P(better)."""
        columns = {"probability": found if found.ndim == 1 else found[:, 2]}
        if found.ndim == 2:
            columns["tie"] = found[:, 1]
        if self.item_level is None:
            index = pd.MultiIndex.from_arrays([i, j], names=["item_1", "item_2"])
        else:
            index = pair_index(X.index, i, j, self.item_level)
        return pd.DataFrame(columns, index)

    @staticmethod
    def _checked_pairs(pairs, order):
        """Return row positions of pairs; raise unless they are of comparable rows."""
        i, j = (np.asarray(rows, dtype=np.int64) for rows in pairs)
        group = order.as_given(np.repeat(np.arange(len(order.sizes)), order.sizes))
        inside = i.shape == j.shape and bool(((i >= 0) & (i < len(group))).all())
        inside = inside and bool(((j >= 0) & (j < len(group)) & (i != j)).all())
        if not inside or (group[i] != group[j]).any():
            raise ValueError(
                f"pairs must be two arrays of equal length, of the positions, from 0 to "
                f"{len(group) - 1}, of different rows that are comparable."
            )
        return i, j

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

    def _strengths(self, X):
        """Return strengths in the order of X, and the order of the groups."""
        recomposition = self._ready()
        X, order = self._prepared(X, stacklevel=4)
        if self._models_ties:
            of_sorted, _ = self._strengths_and_tiers(X, order, tiers=False)
        elif recomposition.needs == ("empty",):
            of_sorted = better_than_empty(
                self.estimator_, X, recomposition, *self._against_empty(), order.rows
            )
        else:
            of_sorted = strengths_from_pairs(
                self.estimator_, X, order, recomposition, level=self.item_level, n_jobs=self.n_jobs
            )
        if recomposition.needs != ("empty",):  # which no competitor may change in a bit
            of_sorted = snap_ties(of_sorted, order.starts)
        return order.as_given(of_sorted), order

    def _strengths_and_tiers(self, X, order, *, tiers):
        """Return strengths and tied ranks of sorted rows, where ties are modelled."""
        return tied_strengths_from_pairs(
            self.estimator_, X, order, find_recomposition(self.recomposition),
            self._against_empty(), level=self.item_level, n_jobs=self.n_jobs, tiers=tiers,
        )  # fmt: skip

    def _against_empty(self):
        """Return the empty translation's numbers, and which columns describe the segment."""
        empty = np.zeros_like(self.empty_) if self.empty == "zero" else self.empty_
        return empty, self.shared_features_

    def _ready(self):
        """Check that it is fitted, and can predict; return the recomposition."""
        check_is_fitted(self)
        recomposition = self._check_parameters()
        self._check_classifier()
        return recomposition

    @property
    def _models_ties(self):
        return self.ties == "model"

    def _validated(self, X, *, reset):
        """Check names, width and numbers; keep a DataFrame with text columns as it is."""
        table = isinstance(X, pd.DataFrame)
        if table:
            check_feature_columns(X)
        if table and any(dtype.kind not in "fiub" for dtype in X.dtypes):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        dtype = "numeric" if self.dtype is None else self.dtype
        with np.errstate(over="ignore"):  # float32's infinity is an error
            values = validate_data(self, X, reset=reset, dtype=dtype, ensure_all_finite="allow-nan")
        if table:
            return pd.DataFrame(values, X.index, X.columns, copy=False)
        check_numbers(pd.DataFrame(values, copy=False))
        return values

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
        check_classes(self.estimator_, ties=self._models_ties)
        if self._models_ties:
            _require_probabilities(self.estimator_, "ties='model'")
        if find_recomposition(self.recomposition).needs_probabilities:
            _require_probabilities(self.estimator_, f"recomposition={self.recomposition!r}")


def _require_probabilities(estimator, purpose):
    """Raise unless the classifier tells probabilities."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{purpose} needs predict_proba, which {estimator!r} does not have: use "
            "recomposition='hard', or wrap the classifier in CalibratedClassifierCV."
        )
