"""What a preference kernel has learnt: the tree fragments that weigh most."""

import heapq
from itertools import chain

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval.linguistic.kernels.classifier import PreferenceKernelSVC
from sklearn_mteval.linguistic.kernels.tree_kernels import PartialTreeKernel, read_trees
from sklearn_mteval.linguistic.trees.brackets import written


def top_fragments(
    model: BaseEstimator, *, n_fragments: int = 20, max_nodes: int = 8, beam: int = 500
) -> pd.DataFrame:
    """List the tree fragments that speak most for and against a translation.

    The score of a translation is a sum over all fragments of its trees; the weight of a fragment
    says how much one more of it adds.

    Parameters
    ----------
    model : PreferenceKernelSVC, RankRecomposer or Pipeline
        Fitted on columns of trees, with a ``PartialTreeKernel``.
    n_fragments : int, default=20
        Fragments to list for each column and sign.
    max_nodes : int, default=8
        Nodes of a fragment at most.
    beam : int, default=500
        Fragments of each size and column that are grown further.

    Returns
    -------
    DataFrame of shape (n_found, 5)
        Columns ``column`` (name or position), ``fragment`` (a line of brackets), ``weight``
        (positive: for the translation), ``n_nodes`` and ``n_candidates`` (support candidates that
        have it); the heaviest first.

    Raises
    ------
    TypeError
        If the model is no such classifier.

    Notes
    -----
    The feature of a fragment f in a tree t is Σ μ^(nodes/2) λ^(leaves + gaps) over its occurrences,
    divided by the norm of the tree; its weight Σ βᵢ φ_f(tᵢ). Products of features are the kernel,
    exactly. Fragments grow from single nodes by one child at a time, the heaviest of each size: one
    whose parts weigh little is not found.

    References
    ----------
    Pighin and Moschitti 2009, "Reverse engineering of tree kernel feature spaces", EMNLP.

    Examples
    --------
    >>> from sklearn_mteval.kernels import PreferenceKernelSVC, top_fragments
    >>> good, bad = "(S (NP (DT the) (NN cat)))", "(S (NP (NN cat) (DT the)))"
    >>> svc = PreferenceKernelSVC(calibration_folds=None).fit([[good, bad], [bad, good]], [1, 0])
    >>> top_fragments(svc, n_fragments=1)[["fragment", "n_candidates"]].values.tolist()
    [['(NP (DT) (NN))', 1], ['(NP (NN) (DT))', 1]]
    """
    model, kernel = _classifier_and_kernel(model)
    for name, value in (("n_fragments", n_fragments), ("max_nodes", max_nodes), ("beam", beam)):
        check_integer(name, value, minimum=1)
    found, columns = [], getattr(model, "feature_names_in_", None)
    for number, lines in enumerate(model.support_trees_):
        column = model._columns[0][number]
        if columns is not None:
            column = str(columns[column]).removeprefix("t1__")
        weights = model.dual_coef_
        if kernel.normalize:
            norms = np.sqrt(kernel.diagonal(lines))
            weights = weights / np.where(norms > 0, norms, 1)
        rows = _grown(read_trees(lines), weights, kernel, max_nodes, beam)
        for sign in (1, -1):
            best = heapq.nsmallest(
                n_fragments,
                (row for row in rows if sign * row[1] > 0),
                key=lambda row: (-abs(row[1]), row[0]),
            )
            found += [(column, *row) for row in best]
    names = ["column", "fragment", "weight", "n_nodes", "n_candidates"]
    table = pd.DataFrame(found, columns=names, dtype=object)  # any text may be in a fragment
    table = table.astype({"weight": float, "n_nodes": int, "n_candidates": int})
    order = np.argsort(-table["weight"].abs().to_numpy(), kind="stable")
    return table.iloc[order].reset_index(drop=True)


def _classifier_and_kernel(model):
    """Return the PreferenceKernelSVC within a model, and its kernel, a PartialTreeKernel."""
    while not isinstance(model, PreferenceKernelSVC):
        inner = model[-1] if isinstance(model, Pipeline) else getattr(model, "estimator_", None)
        if inner is None:
            raise TypeError(f"model must be a PreferenceKernelSVC, found {type(model).__name__}.")
        model = inner
    check_is_fitted(model)
    kernel = PartialTreeKernel() if model.kernel is None else model.kernel
    if type(kernel) is not PartialTreeKernel or not model.support_trees_:
        raise TypeError(
            "fragments are those of a PartialTreeKernel on columns of trees, found the kernel "
            f"{kernel!r} on {len(model.support_trees_)} columns of trees."
        )
    return model, kernel


def _grown(trees, weights, kernel, max_nodes, beam):
    """Grow fragments; return (fragment, weight, nodes, trees that have it) of all that were met."""
    # An occurrence: the tree and the nodes of the fragment in it, in the tree's order.
    known = {}
    for number, tree in enumerate(trees):
        for node, label in enumerate(tree.labels):
            if label:
                known.setdefault(((label,), (-1,)), {})[number, (node,)] = None
    found = []
    for n_nodes in range(1, max_nodes + 1):
        weighed = [
            (_weight(occurrences, trees, weights, kernel), shape, occurrences)
            for shape, occurrences in known.items()
        ]
        for weight, shape, occurrences in weighed:
            n_trees = len({number for number, _ in occurrences})
            line = written(*shape, [True] * n_nodes)  # it may end anywhere: all in brackets
            found.append((line, weight, n_nodes, n_trees))
        best = heapq.nsmallest(beam, weighed, key=lambda item: (-abs(item[0]), item[1]))
        # An occurrence is met once for each of its nodes that may be added last: a dict keeps one.
        known = {}
        for _, _, occurrences in best:
            for number, nodes in occurrences:
                tree = trees[number]
                for child in chain.from_iterable(tree.children[node] for node in nodes):
                    if child not in nodes:
                        grown = tuple(sorted((*nodes, child)))
                        known.setdefault(_shape(tree, grown), {})[number, grown] = None
    return found


def _shape(tree, nodes):
    """Return labels and parents of a fragment, which do not say where it stands."""
    place = {node: k for k, node in enumerate(nodes)}
    parents = tuple(place.get(tree.parents[node], -1) for node in nodes)
    return tuple(tree.labels[node] for node in nodes), parents


def _weight(occurrences, trees, weights, kernel):
    lam, root = kernel.lam, np.sqrt(kernel.mu)
    total = 0.0
    for number, nodes in occurrences:
        tree, inside = trees[number], set(nodes)
        exponent = 0
        for node in nodes:
            chosen = [k for k, child in enumerate(tree.children[node]) if child in inside]
            # λ for each gap between the chosen children, and for each leaf of the fragment.
            exponent += chosen[-1] - chosen[0] + 1 - len(chosen) if chosen else 1
        total += weights[number] * root ** len(nodes) * lam**exponent
    return float(total)
