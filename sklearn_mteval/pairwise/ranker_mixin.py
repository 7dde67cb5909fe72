"""What all rankers share: tau, the stand-alone head, and what is left out when they are saved."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval._helpers.fitting import WholeFits
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.candidates import (
    are_moderate,
    check_feature_columns,
    check_numbers,
    check_ranks,
    comparable_groups,
    is_float64,
    standalone_columns,
)
from sklearn_mteval.metrics import kendall_tau
from sklearn_mteval.pairwise.leaks import TrainedRows, warns_of_leak
from sklearn_mteval.pairwise.pairs import group_order, grouped, not_of_numbers


class _AnyNumber(int):
    """As many classes as there are distinct ranks: one strength is no column for each of them."""

    @property
    def shape(self):
        return (self,)

    def __len__(self):  # before scikit-learn 1.9, which raises if there are none
        return 0

    def __ne__(self, other):
        return False


class RankerMixin(WholeFits):
    """For estimators with ``item_level`` that learn by ``_fit`` and rank by ``_found``."""

    _fit: Any

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from ranked candidates.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_candidates, n_features)
            Features, or the texts that the estimator inside reads; a DataFrame indexed by segment
            and system, or ``item_level``, unless that is None.
        y : array-like of shape (n_candidates,)
            Rank-like, lower is better, ties allowed.

        Returns
        -------
        RankerMixin
            The estimator itself.

        Raises
        ------
        CandidateError
            If the index is lost, y is misaligned, no two comparable rows are ranked differently,
            the pairs do not fit into memory, or too few segments are there to hold some out.
        TypeError
            If the estimator inside is none that can be used: it has no ``predict_proba``, which the
            recomposition needs, or its ``fit`` takes no groups.
        """
        self._fit(X, y)
        return self

    def decision_function(self: Any, X: ArrayLike) -> np.ndarray:
        """Compute the strength of each candidate among those comparable with it.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_candidates, n_features)
            As in fit, with any segments and systems.

        Returns
        -------
        ndarray of shape (n_candidates,)
            Higher is better; comparable within a group (with ``recomposition="absolute"``,
            everywhere). A sum over competitors is 0 for a candidate without any.
        """
        return self._found(X, ranks=False)

    def predict(self: Any, X: ArrayLike) -> np.ndarray:
        """Rank each candidate among those comparable with it.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_candidates, n_features)
            As in fit, with any segments and systems.

        Returns
        -------
        ndarray of shape (n_candidates,), int64
            1 is best; equal strength gives equal rank, 1 + the number of stronger ones. Where ties
            are modelled, candidates of one tier have equal rank, 1 + the number of those in better
            tiers.
        """
        return self._found(X, ranks=True)

    def score(self: Any, X: ArrayLike, y: ArrayLike) -> float:
        """Compute Kendall's strict tau ("wmt12") of the strengths with y, all pairs pooled.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_candidates, n_features)
            As in fit.
        y : array-like of shape (n_candidates,)
            Rank-like, lower is better.

        Returns
        -------
        float
            In [-1, 1], higher is better.
        """
        ranks = check_ranks(y, X)
        groups = comparable_groups(X, item_level=self.item_level)
        return kendall_tau(ranks, self.decision_function(X), groups=groups)

    @property
    def classes_(self) -> Any:
        """None in truth: ``cross_val_predict(method="decision_function")`` asks how many."""
        return _AnyNumber()

    def _validated(self, X, *, reset):
        """Check names, width and numbers; keep a DataFrame with other columns as it is."""
        table = isinstance(X, pd.DataFrame)
        if table:
            if not reset and self._leaves_as_is(X):
                return X
            check_feature_columns(X)
            if not_of_numbers(X):
                return validate_data(self, X, reset=reset, skip_check_array=True)
        dtype = getattr(self, "dtype", None) or "numeric"
        with np.errstate(over="ignore"):  # float32's infinity is an error
            values = validate_data(self, X, reset=reset, dtype=dtype, ensure_all_finite="allow-nan")
        if table:
            return pd.DataFrame(values, X.index, X.columns, copy=False)
        check_numbers(pd.DataFrame(values, copy=False))
        return values

    def _leaves_as_is(self, X):
        """Tell whether a table passes all checks unchanged: scikit-learn's take a millisecond."""
        names = getattr(self, "feature_names_in_", None)
        known = names is not None and X.columns.tolist() == names.tolist()
        fine = known and len(X) and getattr(self, "dtype", None) in (None, "float64")
        return fine and is_float64(X) and are_moderate(X.to_numpy())

    def _fit_head(self, X, y):
        """Train the stand-alone head on what describes a candidate alone, where X has more."""
        check_boolean(standalone=self.standalone)
        self.standalone_, own = self._head_of(X)
        if self.standalone_ is not None:
            self.standalone_.fit(X[own], y)

    def _head_of(self, X, empty="fifths"):
        """Return the stand-alone head, not fitted, or None, and the columns that it is to read."""
        own = standalone_columns(X.columns) if isinstance(X, pd.DataFrame) else []
        if not self.standalone or not 0 < len(own) < X.shape[1]:
            return None, own
        options = {"standalone": False}
        if getattr(self, "empty", None) == "mean":  # five tell more than one
            options["empty"] = empty
        return clone(self).set_params(**options), own

    def _learnt(self, X, y):
        """Validate candidates and their ranks and order them; note what is trained on."""
        labelled, (X, ranks, order) = X, self._read(X, y, reset=True)
        self._trained = None
        if self.item_level is not None:
            self._trained = TrainedRows.of(labelled, order.content, self.item_level)
        return X, ranks, order

    def _read(self, X, y, *, reset, by_content=True):
        """Validate candidates and their ranks and order them, or only group them."""
        ranks = check_ranks(y, X)
        groups = comparable_groups(X, item_level=self.item_level)
        X = self._validated(X, reset=reset)
        return X, ranks, group_order(groups, X, ranks) if by_content else grouped(groups)

    def _prepared(self, X, stacklevel=4):
        """Validate new candidates and order them; warn at a level if they were trained on."""
        check_is_fitted(self)
        groups = comparable_groups(X, item_level=self.item_level)
        X = self._validated(X, reset=False)
        trained = getattr(self, "_trained", None)
        if trained is None and len(X) == 1:
            return X, grouped(groups)  # no hashes
        order = group_order(groups, X)
        told = self.item_level is None or trained is getattr(self, "_told", None)
        if not told and warns_of_leak(trained, X, order.content, self.item_level, stacklevel):
            self._told = trained  # once for each fit, which remembers other rows
        return X, order

    def __getstate__(self):
        # Which rows were trained on is of use next to training, and too much to save.
        state = super().__getstate__().items()
        return {k: v for k, v in state if k not in ("_trained", "_told", "_so_far")}


