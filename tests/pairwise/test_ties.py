"""RankRecomposer(ties="model"): a classifier of three outcomes, and candidates that tie."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_mteval import (
    RankRecomposer,
    SegmentKFold,
    load_model,
    make_ranking_pipeline,
    save_model,
)
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.classifiers import TiedPairClassifier
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import calibrate_ties, pairwise_accuracy
from sklearn_mteval.pairwise import pairwise_accuracy_scorer, prediction, tiers
from sklearn_mteval.pairwise.recomposition import (
    RECOMPOSITIONS,
    bradley_terry,
    davidson,
    rao_kupper,
)
from sklearn_mteval.pairwise.tiers import ranks_in_tiers
from sklearn_mteval.plots import PairCalibrationDisplay

NAMES = list(RECOMPOSITIONS)


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows P(worse), P(tie), P(better) from the one feature of each: a table of names."""

    def __init__(self, table=None, antisymmetric_=False):
        self.table = table
        self.antisymmetric_ = antisymmetric_

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), (X, y)
        return self

    def predict_proba(self, X):
        return np.array([self.table[int(a), int(b)] for a, b in np.asarray(X)])

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


# P(worse), P(tie), P(better) of the ordered pairs of three: 0 and 1 mostly tie.
PAIRS = {
    (0, 1): (0.1, 0.6, 0.3), (1, 0): (0.3, 0.6, 0.1),
    (0, 2): (0.1, 0.2, 0.7), (2, 0): (0.6, 0.3, 0.1),
    (1, 2): (0.3, 0.1, 0.6), (2, 1): (0.5, 0.3, 0.2),
}  # fmt: skip


@pytest.fixture
def three():
    index = pd.MultiIndex.from_product([["s"], list("xyz")], names=["segment", "system"])
    return pd.DataFrame({"id": [0.0, 1.0, 2.0]}, index=index)


@parametrize_with_checks(
    [RankRecomposer(GaussianNB(), item_level=None, ties="model")],
    expected_failed_checks=lambda _: {
        "check_methods_subset_invariance": "a rank depends on the competitors that are there",
    },
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("recomposition", "strengths"),
    [
        ("hard", [0 + 1, 0 + 1, -1 - 1]),
        ("soft", [0 + 0.8, 0 + 0.65, -(0.6 + 0.15) - (0.5 + 0.15)]),
        ("expected", [0.6 + 0.8, 0.4 + 0.65, 0.25 + 0.35]),
        ("copeland", [2, 0, -2]),
        (lambda P: P.max(axis=1), [0.8, 0.65, 0.5]),
    ],
)
def test_strengths_worked_by_hand(three, recomposition, strengths):
    ranker = RankRecomposer(Oracle(PAIRS), recomposition=recomposition, ties="model")
    ranker.fit(three, [1, 1, 2])
    np.testing.assert_allclose(ranker.decision_function(three), strengths)
    assert ranker.predict(three).tolist() == [1, 1, 3]


def test_training_pairs_are_all(numbers):
    X, y = numbers
    pairs = dict.fromkeys(itertools.product(range(-9, 9), repeat=2), (0.2, 0.3, 0.5))
    whole = X[["a"]].round()
    ranker = RankRecomposer(Oracle(pairs), ties="model").fit(whole, y)
    table, labels = ranker.estimator_.seen_
    expected = {
        (s, a, b): 1 + int(np.sign(y[s, b] - y[s, a]))
        for s in X.index.unique("segment")
        for a, b in itertools.permutations(X.loc[s].index, 2)
    }
    assert dict(zip(table.index, labels, strict=True)) == expected
    assert ranker.n_pairs_ == len(expected)
    assert ranker.n_tied_pairs_ == sum(label == 1 for label in expected.values()) > 0
    dropped = RankRecomposer().fit(X, y)
    assert dropped.n_tied_pairs_ == ranker.n_tied_pairs_
    assert dropped.n_pairs_ == ranker.n_pairs_ - ranker.n_tied_pairs_
    # One direction of each pair for who asks for no more, and samples count ties.
    one = RankRecomposer(TiedPairClassifier(), ties="model").fit(X, y)
    assert one.n_pairs_ == len(expected) / 2 and one.n_tied_pairs_ == ranker.n_tied_pairs_
    few = RankRecomposer(Oracle(pairs), ties="model", max_pairs=40).fit(whole, y)
    assert 20 < few.n_pairs_ == len(few.estimator_.seen_[1]) <= 40


