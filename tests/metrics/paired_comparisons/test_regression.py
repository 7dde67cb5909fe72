"""Fits against a general optimiser, the sandwich against statsmodels, resamples against copies."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize

from sklearn_mteval.metrics.paired_comparisons import regression
from sklearn_mteval.metrics.paired_comparisons.regression import (
    Fit,
    _refitted,
    bootstrap,
    covariance,
    fit,
    paired_data,
)
from sklearn_mteval.metrics.paired_comparisons.strengths import (
    bradley_terry_strengths,
    tied_strengths,
)


def comparisons(seed=0, n_systems=5, n_segments=40, n=400, n_covariates=0, p_tie=0.3):
    """Draw comparisons, sorted by segment and systems: the arguments of paired_data."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_systems - 1, n)
    second = rng.integers(first + 1, n_systems)
    covariates = rng.normal(size=(n, n_covariates))
    lead = (second - first) / 2 + covariates.sum(axis=1) / 2
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-lead)), 1, -1)
    outcome[rng.random(n) < p_tie] = 0
    segment = rng.permutation(np.arange(n) % n_segments)
    order = np.lexsort((second, first, segment))
    return segment[order], first[order], second[order], outcome[order], covariates[order]


def made(drawn, ties, n_systems=5):
    return paired_data(*drawn, n_systems=n_systems, ties=ties)


def log_likelihood(values, drawn, ties, n_systems=5):
    """Add up the log-probability of one comparison after the other, as Davidson (1970) has it."""
    total = 0.0
    for _, i, j, outcome, x in zip(*drawn, strict=True):
        effect = values[n_systems : n_systems + len(x)] @ x
        worth, other = np.exp(values[i] + effect), np.exp(values[j])
        if ties:
            tie = np.exp(values[-1]) * np.sqrt(worth * other)
            chances = {1: worth, 0: tie, -1: other}
            total += np.log(chances[outcome] / (worth + other + tie))
        else:
            won = (outcome + 1) / 2
            total += won * np.log(worth) + (1 - won) * np.log(other) - np.log(worth + other)
    return total


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_covariates", [0, 2])
def test_no_other_parameters_are_likelier(ties, n_covariates):
    drawn = comparisons(n=120, n_covariates=n_covariates)
    found = fit(made(drawn, ties))
    assert found.converged and found.values[:5].sum() == pytest.approx(0, abs=1e-12)

    def loss(free):  # the last strength is what makes the mean zero
        return -log_likelihood(np.insert(free, 4, -free[:4].sum()), drawn, ties)

    start = np.zeros(4 + n_covariates + ties)
    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-6})
    assert found.values == pytest.approx(np.insert(best.x, 4, -best.x[:4].sum()), abs=1e-5)


def test_without_covariates_it_is_the_fit_of_counts():
    segment, first, second, outcome, covariates = comparisons()
    wins, ties = np.zeros((2, 5, 5))
    for i, j, o in zip(first, second, outcome, strict=True):
        if o:
            wins[(i, j) if o > 0 else (j, i)] += 1
        else:
            ties[i, j] += 1
            ties[j, i] += 1
    drawn = segment, first, second, outcome, covariates
    half = bradley_terry_strengths(wins + ties / 2)
    assert fit(made(drawn, False)).values == pytest.approx(half, abs=1e-9)
    strengths, nu = tied_strengths(wins, ties)
    assert fit(made(drawn, True)).values == pytest.approx([*strengths, np.log(nu)], abs=1e-9)


def test_a_covariate_of_zeros_apart_rows_of_pairs_or_of_comparisons_fit_alike():
    drawn = comparisons()
    of_pairs = made(drawn, True)
    rng = np.random.default_rng(1)
    with_covariate = made((*drawn[:4], rng.normal(size=(400, 1))), True)
    assert len(of_pairs.first) == 10 and len(with_covariate.first) == 400
    single = with_covariate._replace(covariates=np.zeros((400, 0)))
    assert fit(single).values == pytest.approx(fit(of_pairs).values, abs=1e-10)
    assert covariance(single, fit(single)) == pytest.approx(covariance(of_pairs, fit(of_pairs)))


