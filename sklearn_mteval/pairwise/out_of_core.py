"""Logistic regression of pairs that are never in memory together, equal to the fit of all of them.

Newton's method needs sums over all pairs, which are added up, exactly, block by block. As both
directions of each pair are trained on, differences d and −d with opposite labels, the mean of d and
the intercept are 0, and one direction counted twice gives all sums. A classifier of the pair table
itself must say w · t1 − w · t2, whose penalty is that of w twice.
"""

import warnings

import numpy as np
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from sklearn_mteval._helpers.exact_sums import ExactSums
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise.answers import steps_of
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.fifths import Fifths
from sklearn_mteval.pairwise.fitting import fit_on_pairs
from sklearn_mteval.pairwise.training_blocks import Blocks, ColumnStatistics, rankings

# Newton's method ends after a step that changes no log-odds of a standard deviation by more: as the
# next step would be about its square, what is left is rounding.
_LAST_STEP = 1e-6
_ROUNDING = 1e-13  # of a sum of likelihoods, relative


def check_trainable(estimator):
    """Return difference, scaler (or None) and regression; raise for what blocks cannot train."""
    steps = steps_of(estimator)
    kinds = tuple(map(type, steps))
    if kinds not in _KINDS:
        found = " -> ".join(kind.__name__ for kind in kinds)
        raise TypeError(
            "fit_blocks trains a LogisticRegression, alone or after PairDifference, or after "
            f"PairDifference and StandardScaler; found {found}. For classifiers that have it there "
            "is partial_fit; for any other fit(X, y) with max_pairs=…, which samples segments."
        )
    options = steps[-1].get_params()
    for name, allowed in _ALLOWED.items():
        if name in options and options[name] not in allowed:
            raise ValueError(
                f"fit_blocks trains logistic regression with an L2 penalty, pairs being weighted "
                f"alike: {name} must be one of {list(allowed)}, found {options[name]!r}. "
                "Other fits need all pairs: fit(X, y), with max_pairs=… if memory is short."
            )
    if not options["C"] < np.inf:
        raise ValueError(
            f"fit_blocks needs a penalty, C below infinity, found C={options['C']}: without one "
            "nothing says that there is a finite best fit."
        )
    *before, regression = steps
    difference, scaler = [*before, None, None][:2]
    return difference, scaler, regression


_KINDS = (
    (LogisticRegression,),
    (PairDifference, LogisticRegression),
    (PairDifference, StandardScaler, LogisticRegression),
)
# Before 1.8 scikit-learn had the penalty's name, too.
_ALLOWED = {
    "penalty": ("deprecated", "l2"),
    "l1_ratio": (0, None),
    "class_weight": (None, "balanced"),
}


def fit_out_of_core(ranker, estimator, blocks):
    """Train a ranker, and its stand-alone head, on all pairs of blocks; sets what ``fit`` sets."""
    blocks = Blocks(ranker, blocks)
    first = _FirstPass(blocks)
    ranker._trained = blocks.trained
    head, own = ranker._head_of(first.sample[0])
    ranker.standalone_ = head
    tasks = [_Task(ranker, estimator, first, first.sample[0].columns)]
    if head is not None:
        tasks.append(_Task(head, clone(estimator), first, own))
        head.standalone_ = None
        head._trained = None
    while any(not task.newton.done for task in tasks):
        for block in blocks.read():
            for part in rankings(block):
                for task in tasks:
                    task.add(*part)
        for task in tasks:
            task.step()
    for task in tasks:
        task.finish(first)
    if in_fifths := [task for task in tasks if task.ranker.empty == "fifths"]:
        _sort_by_score(in_fifths, blocks)


def _sort_by_score(tasks, blocks):
    """Set the means of fifths of all candidates, sorted by each ranker's score."""
    found = [Fifths(task.ranker, task.columns, blocks.n_rows) for task in tasks]
    for look in (Fifths.count, Fifths.add):
        for block in blocks.read():
            for fifths in found:
                look(fifths, block)
    for fifths in found:
        fifths.ranker.empty_ = fifths.means()


