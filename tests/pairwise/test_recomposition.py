import itertools
import subprocess
import sys

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import rankdata

from sklearn_mteval import RankRecomposer
from sklearn_mteval.pairwise.recomposition import (
    RECOMPOSITIONS,
    bradley_terry,
    copeland,
    find_recomposition,
    pagerank,
    ranks_from_strengths,
    snap_ties,
    strengths_from_matrices,
)

# Three translations; P[i, j]: the classifier's P(i better than j) for the ordered pair.
P = np.array([[0.5, 0.9, 0.6], [0.2, 0.5, 0.7], [0.3, 0.4, 0.5]])


def by_definition(P, name):
    """Equations of the 2012 paper, section 3.3, as a double loop."""
    strengths = []
    for i in range(len(P)):
        total = 0.0
        for j in range(len(P)):
            if i != j:
                c = 1 if P[i, j] > 0.5 else -1
                p = P[i, j] if c == 1 else 1 - P[i, j]
                total += {"hard": c, "soft": p * c, "expected": P[i, j]}[name]
        strengths.append(total)
    return strengths


def sums(name, P):
    """Add up the terms of a recomposition."""
    off = ~np.eye(len(P), dtype=bool)
    given = {"decisions": np.where(P[off] > 0.5, 1.0, -1.0), "probabilities": P[off]}
    entry = RECOMPOSITIONS[name]
    terms = entry.function(*(given[need] for need in entry.needs))
    return terms.reshape(len(P), -1).sum(axis=1)


@pytest.mark.parametrize(
    ("name", "worked"),
    [
        ("hard", [2, 0, -2]),  # wins minus losses
        ("soft", [0.9 + 0.6, -0.8 + 0.7, -0.7 - 0.6]),
        ("expected", [0.9 + 0.6, 0.2 + 0.7, 0.3 + 0.4]),
    ],
)
def test_sums_worked_by_hand(name, worked):
    np.testing.assert_allclose(sums(name, P), worked)
    np.testing.assert_allclose(by_definition(P, name), worked)


def test_soft_takes_the_probability_of_the_decision_that_was_made():
    # A classifier may decide against its own probability (a tuned threshold).
    terms = RECOMPOSITIONS["soft"].function(np.array([1.0, -1.0]), np.array([0.3, 0.3]))
    np.testing.assert_allclose(terms, [0.3, -0.7])


def test_the_registry_speaks_of_itself():
    kinds = {("decisions",), ("probabilities",), ("decisions", "probabilities"), ("matrix",),
             ("matrix", "ties"), ("empty",)}  # fmt: skip
    for name, entry in RECOMPOSITIONS.items():
        assert entry.name == name and entry.summary
        assert entry.needs in kinds
        assert entry.needs_probabilities == (name not in ("hard", "absolute"))
        assert find_recomposition(name) is entry
    with pytest.raises(ValueError, match=r"'hard', .*'absolute'.* or a callable, found 'borda'"):
        find_recomposition("borda")
    with pytest.raises(ValueError, match="or a callable, found"):
        find_recomposition(["hard"])


def test_a_recomposition_is_added_in_one_place(monkeypatch, numbers):
    """A new line of the registry is known to the ranker, with what it needs."""
    X, y = numbers
    maximum = type(RECOMPOSITIONS["copeland"])("max", lambda P: P.max(-1), ("matrix",), "best pair")
    monkeypatch.setitem(RECOMPOSITIONS, "max", maximum)
    found = RankRecomposer(recomposition="max").fit(X, y).decision_function(X)
    own = RankRecomposer(recomposition=lambda P: P.max(axis=1)).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(found, own)


def test_names_cost_nothing_to_import():
    """The command line reads them before it knows what is asked for."""
    code = "import sys, sklearn_mteval.pairwise.recomposition; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pandas", "scipy", "sklearn", "torch", "joblib"} & set(run.stdout.split())


def test_copeland_counts_pairs_by_both_directions():
    # 0.9 > 0.2, 0.6 > 0.3, 0.7 > 0.4: each first one wins.
    assert copeland(P).tolist() == [2, 0, -2]
    # Both directions are above one half: "hard" sees wins only, Copeland who is the more above it.
    both = np.array([[0.5, 0.8, 0.7], [0.6, 0.5, 0.7], [0.7, 0.9, 0.5]])
    assert copeland(both).tolist() == [1, -2, 1]
    assert sums("hard", both).tolist() == [2, 2, 2]


