"""All learners on numbers at the ends of double precision."""

import numpy as np
import pytest

from sklearn_mteval import KNN, LogReg, NaiveBayes

LEARNERS = [LogReg(), LogReg(stepwise=True), KNN(), NaiveBayes(), NaiveBayes(span=0.05)]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_tiny_numbers_count_as_zero(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) * [1, 1e-160, 1e-310, 1]
    X[:, 3] = rng.integers(0, 3, 300) * 5e-324
    y = rng.random(300) < 1 / (1 + np.exp(-3 * X[:, 0]))
    found = learner.fit(X, y).predict_proba(X)
    expected = learner.fit(X * [1, 0, 0, 0], y).predict_proba(X * [1, 0, 0, 0])
    np.testing.assert_allclose(found, expected)
    # A column as small as can be, with test data as large as can be.
    learner.fit(X * [1e-139, 0, 0, 0] + [0, 1, 1, 1], y)
    far = learner.predict_proba([[1e140, -1e140, 1e140, 0], [-1e140, 1e140, 0, 1e140]])
    assert np.isfinite(far).all()


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_too_large_numbers_are_refused(learner):
    with pytest.raises(ValueError, match=r"at most 1e\+140.*found -1e\+200 in row 1, column 0"):
        learner.fit([[1.0], [-1e200]], [0, 1])
    learner.fit([[0.0], [1.0], [0.0], [1.0], [1.0]], [0, 1, 1, 0, 1])
    with pytest.raises(ValueError, match=r"found 1e\+141 in row 0, column 0"):
        learner.predict([[1e141]])
