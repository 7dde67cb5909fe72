"""PairEnsemble: the formula by hand, antisymmetry to the bit, folds, saving, searching."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from ensemble_pairs import candidates_of, drawn, plain
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    KNN,
    BLEUComp,
    LogReg,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    make_ranking_pipeline,
    save_model,
)
from sklearn_mteval.classifiers import PairEnsemble, ensemble
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.pairwise import decompose

REGRESSION = LogisticRegression(fit_intercept=False, solver="newton-cholesky", C=0.5)
BOOSTING = HistGradientBoostingClassifier(
    max_iter=8, max_leaf_nodes=4, min_samples_leaf=5, early_stopping=False, random_state=0
)
QUICK = [("logreg", REGRESSION), ("boosting", BOOSTING)]


def swapped(X):
    half = X.shape[1] // 2
    values = np.hstack([plain(X)[:, half:], plain(X)[:, :half]])
    return pd.DataFrame(values, X.index, X.columns)


def test_one_member_worked_by_hand():
    """Two pairs, one feature: differences 3 and 1 before scaling, both for t1."""

    class Slope(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.seen_, self.classes_ = (X, y), np.unique(y)
            return self

        def decision_function(self, X):
            return 5 * X[:, 0] + 7  # the constant falls out

    X = np.array([[5.0, 2.0], [1.0, 2.0]])
    model = PairEnsemble([("slope", Slope())], calibrate=False).fit(X, ["a", "b"][::-1])
    # d = 3, and, turned so that the better one comes first, 1: root mean square √5.
    assert model.scale_ == pytest.approx([5**0.5])
    rows, labels = model.estimators_[0].seen_
    order = np.argsort(rows[:, 0])
    assert rows[order, 0] * 5**0.5 == pytest.approx([-3, -1, 1, 3])
    assert labels[order].tolist() == [0, 0, 1, 1]
    # Margins 5 d / √5 have the standard deviation 5 around 0.
    assert model.factors_ == pytest.approx([1 / 5])
    assert model.slope_ == 1
    assert model.decision_function(X) == pytest.approx([3 / 5**0.5, -1 / 5**0.5])
    assert model.predict_proba(X)[:, 1] == pytest.approx(expit([3 / 5**0.5, -1 / 5**0.5]))
    assert model.predict(X).tolist() == ["b", "a"]


def by_definition(X, y, members, weights):
    """The docstring's formula, with scikit-learn's classifiers on mirrored rows."""
    X = np.asarray(X)
    d = X[:, : X.shape[1] // 2] - X[:, X.shape[1] // 2 :]
    scale = np.sqrt((d**2).mean(axis=0))
    rows, labels = np.vstack([d, -d]) / scale, np.concatenate([y, 1 - y])
    total = np.zeros(len(d))
    for weight, member in zip(weights, members, strict=True):
        fitted = clone(member).fit(rows, labels)
        margin = fitted.decision_function(rows)
        margin = (margin[: len(d)] - margin[len(d) :]) / 2
        total += weight * margin / np.sqrt((margin**2).mean())
    return total


def test_sum_by_its_definition():
    X, y = drawn()
    members = [REGRESSION, RidgeClassifier(fit_intercept=True), BOOSTING]
    named = [(str(k), member) for k, member in enumerate(members)]
    model = PairEnsemble(named, weights=[1, 0.5, 2], calibrate=False).fit(X, y)
    expected = by_definition(X, y, members, [1, 0.5, 2])
    # Weighted percentiles bin columns otherwise than plain ones: trees may differ a little.
    assert np.corrcoef(model.decision_function(X), expected)[0, 1] > 0.995
    model.set_params(estimators=named[:2], weights=[1, 0.5]).fit(X, y)
    expected = by_definition(X, y, members[:2], [1, 0.5])
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-6)


def test_trees_as_arrays_decide_as_scikit_learn_does():
    X, y = drawn()
    d = plain(X)[:, :3] - plain(X)[:, 3:]
    fitted = clone(BOOSTING).fit(d, y)
    trees = ensemble.as_boosted_trees(fitted)
    found = trees.decision_function(d) + fitted._baseline_prediction.item()
    np.testing.assert_allclose(found, fitted.decision_function(d), rtol=1e-12)
    categories = HistGradientBoostingClassifier(categorical_features=[0], max_iter=2)
    fitted = categories.fit((d > 0).astype(float), y)
    assert ensemble.as_boosted_trees(fitted) is fitted
    assert ensemble.as_boosted_trees(REGRESSION) is REGRESSION


MEMBERS = [
    REGRESSION, BOOSTING, RidgeClassifier(), KNeighborsClassifier(7), GaussianNB(), KNN(), LogReg(),
    make_pipeline(StandardScaler(), LogisticRegression()),
]  # fmt: skip


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: type(member).__name__)
def test_antisymmetric_to_the_bit(member):
    X, y = drawn()
    X.iloc[5, 3:] = X.iloc[5, :3].to_numpy()  # equal candidates
    model = PairEnsemble([("member", member)], calibrate=False).fit(X, y)
    forth, back = model.predict_proba(X)[:, 1], model.predict_proba(swapped(X))[:, 1]
    assert (forth == 1 - back).all() or (back == 1 - forth).all()
    assert (model.decision_function(X) == -model.decision_function(swapped(X))).all()
    assert forth[5] == 0.5 and forth.std() > 0.1
    assert ((forth > 0.5) == (model.predict(X) == 1)).all()


def test_default_members_give_the_same_bits_in_any_table():
    X, y = drawn()
    model = PairEnsemble(QUICK).fit(X, y)
    expected, rng = model.decision_function(X), np.random.default_rng(0)
    for _ in range(30):
        rows = rng.integers(len(X), size=rng.integers(1, 40))
        assert (model.decision_function(X.iloc[rows]) == expected[rows]).all()
        turned = swapped(X.iloc[rows])
        assert (model.decision_function(turned) == -expected[rows]).all()


@pytest.fixture(scope="module")
def unchanged():
    X, y = drawn()
    return PairEnsemble(QUICK).fit(X, y).decision_function(X)


@pytest.mark.parametrize("change", ["order", "direction", "names", "array", "segments named anew"])
def test_what_changes_no_bit(change, unchanged):
    X, y = drawn()
    given, labels = X, y
    if change == "order":
        order = np.random.default_rng(0).permutation(len(X))
        given, labels = X.iloc[order], y[order]
    elif change == "direction":
        turned = np.random.default_rng(0).random(len(X)) < 0.5
        given = pd.DataFrame(np.where(turned[:, None], swapped(X), X), X.index, X.columns)
        labels = np.where(turned, 1 - y, y)
    elif change == "names":
        labels = np.array(["no", "yes"])[y]
    elif change == "array":  # pairs of a segment are told by the candidates that they share
        given = plain(X)
    else:
        given = X.rename(index=lambda segment: f"wmt:{-segment}", level="segment")
    model = PairEnsemble(QUICK).fit(given, labels)
    found = model.decision_function(plain(X) if change == "array" else X)
    assert found.tolist() == unchanged.tolist()


def test_repeated_pairs_are_weights():
    """Of members that take weights and of others: as if each row stood there as often."""
    X, y = drawn(30)
    times = np.random.default_rng(1).integers(1, 5, len(X))
    many, labels = np.repeat(plain(X), times, axis=0), np.repeat(y, times)
    d = many[:, :3] - many[:, 3:]
    rows = np.vstack([d, -d]) / np.sqrt((d**2).mean(axis=0))
    expected = clone(REGRESSION).fit(rows, np.concatenate([labels, 1 - labels]))
    model = PairEnsemble([("lr", REGRESSION)], calibrate=False).fit(many, labels)
    np.testing.assert_allclose(model.estimators_[0].coef_, expected.coef_, rtol=1e-9)

    seen = []

    class Unweighted(GaussianNB):
        def fit(self, X, y):
            seen.append((X, y))
            return super().fit(X, y)

    class Weighted(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append((X, sample_weight))
            return super().fit(X, y, sample_weight)

    found = [
        PairEnsemble([("nb", member())], calibrate=False).fit(many, labels).decision_function(many)
        for member in (Unweighted, Weighted)
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    assert len(seen[0][0]) == 2 * times.sum() and len(seen[1][0]) == 2 * len(X)
    assert seen[1][1].sum() == 2 * times.sum()


def test_contradicting_judgements_are_both_counted():
    X = np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 3)
    unpenalised = LogisticRegression(fit_intercept=False, C=1e9, solver="newton-cholesky")
    model = PairEnsemble([("lr", unpenalised)], calibrate=False).fit(X, [1, 1, 1, 1, 0, 0, 1, 0])
    # 1 against 0: won in 4 of the first 5 and 2 of the last 3 comparisons, log-odds log 3.
    assert model.estimators_[0].coef_[0, 0] == pytest.approx(np.log(6 / 2), rel=1e-4)


def test_the_slope_is_that_of_held_out_segments():
    X, y = drawn()
    folds = list(SegmentKFold(4).split(X))
    model = PairEnsemble(QUICK, cv=folds).fit(X, y)
    sums = np.zeros(len(X))
    for train, test in folds:
        part = PairEnsemble(QUICK, calibrate=False).fit(X.iloc[train], y[train])
        sums[test] = part.decision_function(X.iloc[test])
    # Platt's targets (N + 1) / (N + 2) and 1 / (N + 2), as weights of rows with both labels.
    both, labels = np.concatenate([sums, sums]), np.concatenate([y, 1 - y])
    weights = np.repeat([len(y) + 1, 1], len(y))
    platt = LogisticRegression(fit_intercept=False, C=1e12, tol=1e-10)
    platt.fit(both[:, None], labels, sample_weight=weights)
    assert model.slope_ == pytest.approx(platt.coef_[0, 0], rel=1e-5)
    whole = PairEnsemble(QUICK, calibrate=False).fit(X, y)
    found, expected = model.decision_function(X), model.slope_ * whole.decision_function(X)
    assert found.tolist() == expected.tolist()
    assert PairEnsemble(QUICK, cv=SegmentKFold(4)).fit(X, y).slope_ == model.slope_


def test_pairs_of_one_segment_stay_together(monkeypatch):
    X, y = drawn(20)
    trained = []
    original = PairEnsemble._sum

    def noted(self, differences):
        trained.append({tuple(row) for row in differences.round(9)})
        return original(self, differences)

    monkeypatch.setattr(PairEnsemble, "_sum", noted)
    d = plain(X)[:, :3] - plain(X)[:, 3:]
    d[y == 0] *= -1
    segment_of = dict(zip(map(tuple, d.round(9)), X.index.get_level_values(0), strict=True))
    ranked = partial(RankRecomposer, recomposition="expected")
    candidates, ranks = candidates_of(20)
    for fit in (
        lambda: PairEnsemble(QUICK, cv=3).fit(X, y),
        lambda: PairEnsemble(QUICK, cv=3).fit(plain(X), y),
    ):
        trained.clear()
        fit()
        held_out = [{segment_of[row] for row in rows} for rows in trained]
        assert sorted(map(len, held_out)) == [6, 7, 7]
        assert set.union(*held_out) == set(range(20))
    # In a pipeline, pairs lose the index; the ranker hands over the folds.
    made = []
    monkeypatch.setattr(
        PairEnsemble, "_folds", lambda self, *_: made.append(self.cv) or iter(self.cv)
    )
    inner = make_pipeline(StandardScaler(), PairEnsemble(QUICK, cv=3))
    ranker = ranked(inner).fit(candidates, ranks)
    assert ranker.estimator_[-1].cv == 3
    table, _ = decompose(candidates, ranks)
    segments = table.index.get_level_values("segment")
    for train, test in made[0]:
        assert not set(segments[train]) & set(segments[test])
    assert len(made[0]) == 3


def test_tasks_of_a_segment_without_common_systems_stay_together(monkeypatch):
    X, y = candidates_of(8, n_tasks=2)
    found = []
    original = PairEnsemble._folds

    def noted(self, given, *rest):
        folds = list(original(self, given, *rest))
        found.extend((given.index.get_level_values(0), fold) for fold in folds)
        return folds

    monkeypatch.setattr(PairEnsemble, "_folds", noted)
    RankRecomposer(PairEnsemble(QUICK)).fit(X, y)
    assert len(found) == 3
    for segments, (train, test) in found:
        assert not set(segments[train]) & set(segments[test])


def test_probabilities_are_calibrated_on_unseen_segments():
    X, y = drawn(500, seed=1)
    X_test, y_test = drawn(500, seed=2)
    trees = HistGradientBoostingClassifier(
        max_iter=80, max_bins=32, early_stopping=False, random_state=0
    )
    members = [("logreg", REGRESSION), ("boosting", trees)]  # which fits too well

    def error(model):
        """Expected calibration error over ten bins of equal width."""
        better = model.predict_proba(X_test)[:, 1]
        bins = np.minimum((better * 10).astype(int), 9)
        gaps = [abs(np.sum((better - y_test)[bins == k])) for k in range(10)]
        return np.sum(gaps) / len(y_test)

    assert error(PairEnsemble(members).fit(X, y)) < 0.03
    assert error(PairEnsemble(members, calibrate=False, weights=[2, 2]).fit(X, y)) > 0.06


def test_ensemble_beats_its_members():
    X, y = drawn(400, seed=1)
    X_test, y_test = drawn(400, seed=2)

    def right(**dropped):
        model = PairEnsemble(calibrate=False).set_params(**dropped)
        return (model.fit(X, y).predict(X_test) == y_test).mean()

    both = right()
    assert both > right(boosting="drop") and both > right(logreg="drop") - 0.01


@pytest.mark.parametrize("recomposition", ["soft", "hard", "absolute", "bradley-terry"])
def test_in_a_ranker(recomposition, monkeypatch):
    X, y = candidates_of(40)
    ranker = RankRecomposer(PairEnsemble(QUICK), recomposition=recomposition).fit(X, y)
    n_pairs = sum(a < b for _, ranks in y.groupby(level=0) for a in ranks for b in ranks)
    assert ranker.n_pairs_ == n_pairs  # one direction
    found = ranker.decision_function(X)
    monkeypatch.setattr(PairEnsemble, "antisymmetric_", False)  # is asked about both
    np.testing.assert_allclose(ranker.decision_function(X), found, atol=1e-9)


def test_absolute_scores_do_not_look_at_competitors():
    X, y = candidates_of(40)
    ranker = RankRecomposer(PairEnsemble(QUICK), recomposition="absolute").fit(X, y)
    found = ranker.decision_function(X)
    against = pd.DataFrame([X.mean()] * len(X), index=X.index)
    pairs = pd.concat([X.add_prefix("t1__"), against.add_prefix("t2__")], axis=1)
    expected = 2 * ranker.estimator_.predict_proba(pairs)[:, 1] - 1
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert np.unique(found).size == len(X)
    alone = X.groupby(level="segment").head(1)
    with pytest.warns(match="was trained on"):
        assert ranker.decision_function(alone).tolist() == found[::3].tolist()


def test_searching_parameters_of_members():
    X, y = load_sample(return_X_y=True)
    model = make_ranking_pipeline(BLEUComp(), RankRecomposer(PairEnsemble(cv=2)))
    ours = "rankrecomposer__estimator__"
    grid = {f"{ours}logreg__C": [1e-6, 1], f"{ours}boosting": ["drop", BOOSTING]}
    search = GridSearchCV(model, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(2))
    search.fit(X[:150], y[:150])
    assert search.best_params_.keys() == grid.keys()
    fitted = search.best_estimator_[-1].estimator_
    chosen = search.best_params_
    assert fitted.get_params()["logreg__C"] == chosen[f"{ours}logreg__C"]
    assert len(fitted.estimators_) == 2 - (chosen[f"{ours}boosting"] == "drop")


def test_parameters_of_members():
    model = PairEnsemble()
    assert model.get_params()["logreg__C"] == 1.0
    assert model.set_params(logreg__C=3, boosting="drop", cv=5) is model
    params = model.get_params()
    assert (params["logreg__C"], params["boosting"], params["cv"]) == (3, "drop", 5)
    assert PairEnsemble().get_params()["logreg__C"] == 1.0  # nobody else's
    again = clone(model)
    assert again.get_params()["logreg__C"] == 3 and again.estimators[0][1] is not model.estimators
    given = [("a", KNN())]
    assert PairEnsemble(given).set_params(a__n_neighbors=3).estimators[0][1].n_neighbors == 3
    assert model.set_params(estimators=given).get_params()["a"] is given[0][1]
    for wrong in ({"nobody": 1}, {"logreg__nothing": 1}, {"knn__C": 1}):
        with pytest.raises(ValueError, match="Invalid parameter"):
            PairEnsemble().set_params(**wrong)


def test_saving(tmp_path):
    X, y = candidates_of(30)
    model = RankRecomposer(PairEnsemble(QUICK)).fit(X, y)
    save_model(model, tmp_path / "model")
    for again in (load_model(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert again.decision_function(X).tolist() == model.decision_function(X).tolist()
        assert again.estimator_.predict_proba(decompose(X, y)[0]).tolist()


def test_a_constant_column_does_not_count():
    X, y = drawn(d=3)
    noisy = plain(X).copy()
    noisy[:, [2, 5]] = 1000 + np.random.default_rng(0).integers(0, 2, (len(X), 2)) * 2.0**-43
    model = PairEnsemble([("lr", REGRESSION)], calibrate=False).fit(noisy, y)
    assert np.isinf(model.scale_[2]) and model.estimators_[0].coef_[0, 2] == 0


def test_pairs_without_any_difference():
    X, y = np.ones((8, 4)), [0, 1] * 4
    model = PairEnsemble(QUICK, calibrate=False).fit(X, y)
    assert (model.predict_proba(X) == 0.5).all()
    with pytest.raises(ValueError, match="all pairs are of one segment: pass calibrate=False"):
        PairEnsemble(QUICK).fit(X, y)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"estimators": "logreg"}, "estimators must be a list of"),
        ({"estimators": [REGRESSION]}, "estimators must be a list of"),
        ({"estimators": 3}, "estimators must be a list of"),
        ({"estimators": [("a", REGRESSION, 1)]}, "estimators must be a list of"),
        ({"estimators": []}, "no member that is not dropped"),
        ({"estimators": [("a", "drop")]}, "no member that is not dropped"),
        ({"estimators": [("a", KNN()), ("a", KNN())]}, "must be distinct"),
        ({"estimators": [("a__b", KNN())]}, "without '__'"),
        ({"estimators": [("cv", KNN())]}, "none of .'calibrate', 'cv'"),
        ({"estimators": [("a", KNN)]}, "'a' must be a classifier or 'drop'"),
        ({"estimators": [("a", StandardScaler())]}, "'a' must be a classifier or 'drop'"),
        ({"estimators": [("a", None)]}, "'a' must be a classifier or 'drop'"),
        ({"weights": [1]}, "weights must be a list of as many numbers as estimators, 2"),
        ({"weights": [1, 0]}, "each of weights must be a number > 0"),
        ({"weights": 2}, "weights must be a list"),
        ({"calibrate": "yes"}, "calibrate must be True or False"),
        ({"cv": 1}, "cv must be an integer >= 2"),
        ({"cv": True}, "cv must be"),
        ({"cv": None}, "cv must be an integer"),
        ({"cv": b""}, "cv must be an integer"),
        ({"cv": "many"}, "Expected `cv`"),
        ({"cv": [([0, 1], [])]}, "makes a fold without pairs"),
        ({"cv": []}, "makes no fold"),
    ],
)
def test_options_that_are_refused(options, problem):
    X, y = drawn(5)
    with pytest.raises(ValueError, match=problem):
        PairEnsemble(**{"estimators": QUICK, **options}).fit(X, y)


def test_pairs_that_are_refused():
    X, y = drawn(5)
    with pytest.raises(ValueError, match=r"even number of columns.*found n_features = 5"):
        PairEnsemble(QUICK).fit(X.iloc[:, :5], y)
    with pytest.raises(ValueError, match=r"y has 1 class: \[1\]"):
        PairEnsemble(QUICK).fit(X, y * 0 + 1)
    for bad in (np.nan, np.inf, 1e200):
        with pytest.raises(ValueError, match=r"NaN|infinity|at most 1e\+140"):
            PairEnsemble(QUICK).fit(X.assign(t1__a=bad), y)
    with pytest.raises(NotFittedError):
        PairEnsemble().predict_proba(X)
    with pytest.raises(ValueError, match="feature names"):
        PairEnsemble(QUICK).fit(X, y).predict(X.iloc[:, ::-1])
    X, y = candidates_of(5)
    twice = make_pipeline(PairDifference(), PairEnsemble(QUICK))
    with pytest.raises(TypeError, match="leave PairDifference out"):
        RankRecomposer(twice).fit(X, y)


def test_a_member_that_answers_nonsense():
    class Odd(GaussianNB):
        def predict_proba(self, X):
            return super().predict_proba(X) * np.nan

    X, y = drawn(5)
    with pytest.raises(ValueError, match=r"Odd\(\) must answer .* with a finite number"):
        PairEnsemble([("odd", Odd())]).fit(X, y)


def test_folds_of_rows_are_warned_of():
    X, y = candidates_of(20)
    with pytest.warns(match=r"cv=KFold.* splits pairs of one segment"):
        RankRecomposer(PairEnsemble(QUICK, cv=KFold(3))).fit(X, y)
