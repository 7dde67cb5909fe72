"""PriorEnsemble: with little to learn from it is the model, with much better than it."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.classifiers._prior_ensemble import PriorEnsemble


def pairs(n, seed, noise=1.0):
    """Pairs of translations with a model's strength and 30 features, and who is better.

    The model knows most of the quality, two of the features the rest.
    """
    rng = np.random.default_rng(seed)
    halves = rng.normal(size=(2, n, 31))
    quality = halves[..., 0] + halves[..., 1:3].sum(axis=-1) / 2
    better = quality[0] - quality[1] + noise * rng.logistic(size=n) > 0
    index = pd.MultiIndex.from_arrays(
        [np.arange(n) // 5, *[np.arange(n)] * 2], names=["segment", "system_1", "system_2"]
    )
    return pd.DataFrame(np.hstack(halves), index=index), better.astype(int)


def accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))


X_TEST, Y_TEST = pairs(4000, 99)
BY_MODEL = float(np.mean((X_TEST[0] > X_TEST[31]) == Y_TEST))


def test_of_few_pairs_it_is_the_model():
    found = [accuracy(PriorEnsemble().fit(*pairs(40, seed)), X_TEST, Y_TEST) for seed in range(5)]
    alone = [accuracy(PairEnsemble().fit(*pairs(40, seed)), X_TEST, Y_TEST) for seed in range(5)]
    assert min(found) > BY_MODEL - 0.015 > max(alone)


@pytest.mark.slow
def test_of_many_pairs_it_is_as_good_as_what_learns_from_nothing():
    X, y = pairs(3000, 1)
    alone = accuracy(PairEnsemble().fit(X, y), X_TEST, Y_TEST)
    assert accuracy(PriorEnsemble().fit(X, y), X_TEST, Y_TEST) > alone - 0.01 > BY_MODEL


@pytest.mark.parametrize("n", [60, 1000])
def test_a_model_that_is_always_wrong_is_left_out(n):
    X, y = pairs(n, 2)
    model = PriorEnsemble().fit(X.mul([-1, *[1] * 30] * 2, axis=1), y)
    assert model.prior_ == 0


def test_both_directions_add_up_to_one():
    X, y = pairs(200, 3)
    model = PriorEnsemble().fit(X, y)
    turned = np.hstack([X.to_numpy()[:, 31:], X.to_numpy()[:, :31]])
    forward = model.predict_proba(X.to_numpy())[:, 1]
    assert (forward + model.predict_proba(turned)[:, 1] == 1).all()
