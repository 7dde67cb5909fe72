"""PreferenceKernelSVC: a support vector machine of pairs, over kernels of candidates."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_consistent_length, check_random_state, gen_batches
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval._helpers.options import check_integer, check_number, check_one_of
from sklearn_mteval._helpers.products import row_products
from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, is_number
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.linguistic.kernels.candidate_kernel import CandidateKernel, landmark_features
from sklearn_mteval.linguistic.kernels.candidate_rows import (
    LARGEST,
    SMALLEST,
    Candidates,
    Columns,
    decided_pairs,
    distinct_candidates,
    read_table,
)
from sklearn_mteval.linguistic.kernels.solution import by_candidate, calibrated_slope, solve
from sklearn_mteval.linguistic.kernels.tree_kernels import TreeKernel, check_room, read_trees
from sklearn_mteval.pair_classifiers import PairClassifier, learn_classes
from sklearn_mteval.segments import units_of_pairs

_BYTES_AT_ONCE = 1 << 27  # of kernels with support candidates


class PreferenceKernelSVC(PairClassifier):
    """Learn which of two translations is better from kernels between translations.

    A support vector machine whose kernel between two pairs is that between the differences of their
    translations: each translation has a score. Columns of texts are trees, compared by a tree
    kernel; columns of numbers, such as metric scores, by a kernel of their own.

    Parameters
    ----------
    kernel : tree kernel, callable or None, default=None
        The kernel between the trees of a column; None: ``PartialTreeKernel()``. The kernels of
        several columns are added up. A callable is the whole kernel: it is given two arrays of
        candidates, shapes (n_a, n_features) and (n_b, n_features), texts of any kind first, and
        returns one of shape (n_a, n_b).
    number_kernel : {"linear", "rbf"}, default="linear"
        The kernel between columns of numbers, which are standardised first: the product divided by
        the number of columns, or exp(−γ d²), which knows nothing of numbers far from the fit's.
    number_weight : float, default=1.0
        What the kernel between numbers is multiplied by before it is added to that of trees.
    gamma : float or None, default=None
        γ of "rbf"; None: 1 / number of columns of numbers.
    C : float, default=0.06
        What each pair that is not decided by a clear margin costs, against the norm of the
        weights. A pair that is given in both directions costs twice as much.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        max(0, 1 − margin), squared or not.
    n_components : int or None, default=None
        Number of landmarks of Nyström's approximation: memory and time then grow linearly with
        the candidates. None: exact.
    calibration_folds : int or None, default=5
        Folds of whole segments on which the probabilities are calibrated; None: none, the
        classifier then has no ``predict_proba``.
    tol : float, default=1e-3
        Duality gap to stop at, as a proportion of the objective.
    max_iter : int, default=1000
        Passes through the pairs at most.
    random_state : int, RandomState or None, default=0
        Chooses the landmarks; without ``n_components`` nothing is random.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second means that t1 is better.
    dual_coef_ : ndarray of shape (n_support,)
        β of each support candidate (or landmark) in the score g(t) = Σ βᵢ K(t, tᵢ).
    support_trees_ : list of lists of str
        Trees of the support candidates, for each tree column.
    support_numbers_ : ndarray of shape (n_support, n_numbers)
        Their numbers.
    slope_ : float or None
        A of P(t1 better) = 1 / (1 + exp(−A (g(t1) − g(t2)))).
    duality_gap_ : float
        What the objective can at most be too large by.
    n_iter_ : int
        Passes through the pairs.
    n_candidates_ : int
        Distinct candidates of the fit.
    antisymmetric_ : bool
        True: of (t2, t1) it says the opposite of what it says of (t1, t2).

    Notes
    -----
    PK(⟨t1, t2⟩, ⟨t1', t2'⟩) = K(t1, t1') + K(t2, t2') − K(t1, t2') − K(t2, t1'); so PK = D K Dᵀ,
    D having a row for each pair, 1 for its better candidate and −1 for the other. K is computed
    once over distinct candidates. There is no intercept.

    Memory: 8 n² bytes for n distinct candidates, twice while K is summed up; with
    ``n_components=m`` 8 n m. No bit of the result depends on the order of the rows.

    References
    ----------
    Guzmán et al. 2014, section 2.2, eq. 1; Hsieh et al. 2008 (dual coordinate descent); Williams
    and Seeger 2001 (Nyström); Platt 1999 (probabilities).

    Examples
    --------
    >>> from sklearn_mteval.kernels import PreferenceKernelSVC
    >>> good, bad = "(S (NP (DT the) (NN cat)))", "(S (NP (NN cat) (DT the)))"
    >>> svc = PreferenceKernelSVC(calibration_folds=None)
    >>> svc = svc.fit([[good, bad], [bad, good]], [1, 0])
    >>> svc.predict([[bad, good]]).tolist()
    [0]
    """

    antisymmetric = antisymmetric_ = reads_names = True

    def __init__(
        self, kernel: Any = None, *, number_kernel: str = "linear", number_weight: float = 1.0,
        gamma: float | None = None, C: float = 0.06, loss: str = "hinge",
        n_components: int | None = None, calibration_folds: int | None = 5, tol: float = 1e-3,
        max_iter: int = 1000, random_state: Seed = 0
    ):  # fmt: skip
        self.kernel = kernel
        self.number_kernel = number_kernel
        self.number_weight = number_weight
        self.gamma = gamma
        self.C = C
        self.loss = loss
        self.n_components = n_components
        self.calibration_folds = calibration_folds
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from pairs.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            A pair table: first half of the columns t1, second half t2; texts are trees, lines of
            brackets. Segments are read from the index level ``segment``; without one, pairs that
            share candidates are taken for one segment's.
        y : array-like of shape (n_pairs,)
            Two labels; the larger means that t1 is better.

        Returns
        -------
        PreferenceKernelSVC
            The classifier itself.

        Raises
        ------
        ValueError
            If a parameter has no such value, a cell is no tree, a number not finite, y has other
            than two labels, or the kernel is not one.
        MemoryError
            If the kernels between all candidates do not fit into memory.
        """
        self._check()
        validate_data(self, X, y, skip_check_array=True)
        check_consistent_length(X, y)
        self.classes_, codes_of_y = learn_classes(y)
        trees, numbers, columns = read_table(self, X)
        if self._reads_trees():
            for column in trees:
                read_trees(column)
        candidates, codes = distinct_candidates(trees, numbers)
        pairs = decided_pairs(*np.split(codes, 2), codes_of_y.astype(bool))
        if not len(pairs.rows):
            raise ValueError("No pair to learn from: the translations of each are the same.")
        self._center, scale = candidates.numbers.mean(axis=0), candidates.numbers.std(axis=0)
        self._scale = np.where(scale >= SMALLEST, scale, 1.0)  # 1 where a column does not vary
        kernel, to_support = self._kernel(), None
        if self.n_components is None:
            n = len(candidates.numbers)
            check_room(
                16 * n * n,
                f"The kernels between {n} candidates need",
                "Pass n_components=2000, for instance, or train on fewer pairs, "
                "RankRecomposer(max_pairs=…).",
            )
            matrix = kernel(candidates)
        else:
            rng, size = check_random_state(self.random_state), self.n_components
            matrix, to_support, support = landmark_features(kernel, candidates, size, rng)
        options = {name: getattr(self, name) for name in ("C", "loss", "tol", "max_iter")}
        solution = solve(matrix, pairs, explicit=to_support is not None, **options)
        self.duality_gap_, self.n_iter_, self.slope_ = solution.gap, solution.n_iter, None
        if self.calibration_folds is not None:
            units, n_folds = units_of_pairs(X, codes)[pairs.rows], self.calibration_folds
            self.slope_ = calibrated_slope(units, n_folds, matrix, pairs, solution, options)
        if to_support is None:
            coefficients = by_candidate(solution.alpha, pairs, len(matrix))
            kept = np.flatnonzero(coefficients)
            support, coefficients = candidates.take(kept), coefficients[kept]
        else:
            coefficients = to_support @ solution.state
        self.support_trees_, self.support_numbers_ = support
        self.dual_coef_, self.n_candidates_ = coefficients, len(candidates.numbers)
        self._columns = [list(positions) for positions in columns]
        return self

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Compute how much higher t1 scores than t2.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            A pair table.

        Returns
        -------
        ndarray of shape (n_pairs,)
            g(t1) − g(t2): positive where the second of ``classes_``, t1 is better, is decided.
        """
        check_is_fitted(self)
        if getattr(X, "ndim", 2) == 1:
            check_array(X)  # says how to reshape it
        validate_data(self, X, reset=False, skip_check_array=True)
        first, second = np.split(self._scores(X), 2)
        return first - second

    predict_proba = available_if(lambda self: self.calibration_folds is not None)(
        PairClassifier.predict_proba
    )

    def _chances(self, X):
        logits = self.decision_function(X)
        if self.slope_ is None:
            raise ValueError("The probabilities were not calibrated: calibration_folds was None.")
        return self._probabilities(self.slope_ * logits)

    def _check(self):
        if not (self.kernel is None or callable(self.kernel)):
            raise ValueError(
                "kernel must be a tree kernel, such as PartialTreeKernel(), or a callable, found "
                f"{self.kernel!r}."
            )
        check_one_of("number_kernel", self.number_kernel, ("linear", "rbf"))
        check_one_of("loss", self.loss, ("hinge", "squared_hinge"))
        for name in ("number_weight", "C", "tol", "gamma"):
            if name != "gamma" or self.gamma is not None:
                check_number(name, getattr(self, name), above=0)
        for name, least in (("n_components", 1), ("calibration_folds", 2), ("max_iter", 1)):
            if name == "max_iter" or getattr(self, name) is not None:
                check_integer(name, getattr(self, name), minimum=least)

    def _reads_trees(self):
        """Tell whether columns of texts must be trees: a callable reads what it likes."""
        return self.kernel is None or isinstance(self.kernel, TreeKernel)

    def _kernel(self):
        options = self.number_kernel, self.number_weight, self.gamma
        return CandidateKernel(self.kernel, *options, self._center, self._scale)

    def _scores(self, X):
        """Score t1 and then t2 of the rows of a pair table: g(t) = Σ βᵢ K(t, tᵢ)."""
        trees, numbers, _ = read_table(self, X, known=Columns(*self._columns))
        candidates, codes = distinct_candidates(trees, numbers)
        support = Candidates(self.support_trees_, self.support_numbers_)
        kernel, n = self._kernel(), len(candidates.numbers)
        scores = np.zeros(n)
        if not len(self.dual_coef_):  # every preference was contradicted by another
            return scores[codes]
        at_once = max(1, _BYTES_AT_ONCE // (8 * max(1, len(self.dual_coef_))))
        for some in gen_batches(n, at_once):
            kernels = kernel(candidates.take(np.arange(n)[some]), support)
            scores[some] = row_products(kernels, self.dual_coef_[:, np.newaxis])[:, 0]
        return scores[codes]

    def _is_whole(self, n_features):
        """Tell whether what was loaded can be what fit leaves."""
        n, d = len(self.dual_coef_), len(self._center)
        large = {"low": -LARGEST, "high": LARGEST}
        return (
            self._has_columns(n_features, d)
            and all(self._is_column(column, n) for column in self.support_trees_)
            and is_array(self.dual_coef_, (n,), low=-1 / SMALLEST, high=1 / SMALLEST)
            and is_array(self._center, (d,), **large)
            and is_array(self._scale, (d,), low=SMALLEST, high=LARGEST)
            and is_array(self.support_numbers_, (n, d), **large)
            and (self.slope_ is None or is_number(self.slope_, 0, 1 / SMALLEST))
            and is_count(self.n_candidates_, 1)
        )

    def _has_columns(self, n_features, d):
        """Tell whether loaded positions are those of trees and of d numbers, each once."""
        trees, numbers = self._columns
        return (
            is_list_of(int, trees)
            and is_list_of(int, numbers)
            and sorted([*trees, *numbers]) == list(range(n_features // 2))
            and n_features % 2 == 0
            and (len(trees), len(numbers)) == (len(self.support_trees_), d)
        )

    def _is_column(self, column, n):
        """Tell whether a loaded column holds the trees of n candidates, which can be read."""
        whole = len(column) == n and is_list_of(str, column)
        if whole and self._reads_trees():
            read_trees(column)
        return whole
