"""GroupRanker: rankers of LightGBM, XGBoost and CatBoost where scikit-learn passes no groups."""

import sys
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Bunch, check_random_state

from sklearn_mteval._helpers.options import check_boolean, check_integer, check_proportion
from sklearn_mteval._helpers.order import by_content
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import segment_labels
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise.answers import predictions
from sklearn_mteval.pairwise.lightgbm_blocks import RowsOfBlocks, check_lightgbm, train_on_rows
from sklearn_mteval.pairwise.pairs import columns_explained, plain_columns
from sklearn_mteval.pairwise.ranker_mixin import BlockRankerMixin
from sklearn_mteval.pairwise.recomposition import ranks_from_strengths, snap_ties
from sklearn_mteval.pairwise.training_blocks import Blocks, check_cuttable
from sklearn_mteval.segments import hold_out, units_of_rows


class GroupRanker(BlockRankerMixin, MetaEstimatorMixin, BaseEstimator):
    """Use a ranker of another library, such as ``LGBMRanker``, in a scikit-learn pipeline.

    Groups, which pipelines and searches do not pass on to ``fit``, are read from the index of X,
    rows are sorted, ranks become relevance, and strengths come back in the order of the rows.

    Parameters
    ----------
    estimator : estimator
        A ranker whose ``fit`` takes one of ``qid`` (XGBoost), ``group_id`` (CatBoost) and ``group``
        (LightGBM: sizes of consecutive groups). It is cloned.
    item_level : str or None, default="system"
        Index level that tells the items of one ranking apart; rows that agree on all other levels,
        of which one is ``segment``, are a group. None: all rows are one group.
    n_grades : int, default=31
        Grades of relevance at most, at least 2. LightGBM and XGBoost know 31 by default.
    validation_fraction : float or None, default=None
        Proportion of the *segments* (those that share a ``reference`` are one) that ``fit`` holds
        out and hands to the ranker as its evaluation set, for early stopping, the ranker's own
        option.
    random_state : int, RandomState or None, default=0
        Seed of the choice of segments, which depends neither on their labels nor on the order of
        the rows.
    standalone : see :class:`RankRecomposer`
        The same.

    Attributes
    ----------
    estimator_ : estimator
        The fitted ranker; of :meth:`fit_blocks` LightGBM's ``Booster``.
    standalone_ : GroupRanker or None
        The stand-alone head, see :class:`RankRecomposer`.
    n_groups_ : int
        Groups trained on.
    validation_segments_ : list
        Labels of the segments that were held out.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names, where they have names.

    See Also
    --------
    RankRecomposer : Ranks with any classifier, which is trained on pairs.
    SegmentKFold : Splits whole segments.

    Notes
    -----
    The relevance of a row is how many distinct worse values of y its group has, 0 for the worst. If
    a group has more values than ``n_grades``, neighbours share a grade.

    Neither the order of rows nor the names of segments and items change what is learnt. A strength
    depends on its own row only, but for rounding: those of one group that differ by less than 1e-9
    are equal. Columns of numbers may hold NaN; others (categories, texts) are handed on as they
    are.

    References
    ----------
    Burges 2010, "From RankNet to LambdaRank to LambdaMART: an overview".

    Examples
    --------
    >>> from lightgbm import LGBMRanker
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn_mteval import BLEUComp, GroupRanker, SegmentKFold, make_ranking_pipeline
    >>> from sklearn_mteval.datasets import load_sample
    >>> X, y = load_sample(return_X_y=True)
    >>> ranker = GroupRanker(LGBMRanker(n_estimators=20, n_jobs=1, verbosity=-1))
    >>> model = make_ranking_pipeline(BLEUComp(), ranker)
    >>> found = cross_validate(model, X, y, cv=SegmentKFold(3))  # nobody passes group=
    >>> found["test_score"].shape
    (3,)
    """

    def __init__(
        self, estimator: Any, *, item_level: str | None = "system", n_grades: int = 31,
        validation_fraction: float | None = None, random_state: Seed = 0, standalone: bool = True
    ):  # fmt: skip
        self.estimator = estimator
        self.item_level = item_level
        self.n_grades = n_grades
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.standalone = standalone

    def _fit(self, X, y):
        """Train the ranker on all groups, or on those that are not held out."""
        check_integer("n_grades", self.n_grades, minimum=2)
        if self.validation_fraction is not None:
            check_proportion("validation_fraction", self.validation_fraction)
        kind, known = _kind_of(self.estimator)
        labelled, (X, ranks, order) = X, self._learnt(X, y)
        held_out = np.zeros(len(order.sizes), dtype=bool)
        self.validation_segments_ = []
        if self.validation_fraction is not None:
            held_out, self.validation_segments_ = self._held_out(labelled, order)
        training = _part(X, ranks, order, ~held_out, self.n_grades)
        self._check_relevance(training.relevance, training.sizes)
        self.n_groups_ = len(training.sizes)
        given = {kind: training[_RANKERS[kind]]}
        if held_out.any():
            validation = _part(X, ranks, order, held_out, self.n_grades)
            given |= _evaluation(kind, validation, known)
        with columns_explained(X):
            self.estimator_ = clone(self.estimator).fit(training.X, training.relevance, **given)
        self._fit_head(X, ranks)

    def _fit_blocks(self, blocks):
        """Fill LightGBM's own data block by block, in three passes, and train it on them."""
        check_integer("n_grades", self.n_grades, minimum=2)
        check_boolean(standalone=self.standalone)
        check_cuttable(self)
        check_lightgbm(self.estimator)
        if self.validation_fraction is not None:
            raise ValueError(
                "fit_blocks holds no segments out: validation_fraction must be None, found "
                f"{self.validation_fraction!r}."
            )
        data = Blocks(self, blocks, allow_nan=True)
        relevance, sizes = [], []
        for block in data.read():
            order = block.order
            relevance.append(_relevance(block.ranks[order.rows], order.sizes, self.n_grades))
            sizes.append(order.sizes)
        of_rows, of_groups = np.concatenate(relevance), np.concatenate(sizes)
        self._check_relevance(of_rows, of_groups)
        rows = RowsOfBlocks(data, lambda block: block.X.to_numpy(np.float64)[block.order.rows])
        names = [str(name) for name in block.X.columns]
        self.estimator_ = train_on_rows(self.estimator, rows, of_rows, of_groups, names)
        rows.end()
        self.validation_segments_ = []
        self.n_groups_ = len(of_groups)
        self._trained = data.trained
        self.standalone_, own = self._head_of(block.X)
        if self.standalone_ is not None:
            self.standalone_.fit_blocks(_Columns(blocks, own))

    def _check_relevance(self, relevance, sizes):
        """Raise CandidateError if no group has rows of different rank."""
        if not relevance.any():
            raise CandidateError(
                "Nothing to learn from: no group has rows of different rank "
                f"({len(sizes)} group(s), {len(relevance)} row(s)). Rows are of one group if they "
                f"agree on every index level but {self.item_level!r}. Only one class of ranks in "
                "y is not enough."
            )

    def _found(self, X, *, ranks):
        """Return strengths or ranks in the order of X."""
        X, order = self._prepared(X)
        strengths = snap_ties(predictions(self.estimator_, X)[order.rows], order.starts)
        return order.as_given(ranks_from_strengths(strengths, order.starts) if ranks else strengths)

    def _held_out(self, X, order):
        """Choose segments to hold out: a mask of groups, and the segments' labels."""
        units, rng = units_of_rows(X), check_random_state(self.random_state)
        ordered = by_content(order.content, units, plain_columns(X))
        chosen = hold_out(ordered, self.validation_fraction, rng)
        if not len(chosen):
            raise CandidateError(
                f"validation_fraction={self.validation_fraction} holds out whole segments, and "
                "those with the same reference together: of one nothing is left to train on."
            )
        rows = np.isin(units, chosen)
        return rows[order.rows[order.starts]], segment_labels(X)[rows].unique().tolist()


