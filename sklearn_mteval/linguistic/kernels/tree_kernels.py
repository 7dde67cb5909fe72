"""Tree kernels: how much two trees have in common, as numbers of shared fragments."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.memory import free_memory, gibibytes
from sklearn_mteval._helpers.options import check_boolean, check_n_jobs, check_number
from sklearn_mteval.linguistic.kernels.forest import plant
from sklearn_mteval.linguistic.trees.brackets import as_tree

# Subtrees that are numbered at a time, and pairs of subtrees that a thread keeps of one tree.
_MOST_NODES, _MOST_PAIRS = 1 << 19, 1 << 25
_BESIDE = 32  # trees whose own kernels are computed at a time
_TASKS = 8  # parts that each thread's rows are divided into


class TreeKernel(BaseEstimator):
    """Base: trees to Gram matrices; a subclass has ``_kind``, ``_key`` and ``_decays()``."""

    def __call__(self, trees, others=None):
        """Compute the kernel between trees, by default with each other.

        Trees are BracketTrees or lines of brackets; an empty text counts as ``()``. Returned is an
        array of shape (n_trees, n_others), float64: at least 0; higher is more alike; at most 1 if
        ``normalize``. ValueError names what is no parameter or tree, MemoryError what does not fit.
        """
        self._check()
        # The others, such as support candidates, are the rows: translations of the same sentences
        # stand together in the columns, where what they share is compared once.
        columns, column_of = _distinct(trees)
        symmetric = others is None
        rows, row_of = (columns, column_of) if symmetric else _distinct(others)
        check_room(
            8 * len(rows) * len(columns),
            f"A kernel of {len(rows)} by {len(columns)} distinct trees needs",
            "A PreferenceKernelSVC with n_components= needs a part of it.",
        )
        gram = np.zeros((len(rows), len(columns)))
        self._fill(gram, rows, columns, symmetric=symmetric)
        if symmetric:
            gram += np.tril(gram, -1).T
        if not np.isfinite(gram).all():
            raise OverflowError(
                f"Trees of this size have more fragments in common than a double counts, with "
                f"{self!r}: choose smaller decays."
            )
        if self.normalize:
            own = np.diagonal(gram).copy() if symmetric else self._own(rows)
            _normalize(gram, own, own if symmetric else self._own(columns), rows, columns)
        gram = gram.T
        if all(np.array_equal(place, np.arange(len(place))) for place in (row_of, column_of)):
            return gram
        return gram[np.ix_(column_of, row_of)]

    def diagonal(self, trees: Sequence) -> np.ndarray:
        """Compute the kernel of each tree with itself, before it is normalised.

        Parameters
        ----------
        trees : sequence of n_trees str or BracketTree
            Trees.

        Returns
        -------
        ndarray of shape (n_trees,), float64
            Squared norms; 0 of a tree without fragments.
        """
        self._check()
        distinct, row_of = _distinct(trees)
        return self._own(distinct)[row_of]

    def of_pairs(self, trees: Sequence, others: Sequence) -> np.ndarray:
        """Compute the kernel of each tree with the one that stands in the same place.

        Parameters
        ----------
        trees, others : sequence of n_trees str or BracketTree
            Trees.

        Returns
        -------
        ndarray of shape (n_trees,), float64
            As in the matrix.
        """
        self._check()
        first, second = read_trees(trees), read_trees(others)
        if len(first) != len(second):
            raise ValueError(
                f"trees and others must be as many, found {len(first)} and {len(second)}."
            )
        found = np.zeros(len(first))
        for start in range(0, len(first), _BESIDE):
            some = slice(start, start + _BESIDE)
            found[some] = np.diagonal(self(first[some], second[some]))
        return found

    def _check(self):
        check_boolean(normalize=self.normalize)
        check_n_jobs(self.n_jobs)
        check_number("lam", self.lam, above=0, maximum=1)

    def _own(self, trees):
        """Compute the kernel of each distinct tree with itself."""
        found = np.zeros(len(trees))
        for start in range(0, len(trees), _BESIDE):
            some = trees[start : start + _BESIDE]
            gram = np.zeros((len(some), len(some)))
            self._fill(gram, some, some, symmetric=True)
            found[start : start + len(some)] = np.diagonal(gram)
        return found

    def _fill(self, out, rows, columns, *, symmetric):
        """Fill a matrix, its lower half if symmetric, in parts that fit into the memory."""
        if not out.size:
            return
        n_nodes = [sum(len(tree.labels) for tree in trees) for trees in (rows, columns)]
        several = max(len(rows), len(columns)) > 1
        if several and sum(n_nodes) > _MOST_NODES:
            by_row = len(rows) > 1 and (len(columns) == 1 or n_nodes[0] > n_nodes[1])
            self._fill_parts(out, rows, columns, by_row, symmetric)
            return
        forest = plant(columns if symmetric else [*columns, *rows], self._key)
        # The pairs of subtrees that match of the row's tree that has most of them.
        sizes = np.diff(forest.group_starts)[forest.group[forest.nodes]]
        starts = forest.tree_starts[0 if symmetric else len(columns) : -1]
        room = int(np.add.reduceat(np.append(sizes, 0), starts).max())
        if several and room > _MOST_PAIRS:
            self._fill_parts(out, rows, columns, len(columns) == 1, symmetric)
            return
        most = [max(len(tree.labels) for tree in trees) for trees in (rows, columns)]
        check_room(
            8 * room,
            f"Trees of {most[0]} and {most[1]} nodes have {room} pairs of nodes that match, which "
            "need",
            "Leave out trees that are so large.",
        )
        self._compute(out, forest, room, symmetric)

    def _fill_parts(self, out, rows, columns, by_row, symmetric):
        """Fill a matrix in halves, or in two triangles and a square."""
        fill, n = self._fill, len(columns) // 2
        if symmetric:
            fill(out[:n, :n], rows[:n], rows[:n], symmetric=True)
            fill(out[n:, :n], rows[n:], rows[:n], symmetric=False)
            fill(out[n:, n:], rows[n:], rows[n:], symmetric=True)
        elif by_row:
            n = len(rows) // 2
            fill(out[:n], rows[:n], columns, symmetric=False)
            fill(out[n:], rows[n:], columns, symmetric=False)
        else:
            fill(out[:, :n], rows, columns[:n], symmetric=False)
            fill(out[:, n:], rows, columns[n:], symmetric=False)

    def _compute(self, out, forest, room, symmetric):
        """Fill a matrix in one go, rows by threads."""
        from sklearn_mteval.linguistic.kernels._gram_kernel import gram_rows

        n_rows, n_columns = out.shape
        rows = np.arange(n_rows) + (0 if symmetric else n_columns)
        task = partial(gram_rows, tuple(forest))
        n_jobs = min(effective_n_jobs(self.n_jobs), n_rows)
        bounds = np.linspace(0, n_rows, (1 if n_jobs == 1 else _TASKS * n_jobs) + 1).astype(int)
        Parallel(n_jobs, prefer="threads")(
            delayed(task)(rows[k:m], symmetric, self._kind, *self._decays(), room, out[k:m])
            for k, m in pairwise(bounds)
            if k < m
        )


class PartialTreeKernel(TreeKernel):
    """Count the partial trees that two trees have in common: any connected part, with gaps.

    Parameters
    ----------
    lam : float, default=0.4
        λ, in (0, 1]: what each gap between the children of a fragment costs, and, squared, each
        leaf of it.
    mu : float, default=0.4
        μ, in (0, 1]: what each node of a fragment costs.
    normalize : bool, default=True
        Divide by the norms, so that equal trees have 1.
    n_jobs : int or None, default=None
        Threads; None: one. The numbers are the same, to the bit.

    Notes
    -----
    With children c of nodes a and b of equal labels, over all pairs of equally long child
    subsequences, Δ(a, b) = μ (λ² + Σ λ^gaps Π Δ(cᵢ, c'ᵢ)), and the kernel is the sum of Δ over all
    pairs of nodes; the exponent counts the *gaps* in both. A symmetric matrix does not depend on
    the order of the trees by a bit. Memory: the matrix, and at most 256 MiB for each thread, unless
    two single trees have more than 2²⁵ pairs of nodes that match.

    References
    ----------
    Moschitti 2006; Guzmán et al. 2014, section 2.2.

    Examples
    --------
    >>> from sklearn_mteval.kernels import PartialTreeKernel
    >>> kernel = PartialTreeKernel(lam=1, mu=1, normalize=False)
    >>> kernel(["(NP (DT the) (NN cat))"], ["(NP (NN cat))", "(NP (DT the) (NN cat))"])
    array([[ 6., 15.]])
    """

    _kind = 2

    def __init__(
        self, lam: float = 0.4, mu: float = 0.4, *, normalize: bool = True,
        n_jobs: int | None = None
    ):  # fmt: skip
        self.lam = lam
        self.mu = mu
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _check(self):
        super()._check()
        check_number("mu", self.mu, above=0, maximum=1)

    def _decays(self):
        return float(self.lam), float(self.mu)

    @staticmethod
    def _key(label, child_labels):
        return label


class SubsetTreeKernel(TreeKernel):
    """Count the subset trees that two trees have in common: parts with whole productions.

    Parameters
    ----------
    lam : float, default=0.4
        λ, in (0, 1]: what each production of a fragment costs.
    normalize, n_jobs : see :class:`PartialTreeKernel`
        The same.

    Notes
    -----
    Δ(a, b) = λ Π (1 + Δ(cᵢ, c'ᵢ)) for nodes of equal productions (labels of the node and of all of
    its children), 0 for others and for words. A tree of one node has no production: its kernel is
    0, normalised 1 with its like and 0 with others. Memory as of :class:`PartialTreeKernel`.

    References
    ----------
    Collins and Duffy 2002, "New ranking algorithms for parsing and tagging", ACL.

    Examples
    --------
    >>> from sklearn_mteval.kernels import SubsetTreeKernel
    >>> kernel = SubsetTreeKernel(lam=1, normalize=False)
    >>> kernel(["(NP (DT the) (NN cat))"], ["(NP (DT a) (NN cat))", "(NP (DT the) (NN cat))"])
    array([[3., 6.]])
    """

    _kind = 1

    def __init__(self, lam: float = 0.4, *, normalize: bool = True, n_jobs: int | None = None):
        self.lam = lam
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _decays(self):
        return float(self.lam), 1.0

    @staticmethod
    def _key(label, child_labels):
        return label, child_labels


class SubtreeKernel(SubsetTreeKernel):
    """Count the subtrees that two trees have in common: a node with all that is below it.

    Parameters
    ----------
    lam, normalize, n_jobs : see :class:`SubsetTreeKernel`
        The same.

    Notes
    -----
    Δ(a, b) = λ Π Δ(cᵢ, c'ᵢ) over the children that are no words, for equal productions, else 0.
    Otherwise as :class:`SubsetTreeKernel`.

    References
    ----------
    Vishwanathan and Smola 2002, "Fast kernels for string and tree matching", NIPS.

    Examples
    --------
    >>> from sklearn_mteval.kernels import SubtreeKernel
    >>> kernel = SubtreeKernel(lam=1, normalize=False)
    >>> kernel(["(NP (DT the) (NN cat))"], ["(NP (DT a) (NN cat))", "(NP (DT the) (NN cat))"])
    array([[1., 3.]])
    """

    _kind = 0


def check_room(needed, what_needs, advice):
    """Raise MemoryError if a number of bytes is not free."""
    free = free_memory()
    if needed > free:
        raise MemoryError(f"{what_needs} {gibibytes(needed)}; {gibibytes(free)} are free. {advice}")


def read_trees(cells):
    """Read a column of trees, "" as "()"; CandidateError names the row of what is none."""
    if isinstance(cells, str):
        raise TypeError(f"trees must be a list of trees, found one, {cells[:40]!r}.")
    read, trees = {"": as_tree("()")}, []
    for row, cell in enumerate(cells):
        tree = read.get(cell) if isinstance(cell, str) else None
        if tree is None:
            tree = as_tree(cell, f"tree in row {row}")
            if isinstance(cell, str):
                read[cell] = tree
        trees.append(tree)
    return trees


def _distinct(cells):
    """Return the distinct trees, in the order of their content, and which of them each cell is."""
    trees = read_trees(cells)
    distinct = sorted({*trees}, key=lambda tree: (tree.labels, tree.parents))
    numbers = {tree: k for k, tree in enumerate(distinct)}
    return distinct, np.array([numbers[tree] for tree in trees], dtype=np.int64)


def _normalize(gram, row_norms, column_norms, rows, columns):
    """Divide a matrix by the norms; trees without fragments are like their like."""
    # K(a, b) / sqrt(K(a, a) K(b, b)), at most 1 by the inequality of Cauchy and Schwarz.
    row_roots, column_roots = np.sqrt(row_norms), np.sqrt(column_norms)
    with np.errstate(divide="ignore", invalid="ignore"):
        for row, root in zip(gram, row_roots, strict=True):
            row /= root * column_roots  # a product in any order: symmetric to the bit
    for k in np.flatnonzero(row_norms == 0):
        gram[k] = [rows[k] == other for other in columns]
    for k in np.flatnonzero(column_norms == 0):
        gram[:, k] = [other == columns[k] for other in rows]