def test_compare_tells_ties(three):
    ranker = RankRecomposer(Oracle(PAIRS), ties="model").fit(three, [1, 1, 2])
    compared = ranker.compare(three)
    assert compared.columns.tolist() == ["probability", "tie"]
    for (_, a, b), row in compared.iterrows():
        _, tie, better = PAIRS["xyz".index(a), "xyz".index(b)]
        assert row.tolist() == pytest.approx([better, tie])


def cuts(n):
    """All ways to cut n positions into tiers: the position where each one's tier starts."""
    for starts in itertools.product([False, True], repeat=n - 1):
        yield np.maximum.accumulate(np.where([True, *starts], np.arange(n), 0))


@pytest.mark.parametrize("seed", range(6))
def test_tiers_are_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 12)
    i, j = pairs_within(sizes)
    chances = rng.dirichlet([1, 1.5, 1], len(i))
    strengths = rng.integers(0, 4, sizes.sum()) * 1.0  # some are equal
    ranks = ranks_in_tiers(strengths, chances[:, 2], chances[:, 1], sizes)

    def right(ranks, rows):
        return sum(
            chances[k, 1 + int(np.sign(ranks[b] - ranks[a]))]
            for k, (a, b) in enumerate(zip(i, j, strict=True))
            if a in rows
        )

    for start, n in zip(np.cumsum(sizes) - sizes, sizes, strict=True):
        rows = range(start, start + n)
        order = sorted(rows, key=lambda row: -strengths[row])
        best = 0
        for placed in cuts(n):
            tried = dict(zip(order, placed, strict=True))
            apart = [tried[a] != tried[b] for a, b in itertools.pairwise(order)]
            equal = [strengths[a] == strengths[b] for a, b in itertools.pairwise(order)]
            if not any(a and b for a, b in zip(apart, equal, strict=True)):
                best = max(best, right(tried, rows))
        own = dict(zip(rows, ranks[start : start + n], strict=True))
        assert right(own, rows) == pytest.approx(best)
        assert all(r == 1 + sum(s < r for s in own.values()) for r in own.values())
        for a, b in itertools.combinations(rows, 2):
            assert (own[a] <= own[b]) or strengths[a] < strengths[b]


def test_equally_good_tiers_are_one():
    def ranks(strengths, better):
        return ranks_in_tiers(
            np.array(strengths), np.array(better), np.full(2, 0.4), np.array([2])
        ).tolist()

    # P(better) 0.3 and 0.3, P(tie) 0.4; then 0.4, 0.2 and 0.4, where it makes no difference.
    assert ranks([2.0, 1.0], [0.3, 0.3]) == ranks([2.0, 1.0], [0.4, 0.2]) == [1, 1]
    assert ranks([1.0, 2.0], [0.1, 0.5]) == [2, 1]


def test_rounding_does_not_part_equally_good_tiers():
    """All tied gain 0.3 - 0.2 - 0.1, which is less than nothing in floating point."""
    gain = np.array([[[0, -0.1, 0.3], [0, 0, -0.2], [0, 0, 0]]])
    assert -0.1 + (0.3 - 0.2) < 0
    found = tiers._starts_of_tiers(gain, np.zeros((1, 2), dtype=bool))
    assert found.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("recomposition", NAMES)
