"""The preference kernel machine against scikit-learn's SVC, by properties, and hostile input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import SVC

from sklearn_mteval import (
    RankRecomposer,
    SegmentKFold,
    kendall_tau,
    kendall_tau_scorer,
    load_model,
    save_model,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import BLEUComp
from sklearn_mteval.kernels import (
    PartialTreeKernel,
    PreferenceKernelSVC,
    RelatedTrees,
    SubsetTreeKernel,
)
from sklearn_mteval.pairwise import RankingPipeline, decompose

LABELS = ["NP", "VP", "NP-REL", "VP-REL", "O"]


def line(rng, n_chunks):
    chunks = [f"({rng.choice(LABELS)} (X w{rng.integers(5)}))" for _ in range(n_chunks)]
    return f"(S {' '.join(chunks)})"


def trees_and_ranks(n_segments=12, n_systems=4, seed=0, *, numbers=False):
    """Trees with marked chunks; the more of them, the better the rank, but for noise."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [range(n_segments), [f"sys{k}" for k in range(n_systems)]], names=["segment", "system"]
    )
    table = {"hypothesis_tree": [line(rng, 1 + k % 5) for k in range(len(index))]}
    table["reference_tree"] = [line(rng, 3) for _ in index]
    marked = np.array([tree.count("-REL") for tree in table["hypothesis_tree"]])
    if numbers:
        table["score"] = marked + rng.normal(size=len(index))
    y = pd.Series(np.ceil(-marked + rng.normal(size=len(index))), index=index)
    return pd.DataFrame(table, index=index), y


def svc(**options):
    return PreferenceKernelSVC(**{"calibration_folds": None, **options})


def hard(model):
    return RankRecomposer(model, recomposition="hard")


def scores(model, X):
    """g of each translation, but for a constant: by how much it beats one of empty trees and 0."""
    other = {name: "" if isinstance(X[name].iloc[0], str) else 0.0 for name in X}
    other = pd.DataFrame(other, index=X.index)
    return model.decision_function(X.add_prefix("t1__").join(other.add_prefix("t2__")))


def differences(X, y):
    """Return D, one row for each decided ordered pair, and its labels."""
    rows, labels = [], []
    groups = X.index.get_level_values("segment")
    for i in range(len(X)):
        for j in range(len(X)):
            if groups[i] == groups[j] and y.iloc[i] != y.iloc[j]:
                row = np.zeros(len(X))
                row[i], row[j] = 1, -1
                rows.append(row)
                labels.append(int(y.iloc[i] < y.iloc[j]))
    return np.array(rows), np.array(labels)


@pytest.mark.parametrize("C", [0.02, 1.0])
def test_decisions_of_scikit_learns_svc(C):
    X, y = trees_and_ranks(numbers=True)
    kernel = PartialTreeKernel()
    K = sum(kernel(X[name].tolist()) for name in ("hypothesis_tree", "reference_tree"))
    z = (X[["score"]] - X["score"].mean()) / X["score"].std(ddof=0)
    K = K + 0.7 * rbf_kernel(z, gamma=0.3)
    D, labels = differences(X, y)
    other = SVC(kernel="precomputed", C=C, tol=1e-9).fit(D @ K @ D.T, labels)
    np.testing.assert_allclose(other.intercept_, 0, atol=1e-6)  # both directions of each pair
    expected = (D @ K @ D.T)[:, other.support_] @ other.dual_coef_[0]
    own = svc(
        C=2 * C,  # it is given one direction
        loss="hinge",
        tol=1e-10,
        max_iter=20000,
        number_weight=0.7,
        gamma=0.3,
        number_kernel="rbf",
    )
    ranker = hard(own).fit(X, y)
    assert ranker.n_pairs_ == len(D) / 2
    g = scores(ranker.estimator_, X)
    np.testing.assert_allclose(D @ g, expected, atol=1e-4)
    assert ranker.estimator_.duality_gap_ >= 0