def test_copeland_of_equals_is_a_draw():
    draw = np.array([[0.5, 0.4, 1], [0.4 + 1e-12, 0.5, 0.4 - 1e-6], [1, 0.4, 0.5]])
    assert copeland(draw).tolist() == [0, -1, 1]
    stacked = copeland(np.stack([draw, draw.T]))
    assert stacked.tolist() == [[0, -1, 1], [0, 1, -1]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("damping", [0.85, 0.3])
def test_pagerank_against_networkx(seed, damping):
    rng = np.random.default_rng(seed)
    stack = rng.uniform(size=(3, 5, 5))
    stack[0, :2] = np.round(stack[0, :2])  # certain ones, too
    found = pagerank(stack, damping=damping)
    for p, strengths in zip(stack, found, strict=True):
        graph = networkx.DiGraph()
        for i, j in itertools.permutations(range(5), 2):
            better = (p[i, j] + 1 - p[j, i]) / 2
            graph.add_edge(j, i, weight=better)  # j loses: the walk goes to i
            stay = graph.get_edge_data(j, j, {"weight": 0})["weight"]
            graph.add_edge(j, j, weight=stay + 1 - better)
        expected = networkx.pagerank(graph, alpha=damping, tol=1e-14, max_iter=1000)
        np.testing.assert_allclose(strengths, [expected[k] for k in range(5)], atol=1e-12)


def test_pagerank_worked_by_hand():
    # Of three, the first beats both others, who are equal: the walk stays there; from another it
    # goes there half the time, when it picks the first: x = d (x + (1 - x) / 2) + (1 - d) / 3.
    certain = np.array([[0.5, 1, 1], [0, 0.5, 0.5], [0, 0.5, 0.5]])
    d = 0.5
    first = (d / 2 + (1 - d) / 3) / (1 - d / 2)
    expected = [first, (1 - first) / 2, (1 - first) / 2]
    np.testing.assert_allclose(pagerank(certain, damping=d), expected)
    np.testing.assert_allclose(pagerank(certain, damping=0.0), 1 / 3)
    np.testing.assert_allclose(pagerank(certain), pagerank(certain, damping=0.85))
    np.testing.assert_allclose(pagerank(np.array([[0.5]])), 1)
    # Without jumps, two are visited in proportion to their wins (Rank Centrality).
    two = np.array([[0.5, 0.9], [0.3, 0.5]])
    np.testing.assert_allclose(pagerank(two, damping=1 - 1e-9), [0.8, 0.2], atol=1e-8)


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


def test_bradley_terry_of_two_certain_ones_by_hand():
    # Certainty counts as 1 - 1e-6: the strengths are half its logit apart from the middle.
    half = np.log((1 - 1e-6) / 1e-6) / 2
    strengths = bradley_terry(np.array([[0.5, 1], [0, 0.5]]))
    np.testing.assert_allclose(strengths, [half, -half], rtol=1e-9)
    inside = bradley_terry(np.array([[0.5, 1 - 1e-5], [1e-5, 0.5]]))
    np.testing.assert_allclose(inside[0], np.log((1 - 1e-5) / 1e-5) / 2, rtol=1e-9)


def test_bradley_terry_of_intransitive_certainty_is_a_tie():
    cycle = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    np.testing.assert_allclose(bradley_terry(cycle), 0, atol=1e-9)


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


@pytest.mark.parametrize("function", [bradley_terry, copeland, pagerank])
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.5, np.nan], [0.2, 0.5]], "between 0 and 1"),
        ([[0.5, 7], [0.2, 0.5]], "between 0 and 1"),
        ([[0.5, -0.1], [0.2, 0.5]], "between 0 and 1"),
        ([0.5, 0.2], "square matrices"),
        ([[0.5, 0.2]], "square matrices"),
        ([["a", "b"], ["c", "d"]], "square matrices"),
        (None, "square matrices"),
    ],
)
def test_what_is_no_matrix_of_probabilities(function, matrix, message):
    with pytest.raises(ValueError, match=message):
        function(matrix)


@pytest.mark.parametrize("function", [bradley_terry, copeland, pagerank])
def test_the_diagonal_is_ignored_and_lists_are_taken(function):
    found = function([[np.nan, 0.8], [0.2, 9]])
    np.testing.assert_array_equal(found, function(np.array([[0.5, 0.8], [0.2, 0.5]])))