def test_equal_candidates_tie_and_order_is_that_of_strengths(numbers, recomposition):
    X, y = numbers
    X = X.copy()
    X.loc[(3, "sys1")] = X.loc[(3, "sys0")]
    ranker = RankRecomposer(recomposition=recomposition, ties="model").fit(X, y)
    ranks = pd.Series(ranker.predict(X), X.index)
    strengths = pd.Series(ranker.decision_function(X), X.index)
    assert ranks.dtype == np.int64 and ranks[3, "sys0"] == ranks[3, "sys1"]
    for _, group in strengths.groupby(level="segment"):
        by_strength = ranks[group.sort_values(ascending=False, kind="stable").index]
        assert by_strength.is_monotonic_increasing
    assert (ranks.groupby(level="segment").min() == 1).all()


@pytest.mark.parametrize(
    ("inner", "recomposition"),
    [(GaussianNB(), name) for name in NAMES]
    + [pytest.param(None, name, marks=[pytest.mark.slow] * (name != "soft")) for name in NAMES],
)
def test_order_names_blocks_and_jobs_do_not_change_a_bit(
    numbers, recomposition, inner, monkeypatch
):
    X, y = numbers
    options = {"recomposition": recomposition, "ties": "model"}
    ranker = RankRecomposer(inner, **options).fit(X, y)
    strengths, ranks = ranker.decision_function(X), ranker.predict(X)
    shuffled = np.random.default_rng(7).permutation(len(X))
    renamed = X.rename(index=lambda s: f"s{-s}", level="segment").iloc[shuffled]
    again = RankRecomposer(inner, **options).fit(renamed, y.to_numpy()[shuffled])
    np.testing.assert_array_equal(again.decision_function(renamed), strengths[shuffled])
    np.testing.assert_array_equal(again.predict(renamed), ranks[shuffled])
    assert again.epsilon_ == ranker.epsilon_
    monkeypatch.setattr(prediction, "BYTES_PER_BLOCK", 300)
    np.testing.assert_allclose(ranker.decision_function(X), strengths, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ranker.predict(X), ranks)
    compared = ranker.compare(X)
    ranker.set_params(n_jobs=2)
    np.testing.assert_array_equal(ranker.predict(X), ranks)
    np.testing.assert_allclose(ranker.compare(X), compared, rtol=1e-12)