@pytest.mark.parametrize("kind", ["linear", "rbf"])
def test_kernels_of_several_numbers_are_means_over_them(kind):
    rng = np.random.default_rng(0)
    X = rng.normal([3, -5, 0, 3, -5, 0], [1, 4, 9, 1, 4, 9], (30, 6))
    y = rng.integers(0, 2, 30)
    both = np.vstack(np.split(X, 2, axis=1))
    centre, spread = both.mean(axis=0), both.std(axis=0)

    def by_hand(a, b):
        a, b = (a - centre) / spread, (b - centre) / spread
        return a @ b.T / 3 if kind == "linear" else rbf_kernel(a, b, gamma=1 / 3)

    options = {"tol": 1e-10, "max_iter": 20000}
    own = svc(number_kernel=kind, **options).fit(X, y).decision_function(X)
    expected = svc(kernel=by_hand, **options).fit(X, y).decision_function(X)
    np.testing.assert_allclose(own, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_duality_gap_bounds_the_objective(loss):
    X, y = trees_and_ranks()
    K = sum(PartialTreeKernel()(X[name].tolist()) for name in X)
    D, labels = differences(X, y)
    signed = D * np.where(labels == 1, 1, -1)[:, np.newaxis]

    def objective(model):
        g = scores(model, X)
        # β over all rows: those of support trees that equal the row's.
        beta = np.zeros(len(X))
        place = {pair: k for k, pair in enumerate(zip(X.iloc[:, 0], X.iloc[:, 1], strict=True))}
        for pair, value in zip(
            zip(*model.support_trees_, strict=True), model.dual_coef_, strict=True
        ):
            beta[place[pair]] = value
        short = np.maximum(0, 1 - signed @ g)
        return beta @ K @ beta / 2 + 0.5 * (short**2 if loss == "squared_hinge" else short).sum()

    fitted = {
        tol: hard(svc(C=1.0, loss=loss, tol=tol, max_iter=20000)).fit(X, y).estimator_
        for tol in (0.3, 1e-9)
    }
    rough, exact = objective(fitted[0.3]), objective(fitted[1e-9])
    assert exact <= rough <= exact + fitted[0.3].duality_gap_ * (1 + 1e-9)
    assert fitted[0.3].duality_gap_ <= 0.3 * rough
    assert fitted[0.3].n_iter_ < fitted[1e-9].n_iter_


def test_training_that_stops_early_warns():
    X, y = trees_and_ranks()
    with pytest.warns(ConvergenceWarning, match="after max_iter=1 passes with a duality gap"):
        hard(svc(C=100, tol=1e-6, max_iter=1)).fit(X, y)


def test_it_is_antisymmetric_and_a_difference_of_scores():
    X, y = trees_and_ranks(numbers=True)
    pairs, labels = decompose(X, y)
    model = PreferenceKernelSVC().fit(pairs, labels)
    half = pairs.shape[1] // 2
    turned = pd.concat([pairs.iloc[:, half:], pairs.iloc[:, :half]], axis=1)
    turned.columns = pairs.columns
    forth, back = model.decision_function(pairs), model.decision_function(turned)
    assert (forth == -back).all()
    g = pd.Series(scores(model, X), index=X.index)
    assert np.isfinite(g).all()
    first = pd.MultiIndex.from_arrays([pairs.index.get_level_values(k) for k in (0, 1)])
    second = pd.MultiIndex.from_arrays([pairs.index.get_level_values(k) for k in (0, 2)])
    expected = g[first].to_numpy() - g[second].to_numpy()
    np.testing.assert_allclose(forth, expected, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(pairs).sum(axis=1), 1, rtol=1e-15)
    assert ((model.predict_proba(pairs)[:, 1] > 0.5) == (forth > 0)).all()


def test_one_direction_says_what_both_say():
    """RankRecomposer gives one, of the same weight if C is twice as large: the same to the bit."""
    X, y = trees_and_ranks(numbers=True)
    both = svc(C=0.1).fit(*decompose(X, y))
    ranker = hard(svc(C=0.2)).fit(X, y)
    assert ranker.n_pairs_ == len(decompose(X, y)[1]) / 2
    assert (scores(ranker.estimator_, X) == scores(both, X)).all()
    assert ranker.estimator_.n_iter_ == both.n_iter_


def test_no_order_of_rows_changes_a_bit():
    X, y = trees_and_ranks(numbers=True)
    order = np.random.default_rng(1).permutation(len(X))
    for options in ({}, {"n_components": 20, "random_state": 3}, {"loss": "hinge"}):
        model = RankRecomposer(PreferenceKernelSVC(**options)).fit(X, y)
        other = RankRecomposer(PreferenceKernelSVC(**options)).fit(X.iloc[order], y.iloc[order])
        expected = scores(model.estimator_, X)[order]
        assert (scores(other.estimator_, X.iloc[order]) == expected).all()
        assert model.estimator_.slope_ == other.estimator_.slope_
        assert (other.decision_function(X.iloc[order]) == model.decision_function(X)[order]).all()


def test_threads_change_nothing():
    X, y = trees_and_ranks()
    one, two = (
        hard(svc(kernel=PartialTreeKernel(n_jobs=n))).fit(X, y).decision_function(X)
        for n in (None, 2)
    )
    assert (one == two).all()


def test_landmarks_of_all_candidates_are_exact():
    X, y = trees_and_ranks(numbers=True)
    options = {"tol": 1e-10, "max_iter": 20000, "C": 0.3}
    exact = hard(svc(**options)).fit(X, y).estimator_
    all_of_them = hard(svc(n_components=10**6, random_state=0, **options)).fit(X, y)
    new = trees_and_ranks(seed=5, numbers=True)[0]
    expected = scores(exact, new)
    np.testing.assert_allclose(scores(all_of_them.estimator_, new), expected, atol=1e-5)
    few = hard(svc(n_components=15, random_state=0, **options)).fit(X, y).estimator_
    assert few.support_numbers_.shape == (15, 1)
    assert np.corrcoef(scores(few, new), expected)[0, 1] > 0.7


def test_probabilities_are_calibrated_on_held_out_segments():
    """Labels that are noise: a model that has seen them is certain, one that has not is not."""
    X, y = trees_and_ranks(40, 4)
    noise = pd.Series(np.random.default_rng(0).permutation(y.to_numpy()), index=y.index)
    pairs, labels = decompose(X, noise)
    model = PreferenceKernelSVC(C=10.0, tol=0.1).fit(pairs, labels)
    assert model.score(pairs, labels) > 0.85
    assert np.abs(model.predict_proba(pairs) - 0.5).mean() < 0.1
    sound = PreferenceKernelSVC(C=0.1).fit(*decompose(X, y))
    new_pairs, new_labels = decompose(*trees_and_ranks(40, 4, seed=9))
    better = sound.predict_proba(new_pairs)[:, 1]
    assert abs(better[new_labels == 1].mean() - 0.5) > 0.1
    for low in (0.5, 0.7):  # of those it is so sure of, as many are right
        some = (better >= low) & (better < low + 0.2)
        assert abs(new_labels[some].mean() - better[some].mean()) < 0.12


def test_without_segments_to_hold_out_it_warns():
    X, y = trees_and_ranks(1, 6)
    with pytest.warns(UserWarning, match="All pairs are of one segment"):
        RankRecomposer(PreferenceKernelSVC()).fit(X, y)


def test_trees_and_numbers_learn_together():
    X, y = trees_and_ranks(60, 5, numbers=True)
    test, ranks = trees_and_ranks(60, 5, seed=1, numbers=True)
    groups = test.index.droplevel("system")
    tau = {}
    for name, columns in (("both", list(X)), ("trees", list(X)[:2]), ("numbers", ["score"])):
        ranker = hard(svc(C=0.1)).fit(X[columns], y)
        tau[name] = kendall_tau(ranks, ranker.decision_function(test[columns]), groups=groups)
    assert tau["both"] > tau["numbers"] > 0.2
    assert tau["trees"] > 0.3


def test_absolute_scores_follow_the_score_of_each_translation():
    """The empty translation has the tree of an empty text, of which no kernel says anything."""
    X, y = trees_and_ranks(20)
    ranker = RankRecomposer(PreferenceKernelSVC(), recomposition="absolute").fit(X, y)
    found = ranker.decision_function(X)
    slope = ranker.estimator_.slope_
    expected = np.tanh(slope * scores(ranker.estimator_, X) / 2)  # 2 σ(x) − 1
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_callable_is_the_whole_kernel():
    X, y = trees_and_ranks()

    def kernel(a, b):
        assert a.shape[1] == b.shape[1] == 2
        return sum(SubsetTreeKernel()(list(a[:, k]), list(b[:, k])) for k in (0, 1))

    own = hard(svc(kernel=kernel)).fit(X, y).decision_function(X)
    expected = hard(svc(kernel=SubsetTreeKernel())).fit(X, y).decision_function(X)
    np.testing.assert_allclose(own, expected, atol=1e-9)


def test_a_callable_reads_texts_of_any_kind():
    X, y = trees_and_ranks()
    texts = X.map(lambda line: line.replace("(", "").replace(")", ""))

    def shared_words(a, b):
        one, other = ([set(text.split()) for text in part[:, 0]] for part in (a, b))
        return np.array([[len(left & right) for right in other] for left in one], dtype=float)

    ranker = hard(svc(kernel=shared_words)).fit(texts, y)
    assert np.isfinite(ranker.decision_function(texts)).all()


def test_in_a_pipeline_with_search_and_saved(sample, tmp_path):
    X, y = (part.iloc[:60] for part in sample)
    pipeline = RankingPipeline(
        [
            ("columns", make_union(RelatedTrees(), BLEUComp())),
            ("rank", RankRecomposer(PreferenceKernelSVC(C=0.1))),
        ]
    )
    search = GridSearchCV(
        pipeline,
        {"rank__estimator__kernel": [PartialTreeKernel(), SubsetTreeKernel()]},
        scoring=kendall_tau_scorer,
        cv=SegmentKFold(3),
        error_score="raise",
    ).fit(X, y)
    best = search.best_estimator_
    save_model(best, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert (loaded.decision_function(X) == best.decision_function(X)).all()
    assert not list((tmp_path / "model").rglob("*.pkl"))
    scores = cross_val_score(clone(pipeline), X, y, scoring=kendall_tau_scorer, cv=SegmentKFold(3))
    assert np.isfinite(scores).all()


def test_another_tree_model_is_refused(sample, tmp_path, monkeypatch):
    X, y = (part.iloc[:40] for part in sample)
    model = make_pipeline(RelatedTrees(), hard(svc(C=0.1))).fit(X, y)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    loaded[0].signature_ = loaded[0].signature_.replace("shallow+discourse", "another")
    with pytest.raises(ValueError, match="use the model that was trained with"):
        loaded.predict(X)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"C": 0}, "C must be a number > 0"),
        ({"C": np.nan}, "C must be a number > 0"),
        ({"kernel": "linear"}, "kernel must be a tree kernel"),
        ({"kernel": 3}, "kernel must be a tree kernel"),
        ({"kernel": PartialTreeKernel(lam=2)}, "lam must be a number"),
        ({"loss": "log"}, r"loss .*found "),
        ({"number_kernel": "poly"}, r"number_kernel .*found "),
        ({"number_weight": -1}, "number_weight must be a number > 0"),
        ({"gamma": 0}, "gamma must be a number > 0"),
        ({"n_components": 0}, "n_components must be"),
        ({"calibration_folds": 1}, "calibration_folds must be"),
        ({"tol": 0}, "tol must be a number > 0"),
        ({"max_iter": 0}, "max_iter must be"),
    ],
)
def test_options_out_of_range(options, problem):
    X, y = trees_and_ranks(2)
    with pytest.raises(ValueError, match=problem):
        RankRecomposer(PreferenceKernelSVC(**options)).fit(X, y)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda a, b: np.full((len(a), len(b)), np.nan), "must be finite numbers, found nan"),
        (lambda a, b: np.arange(len(a) * len(b)).reshape(len(a), -1), "must be symmetric"),
        (lambda a, b: np.zeros(len(a)), "must return an array of shape"),
        (lambda a, b: -np.eye(len(a), len(b)), "must be positive semidefinite"),
    ],
)
def test_kernels_that_are_none(answer, problem):
    X, y = trees_and_ranks(3)
    with pytest.raises(ValueError, match=problem):
        hard(svc(kernel=answer)).fit(X, y)