def test_the_sandwich_is_that_of_statsmodels():
    drawn = comparisons(n_covariates=1)
    segment, first, second, outcome, x = drawn
    design = np.zeros((len(first), 5))
    design[np.arange(len(first)), first] = 1
    design[np.arange(len(first)), second] -= 1
    # The first system has strength 0 there; contrasts with it do not depend on that.
    columns = np.column_stack([design[:, 1:], x])
    model = sm.GLM((outcome + 1) / 2, columns, family=sm.families.Binomial())
    theirs = model.fit(cov_type="cluster", cov_kwds={"groups": segment, "use_correction": False})
    data = made(drawn, False)
    found = fit(data)
    contrasts = np.zeros((5, 6))
    contrasts[:4, 0], contrasts[np.arange(4), np.arange(1, 5)], contrasts[4, 5] = -1, 1, 1
    assert contrasts @ found.values == pytest.approx(theirs.params)
    ours = contrasts @ covariance(data, found) @ contrasts.T * 39 / 40  # their G / (G - 1) is off
    assert ours == pytest.approx(theirs.cov_params(), rel=1e-6)


@pytest.mark.parametrize("ties", [False, True])
def test_of_unequal_clusters_it_is_about_the_jackknife(ties):
    """Brute force, each left out and fitted anew: two of twelve have half of the comparisons."""
    drawn = comparisons(n=600, n_segments=24)
    few = np.where(drawn[0] < 6, 0, np.where(drawn[0] < 12, 1, drawn[0] - 10))
    drawn = [few, *drawn[1:]]
    drawn = [part[np.lexsort((drawn[2], drawn[1], few))] for part in drawn]
    data = made(drawn, ties)
    whole, n = fit(data), few.max() + 1
    left = [fit(made([part[drawn[0] != k] for part in drawn], ties)).values for k in range(n)]
    moved = np.array(left) - whole.values
    jackknife = np.sqrt((n - 1) / n * (moved**2).sum(axis=0))
    ours = np.sqrt(np.diag(covariance(data, whole)))
    np.testing.assert_allclose(ours, jackknife, rtol=0.12)
    assert np.abs(ours / jackknife - 1).mean() < 0.06


def numeric_sandwich(drawn, values, step=1e-5):
    """Derive bread and meat of Davidson's model from the likelihood alone."""
    p, segments = len(values), np.unique(drawn[0])

    def slope(of, at):
        return np.array(
            [
                (log_likelihood(at + step * e, of, True) - log_likelihood(at - step * e, of, True))
                / (2 * step)
                for e in np.eye(p)
            ]
        )

    curvature = -np.array(
        [(slope(drawn, values + 1e-3 * e) - slope(drawn, values - 1e-3 * e)) / 2e-3
         for e in np.eye(p)]
    )  # fmt: skip
    parts = [slope([part[drawn[0] == g] for part in drawn], values) for g in segments]
    meat = np.array(parts).T @ np.array(parts) * len(segments) / (len(segments) - 1)
    bread = np.linalg.pinv(curvature, rcond=1e-6)  # the mean of strengths is free
    return bread @ meat @ bread


def test_the_sandwich_of_davidsons_model_is_that_of_numeric_derivatives():
    drawn = comparisons(n_systems=4, n_segments=8, n=64)
    data = paired_data(*drawn, n_systems=4, ties=True)
    found = fit(data)
    ours = covariance(data, found)
    theirs = numeric_sandwich(drawn, np.insert(found.values, 4, 0.0))  # of five systems
    theirs = np.delete(np.delete(theirs, 4, axis=0), 4, axis=1)
    assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_covariates", [0, 1])
