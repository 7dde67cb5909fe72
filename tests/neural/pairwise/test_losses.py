"""Costs by hand, the signs of their terms, and their slopes by finite differences."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from network_by_hand import OBJECTIVES, paper_cost

from sklearn_mteval.neural.pairwise.compiled_gradients import CODES, slope
from sklearn_mteval.neural.pairwise.losses import pair_costs

GENTLE = (5.0, 7.0)  # γ and β with slopes that finite differences can see everywhere
KERNELS = [slope, slope.py_func]
KINDS = [(objective, symmetric) for objective in OBJECTIVES for symmetric in (False, True)]


def torch_cost(forth, back, sign, objective, symmetric, gamma=100.0, beta=100.0):
    forth, back, sign = (
        torch.tensor([value], dtype=torch.float64) for value in (forth, back, sign)
    )
    return pair_costs(
        forth, back, sign, objective=objective, symmetric=symmetric, gamma=gamma, beta=beta
    ).item()


def compiled_cost(forth, back, sign, objective, symmetric, gamma=100.0, beta=100.0):
    return slope(forth, back, sign, CODES[objective], symmetric, gamma, beta)[0]


COSTS = pytest.mark.parametrize("cost", [torch_cost, compiled_cost])


def logit(p):
    return math.log(p / (1 - p))


@COSTS
@pytest.mark.parametrize(
    ("forth", "back", "sign", "objective", "symmetric", "expected"),
    [
        # −log of the probability of the decision; back plays no part …
        (logit(0.8), 9.0, 1.0, "logistic", False, -math.log(0.8)),
        (logit(0.8), 9.0, -1.0, "logistic", False, -math.log(0.2)),
        # … but for the antisymmetric logit: sig(2 − 1) and 1 − sig(2 − 1).
        (2.0, 1.0, 1.0, "logistic", True, math.log(1 + math.exp(-1))),
        (2.0, 1.0, -1.0, "logistic", True, math.log(1 + math.exp(1))),
        # Δ = 0.6 − 0.5 = 0.1: γ Δ = 10, β Δ² / 2 = 0.5.
        (logit(0.6), logit(0.5), 1.0, "kendall", False, 1 / (1 + math.exp(10)) + math.exp(-0.5)),
        (logit(0.6), logit(0.5), -1.0, "kendall", False, 1 / (1 + math.exp(-10)) + math.exp(-0.5)),
        # Odds 0 + logit(0.55), so Δ = 0.55 − 0.45 = 0.1 again.
        (logit(0.55), 0.0, 1.0, "kendall", True, 1 / (1 + math.exp(10)) + math.exp(-0.5)),
        # A tie: half a discordance, and the whole Gaussian.
        (0.3, 0.3, 1.0, "kendall", False, 1.5),
        (0.3, 0.3, -1.0, "kendall", True, 1.5),
    ],
)
def test_costs_worked_by_hand(cost, forth, back, sign, objective, symmetric, expected):
    assert cost(forth, back, sign, objective, symmetric) == pytest.approx(expected, rel=1e-9)


@COSTS
@pytest.mark.parametrize(("objective", "symmetric"), KINDS)
@given(st.floats(-4, 4), st.floats(-4, 4), st.sampled_from([1.0, -1.0]))
def test_costs_against_the_oracle(cost, objective, symmetric, forth, back, sign):
    expected = paper_cost(forth, back, sign, objective, symmetric)
    found = cost(forth, back, sign, objective, symmetric)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert found >= 0


@COSTS
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_discordance_costs_more_for_both_labels(cost, objective, symmetric, sign):
    concordant = cost(sign * 1.5, -sign * 1.5, sign, objective, symmetric)
    discordant = cost(-sign * 1.5, sign * 1.5, sign, objective, symmetric)
    assert concordant < 0.21
    assert discordant > 0.99


@COSTS
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("symmetric", [False, True])
def test_kendall_ties_cost_more_than_clear_decisions(cost, symmetric, sign):
    # Even more than a discordant decision: a tie counts as one (eq. 5).
    tie, right, wrong = (
        cost(z, 0.0, sign, "kendall", symmetric) for z in (0.0, 2 * sign, -2 * sign)
    )
    assert right < wrong < tie
    assert (round(right, 2), round(wrong, 2), tie) == (0.0, 1.0, 1.5)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_swapping_pair_and_label_changes_nothing_in_the_symmetric_costs(objective):
    for forth, back in ((0.4, -1.2), (2.0, 2.5)):
        one = torch_cost(forth, back, 1.0, objective, True)
        assert torch_cost(back, forth, -1.0, objective, True) == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize(("objective", "symmetric"), KINDS)
@pytest.mark.parametrize("constants", [GENTLE, (100.0, 100.0)])
def test_torch_gradients(objective, symmetric, constants):
    rng = np.random.default_rng(0)
    spread = 2.0 if constants == GENTLE else 0.05  # where the steep cost is not flat
    forth, back = (torch.tensor(rng.normal(scale=spread, size=20)) for _ in range(2))
    signs = torch.tensor(np.where(rng.random(20) < 0.5, 1.0, -1.0))

    def costs(forth, back):
        options = {"objective": objective, "symmetric": symmetric}
        gamma, beta = constants
        return pair_costs(forth, back, signs, **options, gamma=gamma, beta=beta)

    inputs = [forth.requires_grad_(), back.requires_grad_()]
    assert torch.autograd.gradcheck(costs, inputs, eps=1e-7, atol=1e-4, rtol=1e-5)
    gradient = torch.autograd.grad(costs(*inputs).sum(), forth)[0]
    assert gradient.abs().max() > 0.01


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("objective", "symmetric"), KINDS)
@pytest.mark.parametrize("constants", [GENTLE, (100.0, 100.0)])
def test_compiled_slopes(kernel, objective, symmetric, constants):
    rng = np.random.default_rng(1)
    spread, step = (2.0 if constants == GENTLE else 0.05), 1e-6
    largest = 0.0
    for forth, back in rng.normal(scale=spread, size=(20, 2)):
        for sign in (1.0, -1.0):

            def cost(forth, back, sign=sign):
                return paper_cost(
                    forth, back, sign, objective, symmetric, gamma=constants[0], beta=constants[1]
                )

            value, *slopes = kernel(forth, back, sign, CODES[objective], symmetric, *constants)
            assert value == pytest.approx(cost(forth, back), rel=1e-9)
            expected = [
                (cost(forth + step, back) - cost(forth - step, back)) / (2 * step),
                (cost(forth, back + step) - cost(forth, back - step)) / (2 * step),
            ]
            np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-6)
            largest = max(largest, abs(slopes[0]))
    assert largest > 0.01


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("objective", "symmetric"), KINDS)
@pytest.mark.parametrize("forth", [-90.0, 90.0])
def test_costs_of_extreme_outputs_are_finite(kernel, objective, symmetric, forth):
    found = kernel(forth, -forth, 1.0, CODES[objective], symmetric, 100.0, 100.0)
    assert np.isfinite(found).all()
    cost = torch_cost(forth, -forth, 1.0, objective, symmetric)
    assert found[0] == pytest.approx(cost, abs=1e-9)