class _Derivatives:
    """Sums over both directions of all pairs: of −log-likelihood and its derivatives."""

    def __init__(self, columns, scale):
        self._columns, self._scale = columns, scale
        n = len(columns)
        self._sums = ExactSums(1 + n + n * (n + 1) // 2)

    def add(self, values, ranks, sizes, weights):
        """Add rankings; return how many of their pairs are decided."""
        from sklearn_mteval.pairwise._logistic_kernel import add_derivatives

        n_pairs = add_derivatives(
            values, ranks, sizes, self._columns, self._scale, weights, self._sums.parts
        )
        self._sums.carry()
        return n_pairs

    def totals(self):
        """Return the value, the gradient and the matrix of second derivatives."""
        n, (value, *others) = len(self._columns), 2 * self._sums.totals()
        second = np.zeros((n, n))
        second[np.triu_indices(n)] = others[n:]
        return value, np.array(others[:n]), second + np.triu(second, 1).T


class _FirstPass:
    """What the first pass adds up, and two rows of different rank: all log-odds being 0, a pair
    adds a quarter of d dᵀ to the second derivatives, which tell variances of d and Newton's first
    step.
    """

    def __init__(self, blocks):
        self.columns = self.derivatives = self.sample = None
        self.n_pairs = self.n_tied = 0
        for block in blocks.read():
            self._add(block)
        if self.sample is None:
            raise CandidateError(
                f"No pair to learn from: y ranks no two comparable rows of the {blocks.n_rows} "
                "rows differently. Only one class of ranks in y is not enough."
            )

    def _add(self, block):
        """Add a block."""
        X, ranks, order = block
        if self.columns is None:
            self.columns = ColumnStatistics(X.shape[1])
            self.derivatives = _Derivatives(np.arange(X.shape[1]), np.ones(X.shape[1]))
        n_decided, weights = 0, np.zeros(X.shape[1])
        for values, of_part, sizes in rankings(block):
            self.columns.add(values, sizes)
            n_decided += self.derivatives.add(values, of_part, sizes, weights)
        self.n_pairs += 2 * n_decided  # in both directions
        self.n_tied += int((order.sizes * (order.sizes - 1)).sum()) - 2 * n_decided
        if self.sample is None and n_decided:
            rows, of_row = order.rows, ranks[order.rows]
            differ = of_row[1:] != of_row[:-1]
            differ[order.starts[1:] - 1] = False  # rows of two rankings
            first = int(differ.argmax())
            self.sample = X.iloc[rows[first : first + 2]], of_row[first : first + 2]


class _Task:
    """One logistic regression that the passes train: the ranker's own, or its head's."""

    def __init__(self, ranker, estimator, first, names):
        sample, ranks = first.sample
        self.ranker = ranker
        self.columns = np.flatnonzero(sample.columns.isin(names))
        # All that a fit of few pairs sets, in whatever version of scikit-learn; what depends on
        # the pairs is overwritten.
        sample = ranker._validated(sample.iloc[:, self.columns], reset=True)
        i, j = np.array([0, 1]), np.array([1, 0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = (ranks[i] < ranks[j]).astype(np.int64)
            level = ranker.item_level
            self._estimator = fit_on_pairs(estimator, sample, i, j, labels, item_level=level)
        self._parts = check_trainable(self._estimator)
        value, slope, second = first.derivatives.totals()
        slope, second = slope[self.columns], second[np.ix_(self.columns, self.columns)]
        self._variance = 4 * np.diag(second) / first.n_pairs
        self._scale = np.where(self._variance > 0, np.sqrt(self._variance), 1.0)
        self.newton = _Newton(self._penalty(), self._parts[-1].max_iter)
        self.newton.step(value, slope / self._scale, second / np.outer(self._scale, self._scale))
        self._derivatives = _Derivatives(self.columns, self._scale)

    def _penalty(self):
        """Return by what half the squares of weights of standardised differences are multiplied."""
        difference, scaler, regression = self._parts
        penalty = np.full(len(self._scale), 1 / regression.C)
        if scaler is None or not scaler.with_std:
            penalty /= self._scale**2
        return penalty if difference is not None else 2 * penalty

    def add(self, values, ranks, sizes):
        """Add rankings."""
        if not self.newton.done:
            self._derivatives.add(values, ranks, sizes, self.newton.weights)

    def step(self):
        """Make the step that the sums of a pass tell."""
        if not self.newton.done:
            self.newton.step(*self._derivatives.totals())
            self._derivatives = _Derivatives(self.columns, self._scale)

    def finish(self, first):
        """Set what is learnt: of the ranker, and of the steps of its classifier."""
        difference, scaler, regression = self._parts
        if scaler is not None:
            scaler.n_samples_seen_ = type(scaler.n_samples_seen_)(first.n_pairs)
            if scaler.mean_ is not None:
                scaler.mean_ = np.zeros(len(self._scale))
            if scaler.scale_ is not None:
                scaler.var_, scaler.scale_ = self._variance, self._scale
        scaled = scaler is not None and scaler.with_std
        coef = self.newton.weights if scaled else self.newton.weights / self._scale
        regression.coef_ = (coef if difference is not None else np.append(coef, -coef))[np.newaxis]
        regression.intercept_ = np.zeros(1)
        regression.n_iter_ = np.array([self.newton.n_iter], dtype=np.int32)
        if not self.newton.converged:
            warnings.warn(
                f"Newton's method did not converge in max_iter={regression.max_iter} steps, each a "
                "pass over the blocks: raise it.",
                ConvergenceWarning,
                stacklevel=6,
            )
        ranker = self.ranker
        ranker.estimator_ = self._estimator
        ranker._so_far = ranker.estimator_, first.columns.n_rows
        ranker.n_pairs_, ranker.n_tied_pairs_ = first.n_pairs, first.n_tied
        ranker.empty_ = first.columns.mean()[self.columns]
        ranker.shared_features_ = first.columns.shared()[self.columns]
        ranker._check_classifier()


class _Newton:
    """Newton's method for the weights of standardised differences, with a penalty."""

    def __init__(self, penalty, max_iter):
        self.weights = np.zeros(len(penalty))
        self.n_iter, self.converged = 0, False
        self._penalty, self._max_iter = penalty, max_iter
        self._at, self._step, self._lowest = self.weights, None, np.inf

    @property
    def done(self):
        """Tell whether there is nothing left to do."""
        return self.converged or self.n_iter >= self._max_iter

    def step(self, value, slope, second):
        """Make a step by the derivatives at the weights; half of the last if it went too far."""
        penalty = self._penalty
        value += penalty @ self.weights**2 / 2
        self.n_iter += 1
        if value <= self._lowest + _ROUNDING * abs(value):
            self._at, self._lowest = self.weights, value
            values, vectors = eigh(second + np.diag(penalty))
            values = np.maximum(values, values[-1] * len(values) * np.finfo(float).eps)
            slope = slope + penalty * self.weights
            self._step = -vectors @ (vectors.T @ slope / values)
        else:
            self._step = self._step / 2
        self.weights = self._at + self._step
        self.converged = bool(np.abs(self._step).max() <= _LAST_STEP)