class BlockRankerMixin(RankerMixin):
    """For rankers that also learn from blocks of whole segments, by ``_fit_blocks``."""

    _fit_blocks: Any

    def fit_blocks(self, blocks: Iterable) -> Self:
        """Train on data that need not fit into memory, as :meth:`fit` on all of them.

        Parameters
        ----------
        blocks : iterable of (X, y)
            Tables as in :meth:`fit`, of columns of numbers, each with all rows of its segments; NaN
            is for ``GroupRanker`` only. It is read several times: a list, say, or a folder of
            partitions, but not a generator.

        Returns
        -------
        BlockRankerMixin
            The estimator itself.

        Raises
        ------
        CandidateError
            If a block breaks the contract of a candidate table, holds a segment of an earlier one,
            has other columns, or is no table; if no two comparable rows are ranked differently, or
            the blocks change.
        TypeError
            If the classifier is no logistic regression, or the ranker no ``LGBMRanker``; if the
            blocks can be read only once.
        ValueError
            If a parameter needs all rows at once, such as ``max_pairs`` or ``validation_fraction``.

        Notes
        -----
        ``RankRecomposer`` trains ``LogisticRegression``, alone, after ``PairDifference``, or after
        ``PairDifference`` and ``StandardScaler``, which is the default, with an L2 penalty, to the
        minimum, whatever ``solver`` and ``tol`` are. Each pass adds up what Newton's next step
        needs; memory holds one block, and 536 bytes for each pair of columns. The order of blocks,
        rows and segments, and where blocks are cut, change no bit.

        ``GroupRanker`` trains LightGBM, whose own data, of a byte or two for each number, are
        filled in three passes; ``estimator_`` is the booster. It is that of :meth:`fit`, but for
        rounding, where LightGBM's sample for bins, ``subsample_for_bin`` rows, is all. The order of
        rows in a block does not matter, that of blocks does.
        """
        self._fit_blocks(blocks)
        return self
