"""PairwiseNN as a scikit-learn classifier: labels, input, seeds, going on, searching."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from network_by_hand import make_pairs
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval import PairwiseNN, RankRecomposer, SegmentKFold, kendall_tau_scorer

SOLVERS = pytest.mark.parametrize("solver", ["numba", "torch"])
FAST = {"solver": "numba", "max_epochs": 4, "validation_fraction": None, "random_state": 0}


LABELS = {
    "int64": np.array([0, 1]),
    "int8": np.array([-1, 1], dtype=np.int8),
    "bool": np.array([False, True]),
    "float": np.array([0.0, 1.0]),
    "strings": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
}


@SOLVERS
@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type(solver, kind):
    X, y = make_pairs(6)
    options = FAST | {"solver": solver}
    plain = PairwiseNN(**options).fit(X, y)
    for labels in (LABELS[kind][y], pd.Series(LABELS[kind][y], index=X.index)):
        net = PairwiseNN(**options).fit(X, labels)
        assert net.classes_.tolist() == LABELS[kind].tolist()
        decided = net.predict(X)
        assert decided.dtype == net.classes_.dtype
        np.testing.assert_array_equal(decided, LABELS[kind][plain.predict(X)])
        np.testing.assert_array_equal(net.predict_proba(X), plain.predict_proba(X))
        assert net.score(X, labels) == plain.score(X, y)


@SOLVERS
def test_numbers_of_any_type(solver):
    X, y = make_pairs(10)
    X = (X * 4).round()  # whole numbers, exact in all types
    options = FAST | {"solver": solver}
    expected = PairwiseNN(**options).fit(X, y).predict_proba(X)
    for dtype in (np.float32, np.int64, np.int8):
        net = PairwiseNN(**options).fit(X.astype(dtype), y)
        np.testing.assert_allclose(net.predict_proba(X), expected, rtol=1e-12)
        np.testing.assert_allclose(net.predict_proba(X.astype(dtype)), expected, rtol=1e-4)
    mixed = X.astype({X.columns[0]: np.float32, X.columns[3]: np.int64})
    np.testing.assert_allclose(
        PairwiseNN(**options).fit(mixed, y).predict_proba(mixed), expected, rtol=1e-12
    )


@SOLVERS
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 1, 3, 5])  # similarity, embedding, reference, t2's
def test_nan_and_infinity(solver, bad, column):
    X, y = make_pairs(6)
    net = PairwiseNN(**FAST | {"solver": solver}).fit(X, y)
    X.iloc[4, column] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity|different references"):
        net.fit(X, y)
    for dtype in (np.float64, np.float32):
        for method in (net.predict, net.predict_proba, net.decision_function):
            with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
                method(X.astype(dtype))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (lambda y: y * 0 + 1, "two classes, t1 is worse or better; y has 1 class: .1."),
        (lambda y: np.arange(len(y)) % 3, "Only binary classification is supported.* 3 classes"),
        (lambda y: y[1:], "inconsistent numbers of samples"),
        (lambda y: y + np.where(np.arange(len(y)) == 3, np.nan, 0), "NaN"),
        (lambda y: y + 0.5 * np.arange(len(y)), r"Unknown label type|continuous"),
        (lambda y: None, "requires y to be passed"),
    ],
)
def test_labels_that_are_none(labels, message):
    X, y = make_pairs(4)
    with pytest.raises(ValueError, match=message):
        PairwiseNN(**FAST).fit(X, labels(y))


@pytest.mark.parametrize(
    "wrong",
    [
        {"hidden_units": 0},
        {"hidden_units": 2.0},
        {"architecture": "deep"},
        {"loss": "hinge"},
        {"solver": "sgd"},
        {"max_epochs": 0},
        {"patience": 0},
        {"batch_size": 0},
        {"batch_size": True},
        {"learning_rate": 0},
        {"learning_rate": np.inf},
        {"l2": -1e-9},
        {"validation_fraction": 1.0},
        {"validation_fraction": -0.1},
        {"n_threads": 0},
        {"encoder": "gru"},
        {"encoder": 3},
        {"device": "cuda"},  # with the compiled solver
    ],
)
def test_parameters_out_of_range_are_named(wrong):
    X, y = make_pairs(4)
    (name,) = wrong
    with pytest.raises(ValueError, match="kind" if wrong == {"encoder": "gru"} else name):
        PairwiseNN(**FAST | wrong).fit(X, y)


@SOLVERS
def test_the_same_seed_gives_the_same_bits(solver):
    X, y = make_pairs(12)
    options = FAST | {"solver": solver, "validation_fraction": 0.2, "loss": "logistic+kendall"}
    nets = [PairwiseNN(**options | {"random_state": seed}).fit(X, y) for seed in (7, 7, 8)]
    nets.append(PairwiseNN(**options | {"random_state": np.random.RandomState(7)}).fit(X, y))
    bits = [net.predict_proba(X).tobytes() for net in nets]
    assert bits[0] == bits[1] == bits[3] != bits[2]


def test_global_random_states_are_neither_used_nor_changed():
    import torch

    def states():
        of_numpy = np.random.get_state()[1]  # noqa: NPY002
        return of_numpy.tobytes(), torch.get_rng_state().numpy().tobytes()

    X, y = make_pairs(6)
    bits = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        torch.manual_seed(seed)
        before = states()
        net = PairwiseNN(**FAST | {"solver": "torch"}).fit(X, y)
        assert states() == before
        bits.append(net.predict_proba(X).tobytes())
    assert bits[0] == bits[1]


@SOLVERS
def test_a_batch_larger_than_the_data(solver):
    X, y = make_pairs(3)
    nets = [PairwiseNN(**FAST | {"solver": solver, "batch_size": n}) for n in (18, 10_000)]
    one, other = (net.fit(X, y).predict_proba(X) for net in nets)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
@SOLVERS
def test_copies_decide_alike_and_go_on_alike(solver, copied):
    X, y = make_pairs(8)
    net = PairwiseNN(**FAST | {"solver": solver}).fit(X, y)
    twin = copied(net)
    assert twin.predict_proba(X).tobytes() == net.predict_proba(X).tobytes()
    before = net.predict_proba(X).tobytes()
    twin.partial_fit(X, y)
    assert net.predict_proba(X).tobytes() == before != twin.predict_proba(X).tobytes()
    assert net.partial_fit(X, y).predict_proba(X).tobytes() == twin.predict_proba(X).tobytes()


def test_clones_are_not_fitted():
    X, y = make_pairs(4)
    net = PairwiseNN(**FAST).fit(X, y)
    twin = clone(net)
    assert twin.get_params() == net.get_params()
    assert not hasattr(twin, "weights_")
    assert twin.fit(X, y).predict_proba(X).tobytes() == net.predict_proba(X).tobytes()


def test_fitting_does_not_change_the_table():
    X, y = make_pairs(4)
    before, labels = X.copy(), y.copy()
    PairwiseNN(**FAST).fit(X, y).predict(X)
    pd.testing.assert_frame_equal(X, before)
    np.testing.assert_array_equal(y, labels)


@SOLVERS
def test_partial_fit_goes_on(solver):
    X, y = make_pairs(20)
    net = PairwiseNN(**FAST | {"solver": solver, "learning_rate": 0.05})
    for n in range(1, 9):
        net.partial_fit(X, y)
        assert [epoch["epoch"] for epoch in net.history_] == list(range(1, n + 1))
        assert net.best_epoch_ == n
    losses = [epoch["loss"] for epoch in net.history_]
    assert losses[-1] < losses[0]
    # The optimiser goes on, too: Adagrad's sums of squares only grow.
    assert (np.diff(losses)[1:] < 0.05).all()


def test_partial_fits_orders_are_not_all_the_same(monkeypatch):
    from sklearn_mteval.neural.pairwise.solvers import CompiledSolver

    orders, original = [], CompiledSolver.epoch
    monkeypatch.setattr(
        CompiledSolver,
        "epoch",
        lambda s, order: (orders.append(tuple(order)), original(s, order))[1],
    )
    X, y = make_pairs(6)
    net = PairwiseNN(**FAST)
    for _ in range(5):
        net.partial_fit(X, y)
    assert len(set(orders)) == 5


def test_partial_fit_with_classes():
    X, y = make_pairs(8)
    net = PairwiseNN(**FAST)
    with pytest.raises(ValueError, match="y has 1 class"):
        net.partial_fit(X[y == 1], y[y == 1])
    net.partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    before = net.predict_proba(X)[:, 1].mean()
    for _ in range(5):
        net.partial_fit(X[y == 0], y[y == 0])
    assert net.predict_proba(X)[:, 1].mean() < before
    with pytest.raises(ValueError, match=r"label 2; the classes are \[0, 1\]"):
        net.partial_fit(X, y + 1)


@SOLVERS
def test_warm_start_goes_on(solver):
    X, y = make_pairs(20)
    net = PairwiseNN(warm_start=True, **FAST | {"solver": solver}).fit(X, y)
    first = net.history_[-1]["loss"]
    start = net.predict_proba(X)
    net.set_params(learning_rate=1e-12).fit(X, y)  # starts where it ended
    np.testing.assert_allclose(net.predict_proba(X), start, atol=1e-6)
    net.set_params(learning_rate=0.01, loss="logistic+kendall").fit(
        X, y
    )  # the second objective only
    assert [epoch["epoch"] for epoch in net.history_] == list(range(1, 13))
    assert [epoch["objective"] for epoch in net.history_[8:]] == ["kendall"] * 4
    assert net.history_[7]["loss"] < first
    net.set_params(warm_start=False).fit(X, y)
    assert len(net.history_) == 8


@pytest.mark.parametrize(
    "change",
    [
        {"hidden_units": 5},
        {"architecture": "fully-connected"},
        {"column_roles": {"reference": []}},
        {"column_roles": {"hypothesis": [2, 1]}},
    ],
)
def test_training_cannot_go_on_with_another_network(change):
    X, y = make_pairs(6)
    net = PairwiseNN(warm_start=True, **FAST).fit(X, y).set_params(**change)
    with pytest.raises(ValueError, match="Training cannot go on"):
        net.fit(X, y)


@SOLVERS
@pytest.mark.parametrize("loss", ["logistic", "kendall", "logistic+kendall"])
@pytest.mark.parametrize("architecture", ["pairwise", "fully-connected", "single-layer"])
def test_symmetric_probabilities_of_both_directions_add_up_to_one(solver, loss, architecture):
    X, y = make_pairs(8)
    options = FAST | {"solver": solver, "loss": loss, "architecture": architecture}
    back = X.iloc[:, [*range(5, 10), *range(5)]].set_axis(X.columns, axis=1)
    net = PairwiseNN(symmetric=True, **options).fit(X, y)
    assert net.antisymmetric_ is True
    total = net.predict_proba(X)[:, 1] + net.predict_proba(back)[:, 1]
    np.testing.assert_allclose(total, 1, rtol=0, atol=1e-15)
    single = [table.astype(np.float32) for table in (X, back)]
    total = sum(net.predict_proba(table)[:, 1] for table in single)
    np.testing.assert_allclose(total, 1, rtol=0, atol=1e-6)
    assert np.ptp(net.predict_proba(X)[:, 1]) > 0.01
    free = PairwiseNN(**options).fit(X, y)
    assert free.antisymmetric_ is False
    assert np.abs(free.predict_proba(X)[:, 1] + free.predict_proba(back)[:, 1] - 1).max() > 1e-3


def test_antisymmetry_is_that_of_the_fit():
    X, y = make_pairs(4)
    net = PairwiseNN(**FAST).fit(X, y).set_params(symmetric=True)
    assert net.antisymmetric_ is False  # its weights predict as they did
    assert net.fit(X, y).antisymmetric_ is True


def test_probabilities_decisions_and_logits_agree():
    X, y = make_pairs(8)
    net = PairwiseNN(**FAST | {"learning_rate": 0.1}).fit(X, y)
    logits, p = net.decision_function(X), net.predict_proba(X)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-logits)), rtol=1e-12)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(net.predict(X), logits > 0)
    assert net.score(X, y) > 0.8


@SOLVERS
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "kendall", "logistic+kendall"])
def test_every_loss_goes_down(solver, loss, symmetric):
    X, y = make_pairs(40, seed=2)
    options = FAST | {"solver": solver, "loss": loss, "max_epochs": 20, "learning_rate": 0.05}
    net = PairwiseNN(symmetric=symmetric, **options).fit(X, y)
    if loss != "kendall":  # flat far from its minimum: "poor initialization" (section 6)
        assert net.score(X, y) > 0.8
    assert net.history_[-1]["loss"] < net.history_[0]["loss"]


@pytest.mark.parametrize("loss", ["logistic", "logistic+kendall"])
def test_learns_what_needs_a_hidden_layer(loss):
    # t1 is better where it is nearer to the reference, which no single layer can tell.
    rng = np.random.default_rng(0)
    r = rng.choice([-1.0, 1.0], 400)
    a, b = rng.uniform(-1, 1, (2, 400))
    X = np.column_stack([a, r, b, r])
    y = (a - b) * r > 0
    options = FAST | {"loss": loss, "max_epochs": 60, "learning_rate": 0.1}
    options |= {"column_roles": {"hypothesis": [0], "reference": [1]}, "l2": 0}
    assert PairwiseNN(**options).fit(X, y).score(X, y) > 0.9
    assert PairwiseNN(architecture="single-layer", **options).fit(X, y).score(X, y) < 0.65


def test_grid_search_over_units_and_loss(numbers):
    X, y = numbers
    X = X.set_axis(["hypothesis_emb0", "hypothesis_emb1", "bleu"], axis=1)
    net = PairwiseNN(**FAST | {"validation_fraction": 0.2})
    pipeline = Pipeline(
        [("scale", MinMaxScaler((-1, 1))), ("rank", RankRecomposer(make_pipeline(net)))]
    ).set_output(transform="pandas")
    grid = {
        "rank__estimator__pairwisenn__hidden_units": [1, 3],
        "rank__estimator__pairwisenn__loss": ["logistic", "kendall"],
    }
    search = GridSearchCV(pipeline, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(3)).fit(X, y)
    assert len(search.cv_results_["mean_test_score"]) == 4
    best = search.best_estimator_["rank"].estimator_[-1]
    assert best.hidden_units == search.best_params_["rank__estimator__pairwisenn__hidden_units"]
    assert best.n_validation_pairs_ > 0
    assert best.column_roles_["hypothesis"].tolist() == [0, 1]
    assert search.best_score_ > 0.1
