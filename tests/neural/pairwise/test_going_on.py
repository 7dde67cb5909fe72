"""What stays the same when training goes on, is saved, or is set up by itself."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from network_by_hand import make_pairs

from sklearn_mteval import PairwiseNN, load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.neural import EncoderOptions
from sklearn_mteval.neural.pairwise.saved_state import check_weights
from sklearn_mteval.pairwise import decompose

FAST = {"max_epochs": 4, "random_state": 0, "patience": None}


def texts(n=40):
    rng = np.random.default_rng(0)
    words = np.array(["good", "bad", "cat", "sat"])
    t1, t2, r = ([" ".join(rng.choice(words, 5)) for _ in range(n)] for _ in range(3))
    columns = [f"{half}__{role}" for half in ("t1", "t2") for role in ("hypothesis", "reference")]
    X = pd.DataFrame(dict(zip(columns, (t1, r, t2, r), strict=True)))
    return X, np.array([a.count("good") > b.count("good") for a, b in zip(t1, t2, strict=True)])


@pytest.mark.parametrize("solver", ["torch", "numba"])
def test_the_same_segments_are_held_out_again(solver):
    X, y = make_pairs(20)
    net = PairwiseNN(warm_start=True, validation_fraction=0.2, solver=solver, **FAST).fit(X, y)
    first = net.validation_segments_
    assert len(first) == 4
    net.fit(X, y)
    assert net.validation_segments_ == first
    assert len(net.history_) == 8
    net.fit(X.drop(first, level="segment"), y[~X.index.get_level_values("segment").isin(first)])
    assert net.validation_segments_  # others, where those are not there
    assert not set(net.validation_segments_) & set(first)


def test_going_on_never_makes_it_worse_on_the_held_out_segments():
    X, y = make_pairs(40)
    options = {**FAST, "max_epochs": 40, "learning_rate": 0.1, "warm_start": True}
    net = PairwiseNN(**options).fit(X, y, validation=(X, y))
    kept, before = net.best_epoch_, net.predict_proba(X)
    best = net.history_[kept - 1]["tau"]
    net.fit(X, 1 - y, validation=(X, y))  # the contrary of what is right
    assert all(epoch["tau"] < best for epoch in net.history_[-20:])
    assert net.history_[net.best_epoch_ - 1]["tau"] == max(e["tau"] for e in net.history_)
    assert net.best_epoch_ == kept
    np.testing.assert_array_equal(net.predict_proba(X), before)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "cnn"},
        {"fine_tuning": "moderate"},
        {"lowercase": False},
    ],
)
def test_another_encoder_is_another_network(change):
    X, y = texts()
    encoder = EncoderOptions("average", n_dimensions=4)
    net = PairwiseNN(encoder=encoder, warm_start=True, validation_fraction=None, **FAST).fit(X, y)
    net.set_params(**{f"encoder__{name}": value for name, value in change.items()})
    with pytest.raises(ValueError, match="Training cannot go on"):
        net.fit(X, y)
    with pytest.raises(ValueError, match="Training cannot go on"):
        net.set_params(encoder=None, column_roles={"hypothesis": []}).partial_fit(
            pd.DataFrame(np.zeros((2, 4)), columns=X.columns), [0, 1]
        )


def test_parameters_set_after_fit_do_not_change_predictions():
    X, y = make_pairs(10)
    net = PairwiseNN(validation_fraction=None, **FAST).fit(X, y)
    before = net.decision_function(X)
    net.set_params(symmetric=True, architecture="single-layer", hidden_units=9, solver="torch")
    np.testing.assert_array_equal(net.decision_function(X), before)


def test_the_solver_is_chosen():
    X, y = make_pairs(10)
    options = {"validation_fraction": None, **FAST}
    assert PairwiseNN(**options).fit(X, y).solver_ == "numba"
    assert PairwiseNN(solver="torch", **options).fit(X, y).solver_ == "torch"
    T, labels = texts()
    frozen = EncoderOptions("average", fine_tuning="frozen", n_dimensions=4)
    assert PairwiseNN(encoder=frozen, **options).fit(T, labels).solver_ == "numba"
    assert PairwiseNN(encoder="average", **options).fit(T, labels).solver_ == "torch"
    with pytest.raises(ValueError, match="trains no encoder"):
        PairwiseNN(encoder="average", solver="numba", **options).fit(T, labels)


def test_gamma_and_beta_reach_both_solvers():
    X, y = make_pairs(10)
    options = {"loss": "kendall", "validation_fraction": None, **FAST}
    losses = {}
    for solver in ("torch", "numba"):
        for gamma, beta in ((100.0, 100.0), (5.0, 100.0), (100.0, 1e9)):
            net = PairwiseNN(solver=solver, gamma=gamma, beta=beta, **options).fit(X, y)
            losses[solver, gamma, beta] = net.history_[-1]["loss"]
    assert len({round(loss, 3) for loss in losses.values()}) == 3
    for (solver, gamma, beta), loss in losses.items():
        assert loss == pytest.approx(losses["torch", gamma, beta], abs=1e-5), solver


def test_vectors_given_as_a_path_or_a_mapping_are_saved(tmp_path):
    X, y = texts()
    path = tmp_path / "vectors.txt"
    path.write_text("good 1 0\nbad -1 0\ncat 0 1\n")
    for source in (path, {"good": [1.0, 0.0], "bad": [-1.0, 0.0]}):
        encoder = EncoderOptions(vectors=source, fine_tuning="moderate")
        net = PairwiseNN(encoder=encoder, validation_fraction=None, **FAST).fit(X, y)
        save_model(net, tmp_path / "model")
        again = load_model(tmp_path / "model")
        np.testing.assert_array_equal(again.predict_proba(X), net.predict_proba(X))
        assert isinstance(source, dict) or again.encoder.vectors == str(Path(source))


def damaged():
    good = {"weight": np.ones((3, 2)), "bias": np.ones(2), "output_weight": np.ones(1)}
    yield {k: v for k, v in good.items() if k != "bias"}, "'bias' is missing"
    yield {**good, "bias": np.ones(3)}, "do not fit together"
    yield {**good, "weight": np.ones(6)}, "do not fit together"
    yield {**good, "weight": np.ones((2, 2))}, "do not fit together"
    yield {**good, "weight": np.full((3, 2), np.nan)}, "not finite"
    yield {**good, "weight": np.ones((3, 2), dtype=np.int64)}, "not finite"


@pytest.mark.parametrize(("weights", "problem"), list(damaged()))
def test_weights_that_are_no_networks(weights, problem):
    with pytest.raises(ValueError, match=problem):
        check_weights(weights, 3)


def test_decompose_by_hand():
    index = pd.MultiIndex.from_tuples(
        [(1, "a"), (1, "b"), (1, "c"), (2, "a")], names=["segment", "system"]
    )
    X = pd.DataFrame({"x": [10.0, 20, 30, 40]}, index=index)
    pairs, labels = decompose(X, pd.Series([1, 1, 2, 1], index=index))
    assert list(pairs.columns) == ["t1__x", "t2__x"]
    found = {
        (segment, first, second, *values, label)
        for (segment, first, second), values, label in zip(
            pairs.index, pairs.to_numpy().tolist(), labels.tolist(), strict=True
        )
    }
    assert found == {
        (1, "a", "c", 10, 30, 1),
        (1, "c", "a", 30, 10, 0),
        (1, "b", "c", 20, 30, 1),
        (1, "c", "b", 30, 20, 0),
    }
    with pytest.raises(CandidateError, match="No pair to learn from"):
        decompose(X, [1, 1, 1, 1])
