"""Values of families that are computed, against all orders of telling, and against asking."""

import numpy as np
import pytest
from orders import by_all_orders
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval.classifiers import KNN, PairEnsemble
from sklearn_mteval.models.explanations.exact import exact_values
from sklearn_mteval.pairwise.difference import PairDifference

FAMILIES = ["a", "b", "a", "c", "d", "e"]


class Ranker:
    def __init__(self, estimator):
        self.estimator_ = estimator


@pytest.fixture(scope="module")
def pairs():
    """Two translations of 300 pairs; the better one has more of some columns, by steps."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 300, 6)).round(1)
    d = first - second
    better = d[:, 0] + np.sign(d[:, 1]) * (d[:, 2] > 0) + d[:, 3] * d[:, 4] ** 2 > 0
    return first, second, better.astype(int)


def test_an_ensemble_of_trees_and_a_regression(pairs):
    first, second, y = pairs
    trees = HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=8, min_samples_leaf=5)
    members = [("linear", LogisticRegression(fit_intercept=False)), ("trees", trees)]
    model = PairEnsemble(members, weights=[1.0, 2.0], calibrate=False)
    model.fit(np.hstack([first, second]), y)
    values = exact_values(Ranker(model), FAMILIES)(first - second)
    decide = lambda t1, t2: model.decision_function(np.hstack([t1, t2]))  # noqa: E731
    assert values.sum(axis=1) == pytest.approx(decide(first, second))
    for k in range(5):
        expected = by_all_orders(decide, first[k], second[k], FAMILIES)
        assert list(values[k]) == pytest.approx([expected[name] for name in "abcde"])


def test_one_tree_by_hand():
    """A tree that adds 4 where both columns are above 0, else nothing: each has half of it."""
    from sklearn_mteval.classifiers._trees import BoostedTrees
    from sklearn_mteval.models.explanations.exact import _of_trees

    tree = BoostedTrees(
        n_features=2, roots=np.array([0], np.int32), feature=np.array([0, -1, 1, -1, -1], np.int32),
        value=np.array([0.0, 0, 0, 0, 4]), left=np.array([1, 0, 3, 0, 0], np.int32),
        right=np.array([2, 0, 4, 0, 0], np.int32),
    )  # fmt: skip
    differences = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]])
    found = _of_trees(tree, np.array([0, 1]), differences, 2)
    # (f(d) - f(-d)) / 2: 4 of the first pair, of which a half, parted equally; no other has both.
    assert found.tolist() == [[1, 1], [-1, -1], [0, 0], [0, 0]]
    assert _of_trees(tree, np.array([0, 0]), differences[:1], 1).tolist() == [[2]]


def test_a_regression_in_a_pipeline(pairs):
    """What one direction of a pair says less what the other one says, by coefficients."""
    first, second, y = pairs
    scaled = make_pipeline(PairDifference(), StandardScaler(), LogisticRegression())
    whole = make_pipeline(StandardScaler(), LogisticRegression())
    for model in (scaled, whole):
        model.fit(np.hstack([first, second]), y)
        values = exact_values(Ranker(model), FAMILIES)(first - second)
        forth, back = (
            model.decision_function(np.hstack(both)) for both in ((first, second), (second, first))
        )
        assert values.sum(axis=1) == pytest.approx((forth - back) / 2)
        alone = first.copy()
        alone[:, 1:] = second[:, 1:]
        only = exact_values(Ranker(model), FAMILIES)(alone - second)
        assert np.abs(only[:, 1:]).max() == 0


def test_what_is_neither_trees_nor_linear_must_be_asked(pairs):
    first, second, y = pairs
    X = np.hstack([first, second])
    assert exact_values(Ranker(KNN().fit(X, y)), FAMILIES) is None
    assert exact_values(object(), FAMILIES) is None
    of_neighbours = PairEnsemble([("knn", KNN())], calibrate=False).fit(X, y)
    assert exact_values(Ranker(of_neighbours), FAMILIES) is None
