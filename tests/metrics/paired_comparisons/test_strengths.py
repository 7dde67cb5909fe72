"""Bradley–Terry strengths where the likelihood is flat."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.metrics.paired_comparisons.strengths import bradley_terry_strengths


def test_strengths_that_made_the_wins_come_back():
    truth = np.array([[1.5, 0.0, -1.5], [4.0, -1.0, -3.0]])
    p = 1 / (1 + np.exp(truth[:, None, :] - truth[:, :, None]))
    np.testing.assert_allclose(bradley_terry_strengths(p), truth, atol=1e-12)
    # Pairs that were judged more often than others need Newton's method.
    judged = np.array([[9, 1, 40], [1, 9, 3], [40, 3, 9]])
    np.testing.assert_allclose(bradley_terry_strengths(judged * p), truth, atol=1e-12)


def slope(strengths, wins, precision):
    """Of the logarithm of the posterior."""
    total = -precision * strengths
    for i, j in itertools.permutations(range(len(wins)), 2):
        p = 1 / (1 + np.exp(strengths[j] - strengths[i]))
        total[i] += wins[i, j] * (1 - p) - wins[j, i] * p
    return total


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(2, 6), precision=st.sampled_from([0.0, 1e-4, 3.0]))
def test_the_slope_is_zero(data, n, precision):
    # From probabilities of one in a million to thousands of judgements.
    cell = st.sampled_from([1e-6, 0.01, 0.5, 1, 2, 30, 4000])
    wins = np.array(data.draw(st.lists(cell, min_size=n * n, max_size=n * n))).reshape(n, n)
    found = bradley_terry_strengths(wins, precision=precision)
    assert found.mean() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(slope(found, wins, precision), 0, atol=1e-6)


def test_a_stack_is_its_matrices_one_by_one():
    # They converge after different numbers of steps, and start from wins or from zero.
    rng = np.random.default_rng(0)
    wins = rng.integers(0, 5, (3, 20, 4, 4)) * 10.0 ** rng.integers(0, 3, (3, 20, 1, 1))
    found = bradley_terry_strengths(wins, precision=1e-4)
    for index in np.ndindex(3, 20):
        alone = bradley_terry_strengths(wins[index], precision=1e-4)
        np.testing.assert_allclose(found[index], alone, rtol=0, atol=1e-13)
    assert bradley_terry_strengths(np.zeros((0, 3, 3))).shape == (0, 3)
    assert bradley_terry_strengths(np.ones((2, 1, 1))).tolist() == [[0], [0]]


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(2, 6), precision=st.sampled_from([1e-4, 3.0]))
def test_names_turned_results_and_more_of_the_same(data, n, precision):
    cell = st.sampled_from([0, 0.5, 1, 2, 30])
    wins = np.array(data.draw(st.lists(cell, min_size=n * n, max_size=n * n))).reshape(n, n)
    found = bradley_terry_strengths(wins, precision=precision)
    order = np.array(data.draw(st.permutations(range(n))))
    renamed = bradley_terry_strengths(wins[np.ix_(order, order)], precision=precision)
    np.testing.assert_allclose(renamed, found[order], atol=1e-9)
    np.testing.assert_allclose(
        bradley_terry_strengths(wins.T, precision=precision), -found, atol=1e-9
    )
    # A prior that weighs as much more as the data changes nothing.
    np.testing.assert_allclose(
        bradley_terry_strengths(7 * wins, precision=7 * precision), found, atol=1e-9
    )
    # What nobody says of oneself counts for nothing.
    own = wins + 5 * np.eye(n)
    np.testing.assert_array_equal(bradley_terry_strengths(own, precision=precision), found)
