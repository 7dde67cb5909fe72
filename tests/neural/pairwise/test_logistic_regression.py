"""A single layer without embeddings is logistic regression."""

import numpy as np
import pytest
from network_by_hand import make_pairs
from sklearn.linear_model import LogisticRegression

from sklearn_mteval import PairwiseNN


@pytest.mark.parametrize("l2", [0.003, 0.05])
@pytest.mark.parametrize(("d", "k"), [(0, 4), (2, 1)])
def test_agrees_with_scikit_learn(l2, d, k):
    # With embeddings, too: each input has one weight; the reference's stand once.
    X, y = make_pairs(60, 3, d=d, k=k, seed=4)
    y = np.where(np.arange(len(y)) % 7 == 0, 1, y)  # unbalanced: an intercept
    net = PairwiseNN(
        architecture="single-layer",
        l2=l2,
        learning_rate=0.5,
        batch_size=len(X),
        max_epochs=1500,
        validation_fraction=None,
        solver="numba",
        random_state=0,
    ).fit(X, y)
    half = X.shape[1] // 2
    x1, x2 = X.to_numpy()[:, :half], X.to_numpy()[:, half:]
    parts = [x1[:, k : k + d], x2[:, k : k + d], x1[:, k + d :], x1[:, :k], x2[:, :k]]
    inputs = np.hstack(parts)
    # Its cost is the sum of losses times C, plus half the squares: ours times n C, C = 1 / (l2 n).
    expected = LogisticRegression(C=1 / (l2 * len(X)), tol=1e-10, max_iter=10_000).fit(inputs, y)
    np.testing.assert_allclose(net.weights_["weight"][:, 0], expected.coef_[0], atol=2e-4)
    np.testing.assert_allclose(net.weights_["bias"], expected.intercept_, atol=2e-4)
    np.testing.assert_allclose(net.predict_proba(X), expected.predict_proba(inputs), atol=2e-4)
    assert abs(expected.intercept_[0]) > 0.02
    assert np.abs(expected.coef_).max() > 0.2


def test_symmetric_agrees_with_scikit_learn_on_differences():
    # Odds w1 s1 + w2 s2 − (w1 s2 + w2 s1) = (w1 − w2)(s1 − s2); at the least |w|² for a given
    # difference u, w1 = −w2 = u / 2 and |w|² = |u|² / 2: half of scikit-learn's penalty.
    X, y = make_pairs(60, 3, d=0, k=3, seed=4)
    l2 = 0.02
    net = PairwiseNN(
        architecture="single-layer",
        symmetric=True,
        l2=l2,
        learning_rate=0.5,
        batch_size=len(X),
        max_epochs=1500,
        validation_fraction=None,
        solver="numba",
        random_state=0,
    ).fit(X, y)
    differences = X.to_numpy()[:, :3] - X.to_numpy()[:, 3:]
    expected = LogisticRegression(
        C=2 / (l2 * len(X)), fit_intercept=False, tol=1e-10, max_iter=10_000
    ).fit(differences, y)
    weight = net.weights_["weight"][:, 0]
    np.testing.assert_allclose(weight[:3] - weight[3:], expected.coef_[0], atol=2e-4)
    np.testing.assert_allclose(net.predict_proba(X), expected.predict_proba(differences), atol=2e-4)
    assert net.weights_["bias"][-1] == 0
