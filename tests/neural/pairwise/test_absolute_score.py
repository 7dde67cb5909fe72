"""Absolute scores with the network (2017 paper, section 6.1)."""

import numpy as np
import pandas as pd
import pytest
from network_by_hand import input_row, paper_output, sigmoid, swap

from sklearn_mteval import PairwiseNN, RankRecomposer

NAMES = ["hypothesis_emb0", "hypothesis_emb1", "reference_emb0", "reference_emb1", "bleu"]


@pytest.fixture(scope="module")
def candidates():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(12), list("abc")], names=["segment", "system"])
    X = pd.DataFrame(rng.uniform(-1, 1, (36, 5)), index=index, columns=NAMES)
    of_segment = X.groupby("segment").transform("first")
    X[NAMES[2:4]] = of_segment[NAMES[2:4]]
    y = ((X[NAMES[:2]].to_numpy() - X[NAMES[2:4]].to_numpy()) ** 2).sum(axis=1) - X["bleu"]
    return X, y.groupby("segment").rank()


def fitted(candidates, empty="mean"):
    net = PairwiseNN(
        hidden_units=2, solver="numba", max_epochs=20, learning_rate=0.05, random_state=0
    )
    return RankRecomposer(net, recomposition="absolute", empty=empty).fit(*candidates)


@pytest.mark.parametrize("empty", ["mean", "zero"])
def test_score_by_hand(candidates, empty):
    ranker, X = fitted(candidates, empty), candidates[0]
    assert ranker.shared_features_.tolist() == [False, False, True, True, False]
    expected = []
    for row in X.to_numpy():
        none = X.to_numpy().mean(axis=0) if empty == "mean" else np.zeros(5)
        # The empty translation has the same reference.
        parts = row[:2].tolist(), none[:2].tolist(), row[2:4].tolist(), [row[4]], [none[4]]
        assert len(input_row(parts)) == 8
        weights = ranker.estimator_.weights_
        forth, back = (paper_output(p, weights, "pairwise", 2) for p in (parts, swap(parts)))
        expected.append(sigmoid(forth) - sigmoid(back))
    np.testing.assert_allclose(ranker.decision_function(X), expected, atol=1e-9)


def test_mean_and_zero_differ(candidates):
    mean, zero = (fitted(candidates, e).decision_function(candidates[0]) for e in ("mean", "zero"))
    assert np.abs(mean - zero).max() > 1e-3


@pytest.mark.filterwarnings("ignore::sklearn_mteval.exceptions.SegmentLeakWarning")
def test_competing_systems_do_not_matter(candidates):
    ranker, X = fitted(candidates), candidates[0]
    alone = np.concatenate([ranker.decision_function(X.iloc[[k]]) for k in range(len(X))])
    np.testing.assert_allclose(alone, ranker.decision_function(X), atol=1e-12)


def test_better_translations_score_higher(candidates):
    X = candidates[0]
    y = -X["bleu"]
    assert fitted((X, y)).score(X, y) > 0.5