@pytest.mark.parametrize("recomposition", NAMES)
def test_one_direction_is_enough_for_who_says_so(numbers, recomposition):
    X, y = numbers
    rng = np.random.default_rng(0)
    half = {(a, b): rng.dirichlet([2, 2, 2]) for a in range(-9, 9) for b in range(a + 1, 9)}
    table = {**half, **{(b, a): p[::-1] for (a, b), p in half.items()}}
    table |= {(a, a): np.array([0.3, 0.4, 0.3]) for a in range(-9, 9)}
    X = X[["a"]].round()
    both, one = (
        RankRecomposer(Oracle(table, declared), recomposition=recomposition, ties="model").fit(X, y)
        for declared in (False, True)
    )
    np.testing.assert_allclose(one.decision_function(X), both.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(one.predict(X), both.predict(X))
    pd.testing.assert_frame_equal(one.compare(X), both.compare(X))


def test_epsilon_is_the_best_threshold_of_the_training_strengths(numbers):
    X, y = numbers
    ranker = RankRecomposer(ties="model", recomposition="expected").fit(X, y)
    strengths, groups = ranker.decision_function(X), X.index.get_level_values("segment")
    found = calibrate_ties(y, strengths, groups=groups)
    assert ranker.epsilon_ == found.epsilon
    at = pairwise_accuracy(y, strengths, groups=groups, epsilon=ranker.epsilon_)
    assert at == found.accuracy > pairwise_accuracy(y, strengths, groups=groups)
    assert not hasattr(RankRecomposer().fit(X, y), "epsilon_")


@pytest.mark.parametrize(
    "inner",
    [
        GaussianNB(),
        KNeighborsClassifier(5),
        RandomForestClassifier(10, random_state=0),
        HistGradientBoostingClassifier(max_iter=5, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        TiedPairClassifier(tie_model="davidson"),
    ],
    ids=lambda inner: type(inner).__name__,
)
def test_any_classifier_of_three_classes(numbers, inner):
    X, y = numbers
    ranker = clone(RankRecomposer(inner, ties="model")).fit(X, y)
    assert ranker.get_params()["ties"] == "model"
    assert ranker.estimator_.classes_.tolist() == [0, 1, 2]
    assert pairwise_accuracy_scorer(ranker, X, y) > 0.4


def test_searches_cross_validation_and_the_scorer(numbers):
    X, y = numbers
    pipeline = make_ranking_pipeline(StandardScaler(), RankRecomposer())
    grid = {"rankrecomposer__ties": ["drop", "model"], "rankrecomposer__recomposition": ["soft"]}
    search = GridSearchCV(pipeline, grid, scoring=pairwise_accuracy_scorer, cv=SegmentKFold(3))
    search.fit(X, y)
    assert search.best_params_["rankrecomposer__ties"] == "model"
    found = cross_validate(
        search.best_estimator_, X, y, cv=SegmentKFold(3), scoring=pairwise_accuracy_scorer
    )
    assert found["test_score"].mean() == pytest.approx(search.best_score_)
    ranks, groups = search.predict(X), X.index.get_level_values("segment")
    right = [
        np.sign(ranks[a] - ranks[b]) == np.sign(y.iloc[a] - y.iloc[b])
        for a, b in itertools.combinations(range(len(X)), 2)
        if groups[a] == groups[b]
    ]
    of_pairs = pd.Series(right, dtype=float).groupby(
        [groups[a] for a, b in itertools.combinations(range(len(X)), 2) if groups[a] == groups[b]]
    )
    expected = of_pairs.mean().mean()
    assert pairwise_accuracy_scorer(search, X, y) == pytest.approx(expected)


@pytest.mark.parametrize("recomposition", ["soft", "davidson", "absolute"])
def test_predictions_survive_saving_to_the_bit(numbers, tmp_path, recomposition):
    X, y = numbers
    model = RankRecomposer(ties="model", recomposition=recomposition).fit(X, y)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    for method in ("predict", "decision_function", "compare"):
        before, after = (np.asarray(getattr(m, method)(X)) for m in (model, loaded))
        assert after.tobytes() == before.tobytes()
    assert loaded.epsilon_ == model.epsilon_


def test_what_cannot_be(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match=r"ties .*\['drop', 'model'\], found 'keep'"):
        RankRecomposer(ties="keep").fit(X, y)
    untied = y + np.linspace(0, 0.5, len(y))
    with pytest.raises(CandidateError, match="ranks no two comparable rows alike: leave it at"):
        RankRecomposer(ties="model").fit(X, untied)
    with pytest.raises(CandidateError, match="No pair to learn from"):
        RankRecomposer(ties="model").fit(X, 0 * y)
    with pytest.raises(TypeError, match="ties='model' needs predict_proba"):
        RankRecomposer(LinearSVC(), recomposition="hard", ties="model").fit(X, y)
    for fitted, other in (("drop", "model"), ("model", "drop")):
        ranker = RankRecomposer(GaussianNB(), ties=fitted).fit(X, y).set_params(ties=other)
        for method in (ranker.predict, ranker.decision_function, ranker.compare):
            with pytest.raises(TypeError, match=r"learns the labels .* with classes_ \[0, 1"):
                method(X)
    table = dict.fromkeys(itertools.product(range(3), repeat=2), (0.5, 0.5, 0.5))
    three = X.iloc[:3].assign(a=[0.0, 1, 2])[["a"]]
    odd = RankRecomposer(Oracle(table), ties="model")
    with pytest.raises(ValueError, match=r"three probabilities .* add up to 1, found in row 0"):
        odd.fit(three, [1, 1, 2])


def test_log_odds_count_in_units_of_the_threshold():
    """Of Rao and Kupper's probabilities, log theta of each pair: 1 where P(better) is one half."""
    strengths, log_theta = np.array([0.3, -1.2, 0.9, 0.0]), 0.6
    d = strengths[:, None] - strengths
    better = 1 / (1 + np.exp(log_theta - d))
    tie = 1 - better - better.T
    log_odds = RECOMPOSITIONS["log-odds"].function
    found = log_odds(np.stack([better] * 2), np.stack([tie] * 2))
    expected = (strengths - strengths.mean()) / log_theta
    np.testing.assert_allclose(found, [expected, expected], atol=1e-12)
    # Two segments whose strengths differ by as much: in the one that ties more, it counts for less.
    two = np.array([[[0.5, 0.6], [0.3, 0.5]], [[0.5, 0.4], [0.1, 0.5]]])
    ties = np.array([[[0, 0.1], [0.1, 0]], [[0, 0.5], [0.5, 0]]])
    logit = lambda p: np.log(p / (1 - p))  # noqa: E731
    margins = [
        (logit(b) - logit(w)) / 2 / (-(logit(b) + logit(w)) / 2)
        for b, w in ((0.6, 0.3), (0.4, 0.1))
    ]
    np.testing.assert_allclose(log_odds(two, ties), [[m / 2, -m / 2] for m in margins])
    # Without ties the model is Bradley and Terry's; without a tie in sight units stay above 0.
    sure = 1 / (1 + np.exp(-d))
    np.testing.assert_allclose(log_odds(sure), strengths - strengths.mean(), atol=1e-12)
    units = (strengths - strengths.mean()) / 0.1
    np.testing.assert_allclose(log_odds(sure, 0 * sure), units, atol=1e-12)


def test_matrices_with_ties():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([1, 1, 1], (4, 3, 3))
    better, tie = chances[..., 0], chances[..., 1]
    for function in (davidson, rao_kupper):
        found = function(better, tie)
        assert found.shape == (4, 3)
        np.testing.assert_allclose(found.mean(axis=1), 0, atol=1e-12)
        np.testing.assert_array_equal(function(better), bradley_terry(better))
        np.testing.assert_allclose(function(better, 0 * tie), bradley_terry(better), atol=1e-9)
        two = function(np.array([[0, 0.6], [0.15, 0]]), np.array([[0, 0.25], [0.25, 0]]))
        logit = {davidson: np.log(0.6 / 0.15) / 2, rao_kupper: np.log(1.5 * 0.85 / 0.15) / 4}
        np.testing.assert_allclose(two, [logit[function], -logit[function]])
        certain = function(np.array([[0, 1.0], [0, 0]]), np.zeros((2, 2)))
        assert np.isfinite(certain).all() and certain[0] > 5
        all_tied = function(np.zeros((3, 3)), np.ones((3, 3)))
        np.testing.assert_allclose(all_tied, 0, atol=1e-9)
        with pytest.raises(ValueError, match="add up to 1 at most"):
            function(better, np.ones_like(tie))
        with pytest.raises(ValueError, match="of one shape"):
            function(better, tie[0])


def test_calibration_is_drawn_of_decided_pairs(numbers):
    X, y = numbers
    ranker = RankRecomposer(ties="model").fit(X, y)
    shown = PairCalibrationDisplay.from_estimator(ranker, X, y, n_bins=4)
    compared, decided = ranker.compare(X), []
    for (segment, a, b), row in compared.iterrows():
        if y[segment, a] != y[segment, b]:
            decided.append(row["probability"] / (1 - row["tie"]))
    assert np.sum(shown.proportions) == pytest.approx(1)
    assert shown.predicted @ shown.proportions == pytest.approx(np.mean(decided))
