import numpy as np
import pytest
from scipy.optimize import minimize

from sklearn_mteval.metrics.paired_comparisons.models import TIE_MODELS
from sklearn_mteval.metrics.paired_comparisons.strengths import (
    bradley_terry_strengths,
    tied_strengths,
)

MODELS = list(TIE_MODELS)


def outcome(model, difference, parameter):
    """P(better), P(tie), P(worse) as the papers write them, of worths instead of logarithms."""
    worth, other = np.exp(difference), 1.0
    if model == "davidson":
        tie = parameter * np.sqrt(worth * other)
        total = worth + other + tie
        return worth / total, tie / total, other / total
    theta = parameter
    better = worth / (worth + theta * other)
    worse = other / (theta * worth + other)
    return better, 1 - better - worse, worse


def counts(rng, n, most=9):
    """Random wins and symmetric ties of n items."""
    ties = np.triu(rng.integers(0, most, (n, n)), 1)
    return rng.integers(0, most, (n, n)) * (1.0 - np.eye(n)), (ties + ties.T) * 1.0


def likelihood(model, strengths, parameter, wins, ties, precision=0.0):
    total = -precision / 2 * (np.asarray(strengths) ** 2).sum()
    for i in range(len(wins)):
        for j in range(i):
            chances = outcome(model, strengths[i] - strengths[j], parameter)
            seen = wins[i, j], ties[i, j], wins[j, i]
            total += sum(k * np.log(p) for k, p in zip(seen, chances, strict=True))
    return total


@pytest.mark.parametrize("model", MODELS)
def test_two_items_are_solved_on_paper(model):
    # As many parameters as proportions: the model gives back what was seen, 6 : 3 : 2 of 11.
    wins, ties = np.array([[0, 6.0], [2, 0]]), np.array([[0, 3.0], [3, 0]])
    strengths, parameter = tied_strengths(wins, ties, model=model)
    assert strengths.sum() == pytest.approx(0)
    found = outcome(model, strengths[0] - strengths[1], parameter)
    np.testing.assert_allclose(found, np.array([6, 3, 2]) / 11)
    if model == "davidson":
        assert parameter == pytest.approx(3 / np.sqrt(12))
        assert strengths[0] == pytest.approx(np.log(3) / 2)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("precision", [0.0, 0.3])
def test_no_other_parameters_are_likelier(model, precision):
    rng = np.random.default_rng(4)
    for n in (2, 3, 5):
        wins, ties = counts(rng, n)
        strengths, parameter = tied_strengths(wins, ties, model=model, precision=precision)
        lowest = 1 if model == "rao-kupper" else 0

        def loss(values, wins=wins, ties=ties, lowest=lowest):
            parameter = lowest + np.exp(values[-1])
            return -likelihood(model, values[:-1], parameter, wins, ties, precision)

        best = minimize(loss, np.zeros(n + 1), method="BFGS", options={"gtol": 1e-8})
        expected = best.x[:-1] - best.x[:-1].mean()
        np.testing.assert_allclose(strengths, expected, atol=1e-5)
        assert parameter == pytest.approx(lowest + np.exp(best.x[-1]), rel=1e-5)
        # To more digits than a search by finite differences has: the slopes are zero.
        here = np.append(strengths, parameter)
        for k in range(n + 1):
            step = np.zeros(n + 1)
            step[k] = 1e-5
            up, down = (
                likelihood(model, (here + s)[:-1], (here + s)[-1], wins, ties, precision)
                for s in (step, -step)
            )
            assert abs(up - down) / 2e-5 < 1e-5


@pytest.mark.parametrize("model", MODELS)
def test_the_models_own_proportions_give_its_parameters_back(model):
    truth, parameter = np.array([3.0, -4.5, 0.5, 1.0]), 2.5
    chances = outcome(model, truth[:, None] - truth[None, :], parameter)
    judged = np.array([[0, 1, 20, 3], [1, 0, 5, 8], [20, 5, 0, 2], [3, 8, 2, 0.0]])
    strengths, found = tied_strengths(chances[0] * judged, chances[1] * judged, model=model)
    np.testing.assert_allclose(strengths, truth, atol=1e-9)
    assert found == pytest.approx(parameter)


def test_davidsons_equations_hold():
    """Davidson 1970, section 3: points and ties are those that the model expects."""
    wins, ties = counts(np.random.default_rng(1), 6)
    strengths, nu = tied_strengths(wins, ties)
    better, tie, _ = outcome("davidson", strengths[:, None] - strengths[None, :], nu)
    judged = wins + wins.T + ties
    points = (wins + ties / 2).sum(axis=1)
    np.testing.assert_allclose((judged * (better + tie / 2)).sum(axis=1), points)
    assert (judged * tie).sum() == pytest.approx(ties.sum())


