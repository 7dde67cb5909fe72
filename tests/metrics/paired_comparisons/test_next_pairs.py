"""Gains against covariances inverted anew, slopes against differences, batches by brute force."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from sklearn_mteval.metrics.paired_comparisons.next_pairs import (
    GOALS,
    Knowledge,
    Pairs,
    knowledge_of,
)


def known(seed=0, n=5):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n)) / 4
    counts = np.full((n, n), 800 / n / (n - 1))
    return Knowledge(rng.normal(size=n) / 3, root @ root.T + 0.02 * np.eye(n), 1.3, counts)


def mean_variance(covariance):
    n = len(covariance)
    variances = [
        covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
        for i in range(n)
        for j in range(i)
    ]
    return np.mean(variances)


def after(k, i, j):
    """Invert the information of what is known and one more comparison."""
    c = np.eye(len(k.strengths))[i] - np.eye(len(k.strengths))[j]
    p = expit(k.strengths[i] - k.strengths[j])
    added = p * (1 - p) / k.inflation * np.outer(c, c)
    return np.linalg.inv(np.linalg.inv(k.covariance) + added)


def test_the_gain_is_what_one_more_comparison_takes_off_the_mean_variance():
    k = known()
    pairs = Pairs(k, 1, goal="intervals", alpha=0.05)
    gains = {
        (i, j): mean_variance(k.covariance) - mean_variance(after(k, i, j))
        for i in range(5)
        for j in range(i + 1, 5)
    }
    i, j, gain = pairs.best()
    assert gain == pytest.approx(gains[i, j]) and gain >= 0.8 * max(gains.values())
    pairs.compare(i, j)
    assert pairs.covariance == pytest.approx(after(k, i, j))


def test_the_slope_of_tiers_is_that_of_the_probability_to_tell_apart():
    k = known(1)
    share, alpha = 0.7, 0.05
    weights = GOALS["tiers"](k.strengths, k.covariance, share, alpha)
    assert weights == pytest.approx(weights.T)
    d = np.abs(k.strengths[:, None] - k.strengths)
    own = np.diag(k.covariance)
    v = own[:, None] + own - 2 * k.covariance + np.eye(5)
    n_open = 10
    while True:
        z = stats.norm.isf(alpha / 2 / n_open)
        still = np.triu(d < z * np.sqrt(v), 1)
        if still.sum() == n_open:
            break
        n_open = still.sum()
    for i, j in zip(*np.nonzero(np.triu(np.ones((5, 5)), 1)), strict=True):
        power = [stats.norm.cdf(d[i, j] / np.sqrt(share * v[i, j] + h) - z) for h in (-1e-6, 1e-6)]
        slope = (power[0] - power[1]) / 2e-6
        assert weights[i, j] == pytest.approx(slope if still[i, j] else 0.0, rel=1e-4)


def test_a_batch_is_chosen_one_after_the_other():
    k = known(2)
    pairs, chosen = Pairs(k, 3, goal="intervals", alpha=0.05), []
    for _ in range(3):
        i, j, _ = pairs.best()
        pairs.compare(i, j)
        chosen.append((i, j))
    now, counts = k, dict.fromkeys([(i, j) for i in range(5) for j in range(i + 1, 5)], 0)
    for pair in chosen:
        before = mean_variance(now.covariance)
        gains = {other: before - mean_variance(after(now, *other)) for other in counts}
        near = [other for other in gains if gains[other] >= 0.8 * max(gains.values())]
        assert pair in near and counts[pair] == min(counts[other] for other in near)
        now = now._replace(covariance=after(now, *pair))
        counts[pair] += 1


def test_what_is_forbidden_is_not_chosen_and_what_is_settled_does_not_stop_it():
    far = Knowledge(np.array([9.0, 0.0, -9.0]), 0.01 * np.eye(3), 1.0, np.full((3, 3), 300.0))
    pairs = Pairs(far, 10, goal="tiers", alpha=0.05)
    i, j, gain = pairs.best()
    assert gain == 0.0
    pairs.forbid(j, i)
    assert pairs.best()[:2] != (i, j)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        pairs.forbid(one, other)
    assert pairs.best() is None


def test_variances_of_tiers_are_those_that_the_batch_will_leave():
    """400 comparisons so far and 100 more leave four fifths of the variances."""
    k = known(3)
    k = k._replace(counts=k.counts * (1 - np.eye(5)))
    assert k.counts.sum() == pytest.approx(2 * 400)  # each comparison stands in two cells
    expected = GOALS["tiers"](k.strengths, k.covariance, 0.8, 0.05)
    pairs = Pairs(k, 100, goal="tiers", alpha=0.05)
    assert expected.any() and pairs.goal == pytest.approx(expected * (1 - np.eye(5)))


@pytest.mark.parametrize(
    ("of_segment", "inflation"), [([1, -1], 0.1), ([1] * 20, 10.0), ([1], 1.0), ([1, 1, 1], 3.0)]
)
def test_inflation_is_how_alike_comparisons_of_a_segment_are(of_segment, inflation):
    """Of n that all say the same n, of opposite ones nothing, within a tenth and ten times."""
    n, m = 60, len(of_segment)
    outcome = np.ravel([np.array(of_segment) * (-1) ** (k % 2) for k in range(n)])
    compared = SimpleNamespace(
        segment=np.repeat(np.arange(n), m), first=np.zeros(n * m, dtype=int),
        second=np.ones(n * m, dtype=int), outcome=outcome,
    )  # fmt: skip
    assert knowledge_of(compared, 2).inflation == pytest.approx(inflation, rel=0.03)
