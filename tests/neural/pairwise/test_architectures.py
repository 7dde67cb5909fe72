"""The forward pass, the sizes and the start, against plain loops written from the papers."""

import math

import numpy as np
import pytest
import torch
from network_by_hand import (
    ARCHITECTURES,
    OBJECTIVES,
    input_row,
    make_pairs,
    paper_output,
    parts_of_row,
    sigmoid,
    swap,
)

from sklearn_mteval import PairwiseNN
from sklearn_mteval.neural.pairwise import architectures, compiled_gradients, losses
from sklearn_mteval.neural.pairwise.architectures import (
    InputLayout,
    connections,
    initial_weights,
    n_parameters,
)
from sklearn_mteval.neural.pairwise.prediction import both_directions
from sklearn_mteval.neural.pairwise.torch_solver import PairNetwork

# d, of the reference, k: all parts, then each of them empty.
SHAPES = [(3, 3, 2), (3, 0, 2), (3, 3, 0), (0, 0, 2), (0, 3, 1), (1, 1, 1)]


def network(architecture, sizes, hidden_units=2, seed=0):
    """Weights of any size, biases too."""
    connected = connections(architecture, InputLayout(*sizes), hidden_units)
    rng = np.random.RandomState(seed)
    weights = initial_weights(connected, rng)
    weights["bias"][:] = rng.uniform(-1, 1, len(weights["bias"]))
    return connected, weights


def rows_of(sizes, n=6):
    d, r, k = sizes
    rng = np.random.default_rng(1)
    widths = (d, d, r, k, k)
    return [tuple(rng.uniform(-1, 1, size).tolist() for size in widths) for _ in range(n)]


def test_every_architecture_and_loss_has_an_oracle():
    assert set(architectures.ARCHITECTURES) == set(ARCHITECTURES)
    assert set(losses.OBJECTIVES) == set(OBJECTIVES) == set(compiled_gradients.CODES)
    assert {name for objectives in losses.LOSSES.values() for name in objectives} == set(OBJECTIVES)


