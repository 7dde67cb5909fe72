"""Both solvers against each other, and against Adagrad in plain loops."""

import numpy as np
import pytest
import torch
from network_by_hand import ARCHITECTURES, OBJECTIVES, adagrad, input_row, make_pairs, parts_of_row

from sklearn_mteval import PairwiseNN
from sklearn_mteval.neural.pairwise import compiled_gradients
from sklearn_mteval.neural.pairwise.architectures import InputLayout, connections, initial_weights
from sklearn_mteval.neural.pairwise.solvers import CompiledSolver
from sklearn_mteval.neural.pairwise.torch_solver import PairNetwork, Pairs, TorchSolver

KERNELS = ("slope", "_sigmoid", "_activate", "_propagate", "adagrad", "run_epoch")
SOLVERS = ["numba", "torch"]
CONSTANTS = {"gamma": 100.0, "beta": 100.0}  # γ and β of the 2015 paper, section 6


@pytest.fixture
def uncompiled(monkeypatch):
    """The kernels as Python, so that coverage sees their lines."""
    functions = {name: getattr(compiled_gradients, name).py_func for name in KERNELS}
    for name, function in functions.items():
        monkeypatch.setattr(compiled_gradients, name, function)


def make_solver(kind, X, signs, network, *, symmetric=False, batch_size=4, lr=0.01, l2=1e-4):
    X = np.array(X, dtype=np.float32)
    costs = {"symmetric": symmetric, **CONSTANTS}
    if kind == "numba":
        return CompiledSolver(X, signs, batch_size, network, costs=costs, lr=lr, l2=l2)
    return TorchSolver(
        PairNetwork(*network, both=True),
        Pairs(X, signs, batch_size, "cpu"),
        costs=costs,
        lr=lr,
        l2=l2,
        penalties=(0.0, 0.0),
        device="cpu",
    )


def problem(architecture, *, n=10, seed=0):
    """Rows (d = 2, k = 1), signs, the network, weights to start from, 3 epochs' orders."""
    rng = np.random.RandomState(seed)
    X, y = make_pairs(4, seed=seed)
    rows = [parts_of_row(row, 2, 2, 1) for row in X.to_numpy(np.float32)[:n]]
    network = (architecture, InputLayout(2, 2, 1), 2)
    weights = initial_weights(connections(*network), rng)
    orders = [rng.permutation(n) for _ in range(3)]
    return rows, np.where(y[:n], 1.0, -1.0), network, weights, orders


def check_against_loops(kind, architecture, objective, symmetric, *, l2=0.01):
    rows, signs, network, weights, orders = problem(architecture)
    solver = make_solver(
        kind, [input_row(r) for r in rows], signs, network, symmetric=symmetric, l2=l2
    )
    solver.restore(solver.state() | weights)
    solver.objective = objective
    for order in orders:
        solver.epoch(order)
    found = solver.state()
    expected = {name: values.astype(np.float64) for name, values in weights.items()}
    oracle = (architecture, 2)
    options = {"order": orders, "batch_size": 4, "lr": 0.01, "l2": l2}  # 4 + 4 + 2 rows
    squares = adagrad(rows, signs, expected, oracle, objective, symmetric, **options)
    assert np.abs(expected["weight"] - weights["weight"]).max() > 0.01
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=2e-5, err_msg=name)
        np.testing.assert_allclose(
            found[f"squares.{name}"], squares[name], rtol=2e-3, atol=1e-6, err_msg=name
        )


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_steps_are_adagrads_of_the_penalised_cost(kind, architecture, objective, symmetric):
    check_against_loops(kind, architecture, objective, symmetric)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_kernels_as_python(objective, symmetric):
    check_against_loops("numba", "pairwise", objective, symmetric)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "kendall", "logistic+kendall"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_torch_and_numba_give_the_same_parameters(architecture, loss, symmetric):
    X, y = make_pairs(20, d=4, k=2)
    nets = [
        PairwiseNN(
            architecture=architecture,
            loss=loss,
            symmetric=symmetric,
            solver=solver,
            max_epochs=2,
            validation_fraction=None,
            random_state=0,
        ).fit(X, y)
        for solver in SOLVERS
    ]
    compiled, torched = nets
    assert compiled.weights_.keys() == torched.weights_.keys()
    for name, values in compiled.weights_.items():
        np.testing.assert_allclose(values, torched.weights_[name], rtol=0, atol=1e-6, err_msg=name)
    for one, other in zip(compiled.history_, torched.history_, strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-5)
        assert one["objective"] == other["objective"]