def test_a_resample_is_the_fit_of_copies(ties, n_covariates, monkeypatch):
    drawn = comparisons(n_covariates=n_covariates)
    data = made(drawn, ties)
    found = fit(data)
    seen = []
    kernel = regression.resampled_estimates

    def spy(draws, *rest):
        seen.append(draws.copy())
        return kernel(draws, *rest)

    monkeypatch.setattr(
        "sklearn_mteval.metrics.paired_comparisons.regression.resampled_estimates", spy
    )
    rng = np.random.RandomState(0)
    estimates = bootstrap(data, found, n_resamples=5, rng=rng)
    [draws] = seen
    for draw, estimate in zip(draws, estimates, strict=True):
        assert len(draw) == 40
        rows = np.concatenate([np.flatnonzero(drawn[0] == segment) for segment in draw])
        new = np.repeat(np.arange(40), [(drawn[0] == segment).sum() for segment in draw])
        copies = (new, *(part[rows] for part in drawn[1:]))
        assert estimate == pytest.approx(fit(made(copies, ties)).values, abs=1e-6)


def test_a_system_that_loses_in_one_segment_only_is_infinite_without_it():
    # Of three systems in 30 segments, 0 beats the others but in segment 7; 1 and 2 alternate.
    segment = np.repeat(np.arange(30), 3)
    first, second = np.tile([0, 0, 1], 30), np.tile([1, 2, 2], 30)
    outcome = np.tile([1, 1, 1, 1, 1, -1], 15)
    outcome[3 * 7] = -1
    data = paired_data(segment, first, second, outcome, np.zeros((90, 0)), n_systems=3, ties=False)
    found = fit(data)
    estimates = bootstrap(data, found, n_resamples=2000, rng=np.random.RandomState(0))
    infinite = np.isposinf(estimates[:, 0])
    # One more than that: 1 or 2 may not lose to the other either, once in 2^29.
    assert infinite.mean() == pytest.approx((29 / 30) ** 30, abs=0.03)
    assert np.isfinite(estimates[:, 1:]).all()
    # The two others keep the mean that they have in all data.
    assert estimates[infinite][:, 1:].mean(axis=1) == pytest.approx(found.values[1:].mean())
    assert np.isfinite(estimates[~infinite]).all()
    assert estimates[~infinite].mean(axis=1) == pytest.approx(0, abs=1e-7)


def test_log_nu_of_a_resample_without_ties_is_minus_infinity():
    drawn = comparisons(n=200, p_tie=0.0)
    drawn[3][np.flatnonzero(drawn[0] == 3)[0]] = 0
    data = made(drawn, True)
    estimates = bootstrap(data, fit(data), n_resamples=100, rng=np.random.RandomState(0))
    without = np.isneginf(estimates[:, -1])
    assert 20 < without.sum() < 60  # (1 - 1/40)^40 is 0.36
    assert np.isfinite(estimates[:, :5]).all() and np.isfinite(estimates[~without]).all()


def test_what_cannot_be_fitted_says_so():
    drawn = comparisons(n_covariates=1)
    covariates = drawn[3][:, None] * 1.0  # it decides every comparison
    assert not fit(made((*drawn[:4], covariates), False)).converged


def test_a_resample_keeps_the_mean_of_what_it_places():
    """By hand: of three systems one is not drawn; the first wins three of four of the others."""
    data = paired_data(
        np.arange(3), np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([1, 1, -1]),
        np.zeros((3, 0)), n_systems=3, ties=False,
    )  # fmt: skip
    found = Fit(np.array([1.0, 2.0, -3.0]), np.eye(3), True)
    values = _refitted(data, found, np.array([[4.0, 3, 0], [0, 0, 0], [0, 0, 0]]))
    assert values[:2] == pytest.approx([1.5 + np.log(3) / 2, 1.5 - np.log(3) / 2])
    assert np.isnan(values[2])
    # What beat one of them is above all.
    values = _refitted(data, found, np.array([[4.0, 3, 0], [0, 0, 0], [1, 0, 0]]))
    assert values[:2].mean() == pytest.approx(1.5) and values[2] == np.inf
