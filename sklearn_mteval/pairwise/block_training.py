"""How a RankRecomposer is trained on data that do not fit into memory, block by block."""

from copy import deepcopy
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from sklearn_mteval._helpers.fitting import all_or_nothing
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.pair_classifiers import declares
from sklearn_mteval.pairwise.answers import steps_of
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.fitting import keep_names
from sklearn_mteval.pairwise.leaks import TrainedRows
from sklearn_mteval.pairwise.out_of_core import check_trainable, fit_out_of_core
from sklearn_mteval.pairwise.pairs import labelled_pairs, pair_table
from sklearn_mteval.pairwise.ranker_mixin import BlockRankerMixin
from sklearn_mteval.pairwise.training_blocks import (
    ColumnStatistics,
    check_cuttable,
    check_numbers_only,
    rankings,
)


def _learns_by_blocks(ranker):
    """Tell whether a ranker has partial_fit; AttributeError says why it has not."""
    if ranker.item_level is None:
        raise AttributeError("With item_level=None all rows are one ranking: there are no blocks.")
    problem = "the default, a LogisticRegression, has not"
    if ranker.estimator is not None and (problem := _cannot_learn(ranker.estimator)) is None:
        return True
    raise AttributeError(
        "partial_fit needs a classifier that has it, such as SGDClassifier, alone or in a pipeline "
        f"of steps that have it or learn nothing: {problem}. A LogisticRegression is trained by "
        "fit_blocks; anything else by fit(X, y), with max_pairs=… if memory is short."
    )


def _cannot_learn(estimator):
    """Say why a classifier, or a pipeline, cannot be trained block by block; None if it can."""
    *steps, last = steps_of(estimator)
    for step in steps:
        if not (hasattr(step, "partial_fit") or _learns_nothing(step)):
            return f"step {step!r} must see all pairs at once, having no partial_fit"
    if not hasattr(last, "partial_fit"):
        return f"{last!r} has no partial_fit"
    return None


def _learn_further(estimator, table, labels):
    """Train a classifier further, in place: each step of a pipeline learns, then transforms."""
    *steps, last = steps_of(estimator)
    for step in steps:
        getattr(step, "partial_fit", step.fit)(table)
        table = step.transform(table)
    last.partial_fit(table, labels, classes=np.array([0, 1]))


def _learns_nothing(step):
    """Tell whether it does not matter to a transformer which pairs it is fitted on."""
    return type(step) is PairDifference or (
        hasattr(step, "transform") and not get_tags(step).requires_fit
    )


class BlockTraining(BlockRankerMixin):
    """For a ranker with a classifier of pairs: training on blocks of whole segments."""

    item_level: str | None
    empty: str
    estimator_: Any
    empty_: np.ndarray
    n_pairs_: int
    n_tied_pairs_: int
    _new_classifier: Any
    _check_parameters: Any
    _check_classifier: Any

    def _fit_blocks(self, blocks):
        """Train on all pairs: each pass adds up what Newton's next step needs."""
        self._check_blockwise("fit_blocks")
        estimator = self._new_classifier()
        check_trainable(estimator)
        self._check_parameters()
        fit_out_of_core(self, estimator, blocks)

    @available_if(_learns_by_blocks)
    @all_or_nothing
    def partial_fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Train the classifier further, on the pairs of one more block of whole segments.

        Only where the classifier has ``partial_fit``, and all steps before it in a pipeline have it
        or learn nothing.

        Parameters
        ----------
        X, y : see :meth:`fit`
            A block: all rows of its segments, in columns of numbers without NaN, and their ranks.

        Returns
        -------
        RankRecomposer
            The estimator itself.

        Raises
        ------
        CandidateError
            If the index is lost, y is misaligned, no pair is left, or columns are not of numbers.
        ValueError
            If a parameter needs all rows at once, such as ``ties="model"``, or the ranker was
            saved or copied since its training: how much it has seen is then not known.

        Notes
        -----
        A block may come again, in another epoch. What is learnt depends on the order of the blocks,
        but not on that of their rows. A step that learns, such as ``StandardScaler``, learns from a
        block before it transforms it. The attributes describe all blocks so far, and what
        :meth:`fit` was given before; the stand-alone head compares with the mean.
        """
        self._check_blockwise("partial_fit")
        if self.empty == "fifths":
            raise ValueError(
                "partial_fit does not sort all candidates by their score: empty must be 'mean' or "
                "'zero', found 'fifths'. fit_blocks and fit do."
            )
        self._check_parameters()
        first = not hasattr(self, "estimator_")
        if not first and vars(self).get("_so_far", (None, None))[0] is not self.estimator_:
            raise ValueError(
                "partial_fit cannot continue: this ranker was saved, pickled or copied since its "
                "training, and no longer holds how much it has seen. Begin anew with "
                "sklearn.base.clone(ranker)."
            )
        labelled, (X, ranks, order) = X, self._read(X, y, reset=first)
        check_numbers_only(X)
        # Copies: classifiers change their arrays in place, also in a call that fails.
        estimator = self._new_classifier() if first else deepcopy(self.estimator_)
        statistics = ColumnStatistics(X.shape[1]) if first else self._statistics_so_far()
        one_direction = declares(estimator, "antisymmetric")
        i, j, labels, n_tied = labelled_pairs(
            ranks, order, item_level=self.item_level, one_direction=one_direction
        )
        keep_names(estimator, X)
        _learn_further(estimator, pair_table(X, i, j, item_level=self.item_level), labels)
        for values, _, sizes in rankings((X, ranks, order)):
            statistics.add(values, sizes)
        self.estimator_ = estimator
        self._so_far = estimator, statistics
        trained = TrainedRows.of(labelled, order.content, self.item_level)
        self._trained = trained if first else TrainedRows.joined([self._trained, trained])
        mean_before = None if first else self.empty_
        self.empty_, self.shared_features_ = statistics.mean(), statistics.shared()
        self.n_pairs_ = len(labels) + (0 if first else self.n_pairs_)
        self.n_tied_pairs_ = n_tied + (0 if first else self.n_tied_pairs_)
        self._check_classifier()
        self._train_head_further(X, y, mean_before)
        return self

    def _train_head_further(self, X, y, mean_before):
        """Train the stand-alone head on one more block; the mean before is None in the first."""
        head, own = self._head_of(X, empty="mean")
        if mean_before is None:
            self.standalone_ = head
        if self.standalone_ is not None:
            if self.standalone_.empty == "fifths":  # after another fit
                self.standalone_.set_params(empty="mean")
                self.standalone_.empty_ = mean_before[X.columns.isin(own)]
            self.standalone_.partial_fit(X[own], y)

    def _statistics_so_far(self):
        """Return a copy of what is known of the columns of earlier rows."""
        known = self._so_far[1]
        if isinstance(known, ColumnStatistics):
            return deepcopy(known)
        # After another fit, of so many rows.
        return ColumnStatistics.after(known, self.empty_, self.shared_features_)

    def _check_blockwise(self, name):
        """Raise for parameters that need all rows at once."""
        check_cuttable(self)
        check_boolean(standalone=self.standalone)
        if self.ties != "drop":
            raise ValueError(
                f"{name} leaves pairs that the human tied out: ties must be 'drop', found "
                f"{self.ties!r}. Models of ties are trained by fit(X, y), with max_pairs=… if "
                "memory is short."
            )
        if self.max_pairs is not None:
            raise ValueError(
                f"{name} trains on all pairs: max_pairs must be None, found {self.max_pairs!r}."
            )