@pytest.mark.parametrize("kind", SOLVERS)
def test_the_loss_of_an_epoch_is_the_mean_before_each_step(kind):
    rows, signs, network, weights, _ = problem("single-layer", n=6)
    solver = make_solver(kind, [input_row(r) for r in rows], signs, network, batch_size=10, l2=0.5)
    solver.restore(solver.state() | weights)
    solver.objective = "logistic"
    logits = (
        np.array([input_row(r) for r in rows]) @ weights["weight"][:, 0]
    )  # the penalty is not in
    expected = np.mean(np.log1p(np.exp(-signs * logits)))  # the penalty is not in
    assert solver.epoch(np.arange(6)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", SOLVERS)
def test_smaller_last_batches_weigh_in_by_their_rows(kind):
    rows, signs, network, weights, _ = problem("single-layer", n=5)
    tiny = make_solver(
        kind, [input_row(r) for r in rows], signs, network, batch_size=4, lr=1e-12, l2=0
    )
    tiny.restore(tiny.state() | weights)
    tiny.objective = "logistic"
    logits = np.array([input_row(r) for r in rows]) @ weights["weight"][:, 0]
    expected = np.mean(np.log1p(np.exp(-signs * logits)))  # not the mean of 4 rows' and 1 row's
    assert tiny.epoch(np.arange(5)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", SOLVERS)
def test_weights_are_penalised_and_biases_are_not(kind):
    # All inputs zero and labels balanced: without the penalty nothing would move a weight
    # of an input, and at output weights of zero nothing moves a hidden unit's bias.
    network = ("pairwise", InputLayout(2, 2, 1), 2)
    connected = connections(*network)
    solver = make_solver(kind, np.zeros((2, 8)), np.array([1.0, -1.0]), network, l2=0.1)
    start = {
        "weight": connected.astype(np.float32),
        "bias": np.array([1, 1, 1, 1, 1, 1, 0], dtype=np.float32),
        "output_weight": np.zeros(6, dtype=np.float32),
    }
    solver.restore(solver.state() | start)
    solver.objective = "logistic"
    solver.epoch(np.arange(2))
    found = solver.state()
    # Adagrad's first step is lr, whatever the gradient's size.
    np.testing.assert_allclose(found["weight"][connected], 1 - 0.01, rtol=1e-5)
    np.testing.assert_allclose(found["squares.weight"][connected], 0.1**2, rtol=1e-5)
    np.testing.assert_array_equal(found["bias"], start["bias"])
    np.testing.assert_array_equal(found["weight"][~connected], 0)


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_new_objective_keeps_the_optimisers_memory(kind):
    rows, signs, network, weights, orders = problem("pairwise")
    solver = make_solver(kind, [input_row(r) for r in rows], signs, network)
    solver.restore(solver.state() | weights)
    solver.objective = "logistic"
    solver.epoch(orders[0])
    kept = solver.state()
    assert kept["squares.weight"].any()
    solver.objective = "kendall"
    for name, values in solver.state().items():
        np.testing.assert_array_equal(values, kept[name])


@pytest.mark.parametrize("kind", SOLVERS)
def test_states_are_copies_that_bring_everything_back(kind):
    rows, signs, network, weights, orders = problem("pairwise")
    solver = make_solver(kind, [input_row(r) for r in rows], signs, network)
    solver.restore(solver.state() | weights)
    solver.objective = "logistic"
    solver.epoch(orders[0])
    state = solver.state()
    before = {name: values.copy() for name, values in state.items()}
    solver.epoch(orders[1])
    after = solver.state()
    assert any((after[name] != before[name]).any() for name in before)
    for name in before:
        np.testing.assert_array_equal(state[name], before[name])
    solver.restore(state)
    solver.epoch(orders[1])
    for name, values in after.items():
        np.testing.assert_array_equal(solver.state()[name], values)


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("wanted", [1, None])
def test_threads_are_the_callers_choice_and_given_back(kind, wanted):
    X, y = make_pairs(4)
    seen, before = [], torch.get_num_threads()
    net = PairwiseNN(solver=kind, n_threads=wanted, max_epochs=2, validation_fraction=None)
    solver_class = TorchSolver if kind == "torch" else CompiledSolver
    original = solver_class.epoch

    def epoch(self, order):
        seen.append(torch.get_num_threads())
        return original(self, order)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver_class, "epoch", epoch)
        net.fit(X, y)
    assert len(seen) == 2
    assert torch.get_num_threads() == before
    if kind == "torch":
        assert seen == [wanted or before] * 2
