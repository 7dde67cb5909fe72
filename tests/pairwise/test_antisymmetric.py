"""Classifiers that declare themselves antisymmetric: half the work, the same ranks."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from sklearn_mteval import PairDifference, PairwiseNN, RankRecomposer
from sklearn_mteval.pairwise import prediction
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS


class Margins(ClassifierMixin, BaseEstimator):
    """A linear model of differences without intercept; notes how many pairs it is asked about."""

    asked = 0  # of the class: jobs and copies count, too

    def __init__(self, declared=False, in_training=False):
        self.declared = declared
        self.in_training = in_training

    @property
    def antisymmetric_(self):
        return self.declared

    @property
    def antisymmetric(self):
        return self.in_training

    def inner(self):
        return LinearSVC(fit_intercept=False)

    def fit(self, X, y):
        self.inner_ = make_pipeline(PairDifference(), self.inner()).fit(X, y)
        self.classes_, self.seen_ = self.inner_.classes_, (X, y)
        return self

    def decision_function(self, X):
        Margins.asked += len(X)
        return self.inner_.decision_function(X)

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


class Probabilities(Margins):
    def inner(self):
        return LogisticRegression(fit_intercept=False)

    def predict_proba(self, X):
        better = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - better, better])


def n_asked(call):
    Margins.asked = 0
    return call(), Margins.asked


def maximum(P):
    return P.max(axis=1)


@pytest.fixture
def with_equals(numbers):
    """Segments of 2 to 5 candidates, one alone, some of equal content."""
    X, y = numbers
    X.loc[(3, "sys1")] = X.loc[(3, "sys0")]
    X.loc[(5, "sys1")] = X.loc[(5, "sys0")]
    return X.drop([(7, f"sys{k}") for k in range(1, 5)], errors="ignore"), y


@pytest.mark.parametrize("block", [1 << 26, 600])
@pytest.mark.parametrize("recomposition", [*RECOMPOSITIONS, maximum])
def test_ranks_are_the_same_for_half_the_work(with_equals, recomposition, block, monkeypatch):
    monkeypatch.setattr(prediction, "BYTES_PER_BLOCK", block)
    X, y = with_equals
    y = y.loc[X.index]
    both, one = (
        RankRecomposer(Probabilities(declared), recomposition=recomposition).fit(X, y)
        for declared in (False, True)
    )
    assert one.n_pairs_ == both.n_pairs_  # trained on both directions all the same
    expected, of_both = n_asked(lambda: both.decision_function(X))
    found, of_one = n_asked(lambda: one.decision_function(X))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_array_equal(one.predict(X), both.predict(X))
    sizes = X.groupby(level="segment").size()
    n_pairs = (sizes * (sizes - 1)).sum()
    if recomposition == "absolute":
        assert (of_both, of_one) == (2 * len(X), len(X))
    else:
        # "soft" asks both for decisions and for probabilities; one direction tells both.
        assert of_both == n_pairs * (2 if recomposition == "soft" else 1)
        assert of_one == n_pairs / 2
    # Neither the order of the rows nor the number of processes changes a bit.
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(one.decision_function(X.iloc[order]), found[order])


@pytest.mark.parametrize("block", [600, 2000, 6000])
@pytest.mark.parametrize("recomposition", ["soft", "expected", "log-odds"])
def test_other_segments_do_not_change_a_bit(with_equals, recomposition, block, monkeypatch):
    monkeypatch.setattr(prediction, "BYTES_PER_BLOCK", block)
    X, y = with_equals
    ranker = RankRecomposer(Probabilities(True), recomposition=recomposition).fit(X, y.loc[X.index])
    ranker = pickle.loads(pickle.dumps(ranker))  # it warns of segments no more
    expected = pd.Series(ranker.decision_function(X), X.index)
    for _, segment in X.groupby(level="segment"):
        alone = ranker.decision_function(segment)
        assert alone.tobytes() == expected[segment.index].to_numpy().tobytes()


@pytest.mark.parametrize("recomposition", ["hard", "pagerank"])
def test_processes_do_not_change_a_bit(with_equals, recomposition, monkeypatch):
    X, y = with_equals
    ranker = RankRecomposer(Probabilities(True), recomposition=recomposition).fit(X, y.loc[X.index])
    monkeypatch.setattr(prediction, "BYTES_PER_BLOCK", 600)
    expected = ranker.decision_function(X)
    assert ranker.set_params(n_jobs=2).decision_function(X).tobytes() == expected.tobytes()


@pytest.mark.filterwarnings("ignore::sklearn_mteval.exceptions.SegmentLeakWarning")
def test_compare_tells_both_directions(with_equals):
    X, y = with_equals
    y = y.loc[X.index]
    both, one = (RankRecomposer(Probabilities(d)).fit(X, y).compare(X) for d in (False, True))
    pd.testing.assert_frame_equal(one, both, rtol=1e-12)
    assert len(RankRecomposer(Probabilities(True)).fit(X, y).compare(X.iloc[[0]])) == 0


def test_decisions_without_probabilities(with_equals):
    X, y = with_equals
    y = y.loc[X.index]
    both, one = (RankRecomposer(Margins(d), recomposition="hard").fit(X, y) for d in (False, True))
    expected, of_both = n_asked(lambda: both.decision_function(X))
    found, of_one = n_asked(lambda: one.decision_function(X))
    np.testing.assert_array_equal(found, expected)
    assert of_one == of_both / 2 > 0
    with pytest.raises(TypeError, match="needs predict_proba"):
        one.set_params(recomposition="expected").predict(X)


def test_training_on_one_direction(numbers):
    X, y = numbers
    both, one = (RankRecomposer(Probabilities(True, t)).fit(X, y) for t in (False, True))
    assert one.n_pairs_ == both.n_pairs_ / 2
    assert one.n_tied_pairs_ == both.n_tied_pairs_
    table, labels = one.estimator_.seen_
    # Each pair that the human decided stands there once, with its label, which alternate.
    seen = [(s, frozenset(pair)) for s, *pair in table.index]
    assert len(set(seen)) == len(seen)
    assert labels.tolist() == [int(y[s, a] < y[s, b]) for s, a, b in table.index]
    assert labels.tolist() == [1, 0] * (len(labels) // 2) + [1] * (len(labels) % 2)
    for (s, a, b), row in table.iterrows():
        assert row.tolist() == [*X.loc[(s, a)], *X.loc[(s, b)]]
    # The model is the same but for the weight of the penalty: each pair counts once, not twice.
    once = Probabilities(True, True)
    once.inner = lambda: LogisticRegression(fit_intercept=False, C=2)
    penalised = once.fit(table, labels).decision_function(both.estimator_.seen_[0])
    expected = both.estimator_.decision_function(both.estimator_.seen_[0])
    np.testing.assert_allclose(penalised, expected, atol=1e-3)
    order = np.random.default_rng(0).permutation(len(X))
    again = RankRecomposer(Probabilities(True, True)).fit(X.iloc[order], y.iloc[order])
    np.testing.assert_array_equal(again.decision_function(X), one.decision_function(X))


def test_a_single_pair_is_trained_in_both_directions():
    X, y = np.array([[1.0], [2.0]]), [2, 1]
    ranker = RankRecomposer(Probabilities(True, True), item_level=None).fit(X, y)
    assert ranker.n_pairs_ == 2
    assert ranker.predict(X).tolist() == [2, 1]


def test_only_the_estimators_own_word_is_taken(with_equals):
    """A step before it may treat t1 and t2 differently."""
    X, y = with_equals
    inner = make_pipeline(Probabilities(True, True))
    ranker = RankRecomposer(inner, recomposition="expected").fit(X, y.loc[X.index])
    sizes = X.groupby(level="segment").size()
    assert n_asked(lambda: ranker.decision_function(X))[1] == (sizes * (sizes - 1)).sum()
    undeclared = RankRecomposer(GaussianNB()).fit(X, y.loc[X.index])
    assert not hasattr(undeclared.estimator_, "antisymmetric_")


@pytest.mark.parametrize("recomposition", RECOMPOSITIONS)
def test_the_symmetric_network(numbers, recomposition, monkeypatch):
    X, y = numbers
    network = PairwiseNN(symmetric=True, hidden_units=2, column_roles={"hypothesis": ["a", "b"]},
                         max_epochs=2, random_state=0)  # fmt: skip
    ranker = RankRecomposer(network, recomposition=recomposition).fit(X, y)
    found = []
    for declared in (False, True):
        monkeypatch.setattr(PairwiseNN, "antisymmetric_", declared, raising=False)
        found.append(ranker.decision_function(X))
    np.testing.assert_allclose(found[1], found[0], atol=1e-6)