class _Columns:
    """Some columns of blocks."""

    def __init__(self, blocks, names):
        self._blocks, self._names = blocks, names

    def __iter__(self):
        return ((X[self._names], y) for X, y in self._blocks)


def _part(X, ranks, order, chosen, n_grades):
    """Take some groups: sorted rows, their relevance, groups' sizes, and the group of each row."""
    rows, sizes = order.rows[np.repeat(chosen, order.sizes)], order.sizes[chosen]
    part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    relevance = _relevance(ranks[rows], sizes, n_grades)
    return Bunch(X=part, relevance=relevance, sizes=sizes, groups=groups)


def _relevance(ranks, sizes, n_grades):
    """Count the distinct worse values of each row's group, or grade them; int64, 0 is worst."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    worse = pd.Series(-ranks).groupby(groups).rank("dense").astype(np.int64) - 1
    distinct = worse.groupby(groups).transform("max") + 1
    return worse.where(distinct <= n_grades, worse * n_grades // distinct).to_numpy()


def _kind_of(estimator):
    """Return which argument of its ``fit`` tells a ranker the groups, and all that it knows."""
    if hasattr(estimator, "fit") and not isinstance(estimator, type):
        known = signature(estimator.fit).parameters
        for name in _RANKERS:
            if name in known:
                return name, known
    raise TypeError(
        "estimator must be a ranker whose fit takes one of the arguments "
        f"{list(_RANKERS)}, such as LGBMRanker, XGBRanker or CatBoostRanker, found "
        f"{estimator!r}. Steps before it belong into a pipeline that ends in GroupRanker."
    )


def _evaluation(kind, part, known):
    """Return the arguments of held-out groups of a ranker that knows these arguments."""
    if kind == "group_id":  # CatBoost, loaded, since the estimator is one of its classes
        pool = sys.modules["catboost"].Pool
        return {"eval_set": pool(part.X, part.relevance, group_id=part.groups)}
    given = {"eval_qid": [part.groups]} if kind == "qid" else {"eval_group": [part.sizes]}
    if kind == "group" and "eval_X" in known:  # LightGBM since 4.7
        return given | {"eval_X": part.X, "eval_y": part.relevance}
    return given | {"eval_set": [(part.X, part.relevance)]}


# What tells a ranker the groups, by the argument of its fit: the numbers of rows' groups or the
# groups' sizes. XGBoost knows "group", too.
_RANKERS = {"qid": "groups", "group_id": "groups", "group": "sizes"}
