"""What an adversary found: each of these once gave a wrong number, or crashed deep inside."""

import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from network_by_hand import make_pairs
from sklearn.inspection import permutation_importance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import PairwiseNN, RankRecomposer, kendall_tau_scorer
from sklearn_mteval.neural import EncoderOptions
from sklearn_mteval.neural.pairwise.saved_state import pack_tensors, unpack_tensors
from sklearn_mteval.pairwise import decompose

FAST = {"max_epochs": 4, "random_state": 0}
ALL = {"validation_fraction": None, **FAST}


def candidates(n_segments=12):
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product(
        [range(n_segments), ["a", "b", "c"]], names=["segment", "system"]
    )
    X = pd.DataFrame(
        rng.normal(size=(len(index), 5)),
        index=index,
        columns=[f"hypothesis_emb{k}" for k in (0, 1)]
        + [f"reference_emb{k}" for k in (0, 1)]
        + ["bleu"],
    )
    references = rng.normal(size=(n_segments, 2)).repeat(3, axis=0)
    X.iloc[:, 2:4] = references
    return X, pd.Series(rng.permutation(len(X)), index=index)


def texts(n=40, empty=True):
    rng = np.random.default_rng(0)
    words = np.array(["good", "bad", "cat", "sat"])
    t1, t2, r = ([" ".join(rng.choice(words, 5)) for _ in range(n)] for _ in range(3))
    labels = np.array([a.count("good") > b.count("good") for a, b in zip(t1, t2, strict=True)])
    if empty:
        t1[3] = ""
    columns = [f"{half}__{role}" for half in ("t1", "t2") for role in ("hypothesis", "reference")]
    return pd.DataFrame(dict(zip(columns, (t1, r, t2, r), strict=True))), labels


def test_names_and_segments_pass_through_a_pipeline_within_the_ranker():
    X, y = candidates()
    ranker = RankRecomposer(make_pipeline(StandardScaler(), PairwiseNN(**FAST))).fit(X, y)
    net = ranker.estimator_[-1]
    assert {role: len(at) for role, at in net.column_roles_.items() if at is not None} == {
        "hypothesis": 2,
        "reference": 2,
        "similarity": 1,
    }
    assert net.validation_segments_


@pytest.mark.parametrize("kind", ["average", "cnn", "lstm", "bilstm"])
def test_empty_texts_and_short_windows(kind):
    X, y = texts()
    encoder = EncoderOptions(kind, n_dimensions=4, n_units=3, window=1, pool=1)
    net = PairwiseNN(encoder=encoder, **ALL).fit(X, y)
    assert np.isfinite(net.decision_function(X)).all()


@pytest.mark.parametrize("solver", ["torch", "numba"])
def test_divergence_in_the_last_step(solver):
    X, y = make_pairs()
    net = PairwiseNN(learning_rate=1e38, batch_size=1000, solver=solver, **ALL | {"max_epochs": 1})
    with pytest.raises(FloatingPointError, match="diverged in epoch 1"), np.errstate(all="ignore"):
        net.set_params(learning_rate=3e38).fit(X * 1e3, y)


def test_a_failed_refit_leaves_the_old_model():
    X, y = make_pairs()
    net = PairwiseNN(**ALL).fit(X, y)
    before = net.predict(X)
    with pytest.raises(ValueError, match="validation must be"):
        net.fit(X, np.array(["a", "b"])[y], validation=3)
    np.testing.assert_array_equal(net.predict(X), before)


def test_the_kept_epoch_after_going_on():
    X, y = make_pairs(20)
    net = PairwiseNN(warm_start=True, validation_fraction=0.3, patience=None, **FAST).fit(X, y)
    for _ in range(3):
        net.fit(X, y)
        taus = [epoch["tau"] for epoch in net.history_]
        assert taus[net.best_epoch_ - 1] == max(taus)


def test_partial_fit_is_one_epoch_and_keeps_the_segments_in_mind():
    X, y = make_pairs(20)
    net = PairwiseNN(loss="logistic+kendall", **FAST)
    net.partial_fit(X, y).partial_fit(X, y)
    assert [epoch["objective"] for epoch in net.history_] == ["logistic", "kendall"]
    net = PairwiseNN(warm_start=True, **FAST).fit(X, y)
    held_out = net.validation_segments_
    assert net.partial_fit(X, y).fit(X, y).validation_segments_ == held_out


def test_interrupted_before_there_is_anything_to_keep(monkeypatch):
    def epoch(self, order):
        raise KeyboardInterrupt

    solver = "sklearn_mteval.neural.pairwise.solvers.CompiledSolver"
    monkeypatch.setattr(f"{solver}.epoch", epoch)
    with pytest.raises(KeyboardInterrupt):
        PairwiseNN(**ALL).fit(*make_pairs())


@pytest.mark.parametrize("scale", [0.0, 1e-6, 1e3])
def test_equal_references_of_any_size_are_equal(scale):
    X, y = make_pairs()
    small = X.copy()
    references = [name for name in X.columns if "reference" in name]
    small[references] *= scale
    net = PairwiseNN(**ALL).fit(small, y)
    assert np.isfinite(net.decision_function(X)).all()
    assert np.isfinite(net.decision_function(X.astype(np.float32))).all()


