import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sklearn_mteval.classifiers import TiedPairClassifier
from sklearn_mteval.metrics.paired_comparisons.strengths import tied_strengths

MODELS = ["davidson", "rao-kupper"]


def outcome(model, d, c):
    """P(worse), P(tie), P(better) as the docstring has them; c is log nu, or log log theta."""
    if model == "davidson":
        parts = np.exp(-d / 2), np.exp(c), np.exp(d / 2)
        return np.stack(parts, axis=-1) / sum(parts)[..., None]
    theta = np.exp(np.exp(c))
    worse, better = 1 / (1 + theta * np.exp(d)), 1 / (1 + theta * np.exp(-d))
    return np.stack([worse, 1 - worse - better, better], axis=-1)


def drawn(model, rng, n=4000, width=2):
    """Pairs whose outcomes follow a model, its weights and their probabilities."""
    X = rng.normal(size=(n, 2 * width))
    weights, of_ties = rng.normal(size=width), rng.normal(size=width) / 2
    d = (X[:, :width] - X[:, width:]) @ weights
    c = (X[:, :width] + X[:, width:]) / 2 @ of_ties - 0.3
    chances = outcome(model, d, c)
    y = (rng.random((n, 1)) > chances.cumsum(axis=1)[:, :2]).sum(axis=1)
    return X, y, weights, of_ties, chances


@pytest.mark.parametrize("model", MODELS)
def test_the_model_that_made_the_outcomes_comes_back(model):
    X, y, weights, of_ties, chances = drawn(model, np.random.default_rng(0))
    fitted = TiedPairClassifier(tie_model=model, C=1e6).fit(X, y)
    np.testing.assert_allclose(fitted.coef_ / fitted.scale_, weights, atol=0.1)
    np.testing.assert_allclose(fitted.tie_coef_ / fitted.scale_, of_ties, atol=0.15)
    assert np.abs(fitted.predict_proba(X) - chances).mean() < 0.02


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("varying", [True, False])
def test_no_other_weights_do_better(model, varying):
    X, y, *_ = drawn(model, np.random.default_rng(3), n=200)
    C = 0.7
    fitted = TiedPairClassifier(tie_model=model, varying=varying, C=C).fit(X, y)
    sides = [(side - fitted.mean_) / fitted.scale_ for side in np.hsplit(X, 2)]

    def gain(weights):
        d = (sides[0] - sides[1]) @ weights[:2]
        c = (sides[0] + sides[1]) / 2 @ weights[2:4] + weights[4]
        likelihood = np.log(outcome(model, d, c)[np.arange(len(y)), y]).sum()
        return likelihood - (weights[:4] ** 2).sum() / 2 / C

    best = np.concatenate([fitted.coef_, fitted.tie_coef_, [fitted.tie_intercept_]])
    if not varying:
        assert not fitted.tie_coef_.any()
    for k in range(5):
        step = np.eye(5)[k] * 1e-4
        if varying or k not in (2, 3):
            assert (gain(best + step) - gain(best - step)) / 2e-4 == pytest.approx(0, abs=1e-3)
            assert gain(best) > gain(best + 100 * step) and gain(best) > gain(best - 100 * step)