def test_cells_that_are_no_trees_are_named():
    X, y = trees_and_ranks(3)
    X.iloc[5, 0] = "(S (NP"
    with pytest.raises(CandidateError, match="must be a tree in brackets: A bracket"):
        hard(svc()).fit(X, y)
    texts = X.assign(hypothesis_tree="It works.")
    with pytest.raises(CandidateError, match="must be a tree in brackets: Expected"):
        hard(svc()).fit(texts, y)


def test_tables_that_are_none():
    X, y = trees_and_ranks(3, numbers=True)
    pairs, labels = decompose(X, y)
    with pytest.raises(ValueError, match="has an even number of columns"):
        svc().fit(pairs.iloc[:, :-1], labels)
    with pytest.raises(ValueError, match="y has 1 class"):
        svc().fit(pairs, np.ones(len(pairs)))
    same = pd.concat([pairs.iloc[:, :3], pairs.iloc[:, :3]], axis=1)
    same = same.set_axis(pairs.columns, axis=1)
    with pytest.raises(ValueError, match="translations of each are the same"):
        svc().fit(same, labels)
    with pytest.raises(ValueError, match="NaN"):
        svc().fit(pairs.assign(t1__score=np.nan), labels)
    with pytest.raises(CandidateError, match="No pair to learn from"):
        hard(svc()).fit(X, y * 0)
    model = svc().fit(pairs, labels)
    with pytest.raises((ValueError, CandidateError)):
        model.decision_function(pairs.iloc[:, ::-1])
    with pytest.raises(ValueError, match="not calibrated"):
        model.set_params(calibration_folds=5).predict_proba(pairs)
    assert not hasattr(svc(), "predict_proba")