@pytest.mark.parametrize("kind", ["average", "cnn", "bilstm"])
def test_nobodys_settings_of_torch_are_touched(kind):
    X, y = texts()
    encoder = EncoderOptions(kind, n_dimensions=4, n_units=3, dropout=0.3)
    seed = torch.random.get_rng_state()
    n_threads = torch.get_num_threads()
    first = PairwiseNN(encoder=encoder, **ALL).fit(X, y)
    assert torch.equal(torch.random.get_rng_state(), seed)
    assert torch.get_num_threads() == n_threads
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            second = PairwiseNN(encoder=encoder, **ALL).fit(X, y)
    finally:
        torch.set_default_dtype(torch.float32)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (lambda X: X.iloc[:0], "0 sample"),
        (lambda X: pd.DataFrame(np.zeros(X.shape), columns=X.columns), "expected a string"),
        (lambda X: X.to_numpy(), "columns of texts"),
    ],
)
def test_tables_that_hold_no_texts(table, problem):
    X, y = texts()
    net = PairwiseNN(encoder="average", **ALL).fit(X, y)
    table = table(X)
    with pytest.raises(ValueError, match=problem):
        net.predict(table)
    with pytest.raises(ValueError, match="0 sample"):
        PairwiseNN(encoder="average", **ALL).fit(X.iloc[:0], y[:0])


def test_permutation_importance_mixes_references():
    X, y = candidates()
    ranker = RankRecomposer(PairwiseNN(**FAST)).fit(X, y)
    with pytest.warns(UserWarning, match="different references"):
        found = permutation_importance(
            ranker, X, y, scoring=kendall_tau_scorer, n_repeats=1, random_state=0
        )
    assert np.isfinite(found.importances).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("validation_segments", 5),
        ("validation_segments", "12"),
        ("device", None),
        ("column_roles", {"hypothesis": "("}),
        ("column_roles", {"hypothesis": 99}),
        ("column_roles", 3),
        ("encoder", 3),
        ("encoder", EncoderOptions(dropout=None)),
        ("encoder", EncoderOptions(n_units=True)),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=name if name != "encoder" else "encoder|EncoderOptions"):
        PairwiseNN(**{name: value}, **FAST).fit(*make_pairs())


def test_two_ways_to_hold_out():
    X, y = make_pairs()
    with pytest.raises(ValueError, match="not both"):
        PairwiseNN(validation_segments=[1], **FAST).fit(X, y, validation=(X, y))


def tampered(net, change):
    state = net.__getstate__()
    tensors = unpack_tensors(state["_tensors"])
    change(tensors)
    state["_tensors"] = pack_tensors(tensors)
    return state


@pytest.mark.parametrize("name", ["encoder.body.weight", "encoder.change", "encoder.initial"])
@pytest.mark.parametrize("how", ["missing", "shorter"])
def test_an_encoder_with_other_weights_is_refused(name, how):
    X, y = texts()
    net = PairwiseNN(encoder=EncoderOptions("cnn", n_dimensions=4, n_units=3), **ALL).fit(X, y)

    def change(tensors):
        if how == "missing":
            del tensors[name]
        else:
            tensors[name] = tensors[name][:-1]

    with pytest.raises(ValueError, match="do not fit"):
        PairwiseNN().__setstate__(tampered(net, change))


def test_the_same_seed_gives_the_same_bytes():
    X, y = make_pairs()
    first, second = (pickle.dumps(PairwiseNN(**FAST).fit(X, y)) for _ in range(2))
    assert first == second


def test_pairs_of_texts_with_decompose():
    index = pd.MultiIndex.from_product([range(9), ["a", "b"]], names=["segment", "system"])
    X = pd.DataFrame(
        {
            "hypothesis": ["good a", "bad a", "good b", "bad b"] * 4 + ["good c", "bad c"],
            "reference": [f"fine {line}" for line in range(9) for _ in "ab"],
        },
        index=index,
    )
    pairs, labels = decompose(X, [1, 2] * 9)
    net = PairwiseNN(
        encoder=EncoderOptions(n_dimensions=3), learning_rate=0.1, max_epochs=30, random_state=0
    )
    assert net.fit(pairs, labels).score(pairs, labels) == 1


@pytest.mark.parametrize(
    "name", ["max_epochs", "hidden_units", "batch_size", "patience", "n_threads"]
)
def test_counts_beyond_reason(name):
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [1, 0]
    with pytest.raises(ValueError, match=rf"{name}.* must be an integer >= 1 and <= 1000000"):
        PairwiseNN(**{name: 10**30}).fit(X, y)


@pytest.mark.parametrize("name", ["architecture", "loss", "solver"])
@pytest.mark.parametrize("value", [{}, [], None, 3, np.array(["a", "b"])])
def test_names_of_another_kind(name, value):
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [1, 0]
    with pytest.raises(ValueError, match=rf"{name} .*found "):
        PairwiseNN(**{name: value}).fit(X, y)
