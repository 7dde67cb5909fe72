"""Bounds of strengths by percentiles, looked up in tables of the normal and of Student's t."""

import itertools

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.metrics.core.units import expanded_percentiles


@pytest.mark.parametrize(
    ("n_segments", "place"),
    [
        (10, 8),  # Φ(-2.262 √(10 / 9)) = Φ(-2.384) = 0.0086
        (30, 18),  # Φ(-2.045 √(30 / 29)) = Φ(-2.080) = 0.0188
        (1_000_000, 24),  # Φ(-1.96000), a trace below 0.025
        (3, 1),  # Φ(-4.303 √1.5): beyond all samples, the outermost
    ],
)
def test_percentiles_of_few_segments_lie_further_out(n_segments, place):
    samples = np.random.default_rng(0).permutation(np.arange(1.0, 1000))[:, None]
    assert expanded_percentiles(samples, 0.025, n_segments).tolist() == [[place, 1000 - place]]


def test_a_resample_that_says_nothing_allows_any_value():
    samples = np.append(np.arange(1.0, 980), np.full(20, np.nan))[:, None]
    low, high = expanded_percentiles(samples, 0.025, 30)[0]
    assert low == -np.inf and high == np.inf
    few = np.append(np.arange(1.0, 995), np.full(5, np.nan))[:, None]
    assert expanded_percentiles(few, 0.025, 30).tolist() == [[13, 995 - 13]]


@pytest.mark.parametrize("seed", [118, 119, 120])  # 119 leaves a variance just below zero
def test_segments_that_are_all_alike_leave_no_error_but_that_of_rounding(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(3, 10)
    wins = rng.random((n, n)) < 0.5
    rows = [
        (segment, f"{i} {j}", system, (system == i) != wins[i, j])
        for segment in range(6)
        for i, j in itertools.combinations(range(n), 2)
        for system in (i, j)
    ]
    table = pd.DataFrame(rows, columns=["segment", "ranking", "system", "y"])
    table = table.assign(hypothesis="x").set_index(["segment", "ranking", "system"])
    found = leaderboard(table[["hypothesis"]], table["y"].astype(int), n_resamples=10)
    assert (found.table["standard_error"].dropna() < 1e-9).all()
