import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import rankdata

from sklearn_mteval.pairwise.recomposition import (
    SUMS,
    bradley_terry,
    ranks_from_strengths,
    snap_ties,
    strengths_from_matrices,
)

# Three translations; P[i, j]: the classifier's P(i better than j) for the ordered pair.
P = np.array([[0.5, 0.9, 0.6], [0.2, 0.5, 0.7], [0.3, 0.4, 0.5]])


def by_definition(P, method):
    """Equations of the 2012 paper, section 3.3, as a double loop."""
    strengths = []
    for i in range(len(P)):
        total = 0.0
        for j in range(len(P)):
            if i != j:
                c = 1 if P[i, j] > 0.5 else -1
                p = P[i, j] if c == 1 else 1 - P[i, j]
                total += {"hard": c, "soft": p * c, "expected": P[i, j]}[method]
        strengths.append(total)
    return strengths


@pytest.mark.parametrize(
    ("method", "worked"),
    [
        ("hard", [2, 0, -2]),  # wins minus losses
        ("soft", [0.9 + 0.6, -0.8 + 0.7, -0.7 - 0.6]),
        ("expected", [0.9 + 0.6, 0.2 + 0.7, 0.3 + 0.4]),
    ],
)
def test_sums_worked_by_hand(method, worked):
    off = ~np.eye(3, dtype=bool)
    decision = np.where(P[off] > 0.5, 1.0, -1.0)
    terms = SUMS[method](decision, P[off]).reshape(3, 2)
    np.testing.assert_allclose(terms.sum(axis=1), worked)
    np.testing.assert_allclose(by_definition(P, method), worked)


def test_soft_takes_the_probability_of_the_decision_that_was_made():
    # A classifier may decide against its own probability (a tuned threshold).
    np.testing.assert_allclose(
        SUMS["soft"](np.array([1.0, -1.0]), np.array([0.3, 0.3])), [0.3, -0.7]
    )


def test_bradley_terry_recovers_its_own_model():
    strengths = np.array([[1.5, 0.0, -1.0, -0.5], [0.1, 0.2, -0.4, 0.1]])
    better = expit(strengths[:, :, None] - strengths[:, None, :])
    np.testing.assert_allclose(bradley_terry(better), strengths, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_bradley_terry_against_a_general_optimiser(seed):
    rng = np.random.default_rng(seed)
    better = rng.uniform(0.02, 0.98, size=(4, 4))
    wins = better + 1 - better.T
    off = ~np.eye(4, dtype=bool)

    def loss(s):
        return -(wins * np.log(expit(s[:, None] - s[None, :])))[off].sum()

    best = minimize(loss, np.zeros(4), tol=1e-12).x
    np.testing.assert_allclose(bradley_terry(better), best - best.mean(), atol=1e-4)


def test_bradley_terry_of_certainty_is_finite_and_in_order():
    certain = np.triu(np.ones((5, 5)), 1)
    strengths = bradley_terry(certain)
    assert np.isfinite(strengths).all()
    assert (np.diff(strengths) < 0).all()


def test_bradley_terry_of_circular_certainty_is_a_tie():
    circle = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    np.testing.assert_allclose(bradley_terry(circle), 0, atol=1e-9)


def test_matrices_are_built_for_groups_of_several_sizes():
    sizes = np.array([3, 1, 2, 3])
    matrices = [P, None, np.array([[0.5, 0.8], [0.1, 0.5]]), P.T]
    better = np.concatenate([m[~np.eye(len(m), dtype=bool)] for m in matrices if m is not None])
    found = strengths_from_matrices(better, sizes, lambda stack: stack.sum(axis=2))
    expected = np.concatenate([[0.0] if m is None else m.sum(axis=1) for m in matrices])
    np.testing.assert_allclose(found, expected)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=6), min_size=1, max_size=4))
def test_ranks_against_scipy(groups):
    starts = np.cumsum([0] + [len(group) for group in groups])[:-1]
    found = ranks_from_strengths(np.concatenate(groups).astype(float), starts)
    expected = np.concatenate([rankdata(np.negative(group), method="min") for group in groups])
    np.testing.assert_array_equal(found, expected)


def test_strengths_that_differ_by_rounding_are_equal():
    strengths = np.array([1.0, 1.0 + 1e-12, 0.5, 1.0, 1.0 + 1e-6])
    snapped = snap_ties(strengths, np.array([0, 3]))
    assert snapped[0] == snapped[1] != snapped[2]
    assert snapped[3] != snapped[4]
    np.testing.assert_allclose(snapped, strengths, atol=1e-11)
