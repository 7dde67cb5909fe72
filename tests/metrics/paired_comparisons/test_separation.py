"""What wins alone say: against paths found by brute force, and bounds solved on paper."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.metrics.paired_comparisons.separation import (
    log_chance,
    standing_of,
    strength_bound,
)


def standing(results, n_systems):
    """From (first, second, judged, won by the first with half the ties)."""
    first, second, judged, won = (np.array(column) for column in zip(*results, strict=True))
    return standing_of(first, second, np.column_stack([judged, won, 0 * won]), n_systems)


def reaches(results, n_systems):
    """Whether a chain of wins or ties leads from the row to the column, by all simple paths."""
    beats = np.zeros((n_systems, n_systems), dtype=bool)
    for i, j, judged, won in results:
        beats[i, j] |= won > 0
        beats[j, i] |= won < judged
    found = np.zeros_like(beats)
    for length in range(2, n_systems + 1):
        for path in itertools.permutations(range(n_systems), length):
            if all(beats[a, b] for a, b in itertools.pairwise(path)):
                found[path[0], path[-1]] = True
    return found


@pytest.mark.parametrize("seed", range(60))
def test_against_all_paths(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    pairs = list(itertools.combinations(range(n), 2))
    chosen = [pairs[k] for k in rng.permutation(len(pairs))[: rng.integers(1, len(pairs) + 1)]]
    results = [(i, j, 2, rng.choice([0, 0, 1, 2, 2])) for i, j in chosen]
    reach, found = reaches(results, n), standing(results, n)
    both = reach & reach.T
    for i, j in itertools.permutations(range(n), 2):
        assert (found.part[i] == found.part[j]) == both[i, j]
        assert found.over[i, j] == (reach[i, j] and not both[i, j])
    core = np.flatnonzero(found.core)
    sizes = both.sum(axis=1) + 1
    if len(core):
        assert len(core) == sizes.max() > 1
        for i in range(n):
            if not found.core[i]:
                assert found.above[i] == reach[i, core[0]] and found.below[i] == reach[core[0], i]
    else:
        assert sizes.max() == 1
        assert (found.above == (reach.any(axis=1) & ~reach.any(axis=0))).all()


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 3, 0, 1], [3, 1, 0, 2]])
def test_of_two_parts_as_large_the_one_with_more_comparisons_is_the_core(order):
    # However systems are numbered: c, d were compared ten times, a, b four times.
    a, b, c, d = order
    found = standing([(a, b, 4, 2), (c, d, 10, 5), (a, c, 3, 3)], 4)
    assert found.core[order].tolist() == [False, False, True, True]
    assert found.above[order].tolist() == [True, True, False, False]
    assert found.net[order].tolist() == [2, 2, -2, -2]


def test_a_chain_without_a_core():
    found = standing([(0, 1, 3, 3), (1, 2, 3, 3)], 3)
    assert not found.core.any()
    assert found.above.tolist() == [True, False, False]
    assert found.below.tolist() == [False, False, True]
    assert found.net.tolist() == [2, 0, -2]


def test_the_bound_of_twelve_wins_is_solved_on_paper():
    # Strength 0 beats strength 0 with probability 1/2; (1 / (1 + exp(-s)))^12 = 0.025.
    p = 0.025 ** (1 / 12)
    bound = strength_bound(np.zeros(12), np.ones(12), -np.inf, 0.025)
    assert bound == pytest.approx(np.log(p / (1 - p)))
    # Against opponents that much stronger, it is that much higher.
    higher = strength_bound(np.full(12, 3.0), np.ones(12), -np.inf, 0.025)
    assert higher == pytest.approx(bound + 3)
    # Two comparisons in each of six segments count as six.
    halves = strength_bound(np.zeros(12), np.full(12, 0.5), -np.inf, 0.025)
    assert halves == pytest.approx(strength_bound(np.zeros(6), np.ones(6), -np.inf, 0.025))
    assert halves < bound - 0.5
    # Where ties could have been, a win is less probable, and says more.
    assert strength_bound(np.zeros(12), np.ones(12), 0.0, 0.025) > bound


def test_without_opponents_there_is_no_bound():
    assert strength_bound(np.zeros(0), np.zeros(0), -np.inf, 0.025) == -np.inf


def test_log_chance():
    assert log_chance(0.0, np.zeros(3), np.ones(3), -np.inf) == pytest.approx(-3 * np.log(2))
    # Davidson with nu = 1: of equals, a third wins, a third ties.
    assert log_chance(0.0, np.zeros(2), np.ones(2), 0.0) == pytest.approx(-2 * np.log(3))


@pytest.mark.parametrize("often", [0, 2])
def test_of_equally_large_parts_the_one_compared_more_often_is_the_core(often):
    first, second = np.array([0, 2, 0]), np.array([1, 3, 2])
    judged = np.array([4, 4, 1])
    judged[often // 2] = 10
    found = standing_of(
        first, second, np.column_stack([judged, [2, 2, 1], np.zeros(3, dtype=int)]), 4
    )
    assert np.flatnonzero(found.core).tolist() == [often, often + 1]


@st.composite
def totals_of_pairs(draw):
    """Systems of up to seven, and counts of some pairs of them."""
    n = draw(st.integers(2, 7))
    pairs = draw(
        st.lists(st.sampled_from(list(itertools.combinations(range(n), 2))), min_size=1, max_size=9)
    )
    first, second = np.array(pairs).T
    judged = np.array([draw(st.integers(1, 4)) for _ in pairs])
    won = np.array([draw(st.integers(0, 2 * k)) / 2 for k in judged])
    return n, first, second, np.column_stack([judged, won, np.zeros(len(pairs))])


@settings(max_examples=100, deadline=None)
@given(given_totals=totals_of_pairs(), data=st.data())
def test_standing_hangs_on_no_number_order_direction_or_scale(given_totals, data):
    n, first, second, totals = given_totals
    found = standing_of(first, second, totals, n)
    # Ten times as many judgements of each pair, in other rows, seen from the other system.
    rows = np.array(data.draw(st.permutations(range(len(first)))))
    turned = totals[rows] * 10
    turned[:, 1] = turned[:, 0] - turned[:, 1]
    again = standing_of(second[rows], first[rows], turned, n)
    # Of equally large parts that were compared as often, any may be the core.
    sizes = np.bincount(found.part)
    one_core = sizes.max() == 1 or (sizes == sizes.max()).sum() == 1
    for name in ("over", "net", *(["core", "above", "below"] if one_core else [])):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    # Everybody loses what was won.
    lost = totals.copy()
    lost[:, 1] = lost[:, 0] - lost[:, 1]
    mirrored = standing_of(first, second, lost, n)
    np.testing.assert_array_equal(mirrored.over, found.over.T)
    np.testing.assert_array_equal(mirrored.net, -found.net)
    if one_core:
        np.testing.assert_array_equal(mirrored.core, found.core)
        np.testing.assert_array_equal(mirrored.above, found.below)
    # Other numbers of the systems: the order is theirs.
    place = np.array(data.draw(st.permutations(range(n))))
    renamed = standing_of(place[first], place[second], totals, n)
    np.testing.assert_array_equal(renamed.over[np.ix_(place, place)], found.over)
    np.testing.assert_array_equal(renamed.net[place], found.net)


@settings(max_examples=60, deadline=None)
@given(
    opponents=st.lists(st.floats(-5, 5), min_size=1, max_size=8),
    log_nu=st.sampled_from([-np.inf, -1.0, 0.5]),
    tail=st.floats(0.001, 0.3),
)
def test_chances_and_bounds_against_their_definition(opponents, log_nu, tail):
    opponents, weights = np.array(opponents), np.full(len(opponents), 0.5)

    def chance(strength):
        d = strength - opponents
        return np.prod((np.exp(d / 2) / (2 * np.cosh(d / 2) + np.exp(log_nu))) ** 0.5)

    assert log_chance(0.3, opponents, weights, log_nu) == pytest.approx(np.log(chance(0.3)))
    bound = strength_bound(opponents, weights, log_nu, tail)
    assert chance(bound) == pytest.approx(tail, rel=1e-6)
    assert strength_bound(opponents + 2, weights, log_nu, tail) == pytest.approx(bound + 2)
    # One win more says more.
    more = np.append(opponents, 0.0), np.append(weights, 0.5)
    assert strength_bound(*more, log_nu, tail) > bound
