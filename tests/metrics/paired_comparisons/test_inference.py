"""Bounds of strengths by percentiles, looked up in tables of the normal and of Student's t."""

import numpy as np
import pytest

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