def test_identical_candidates_add_nothing_but_weight():
    X, y = trees_and_ranks(6, 4)
    copies = X.iloc[::4].rename(lambda name: f"copy of {name}", level="system")
    both = pd.concat([X, copies])
    ranks = pd.concat([y, pd.Series(y.iloc[::4].to_numpy(), index=copies.index)])
    ranker = hard(svc()).fit(both, ranks)
    g = scores(ranker.estimator_, both)
    assert (g[len(X) :] == g[: len(X) : 4]).all()
    assert ranker.estimator_.n_candidates_ == len(X)


def test_crossed_judgements_cancel():
    """The same two translations, each as often better: no reason to prefer one."""
    pairs = [["(A b)", "(A c)"], ["(A c)", "(A b)"]] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = svc(C=1.0, tol=1e-12).fit(pairs, [1, 1, 0, 0])
    np.testing.assert_allclose(model.decision_function(pairs), 0, atol=1e-6)


def test_pairs_that_decide_nothing_make_no_segment():
    # Of five pairs without an index the first one's translations are the same: it is no fold, and
    # all others are connected.
    pairs = [[0.0, 0.0], [1.0, 2.0], [2.0, 3.0], [3.0, 1.0], [3.0, 2.0]]
    with pytest.warns(UserWarning, match="All pairs are of one segment"):
        model = svc(calibration_folds=2).fit(pairs, [1, 0, 0, 1, 1])
    assert model.slope_ > 0