@pytest.mark.parametrize("model", MODELS)
def test_without_ties_it_is_bradley_and_terrys(model):
    wins, _ = counts(np.random.default_rng(2), 5)
    strengths, parameter = tied_strengths(wins, np.zeros((5, 5)), model=model)
    np.testing.assert_array_equal(strengths, bradley_terry_strengths(wins))
    assert parameter == TIE_MODELS[model].without_ties
    # In the limit as well.
    few = 1e-7 * (1 - np.eye(5))
    strengths, parameter = tied_strengths(wins, few, model=model)
    np.testing.assert_allclose(strengths, bradley_terry_strengths(wins), atol=1e-5)
    assert parameter == pytest.approx(TIE_MODELS[model].without_ties, abs=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_nothing_but_ties_and_nothing_at_all(model):
    ties = 1 - np.eye(3)
    stack = np.stack([ties, 0 * ties])
    strengths, parameter = tied_strengths(np.zeros((2, 3, 3)), stack, model=model)
    np.testing.assert_array_equal(strengths, np.zeros((2, 3)))
    assert parameter.tolist() == [np.inf, TIE_MODELS[model].without_ties]


@pytest.mark.parametrize("model", MODELS)
def test_a_stack_is_its_matrices_and_names_do_not_matter(model):
    rng = np.random.default_rng(7)
    several = [counts(rng, 4) for _ in range(5)] + [(np.ones((4, 4)), np.zeros((4, 4)))]
    wins, ties = (np.stack(kind).reshape(2, 3, 4, 4) for kind in zip(*several, strict=True))
    strengths, parameter = tied_strengths(wins, ties, model=model, precision=0.01)
    assert strengths.shape == (2, 3, 4) and parameter.shape == (2, 3)
    order = np.array([2, 0, 3, 1])
    for k, at in enumerate(np.ndindex(2, 3)):
        won, tied = (table[np.ix_(order, order)] for table in several[k])
        alone, its = tied_strengths(won, tied, model=model, precision=0.01)
        np.testing.assert_allclose(strengths[at][order], alone, atol=1e-9)
        assert parameter[at] == pytest.approx(its)


@pytest.mark.parametrize("model", MODELS)
def test_extremes_stay_finite(model):
    """Who won, or tied, a million times to one; a prior holds who always won."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        wins, ties = (np.exp(rng.uniform(-14, 14, (4, 4))) for _ in range(2))
        ties = ties + ties.T
        strengths, parameter = tied_strengths(wins, ties, model=model)
        assert np.isfinite(strengths).all() and np.isfinite(parameter)
        log = np.log(parameter)
        slopes, _ = TIE_MODELS[model].derivatives(
            strengths[None], np.array([log]), wins[None] * (1 - np.eye(4)), ties[None]
        )
        assert np.abs(slopes[0, :4]).max() < 1e-6 * (wins.sum() + ties.sum())
    always = np.triu(np.full((3, 3), 40.0), 1)
    strengths, _ = tied_strengths(always, 1 - np.eye(3), model=model, precision=1e-4)
    assert strengths[0] > strengths[1] > strengths[2] and np.isfinite(strengths).all()


@pytest.mark.parametrize("model", MODELS)
def test_probabilities_and_slopes_are_the_papers(model):
    differences = np.linspace(-8, 8, 9)
    expected = outcome(model, differences, 1.7)
    better, tie = TIE_MODELS[model].log_probabilities(differences, np.log(1.7))
    np.testing.assert_allclose(np.exp(better), expected[0])
    np.testing.assert_allclose(np.exp(tie), expected[1])
    for kind, place in ((1, 0), (0, 1), (-1, 2)):
        of_difference, of_ties = TIE_MODELS[model].slopes(
            differences, np.log(1.7), np.full(9, kind)
        )
        for slope, ahead, behind in (
            (of_difference, (differences + 1e-6, 1.7), (differences - 1e-6, 1.7)),
            (of_ties, (differences, 1.7 * np.exp(1e-6)), (differences, 1.7 * np.exp(-1e-6))),
        ):
            rise = np.log(outcome(model, *ahead)[place] / outcome(model, *behind)[place])
            np.testing.assert_allclose(slope, rise / 2e-6, atol=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_probabilities_of_extremes_are_numbers(model):
    differences = np.array([-1e6, -800, 0, 800, 1e6])
    for log in (1e-9, 1.0, 1e5):
        better, tie = TIE_MODELS[model].log_probabilities(differences, log)
        worse = better[::-1]
        np.testing.assert_allclose(np.exp(better) + np.exp(tie) + np.exp(worse), 1)
        for kind in (1, 0, -1):
            slopes = TIE_MODELS[model].slopes(differences, log, np.full(5, kind))
            assert np.isfinite(slopes).all()
