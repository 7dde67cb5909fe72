"""KNN: by hand, against brute force and scikit-learn, ties, order of rows, real judgements."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from sklearn_mteval import (
    KNN,
    BLEUComp,
    RankRecomposer,
    kendall_tau,
    load_model,
    save_model,
    segment_train_test_split,
)
from sklearn_mteval.classifiers import knn
from sklearn_mteval.datasets import load_wmt


def test_worked_by_hand():
    # k = √9 = 3. At 0.9, scaled alike: 1 and 1 (one each), then 0 (three rows share one vote).
    model = KNN().fit([[0], [0], [0], [1], [1], [5], [6], [7], [9]], list("aabababab"))
    assert model.n_neighbors_ == 3
    np.testing.assert_allclose(model.predict_proba([[0.9]]), [[(1 + 2 / 3) / 3, (1 + 1 / 3) / 3]])
    # At 8: 7 and 9 are equally near, then 6. At 8.5: 9, 7, 6.
    np.testing.assert_allclose(model.predict_proba([[8], [8.5]]), [[1 / 3, 2 / 3]] * 2)
    assert model.predict([[0.9], [8]]).tolist() == ["a", "b"]


def test_columns_are_scaled_and_constants_do_not_count():
    # Unscaled, the second column would decide; the third says nothing until it is asked about.
    X = [[0, 0, 3], [1, 1000, 3], [0, 1000, 3], [1, 0, 3]]
    model = KNN(n_neighbors=1).fit(X, [0, 1, 0, 1])
    assert model.predict([[0.2, 300, 99], [0.8, 700, -99]]).tolist() == [0, 1]
    assert model.predict([[0.1, 499, 3]]).tolist() == [0]


def by_sorting(X, y, queries, k):
    """Look at all training rows, one query after the other."""
    scale = X.std(axis=0)
    use = scale > 1e-12 * np.abs(X).max(axis=0)
    second = []
    for q in queries:
        squares = (((X - q) / np.where(use, scale, 1))[:, use] ** 2).sum(axis=1)
        kth = np.sort(squares)[k - 1]
        tied = np.isclose(squares, kth, rtol=1e-10, atol=0)
        nearer = (squares < kth) & ~tied
        second.append((y[nearer].sum() + (k - nearer.sum()) * y[tied].mean()) / k)
    return np.array(second)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.integers(-3, 3)] * 3, st.booleans()), min_size=2, max_size=20),
    queries=st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=1, max_size=4),
    data=st.data(),
)
def test_agrees_with_sorting_all_distances(rows, queries, data):
    table = np.array(rows, dtype=float)
    X, y = table[:, :3], table[:, 3].astype(int)
    if len(np.unique(y)) < 2:
        return
    k = data.draw(st.integers(1, len(X)))
    queries = np.array(queries, dtype=float)
    model = KNN(n_neighbors=k).fit(X, y)
    found = model.predict_proba(queries)
    np.testing.assert_allclose(found[:, 1], by_sorting(X, y, queries, k), atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    order = data.draw(st.permutations(range(len(X))))
    again = KNN(n_neighbors=k).fit(X[order], y[order]).predict_proba(queries)
    np.testing.assert_array_equal(again, found)


@pytest.mark.parametrize("k", [1, 4, 30, 100])
def test_equal_distances_that_are_rounded(k):
    # Every point of a lattice has many equally far from it, and scales make no distance exact.
    rng = np.random.default_rng(0)
    X = np.stack(np.meshgrid(*[np.arange(6)] * 3), axis=-1).reshape(-1, 3) * [0.7, 3.1, 1e3] / 3
    y = (rng.random(len(X)) < 0.5).astype(int)
    found = KNN(n_neighbors=k).fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_allclose(found, by_sorting(X, y, X, k), atol=1e-12)


def test_agrees_with_scikit_learn_where_nothing_ties(monkeypatch):
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(900, 6)), rng.normal(size=(200, 6))
    y = rng.random(900) < 1 / (1 + np.exp(-2 * X[:, 0]))
    peer = KNeighborsClassifier(30).fit(X / X.std(axis=0), y)
    expected = peer.predict_proba(queries / X.std(axis=0))
    model = KNN().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(queries), expected, atol=1e-12)
    monkeypatch.setattr(knn, "_BYTES", 1)  # a query at a time
    np.testing.assert_allclose(model.predict_proba(queries), expected, atol=1e-12)


def test_far_from_zero_and_far_from_training():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] > 0
    near = KNN().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(KNN().fit(X + 1e6, y).predict_proba(X + 1e6), near, atol=0.06)
    far = np.array([[1e12, 0, 0], [-1e130, 0, 0], [0, 1e139, -1e139]])
    found = KNN().fit(X, y).predict_proba(far)
    assert np.isfinite(found).all()
    assert found[0, 1] == 1 and found[1, 1] == 0


def test_both_directions_of_a_pair_agree():
    rng = np.random.default_rng(0)
    half = rng.integers(-2, 3, size=(200, 2))
    X = np.vstack([half, -half])
    wins = rng.random(200) < 0.5
    model = KNN().fit(X, np.concatenate([wins, ~wins]))
    queries = rng.integers(-3, 4, size=(50, 2))
    forward, back = model.predict_proba(queries)[:, 1], model.predict_proba(-queries)[:, 1]
    np.testing.assert_allclose(forward + back, 1, rtol=1e-14)


@pytest.mark.slow
def test_ranks_real_translations_better_by_soft_recomposition(data_dir, tmp_path):
    # 2012 paper, Table 1: neighbours disagree, and probabilities settle it.
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    features = BLEUComp().set_output(transform="pandas").fit_transform(X[:4000])
    train, rest, y_train, gold = segment_train_test_split(features, y[:4000], test_size=0.5)
    groups = rest.index.droplevel("system")
    ranker = RankRecomposer(KNN(), recomposition="hard")
    ranker.fit(train, y_train)
    hard = kendall_tau(gold, ranker.decision_function(rest), groups=groups)
    strengths = ranker.set_params(recomposition="soft").decision_function(rest)
    soft = kendall_tau(gold, strengths, groups=groups)
    assert soft > 0.05 and soft > hard + 0.02
    save_model(ranker, tmp_path / "model")
    again = load_model(tmp_path / "model").decision_function(rest)
    np.testing.assert_array_equal(again, strengths)


@pytest.mark.parametrize("k", [0, 2.5, True, "3"])
def test_options_out_of_range(k):
    with pytest.raises(ValueError, match="n_neighbors must be an integer >= 1"):
        KNN(n_neighbors=k).fit([[0], [1]], [0, 1])


def test_more_neighbours_than_rows():
    with pytest.raises(ValueError, match="n_neighbors=3 is more than the 2 training pairs"):
        KNN(n_neighbors=3).fit([[0], [1]], [0, 1])
