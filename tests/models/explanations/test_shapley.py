"""Decisions split over families, against all orders of telling, one after the other."""

from itertools import permutations

import numpy as np
import pytest
from orders import by_all_orders

from sklearn_mteval.models.explanations.shapley import split_decision

FIRST = np.array([1.0, 2.0, -1.0, 0.5, 3.0, 7.0])
SECOND = np.array([0.0, 2.5, 1.0, 0.5, 1.0, 2.0])
FAMILIES = ["a", "a", "b", "c", "d", "ignored"]


def odd(first, second):
    """Decide by products and steps; the last column is ignored."""
    d, s = first - second, first + second
    return d[:, 0] * s[:, 2] + np.sign(d[:, 4]) * s[:, 1] + d[:, 1] ** 3 + 2 * d[:, 2] + d[:, 3]


def test_families_as_by_all_orders():
    decision, values, columns = split_decision(odd, FIRST, SECOND, FAMILIES)
    assert values == pytest.approx(by_all_orders(odd, FIRST, SECOND, FAMILIES))
    assert sum(values.values()) == pytest.approx(decision) == odd(FIRST[None], SECOND[None])[0]
    assert values["ignored"] == columns[5] == 0
    assert values["c"] == 0  # the translations have the same
    for name in set(FAMILIES):
        assert columns[np.array(FAMILIES) == name].sum() == pytest.approx(values[name])


def test_exchanged_translations_have_opposite_values():
    decision, values, columns = split_decision(odd, FIRST, SECOND, FAMILIES)
    back, opposite, others = split_decision(odd, SECOND, FIRST, FAMILIES)
    assert back == -decision
    assert opposite == pytest.approx({name: -value for name, value in values.items()})
    assert others == pytest.approx(-columns)


@pytest.mark.parametrize("n_families", [3, 14])
def test_linear_decisions_are_coefficients_times_differences(n_families):
    rng = np.random.default_rng(1)
    coef, first, second = rng.normal(size=(3, 42))
    families = [f"f{k % n_families}" for k in range(42)]
    decide = lambda t1, t2: (t1 - t2) @ coef  # noqa: E731
    _, values, columns = split_decision(decide, first, second, families)
    assert columns == pytest.approx(coef * (first - second))
    for name, value in values.items():
        assert value == pytest.approx(columns[np.array(families) == name].sum())


def test_equal_translations_have_nothing_to_split():
    decision, values, columns = split_decision(odd, FIRST, FIRST, FAMILIES)
    assert decision == 0 and set(values.values()) == {0.0} and not columns.any()


def test_of_five_families_all_orders_count():
    """By all 120 orders of telling: what is not told has the mean of the pair in both."""

    def decide(one, other):
        return np.sin(one).prod(axis=1) - np.sin(other).prod(axis=1)

    rng = np.random.default_rng(0)
    first, second = rng.uniform(0.2, 1.5, (2, 5))
    mean, expected = (first + second) / 2, np.zeros(5)
    for order in permutations(range(5)):
        a, b, last = mean.copy(), mean.copy(), 0.0
        for k in order:
            a[k], b[k] = first[k], second[k]
            value = decide(a[None], b[None])[0]
            expected[k] += (value - last) / 120
            last = value
    decision, values, _ = split_decision(decide, first, second, list("abcde"))
    assert [values[name] for name in "abcde"] == pytest.approx(expected, rel=1e-9)
    assert decision == pytest.approx(expected.sum())
