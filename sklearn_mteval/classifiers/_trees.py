"""Boosted trees as plain arrays: small to save, safe to load, the same bits in any table."""

from dataclasses import dataclass

import numpy as np

from sklearn_mteval._helpers.restored import is_array, is_count, refuse, refusing

_LEAF = -1


@dataclass(frozen=True, eq=False, repr=False)
class BoostedTrees:
    """The trees of a fitted HistGradientBoostingClassifier of two classes, one after another: a
    node sends a row ``left`` if its ``feature`` is at most ``value``, a leaf adds its ``value``.
    """

    n_features: int
    roots: np.ndarray  # node in which each tree begins
    feature: np.ndarray  # column that each node looks at, -1 for a leaf
    value: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def __post_init__(self):
        self.__setstate__(vars(self))

    def _are_trees(self):
        n = len(self.feature)
        if not (
            is_count(self.n_features, 1)
            and is_array(self.roots, (len(self.roots),), np.int32, low=0, high=n - 1)
            and is_array(self.feature, (n,), np.int32, low=_LEAF, high=self.n_features - 1)
            and is_array(self.value, (n,), low=-1e100, high=1e100)
            and is_array(self.left, (n,), np.int32, high=n - 1)
            and is_array(self.right, (n,), np.int32, high=n - 1)
        ):
            return False
        inner = np.flatnonzero(self.feature != _LEAF)
        return bool((np.minimum(self.left, self.right)[inner] > inner).all())  # no way back

    def __setstate__(self, state):
        # The compiled loop trusts what it follows; this may come from a stranger's file.
        with refusing(self):
            vars(self).update(state)
            whole = state.keys() == self.__dataclass_fields__.keys() and self._are_trees()
        if not whole:
            refuse(self)

    def decision_function(self, X):
        """Add up the leaves that each row falls into, in the order of the trees."""
        from sklearn_mteval.classifiers._trees_kernel import sum_leaves

        return sum_leaves(X, self.roots, self.feature, self.value, self.left, self.right)


def as_boosted_trees(model):
    """Return the trees of fitted boosting as arrays, without what it starts with; else as is."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    if type(model) is not HistGradientBoostingClassifier:
        return model
    nodes = [tree.nodes for (tree,) in model._predictors]  # public nowhere
    if any(tree["is_categorical"].any() for tree in nodes):
        return model
    sizes = np.array([len(tree) for tree in nodes])
    roots = np.cumsum(sizes) - sizes
    first = np.repeat(roots, sizes)
    joined = np.concatenate(nodes)
    leaf = joined["is_leaf"].astype(bool)
    return BoostedTrees(
        n_features=int(model.n_features_in_),
        roots=roots.astype(np.int32),
        feature=np.where(leaf, _LEAF, joined["feature_idx"]).astype(np.int32),
        value=np.where(leaf, joined["value"], joined["num_threshold"]),
        left=np.where(leaf, 0, joined["left"] + first).astype(np.int32),
        right=np.where(leaf, 0, joined["right"] + first).astype(np.int32),
    )
