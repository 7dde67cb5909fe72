"""The exact share that each family of columns has in decisions of many pairs, where it is cheap.

The same Shapley values as of :mod:`.shapley`, without asking the model: of a linear model weights
times differences, and of boosted trees a sum over the leaves that a pair reaches, each of which is
a product of conditions (Lundberg et al. 2020, "From local explanations to global understanding with
explainable AI for trees", algorithm 3), all differences of families that are not told being 0.
"""

from functools import partial
from math import factorial

import numpy as np

from sklearn_mteval.classifiers._trees import BoostedTrees
from sklearn_mteval.classifiers.ensemble import PairEnsemble
from sklearn_mteval.pairwise.answers import weights_of_pairs

_AT_ONCE = 4096  # pairs
_MOST_FAMILIES = 62  # bits of a number that has a sign


def exact_values(ranker, families):
    """Return the function that splits decisions exactly; None for models that it cannot split.

    It makes of differences of features, (n_pairs, n_columns), the values of families, (n_pairs,
    n_families), in the order in which they occur first in ``families``, one name for each column.
    """
    names = list(dict.fromkeys(families))
    codes = np.array([names.index(name) for name in families], dtype=np.int64)
    estimator, n = getattr(ranker, "estimator_", None), len(codes)
    if isinstance(estimator, PairEnsemble) and len(names) <= _MOST_FAMILIES:
        if all(isinstance(m, BoostedTrees) or _is_linear(m, n) for m in estimator.estimators_):
            return partial(_in_parts, partial(_of_ensemble, estimator), codes, len(names))
        return None
    weights = weights_of_pairs(estimator) if estimator is not None else None
    if weights is None:
        return None
    first, second = np.split(weights[0], 2)  # both directions' mean is (first − second) / 2
    return partial(_in_parts, partial(_of_weights, (first - second) / 2), codes, len(names))


def _in_parts(values, codes, n_families, differences):
    """Work on some pairs at a time: copies of their differences are larger than what is found."""
    found = np.zeros((len(differences), n_families))
    for start in range(0, len(found), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        values(codes, np.asarray(differences[some], dtype=np.float64), found[some])
    return found


def _of_weights(weights, codes, differences, found):
    """Add weights times differences."""
    by_family = np.zeros((len(codes), found.shape[1]))
    by_family[np.arange(len(codes)), codes] = weights
    found += differences @ by_family


def _of_ensemble(ensemble, codes, differences, found):
    """Add the members' values, each times its factor."""
    scaled = ensemble._scaled(differences)
    for member, factor in zip(ensemble.estimators_, ensemble.factors_, strict=True):
        if isinstance(member, BoostedTrees):
            part = _of_trees(member, codes, scaled, found.shape[1])
        else:
            part = np.zeros_like(found)
            _of_weights(member.coef_[0], codes, scaled, part)
        found += ensemble.slope_ * factor * part


def _of_trees(trees, codes, scaled, n_families):
    """Return the values of (f(d) − f(−d)) / 2."""
    from sklearn_mteval.models.explanations._tree_kernel import add_tree_values

    # Of n families that decide together, and m others against them, the share of each of the n.
    size = range(n_families + 1)
    weights = np.array(
        [[factorial(n) * factorial(m) / factorial(n + m + 1) for m in size] for n in size]
    )
    nodes = trees.roots, trees.feature, trees.value, trees.left, trees.right
    found = np.zeros((len(scaled), n_families))
    for sign in (1.0, -1.0):
        add_tree_values(scaled, sign, codes, nodes, weights, found)
    return found / 2


def _is_linear(member, n):
    """Tell whether the margin of a member is coefficients times differences."""
    return hasattr(member, "decision_function") and np.shape(getattr(member, "coef_", None)) == (
        1,
        n,
    )
