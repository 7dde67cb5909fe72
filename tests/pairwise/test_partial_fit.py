"""Training block after block: what the classifier's own partial_fit makes of the pair tables."""

import pickle

import numpy as np
import pytest
from blocks_of_segments import NAMES, cut, table
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, QuantileTransformer, StandardScaler

from sklearn_mteval import PairDifference, PairwiseNN, RankRecomposer, load_model, save_model
from sklearn_mteval.exceptions import CandidateError, SegmentLeakWarning
from sklearn_mteval.pairwise import decompose

SGD = SGDClassifier(loss="log_loss", random_state=0, learning_rate="constant", eta0=1e-3)
ESTIMATORS = {
    "alone": SGD,
    "of differences": make_pipeline(PairDifference(), SGD),
    "of scaled differences": make_pipeline(PairDifference(), StandardScaler(), SGD),
    "network": make_pipeline(StandardScaler(), MLPClassifier((3,), random_state=0)),
    "naive Bayes": make_pipeline(FunctionTransformer(np.tanh), PairDifference(), GaussianNB()),
}


def trained(ranker, blocks):
    for X, y in blocks:
        ranker.partial_fit(X, y)
    return ranker


@pytest.mark.parametrize("name", ESTIMATORS)
def test_it_is_the_classifiers_own_partial_fit(name):
    blocks = cut(*table(), 3)
    found = trained(RankRecomposer(ESTIMATORS[name], recomposition="expected"), blocks)
    *steps, last = [
        clone(step) for _, step in getattr(ESTIMATORS[name], "steps", [("", ESTIMATORS[name])])
    ]
    for X, y in blocks:
        pairs, labels = decompose(X, y)
        pairs = pairs.to_numpy() if steps and type(steps[0]) is not FunctionTransformer else pairs
        for step in steps:
            step.partial_fit(pairs) if hasattr(step, "partial_fit") else step.fit(pairs)
            pairs = step.transform(pairs)
        last.partial_fit(pairs, labels, classes=[0, 1])
    own = getattr(found.estimator_, "steps", [("", found.estimator_)])[-1][1]
    for attribute in ("coef_", "intercept_", "theta_", "var_", "class_count_", "t_"):
        if hasattr(last, attribute):
            np.testing.assert_array_equal(getattr(own, attribute), getattr(last, attribute))
    for one, other in zip(getattr(own, "coefs_", ()), getattr(last, "coefs_", ()), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("names", NAMES)
def test_what_it_says_of_the_data_is_of_all_blocks(names):
    X, y = table(NAMES[names])
    found = trained(RankRecomposer(ESTIMATORS["of scaled differences"]), cut(X, y, 4))
    expected = RankRecomposer(ESTIMATORS["of scaled differences"]).fit(X, y)
    for name in ("n_pairs_", "n_tied_pairs_", "n_features_in_"):
        assert getattr(found, name) == getattr(expected, name)
    np.testing.assert_array_equal(found.shared_features_, expected.shared_features_)
    np.testing.assert_allclose(found.empty_, expected.empty_, rtol=1e-15)
    assert found.estimator_[1].n_samples_seen_ == found.n_pairs_
    assert (found.standalone_ is None) == (names == "alone")
    if found.standalone_ is not None:
        head = found.standalone_
        assert head.feature_names_in_.tolist() == ["a", "c", "length"]
        assert head.empty == "mean" and head.n_pairs_ == found.n_pairs_
        own = [(X[head.feature_names_in_], y) for X, y in cut(X, y, 4)]
        alone = trained(RankRecomposer(ESTIMATORS["of scaled differences"]), own)
        np.testing.assert_array_equal(head.estimator_[-1].coef_, alone.estimator_[-1].coef_)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_order_of_rows_in_a_block_changes_no_bit(name):
    blocks, rng = cut(*table(), 3), np.random.default_rng(0)
    shuffled = [(X.iloc[p], y.iloc[p]) for X, y in blocks for p in [rng.permutation(len(X))]]
    first, second = (trained(RankRecomposer(ESTIMATORS[name]), b) for b in (blocks, shuffled))
    other, _ = table(seed=1)
    assert first.compare(other).to_numpy().tobytes() == second.compare(other).to_numpy().tobytes()
    assert first.empty_.tobytes() == second.empty_.tobytes()


def test_a_network_sees_names_through_a_pipeline():
    blocks = cut(*table(), 2)
    network = PairwiseNN(architecture="single-layer")
    ranker = trained(RankRecomposer(make_pipeline(StandardScaler(), network)), blocks)
    assert ranker.estimator_[-1].feature_names_in_[0] == "t1__a"


def test_it_learns_to_rank():
    X, y = table(n_segments=300)
    ranker = RankRecomposer(ESTIMATORS["of scaled differences"])
    blocks = cut(X, y, 6)
    for _ in range(3):  # epochs
        trained(ranker, blocks)
    other, ranks = table(seed=1)
    assert ranker.score(other, ranks) > RankRecomposer().fit(X, y).score(other, ranks) - 0.03


def test_it_can_be_saved_but_not_continued_then(tmp_path):
    X, y = table()
    ranker = trained(RankRecomposer(ESTIMATORS["of differences"]), cut(X, y, 2))
    save_model(ranker, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.decision_function(X), ranker.decision_function(X))
    for other in (loaded, pickle.loads(pickle.dumps(ranker))):
        with pytest.raises(ValueError, match=r"cannot continue.*clone"):
            other.partial_fit(X, y)
    trained(clone(loaded), [(X, y)])


def test_a_fit_begins_anew():
    X, y = table()
    ranker = trained(RankRecomposer(ESTIMATORS["alone"]), cut(X, y, 2)).fit(X, y)
    expected = RankRecomposer(ESTIMATORS["alone"]).fit(X, y)
    np.testing.assert_array_equal(ranker.estimator_.coef_, expected.estimator_.coef_)
    assert ranker.n_pairs_ == len(decompose(X, y)[1])


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("empty", ["mean", "zero"])
def test_it_goes_on_after_a_fit(names, empty):
    X, y = table(NAMES[names])
    (first, second), last = cut(X, y, 2)
    ranker = RankRecomposer(make_pipeline(PairDifference(), GaussianNB()), empty=empty)
    expected = trained(clone(ranker), [(first, second), last])
    found = clone(ranker).fit(first, second).partial_fit(*last)
    whole = clone(ranker).fit(X, y)
    for one in (found, found.standalone_) if names == "with head" else (found,):
        other, all_at_once = expected, whole
        if one is found.standalone_:
            other, all_at_once = expected.standalone_, whole.standalone_
        np.testing.assert_allclose(one.estimator_[-1].var_, other.estimator_[-1].var_)
        np.testing.assert_allclose(one.empty_, other.empty_, rtol=1e-14)
        np.testing.assert_array_equal(one.shared_features_, all_at_once.shared_features_)
        assert (one.n_pairs_, one.n_tied_pairs_) == (all_at_once.n_pairs_, whole.n_tied_pairs_)


def test_leaks_are_told():
    X, y = table()
    blocks = cut(X, y, 2)
    ranker = trained(RankRecomposer(SGD), blocks)
    ranker.predict(X)  # the training table itself
    for block, _ in blocks:
        ranker = trained(RankRecomposer(SGD), blocks)
        with pytest.warns(SegmentLeakWarning):
            ranker.predict(block)
        ranker.partial_fit(*blocks[0])
        with pytest.warns(SegmentLeakWarning):  # of a new fit, anew
            ranker.predict(block)
        ranker.predict(block)


@pytest.mark.parametrize("estimator", [
    None, LogisticRegression(), make_pipeline(PairDifference(), LogisticRegression()),
    make_pipeline(QuantileTransformer(), SGD), make_pipeline("passthrough", SGD),
])  # fmt: skip
def test_classifiers_that_cannot_have_no_such_method(estimator):
    ranker = RankRecomposer(estimator)
    assert not hasattr(ranker, "partial_fit")
    with pytest.raises(AttributeError) as error:
        ranker.partial_fit(*table())
    assert "fit_blocks; anything else by fit(X, y), with max_pairs" in str(error.value.__cause__)


def test_plain_arrays_have_no_blocks():
    assert not hasattr(RankRecomposer(SGD, item_level=None), "partial_fit")


def spoiled():
    X, y = table(n_segments=5)
    return {
        "NaN": (X.mask(X > 1e4), y, "'d' has NaN"),
        "text": (X.assign(a="x"), y, "numbers"),
        "no index": (X.to_numpy(), y, "index"),
        "no rows": (X[:0], y[:0], "0 sample"),
        "other columns": (X.iloc[:, :2], y, "features|feature names"),
        "ties only": (X, y * 0, "No pair to learn from"),
        "no y": (X, None, "y is None"),
    }


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("name", spoiled())
def test_bad_blocks_are_refused_and_change_nothing(name, again):
    X, y, message = spoiled()[name]
    ranker = RankRecomposer(ESTIMATORS["of scaled differences"])
    if again:
        trained(ranker, cut(*table(), 2))
    elif name == "other columns":
        return
    before = pickle.dumps(vars(ranker))
    with pytest.raises(ValueError, match=message):
        ranker.partial_fit(X, y)
    assert pickle.dumps(vars(ranker)) == before


@pytest.mark.parametrize("names", NAMES)
def test_what_is_interrupted_changes_nothing(monkeypatch, names):
    (X, y), *others = cut(*table(NAMES[names]), 3)
    ranker = RankRecomposer(ESTIMATORS["of scaled differences"]).partial_fit(X, y)
    before = pickle.dumps(vars(ranker))
    with monkeypatch.context() as patch:
        patch.setattr(RankRecomposer, "_check_classifier", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):  # the classifier has learnt by then
            ranker.partial_fit(*others[0])
    assert pickle.dumps(vars(ranker)) == before
    again = trained(RankRecomposer(ESTIMATORS["of scaled differences"]), [(X, y), *others])
    weights = trained(ranker, others).estimator_[-1].coef_
    np.testing.assert_array_equal(weights, again.estimator_[-1].coef_)


@pytest.mark.parametrize(("options", "message"), [
    ({"ties": "model"}, "ties must be 'drop'"), ({"max_pairs": 9}, "max_pairs must be None"),
    ({"empty": "fifths"}, "found 'fifths'"),
    ({"recomposition": "x"}, "recomposition"),
])  # fmt: skip
def test_what_cannot_be_honoured_is_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        RankRecomposer(SGD, **options).partial_fit(*table())


def test_a_classifier_without_probabilities():
    with pytest.raises(TypeError, match="predict_proba"):
        RankRecomposer(Perceptron()).partial_fit(*table())
    X, y = table()
    trained(RankRecomposer(Perceptron(), recomposition="hard"), cut(X, y, 3)).predict(X)


def test_an_index_level_is_asked_for():
    X, y = table()
    with pytest.raises(CandidateError, match="level"):
        RankRecomposer(SGD).partial_fit(X.droplevel("system"), y.droplevel("system"))