@pytest.mark.parametrize("sizes", SHAPES)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_both_forward_passes_are_the_papers_equations(architecture, sizes):
    _, weights = network(architecture, sizes)
    rows = rows_of(sizes)
    forth = [paper_output(row, weights, architecture, 2) for row in rows]
    back = [paper_output(swap(row), weights, architecture, 2) for row in rows]
    assert np.ptp(forth) > 0.01
    X = np.array([input_row(row) for row in rows])
    found = both_directions(X, weights, InputLayout(*sizes))
    np.testing.assert_allclose(found, [forth, back], rtol=1e-12, atol=1e-12)

    module = PairNetwork(architecture, InputLayout(*sizes), 2, both=True).double()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(torch.from_numpy(weights[name]))
        found = module(torch.from_numpy(X))
    np.testing.assert_allclose(torch.stack(found), [forth, back], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(("d", "r", "k"), [(3, 3, 2), (2, 0, 1), (2, 2, 0)])
def test_predictions_are_the_papers_equations(architecture, d, r, k, symmetric):
    X, y = make_pairs(5, d=d, r=r, k=k)
    net = PairwiseNN(
        architecture=architecture,
        hidden_units=3,
        symmetric=symmetric,
        max_epochs=2,
        validation_fraction=None,
        solver="numba",
        random_state=0,
    ).fit(X, y)
    expected = []
    for row in X.to_numpy():
        parts = parts_of_row(row, d, r, k)
        z = paper_output(parts, net.weights_, architecture, 3)
        if symmetric:
            z -= paper_output(swap(parts), net.weights_, architecture, 3)
        expected.append([1 - sigmoid(z), sigmoid(z)])
    np.testing.assert_allclose(net.predict_proba(X), expected, rtol=1e-10)
    np.testing.assert_allclose(
        net.predict_proba(X.astype(np.float32)), expected, rtol=1e-4, atol=1e-6
    )
    np.testing.assert_array_equal(net.predict(X), [p[1] > 0.5 for p in expected])


def test_an_output_worked_by_hand():
    # One number in each part; h12 = tanh(0.5), h1r = tanh(-0.2), h2r = tanh(0.6).
    weights = {
        "weight": np.array(
            [[1, 2, 0, 0], [1, 0, 1, 0], [0, 1, -1, 0], [0, 0, 0, 10], [0, 0, 0, -10]], float
        ),
        "bias": np.array([0.1, -0.3, 0.2, 0.05]),
        "output_weight": np.array([1.0, 2.0, -1.0]),
    }
    row = ([0.1], [0.3], [-0.1], [0.2], [0.15])
    expected = math.tanh(0.5) + 2 * math.tanh(-0.2) - math.tanh(0.6) + 2 - 1.5 + 0.05
    assert paper_output(row, weights, "pairwise", 1) == pytest.approx(expected, abs=1e-12)
    z, _ = both_directions(np.array([input_row(row)]), weights, InputLayout(1, 1, 1))
    assert z[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("d", [1, 5])
@pytest.mark.parametrize("k", [0, 3])
@pytest.mark.parametrize("hidden_units", [1, 4])
def test_parameter_counts_by_formula(d, k, hidden_units):
    hu = hidden_units
    expected = {
        "pairwise": 3 * hu * 2 * d + 3 * hu + 3 * hu + 2 * k + 1,
        "fully-connected": 3 * hu * 3 * d + 3 * hu + 3 * hu + 2 * k + 1,
        "single-layer": 3 * d + 2 * k + 1,
    }
    X, y = make_pairs(4, d=d, k=k)
    options = {"max_epochs": 1, "validation_fraction": None, "solver": "numba"}
    for architecture in ARCHITECTURES:
        found = connections(architecture, InputLayout(d, d, k), hidden_units)
        assert n_parameters(found) == expected[architecture]
        net = PairwiseNN(architecture=architecture, hidden_units=hidden_units, **options)
        assert net.fit(X, y).n_parameters_ == expected[architecture]
        net.set_params(symmetric=True)  # its output's bias cancels out
        assert net.fit(X, y).n_parameters_ == expected[architecture] - 1


def test_parameter_counts_where_parts_are_empty():
    def count(architecture, *sizes):
        return n_parameters(connections(architecture, InputLayout(*sizes), 4))

    # No reference: h1r and h2r see one translation each. H (2d + d + d) + 2 · 3H + 2k + 1.
    assert count("pairwise", 3, 0, 2) == 4 * 12 + 24 + 5
    # No embeddings at all: logistic regression on 2k numbers.
    for architecture in ARCHITECTURES:
        assert count(architecture, 0, 0, 6) == 13


@pytest.mark.parametrize("architecture", ["pairwise", "fully-connected"])
def test_the_start_is_uniform_within_glorots_bounds(architecture):
    d, k, hu = 30, 2, 40
    connected, _ = network(architecture, (d, d, k), hu)
    weights = initial_weights(connected, np.random.RandomState(0))
    fan_in, fan_out = (2 * d, hu) if architecture == "pairwise" else (3 * d, 3 * hu)
    hidden = weights["weight"][:, :-1][connected[:, :-1]]
    skip = weights["weight"][connected[:, -1], -1]
    output = np.append(skip, weights["output_weight"])
    for drawn, total in ((hidden, fan_in + fan_out), (output, 3 * hu + 2 * k + 1)):
        bound = math.sqrt(6 / total)
        assert 0.95 * bound < np.abs(drawn).max() <= bound * (1 + 1e-6)
        assert drawn.std() == pytest.approx(bound / math.sqrt(3), rel=0.15)
        assert abs(drawn.mean()) < 4 * bound / math.sqrt(3 * drawn.size)
    assert not weights["bias"].any()
    assert not weights["weight"][~connected].any()


@pytest.mark.parametrize("sizes", SHAPES)
def test_swapping_inputs_exchanges_the_translations(sizes):
    order = InputLayout(*sizes).swapped
    for row in rows_of(sizes):
        assert np.array(input_row(row))[order].tolist() == input_row(swap(row))


@pytest.mark.parametrize("solver", ["numba", "torch"])
@pytest.mark.parametrize("loss", ["logistic", "kendall"])
def test_missing_connections_stay_missing(solver, loss):
    X, y = make_pairs(20)
    net = PairwiseNN(
        loss=loss,
        solver=solver,
        learning_rate=0.1,
        max_epochs=5,
        validation_fraction=None,
        random_state=0,
    ).fit(X, y)
    # Inputs x_t1 0-1, x_t2 2-3, x_r 4-5, s 6-7; units h12 0-3, h1r 4-7, h2r 8-11, output 12.
    missing = np.ones((8, 13), dtype=bool)
    missing[0:4, 0:4] = missing[2:6, 8:12] = False
    missing[[0, 1, 4, 5], 4:8] = False
    missing[6:8, 12] = False
    weight = net.weights_["weight"]
    assert not weight[missing].any()
    assert weight[~missing].all()
