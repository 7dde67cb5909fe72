"""Exact sums are those of fractions, in any order and in any blocks."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sklearn_mteval._helpers.exact_sums import ExactSums


def total(*blocks, over=1):
    sums = ExactSums(1)
    for block in blocks:
        sums.add(np.reshape(block, (-1, 1)))
    return float(sums.totals(over)[0])


HARD = {
    "nothing": [],
    "zeros": [0.0, -0.0],
    "cancelling": [1e140, 1.0, -1e140],
    "a hundred orders of magnitude": [10.0**k for k in range(-150, 150, 3)],
    "subnormal": [5e-324, 2.5e-310, -5e-324, 1e-308],
    "largest": [1.7e308, 1.7e308, -1.7e308, -1.7e308, 3.0],
    "negative": [-0.1] * 10,
    "half of the last bit": [1.0, 2.0**-53, 2.0**-106],
    "all shifts": [float(2**k + 1) for k in range(52)] + [-(2.0**-k) for k in range(70)],
}


@pytest.mark.parametrize("name", HARD)
def test_the_sum_is_the_exact_one_rounded_once(name):
    numbers = HARD[name]
    exact = sum(map(Fraction, numbers), Fraction(0))
    assert total(numbers) == float(exact)
    assert total(numbers, over=7) == float(exact / 7)


@pytest.mark.parametrize("seed", range(5))
def test_order_and_blocks_change_no_bit(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=300) * 10.0 ** rng.integers(-300, 290, 300)
    expected = math.fsum(numbers)
    assert total(numbers) == expected
    cuts = np.sort(rng.integers(0, 300, 7))
    assert total(*np.split(rng.permutation(numbers), cuts)) == expected


def test_columns_are_summed_by_themselves():
    rows = np.random.default_rng(0).normal(size=(50, 4))
    sums = ExactSums(4)
    sums.add(rows[:, ::-1][::2])  # of any layout
    sums.add(np.asfortranarray(rows[:, ::-1][1::2]))
    assert sums.totals().tolist() == [math.fsum(column) for column in rows.T[::-1]]


def test_many_terms_do_not_overflow():
    sums = ExactSums(2)
    sums.add([[1.0 - 2.0**-53, -1.0 + 2.0**-53]])
    for _ in range(80):  # 2^80 terms
        sums.parts *= 2
        sums.carry()
    assert sums.totals(2**80).tolist() == [1.0 - 2.0**-53, -1.0 + 2.0**-53]
