"""NaiveBayes: by hand, LOESS against statsmodels and a weighted fit, both directions, real data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from statsmodels.nonparametric.smoothers_lowess import lowess

from sklearn_mteval import (
    BLEUComp,
    NaiveBayes,
    PairDifference,
    RankRecomposer,
    kendall_tau,
    load_model,
    save_model,
    segment_train_test_split,
)
from sklearn_mteval.datasets import load_wmt


def test_discrete_features_worked_by_hand():
    # Half of the rows have each value: the window is that value alone, P the proportion there.
    X = [[0, 5], [0, 5], [0, 6], [0, 6], [1, 5], [1, 5], [1, 6], [1, 6]]
    y = list("ababbbba")  # P(b | x1): 1/2, 3/4; P(b | x2): 3/4, 1/2; P(b) = 5/8, odds 5/3
    model = NaiveBayes().fit(X, y)
    np.testing.assert_allclose(model.class_prior_, [3 / 8, 5 / 8])
    np.testing.assert_allclose(model.probabilities_, [[1 / 2, 3 / 4], [3 / 4, 1 / 2]])
    # p(b) ∏ P(b | f) / p(b) against the same for a: odds multiply.
    odds = np.exp(model.decision_function([[1, 5], [0, 6], [0.5, 6]]))
    between = (5 / 8) / (3 / 8)
    np.testing.assert_allclose(odds, [3 * 3 / (5 / 3), 1 / (5 / 3), between / (5 / 3)])
    assert model.predict([[1, 5], [0, 6]]).tolist() == ["b", "a"]


def test_loess_worked_by_hand():
    # x = 0, 1, 2, 3; window of 3 at 1: distances 1, 0, 1 weigh 0, 1, 0: the response at 1. At 0:
    # distances 0, 1, 2 weigh 1, (1 − 1/8)³, 0: the line through both points, the response at 0.
    model = NaiveBayes(span=0.75, n_points=4).fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    np.testing.assert_allclose(model.probabilities_[0], [1 / 6, 5 / 6, 1 / 6, 5 / 6])  # kept inside


def draw(n, seed, kind):
    rng = np.random.default_rng(seed)
    x = {
        "normal": rng.normal(size=n),
        "heavy": rng.standard_t(1.5, size=n),
        "mixed": np.where(rng.random(n) < 0.2, 0, rng.normal(size=n)),
        "whole": rng.integers(-20, 60, n).astype(float),
    }[kind]
    return x, rng.random(n) < 0.2 + 0.6 / (1 + np.exp(-x))


@pytest.mark.parametrize("kind", ["normal", "heavy", "mixed", "whole"])
@pytest.mark.parametrize("span", [0.3, 0.5, 1.0])
def test_agrees_with_statsmodels(kind, span):
    for seed, n in enumerate((100, 501, 3000)):
        x, y = draw(n, seed, kind)
        model = NaiveBayes(span=span).fit(x[:, np.newaxis], y)
        grid = model.grids_[0]
        assert grid[0] == x.min() and grid[-1] == x.max() and len(grid) <= 50
        expected = lowess(y.astype(float), x, frac=span, it=0, xvals=grid)
        expected = np.clip(expected, 1 / (n + 2), (n + 1) / (n + 2))
        # statsmodels sets weights within 0.001 of the window's ends to 0 or 1.
        np.testing.assert_allclose(model.probabilities_[0], expected, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(-9, 9), st.booleans()), min_size=2, max_size=25),
    span=st.floats(0.05, 1),
    n_points=st.integers(2, 6),
)
def test_agrees_with_a_weighted_fit(rows, span, n_points):
    x, y = np.array(rows, dtype=float).T
    if len(np.unique(y)) < 2:
        return
    n, k = len(x), max(1, int(span * len(x) + 1e-10))
    model = NaiveBayes(span=span, n_points=n_points).fit(x[:, np.newaxis], y)
    assert np.isfinite(model.decision_function(x[:, np.newaxis])).all()
    for point, found in zip(model.grids_[0], model.probabilities_[0], strict=True):
        distance = np.abs(x - point)
        radius = np.sort(distance)[k - 1]
        near = distance <= radius * (1 + 1e-12)
        u = np.minimum(distance[near] / radius, 1) if radius else distance[near]
        root = (1 - u**3) ** 1.5
        if not root.any():
            expected = y[near].mean()
        elif len(np.unique(x[near][root > 1e-6])) == 1:
            expected = np.average(y[near], weights=root**2)
        else:
            expected = np.polyval(np.polyfit(x[near] - point, y[near], 1, w=root), 0)
        if len(np.unique(x)) == 1:
            expected = y.mean()
        expected = np.clip(expected, 1 / (n + 2), (n + 1) / (n + 2))
        assert found == pytest.approx(expected, abs=1e-6)


def test_constant_features_say_nothing():
    x, y = draw(300, 0, "normal")
    plain = NaiveBayes().fit(x[:, np.newaxis], y)
    padded = np.column_stack([np.zeros(300), x, np.full(300, 0.1)])
    model = NaiveBayes().fit(padded, y)
    padded[:, 0] = 5
    np.testing.assert_allclose(
        model.decision_function(padded), plain.decision_function(x[:, np.newaxis])
    )
    rare = NaiveBayes().fit(np.zeros((100, 2)), [1] + [0] * 99)
    np.testing.assert_allclose(rare.predict_proba([[0, 0]]), [[0.99, 0.01]])


def test_beyond_the_training_range():
    x, y = draw(300, 0, "normal")
    model = NaiveBayes().fit(x[:, np.newaxis], y)
    ends = model.decision_function([[x.min()], [x.max()]])
    np.testing.assert_array_equal(model.decision_function([[-1e139], [1e139]]), ends)


def test_both_directions_of_a_pair_agree():
    rng = np.random.default_rng(0)
    t1, t2 = rng.normal(size=(2, 300, 3)).round(1)
    wins = rng.random(300) < 1 / (1 + np.exp(t2[:, 0] - t1[:, 0]))
    pairs = np.vstack([np.hstack([t1, t2]), np.hstack([t2, t1])])
    labels = np.concatenate([wins, ~wins])
    for X in (pairs, pairs[:, :3] - pairs[:, 3:]):
        better = NaiveBayes().fit(X, labels).predict_proba(X)[:, 1]
        np.testing.assert_allclose(better[:300] + better[300:], 1, rtol=1e-9)


def test_order_of_rows_does_not_matter():
    x, y = draw(500, 0, "mixed")
    order = np.random.default_rng(1).permutation(500)
    X = np.column_stack([x, x**2])
    found = NaiveBayes().fit(X, y).predict_proba(X)
    again = NaiveBayes().fit(X[order], y[order]).predict_proba(X)
    np.testing.assert_array_equal(again, found)


@pytest.mark.parametrize("recomposition", ["hard", "soft"])
@pytest.mark.parametrize("differences", [False, True])
def test_ranks_real_translations(data_dir, tmp_path, recomposition, differences):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    features = BLEUComp().set_output(transform="pandas").fit_transform(X)
    learner = make_pipeline(PairDifference(), NaiveBayes()) if differences else NaiveBayes()
    ranker = RankRecomposer(learner, recomposition=recomposition)
    train, rest, y_train, gold = segment_train_test_split(features[:8000], y[:8000], test_size=0.5)
    ranker.fit(train, y_train)
    strengths = ranker.decision_function(rest)
    assert kendall_tau(gold, strengths, groups=rest.index.droplevel("system")) > 0.1
    save_model(ranker, tmp_path / "model")
    again = load_model(tmp_path / "model").decision_function(rest)
    np.testing.assert_array_equal(again, strengths)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"span": 0}, "span must be a number > 0 and <= 1"),
        ({"span": 1.5}, "span must be a number > 0 and <= 1"),
        ({"n_points": 1}, "n_points must be an integer >= 2"),
        ({"n_points": 2.0}, "n_points must be an integer >= 2"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayes(**options).fit([[0], [1]], [0, 1])
