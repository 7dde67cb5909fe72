"""LogReg: by hand, against statsmodels, against refitting everything, separated, collinear."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import chi2
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from sklearn_mteval import (
    BLEUComp,
    LogReg,
    PairDifference,
    RankRecomposer,
    kendall_tau,
    load_model,
    save_model,
    segment_train_test_split,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.pairwise import decompose


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # separated data
def draw(n=300, d=5, seed=0, weak=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * 10.0 ** rng.integers(-3, 4, d)
    log_odds = X / X.std(axis=0) @ rng.normal(size=d) * weak
    return X + rng.normal(size=d), rng.random(n) < 1 / (1 + np.exp(-log_odds))


def reference(X, y):
    # Standardised, as statsmodels stops short of convergence on badly scaled columns.
    mean, scale = X.mean(axis=0), X.std(axis=0)
    design = sm.add_constant((X - mean) / scale, has_constant="add")
    found = sm.Logit(y, design).fit(disp=0, method="newton", tol=1e-13, maxiter=100)
    coef = found.params[1:] / scale
    return coef, found.params[0] - coef @ mean, found.llf


def test_two_by_two_worked_by_hand():
    # 3 of 4 are positive where x = 1, 1 of 3 where x = 0: odds 3 and 1/2, log-odds ratio log 6.
    x = np.array([1, 1, 1, 1, 0, 0, 0])[:, np.newaxis]
    y = ["b", "b", "b", "a", "b", "a", "a"]
    model = LogReg().fit(x, y)
    assert model.classes_.tolist() == ["a", "b"]
    np.testing.assert_allclose(model.coef_, [[np.log(6)]])
    np.testing.assert_allclose(model.intercept_, [np.log(1 / 2)])
    expected = 3 * np.log(3 / 4) + np.log(1 / 4) + np.log(1 / 3) + 2 * np.log(2 / 3)
    assert model.log_likelihood_ == pytest.approx(expected)
    np.testing.assert_allclose(model.predict_proba([[1], [0]])[:, 1], [3 / 4, 1 / 3])
    assert model.predict([[1], [0]]).tolist() == ["b", "a"]


@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_statsmodels(seed):
    X, y = draw(d=1 + seed, seed=seed)
    model = LogReg().fit(X, y)
    coef, intercept, likelihood = reference(X, y)
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-6)
    assert model.intercept_[0] == pytest.approx(intercept, rel=1e-6)
    assert model.log_likelihood_ == pytest.approx(likelihood, rel=1e-9)
    assert model.n_iter_ < 25


@pytest.mark.parametrize("size", [1e-5, 2e-6])
def test_an_almost_dependent_column_costs_no_accuracy(size):
    X, y = draw(d=3)
    X = X / X.std(axis=0)
    near = X[:, [0]] + size * np.random.default_rng(1).normal(size=(len(X), 1))
    model = LogReg().fit(np.hstack([X, near]), y)
    # The same model in other words: the difference, a column of ordinary size.
    coef, _, likelihood = reference(np.hstack([X, (near - X[:, [0]]) / size]), y)
    assert model.log_likelihood_ == pytest.approx(likelihood, rel=1e-10)
    assert model.coef_[0, 3] == pytest.approx(coef[3] / size, rel=1e-7)


def test_scale_does_not_matter():
    X, y = draw()
    factors = np.array([1e-100, 1e100, 1, -1e-9, 1e9])
    model, scaled = LogReg().fit(X, y), LogReg().fit(X * factors, y)
    np.testing.assert_allclose(scaled.coef_ * factors, model.coef_, rtol=1e-9)
    np.testing.assert_allclose(scaled.predict_proba(X * factors), model.predict_proba(X))


@pytest.mark.parametrize("stepwise", [False, True])
def test_the_first_of_dependent_columns_is_kept(stepwise):
    X, y = draw(d=2, weak=2)
    constant = np.full((len(X), 1), 0.1)
    both = np.hstack([constant, X, X, X[:, [0]] - 2 * X[:, [1]], constant * 0])
    model, plain = LogReg(stepwise=stepwise).fit(both, y), LogReg().fit(X, y)
    assert model.selected_.tolist() == [False, True, True, False, False, False, False]
    np.testing.assert_allclose(model.coef_[0, 1:3], plain.coef_[0], rtol=1e-8)
    assert not model.coef_[0, [0, 3, 4, 5, 6]].any()


def test_nothing_but_constants():
    model = LogReg().fit(np.full((4, 2), 7.0), [0, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[7, 7]]), [[0.25, 0.75]])
    assert not model.selected_.any()


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1]),  # separated
        ([1, 2, 2, 3], [0, 0, 1, 1]),  # but for a tie
        ([0, 0, 0, 1], [0, 1, 0, 1]),  # a rare value
    ],
)
@pytest.mark.parametrize("stepwise", [False, True])
def test_separation(x, y, stepwise):
    X, y = np.repeat(np.array(x, float)[:, np.newaxis], 10, axis=0), np.repeat(y, 10)
    with pytest.warns(ConvergenceWarning, match="separates the classes"):
        model = LogReg(stepwise=stepwise).fit(X, y)
    assert np.isfinite(model.coef_).all() and model.selected_.all()
    assert 5 < model.coef_[0, 0] < 200
    # As good as the limit: each value has its own proportion, but for what monotony demands.
    positive = np.array([y[X[:, 0] == v].mean() for v in X[:, 0]])
    limit = np.log(np.where(y, positive, 1 - positive)).sum()
    assert limit - 1e-4 < model.log_likelihood_ <= limit + 1e-9
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], positive, atol=1e-4)


@pytest.mark.parametrize("slope", [20, 100])
def test_strong_effects_are_not_separation(slope):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 1))
    y = rng.random(3000) < expit(slope * x[:, 0])
    coef, intercept, _ = reference(x, y)
    model = LogReg().fit(x, y)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], [*coef, intercept], rtol=1e-6)


@pytest.mark.parametrize("power", [1, 3])
def test_wholly_separated_tables_reach_the_limit(power):
    # With heavy tails most rows are certain long before those next to the boundary are.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) ** power
    with pytest.warns(ConvergenceWarning, match="separates the classes"):
        model = LogReg().fit(X, X[:, 0] > 0)
    assert np.isfinite(model.coef_).all() and -1e-4 < model.log_likelihood_ <= 0


@pytest.mark.parametrize("seed", [0, 8])
def test_almost_separated_tables_are_named(seed):
    # Few rows are next to the boundary, and they overlap: there is a maximum, hard to reach.
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4000, 1)) ** 3
    y = x[:, 0] + 1e-3 * rng.normal(size=4000) > 0
    with pytest.warns(ConvergenceWarning, match="separates the classes"):
        model = LogReg().fit(x, y)
    assert np.isfinite(model.coef_).all() and model.score(x, y) > 0.95


def test_too_few_steps():
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        LogReg(max_iter=1).fit(*draw())


def by_refitting(X, y, entry, removal):
    """Stepwise selection as the book says it, every model fitted by statsmodels."""

    def likelihood(columns):
        design = np.column_stack([np.ones(len(X)), Z[:, columns]])
        return sm.Logit(y, design).fit(disp=0, tol=1e-13, maxiter=100).llf

    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    selected, path = [], []
    while True:
        now = likelihood(selected)
        others = [k for k in range(X.shape[1]) if k not in selected]
        tests = [(chi2.sf(2 * (likelihood([*selected, k]) - now), 1), k) for k in others]
        if not tests or min(tests)[0] >= entry:
            return sorted(selected), path
        p, best = min(tests)
        selected.append(best)
        path.append((best, "enter", p))
        while True:
            now = likelihood(selected)
            tests = []
            for k in selected:
                without = [other for other in selected if other != k]
                tests.append((chi2.sf(2 * (now - likelihood(without)), 1), k))
            p, worst = max(tests)
            if p <= removal:
                break
            selected.remove(worst)
            path.append((worst, "remove", p))


def check_selection(X, y, entry, removal):
    model = LogReg(stepwise=True, entry=entry, removal=removal).fit(X, y)
    selected, path = by_refitting(X, y, entry, removal)
    assert np.flatnonzero(model.selected_).tolist() == selected
    assert [(step["feature"], step["action"]) for step in model.path_] == [s[:2] for s in path]
    np.testing.assert_allclose(
        [step["p_value"] for step in model.path_], [s[2] for s in path], rtol=1e-4, atol=1e-14
    )
    if selected:
        np.testing.assert_allclose(model.coef_[0, selected], reference(X[:, selected], y)[0])
    assert not model.coef_[0, ~model.selected_].any()
    return [step["action"] for step in model.path_]


@pytest.mark.parametrize("seed", range(12))
def test_selection_agrees_with_refitting_all_models(seed):
    X, y = draw(n=150, d=7, seed=seed, weak=0.3 + 0.2 * (seed % 4))
    check_selection(X, y, 0.2, 0.25)


def test_a_feature_that_others_make_superfluous_leaves():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    y = a + b + 0.5 * rng.normal(size=400) > 0
    X = np.column_stack([a, b, a + b + 0.4 * rng.normal(size=400)])
    assert "remove" in check_selection(X, y, 0.05, 0.1)


def test_rare_values_where_no_bound_holds():
    # Newton's steps overshoot where a feature is nearly always 0: every candidate is fitted.
    rng = np.random.default_rng(2)
    X = (rng.random((400, 5)) < [0.02, 0.03, 0.05, 0.5, 0.5]).astype(float)
    y = rng.random(400) < 1 / (1 + np.exp(-(X @ [2.5, -2, 2, 0.5, 0] - 0.5)))
    check_selection(X, y, 0.1, 0.15)


def test_a_feature_leaves_when_others_separate_without_it():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200))
    X = np.column_stack([a, b, a + b + 0.4 * rng.normal(size=200)])
    with pytest.warns(ConvergenceWarning, match="separates the classes"):
        model = LogReg(stepwise=True).fit(X, a + b > 0)
    steps = [(step["feature"], step["action"]) for step in model.path_]
    assert sorted(steps[:3]) == [(0, "enter"), (1, "enter"), (2, "enter")]
    assert steps[3:] == [(2, "remove")]
    assert model.log_likelihood_ > -0.05


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # separated data
@pytest.mark.parametrize(("seed", "entry"), [(49, 1 - 1e-7), (57, 1 - 1e-7), (294, 0.9999)])
def test_a_loss_of_nothing_but_rounding(seed, entry):
    # Separated: without a feature the likelihood is as high, or higher by rounding.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 60))
    X, y = rng.integers(0, 3, (n, 6)).astype(float), rng.random(n) < 0.5
    model = LogReg(stepwise=True, entry=entry, removal=entry).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert all(0 <= step["p_value"] <= 1 for step in model.path_)


def test_selection_agrees_on_real_judgements(data_dir):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    features = BLEUComp().set_output(transform="pandas").fit_transform(X.iloc[:3000])
    pairs, labels = decompose(features, y.iloc[:3000])
    differences = PairDifference().fit_transform(pairs)[:, [0, 1, 3, 8, 9, 12, 14]]
    check_selection(differences, labels, 0.05, 0.1)
    model = LogReg().fit(differences, labels)
    kept = np.flatnonzero(model.selected_)
    coef, _, likelihood = reference(differences[:, kept], labels)
    np.testing.assert_allclose(model.coef_[0, kept], coef, rtol=1e-6)
    assert model.log_likelihood_ == pytest.approx(likelihood, rel=1e-9)


# A few very short translations, whose pairs all went the same way, are separated.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("stepwise", "recomposition"), [(False, "hard"), (True, "soft")])
def test_ranks_real_translations(data_dir, tmp_path, stepwise, recomposition):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    features = BLEUComp().set_output(transform="pandas").fit_transform(X)
    learner = make_pipeline(PairDifference(), LogReg(stepwise=stepwise))
    ranker = RankRecomposer(learner, recomposition=recomposition)
    train, rest, y_train, gold = segment_train_test_split(features[:8000], y[:8000], test_size=0.5)
    ranker.fit(train, y_train)
    strengths = ranker.decision_function(rest)
    assert kendall_tau(gold, strengths, groups=rest.index.droplevel("system")) > 0.08
    save_model(ranker, tmp_path / "model")
    again = load_model(tmp_path / "model").decision_function(rest)
    np.testing.assert_array_equal(again, strengths)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.integers(-2, 2)] * 3, st.booleans()), min_size=2, max_size=12),
    stepwise=st.booleans(),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_small_table(rows, stepwise):
    *X, y = np.array(rows).T
    X, y = np.column_stack(X).astype(float), y.astype(bool)
    if y.all() or not y.any():
        return
    model = LogReg(stepwise=stepwise, entry=0.5, removal=0.6).fit(X, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    assert model.log_likelihood_ >= LogReg().fit(X * 0, y).log_likelihood_ - 1e-9
    log_odds = model.decision_function(X)
    found = -np.logaddexp(0, np.where(y, -log_odds, log_odds)).sum()
    assert found == pytest.approx(model.log_likelihood_, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stepwise": 1}, "stepwise must be True or False"),
        ({"entry": 0}, "entry must be a number > 0"),
        ({"entry": 1}, "entry must be a number > 0 and <= 0.9"),
        ({"removal": 1.5}, "removal must be a number > 0 and <= 1"),
        ({"entry": 0.2}, "removal must be at least entry=0.2"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1"),
        ({"tol": "x"}, "tol must be a number > 0"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        LogReg(**options).fit(*draw())


def test_bad_tables():
    with pytest.raises(ValueError, match=r"y has 1 class: \[1\]"):
        LogReg().fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(ValueError, match=r"at most 1e\+140.*row 1, column 0"):
        LogReg().fit([[1.0], [1e200]], [0, 1])
    with pytest.raises(ValueError, match="3 classes"):
        LogReg().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # separated data
def test_columns_that_are_all_but_dependent():
    # Rounding makes their inner products indefinite, which Cholesky's factor does not take.
    big, large = 2.0**63, 1e15
    X = [[large, large, big, 1], [1, 1, big, big], [big, 1, large, large], [big, big, 1, 1]]
    found = LogReg().fit(X, [1, 0, 0, 1]).predict_proba(X)
    assert np.isfinite(found).all() and (found.sum(axis=1) - 1 < 1e-12).all()
