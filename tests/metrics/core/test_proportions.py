"""Intervals of proportions against scipy's, and against simulations of what hangs together."""

import numpy as np
import pytest
from scipy.stats import binomtest

from sklearn_mteval.metrics.core.proportions import interval_of_proportion, wilson_interval


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (3, 7), (400, 400), (199, 401)])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_trials_by_themselves_have_wilsons(hits, n, confidence):
    expected = binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert wilson_interval(hits / n, n, confidence) == pytest.approx(list(expected))
    of_units = interval_of_proportion(np.arange(n) < hits, np.ones(n), confidence)
    assert of_units == pytest.approx(list(expected))


def test_units_that_agree_entirely_are_a_trial_each():
    hits, sizes = np.repeat([[20.0, 0.0]], 15, axis=0).ravel(), np.full(30, 20.0)
    expected = binomtest(15, 30).proportion_ci(method="wilson")
    found = interval_of_proportion(hits, sizes, 0.95)
    assert found == pytest.approx(list(expected), abs=0.01)


def test_no_interval_is_a_point():
    for sizes in (np.array([1.0]), np.array([500.0]), np.full(40, 25.0)):
        for hits in (0 * sizes, sizes):
            low, high = interval_of_proportion(hits, sizes, 0.95)
            assert 0 <= low < high <= 1
    assert np.isnan(interval_of_proportion(np.zeros(3), np.zeros(3), 0.95)).all()


@pytest.mark.parametrize("n_units", [6, 20])
@pytest.mark.parametrize("proportion", [0.5, 0.9])
@pytest.mark.parametrize("together", [0.01, 0.2])
def test_coverage(n_units, proportion, together):
    """Beta-binomial units of unequal sizes, with an intraclass correlation from none to large."""
    rng = np.random.default_rng(0)
    both = np.array([proportion, 1 - proportion]) * (1 / together - 1)
    inside = []
    for _ in range(200):
        sizes = rng.integers(1, 60, n_units)
        hits = rng.binomial(sizes, rng.beta(*both, size=n_units))
        low, high = interval_of_proportion(hits, sizes, 0.95)
        inside.append(low <= proportion <= high)
    assert np.mean(inside) >= 0.92