@pytest.mark.parametrize("model", MODELS)
def test_items_as_features_are_paired_comparisons(model):
    """One feature for each item, no penalty: the strengths are those of the counts."""
    rng = np.random.default_rng(1)
    wins, ties = rng.integers(1, 9, (4, 4)), np.triu(rng.integers(1, 9, (4, 4)), 1)
    rows, labels = [], []
    for i, j in ((i, j) for i in range(4) for j in range(4) if i != j):
        row = np.concatenate([np.eye(4)[i], np.eye(4)[j]])
        rows += [row] * (wins[i, j] + ties[i, j])
        labels += [2] * wins[i, j] + [1] * ties[i, j]
    fitted = TiedPairClassifier(tie_model=model, varying=False, C=1e12).fit(
        np.vstack([rows, np.roll(rows, 4, axis=1)]), np.append(labels, 2 - np.array(labels))
    )
    ties = (ties + ties.T) * 1.0
    strengths, parameter = tied_strengths(wins * 1.0, ties, model=model)
    found = fitted.coef_ / fitted.scale_
    np.testing.assert_allclose(found - found.mean(), strengths, atol=1e-4)
    log = fitted.tie_intercept_ if model == "davidson" else np.exp(fitted.tie_intercept_)
    assert log == pytest.approx(np.log(parameter), abs=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_exchanging_the_pair_exchanges_better_and_worse_to_the_bit(model):
    X, y, *_ = drawn(model, np.random.default_rng(2), n=300)
    fitted = TiedPairClassifier(tie_model=model).fit(X, y)
    forth, back = fitted.predict_proba(X), fitted.predict_proba(np.roll(X, 2, axis=1))
    assert forth.tobytes() == np.ascontiguousarray(back[:, ::-1]).tobytes()
    np.testing.assert_allclose(forth.sum(axis=1), 1)
    assert (fitted.predict(X) + fitted.predict(np.roll(X, 2, axis=1)) == 2).all()
    np.testing.assert_array_equal(fitted.predict_proba(X[7:8]), forth[7:8])  # in any table
    equal = np.hstack([X[:, :2], X[:, :2]])
    assert (fitted.predict(equal) == 1).all()  # also where a tie is the least likely outcome


def test_better_by_as_much_ties_more_where_both_are_good():
    X, y, *_ = drawn("davidson", np.random.default_rng(5))
    good = np.where(X[:, :1] + X[:, 2:3] > 0, 1, y.reshape(-1, 1)).ravel()
    fitted = TiedPairClassifier().fit(X, good)
    of_good, of_bad = fitted.predict_proba([[2, 0, 1.5, 0], [-1.5, 0, -2, 0]])[:, 1]
    assert of_good > 0.8 > 0.4 > of_bad
    flat = TiedPairClassifier(varying=False).fit(X, good)
    of_good, of_bad = flat.predict_proba([[2, 0, 1.5, 0], [-1.5, 0, -2, 0]])[:, 1]
    assert of_good == pytest.approx(of_bad)


def test_labels_of_any_kind_in_order_and_tables():
    X, y, *_ = drawn("davidson", np.random.default_rng(4), n=100)
    expected = TiedPairClassifier().fit(X, y)
    names = np.array(["1 worse", "2 tie", "3 better"])
    table = pd.DataFrame(X, columns=["t1__a", "t1__b", "t2__a", "t2__b"])
    fitted = clone(expected).fit(table, names[y])
    assert fitted.classes_.tolist() == names.tolist()
    np.testing.assert_array_equal(fitted.predict(table), names[expected.predict(X)])


def test_constant_features_and_extremes():
    X, y, *_ = drawn("davidson", np.random.default_rng(6), n=200)
    wide = np.insert(X, [2, 4], 7.0, axis=1)
    fitted = TiedPairClassifier().fit(wide, y)
    assert fitted.coef_[2] == fitted.tie_coef_[2] == 0 and np.isinf(fitted.scale_[2])
    expected = TiedPairClassifier().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(fitted.predict_proba(wide), expected, atol=1e-4)
    for scale in (1e-100, 1e100):
        found = TiedPairClassifier().fit(X * scale, y).predict_proba(X * scale)
        np.testing.assert_allclose(found, expected, atol=1e-4)
    far = fitted.predict_proba(np.array([[1e120, 0, 0, -1e120, 0, 0], [0, 1e130, 0, 0, 0, 0]]))
    assert np.isfinite(far).all()
    # Every label told by one feature: the penalty keeps weights finite.
    certain = TiedPairClassifier().fit(np.column_stack([y - 1, 0 * y]), y)
    assert np.isfinite(certain.coef_).all()
    assert (certain.predict(np.column_stack([y - 1, 0 * y])) == y).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tie_model": "thurstone"}, r"tie_model .*\['davidson', 'rao-kupper'\]"),
        ({"varying": "no"}, "varying must be True or False"),
        ({"C": 0}, "C must be a number > 0"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1"),
    ],
)
def test_options_are_checked(options, message):
    X, y, *_ = drawn("davidson", np.random.default_rng(0), n=20)
    with pytest.raises(ValueError, match=message):
        TiedPairClassifier(**options).fit(X, y)


def test_bad_tables_and_labels():
    X, y, *_ = drawn("davidson", np.random.default_rng(0), n=50)
    with pytest.raises(ValueError, match="even number of columns"):
        TiedPairClassifier().fit(X[:, :3], y)
    with pytest.raises(
        ValueError, match=r"three classes, in order.* y has 2 classes: \[False, True\]"
    ):
        TiedPairClassifier().fit(X, y > 1)
    with pytest.raises(ValueError, match="y has 4"):
        TiedPairClassifier().fit(X, np.arange(50) % 4)
    with pytest.raises(ValueError, match="NaN"):
        TiedPairClassifier().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="at most 1e"):
        TiedPairClassifier().fit(X * 1e200, y)
    with pytest.raises(NotFittedError):
        TiedPairClassifier().predict(X)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        TiedPairClassifier(max_iter=2).fit(X, y)
