"""Judges' discriminations: against finite differences, a general optimiser, and what was drawn."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sklearn_mteval.metrics.paired_comparisons.judge_errors import judge_estimates, shifted
from sklearn_mteval.metrics.paired_comparisons.judges import (
    _USUAL_DEVIATION,
    FARTHEST,
    fit_judges,
    judge_derivatives,
    judged_data,
)
from sklearn_mteval.metrics.paired_comparisons.regression import covariance, fit, paired_data

SPREAD = np.linspace(1, -1, 5)


def drawn(seed, discriminations, n, *, biases=0.0, n_segments=200, strengths=SPREAD, p_tie=0.0):
    """Draw comparisons, sorted by segment, with the judge of each and one covariate."""
    rng, m = np.random.default_rng(seed), len(strengths)
    segment = np.sort(np.append(np.arange(n_segments), rng.integers(n_segments, size=n))[:n])
    first = rng.integers(m - 1, size=n)
    second = rng.integers(first + 1, m)
    judge = rng.integers(len(discriminations), size=n)
    x = rng.choice([-1.0, 1.0], size=(n, 1))
    eta = discriminations[judge] * (strengths[first] - strengths[second])
    eta = eta + x[:, 0] * np.broadcast_to(biases, len(discriminations))[judge]
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-eta)), 1, -1)
    outcome[rng.random(n) < p_tie] = 0
    return segment, first, second, outcome, judge, x


def data_of(drawn, n_judges, *, covariates=True, weights=None):
    *parts, x = drawn
    x = x if covariates else x[:, :0]
    return judged_data(*parts, x, weights, n_systems=5, n_judges=n_judges)


def log_posterior(common, own, drawn, variances):
    """Add up one comparison after the other, and the logarithms of the priors."""
    total = -(common[:5] @ common[:5]) / FARTHEST**2 / 2
    total -= (((own - [1, 0]) ** 2) / variances).sum() / 2
    for _, i, j, outcome, k, x in zip(*drawn, strict=True):
        eta = own[k, 0] * (common[i] - common[j]) + (common[5] + own[k, 1]) * x[0]
        won = (outcome + 1) / 2
        total += won * eta - np.logaddexp(0, eta)
    return total


def test_derivatives_are_those_of_finite_differences():
    made = drawn(0, np.array([1.5, 0.5, -0.3]), 60, p_tie=0.2, n_segments=20)
    data, rng = data_of(made, 3), np.random.default_rng(1)
    variances = np.array([0.3, 0.2])
    at = np.append(rng.normal(size=6), rng.normal(size=6))

    def value(flat):
        return log_posterior(flat[:6], flat[6:].reshape(3, 2), made, variances)

    blocks = judge_derivatives(data, data.totals(), at[:6], at[6:].reshape(3, 2), variances)
    steps = 1e-4 * np.eye(12)
    slopes = np.array([(value(at + e) - value(at - e)) / 2e-4 for e in steps])
    assert np.append(blocks.common, blocks.own) == pytest.approx(slopes, abs=1e-6)
    second = np.array(
        [
            [
                (value(at + e + f) - value(at + e - f) - value(at - e + f) + value(at - e - f))
                for f in steps
            ]
            for e in steps
        ]
    )
    information = np.zeros((12, 12))
    information[:6, :6] = blocks.of_common
    information[:5, :5] -= 1 / 5  # what keeps the mean
    for k in range(3):
        own = slice(6 + 2 * k, 8 + 2 * k)
        information[own, :6], information[:6, own] = blocks.between[k], blocks.between[k].T
        information[own, own] = blocks.of_own[k]
    assert information == pytest.approx(-second / 4e-8, abs=1e-5)


def test_no_other_parameters_are_likelier():
    made = drawn(2, np.array([1.6, 0.7, 0.4]), 240, biases=[0.5, 0.0, -0.4], p_tie=0.1)
    found = fit_judges(data_of(made, 3))
    assert found.converged and found.common[:5].sum() == pytest.approx(0, abs=1e-9)
    assert found.shares @ found.own[:, 0] == pytest.approx(1)
    priors = found.variances / found.dependence

    def parameters(free):
        """The last strength makes the mean zero, the last discrimination makes it one."""
        common = np.insert(free[:5], 4, -free[:4].sum())
        own = np.zeros((3, 2))
        own[:2, 0], own[:, 1] = free[5:7], free[7:]
        own[2, 0] = (1 - found.shares[:2] @ own[:2, 0]) / found.shares[2]
        return common, own

    start = np.concatenate([np.zeros(5), [1, 1], np.zeros(3)])
    best = minimize(
        lambda free: -log_posterior(*parameters(free), made, priors),
        start, method="BFGS", options={"gtol": 1e-5},
    )  # fmt: skip
    common, own = parameters(best.x)
    assert found.common == pytest.approx(common, abs=1e-4)
    assert found.own == pytest.approx(own, abs=1e-4)


def test_one_judge_is_bradley_and_terry():
    *parts, judge, x = drawn(3, np.ones(1), 500, p_tie=0.2)
    judged = judged_data(*parts, judge, x[:, :0], n_systems=5, n_judges=1)
    plain = paired_data(*parts, x[:, :0], n_systems=5, ties=False)
    found, of_plain = judge_estimates(judged, fit_judges(judged)), fit(plain)
    assert found.common == pytest.approx(of_plain.values, abs=1e-5)
    assert found.covariance == pytest.approx(covariance(plain, of_plain), rel=1e-4)
    assert found.discriminations == pytest.approx([1])


def test_judges_who_say_the_same_are_bradley_and_terry():
    *parts, _, _ = drawn(4, np.ones(1), 500)
    parts = [np.repeat(part, 3) for part in parts]
    judge = np.tile(np.arange(3), 500)
    judged = judged_data(*parts, judge, np.zeros((1500, 0)), n_systems=5, n_judges=3)
    plain = paired_data(*parts, np.zeros((1500, 0)), n_systems=5, ties=False)
    found = judge_estimates(judged, fit_judges(judged))
    assert found.discriminations == pytest.approx(np.ones(3), abs=1e-6)
    assert found.common == pytest.approx(fit(plain).values, abs=1e-4)


def test_what_was_drawn_is_found_and_who_answers_the_wrong_way_round():
    truth, biases = np.array([1.6, 1.0, 0.625, 0.0, -1.0]), np.array([0.0, 0.8, -0.5, 0.3, 0.2])
    made = drawn(5, truth, 30_000, biases=biases, n_segments=6000)
    data = data_of(made, 5)
    found = judge_estimates(data, fit_judges(data))
    assert np.exp(np.log(found.discriminations[:3]).mean()) == pytest.approx(1)
    assert found.discriminations == pytest.approx(truth, abs=0.12)
    assert found.biases[:, 0] == pytest.approx(biases, abs=0.12)
    assert found.common[:5] == pytest.approx(SPREAD, abs=0.12)
    assert found.discriminations[4] + 3 * found.errors[4] < 0


@pytest.mark.parametrize("covariates", [False, True])
def test_rows_of_pairs_and_of_comparisons_fit_alike(covariates):
    made = drawn(6, np.array([1.5, 0.8, 0.5]), 800)
    *parts, x = made
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0], size=800)
    of_pairs = judged_data(*parts, x[:, :0], weights, n_systems=5, n_judges=3)
    single = judged_data(*parts, x, weights, n_systems=5, n_judges=3)
    single = single._replace(covariates=np.zeros((800, 0)))
    assert len(of_pairs.first) == 30
    found, same = fit_judges(of_pairs), fit_judges(single)
    assert same.own == pytest.approx(found.own, abs=1e-7)
    one, other = judge_estimates(of_pairs, found), judge_estimates(single, same)
    assert other.covariance == pytest.approx(one.covariance)
    assert other.errors == pytest.approx(one.errors)


def test_weights_are_copies():
    made = drawn(7, np.array([1.5, 0.8, 0.5]), 600, p_tie=0.2)
    times = 1 + (np.arange(600) % 3 == 0)
    copies = tuple(np.repeat(part, times, axis=0) for part in made)
    weighted, copied = data_of(made, 3, weights=times.astype(float)), data_of(copies, 3)
    one, other = fit_judges(weighted), fit_judges(copied)
    assert one.own == pytest.approx(other.own, abs=1e-6)
    one, other = judge_estimates(weighted, one), judge_estimates(copied, other)
    assert one.covariance == pytest.approx(other.covariance)
    assert one.bias_errors == pytest.approx(other.bias_errors)


def test_a_judge_with_few_comparisons_is_put_near_the_mean_of_all():
    *parts, judge, x = drawn(8, np.array([1.4, 1.0, 0.7]), 3000)
    judge[np.flatnonzero(judge == 2)[2:]] = 0
    judge[[10, 20]] = [3, 3]
    data = judged_data(*parts, judge, x[:, :0], n_systems=5, n_judges=4)
    found = judge_estimates(data, fit_judges(data))
    assert np.isfinite(found.discriminations).all()
    assert found.discriminations[2:] == pytest.approx([1, 1], abs=0.5)
    assert (found.errors[2:] > 2 * found.errors[0]).all()


def test_resamples_vary_as_the_sandwich_says():
    data = data_of(drawn(9, np.array([1.5, 0.8, 0.5]), 3000, n_segments=800), 3, covariates=False)
    found = judge_estimates(data, fit_judges(data))
    samples = shifted(found, n_resamples=4000, rng=np.random.RandomState(0))
    errors = np.sqrt(np.diag(found.covariance))
    assert samples.mean(axis=0) == pytest.approx(found.common, abs=0.01)
    assert samples.std(axis=0) == pytest.approx(errors, rel=0.1)


@pytest.mark.slow
def test_intervals_cover_as_they_promise():
    truth = np.array([1.6, 1.2, 1.0, 0.8, 0.65])
    unit = np.exp(np.log(truth).mean())
    held, of_judges = [], []
    for seed in range(400):
        made = drawn(seed, truth, 1500, n_segments=300)
        data = data_of(made, 5, covariates=False)
        found = judge_estimates(data, fit_judges(data))
        errors = 1.968 * np.sqrt(np.diag(found.covariance))
        held.append(np.abs(found.common - SPREAD * unit) <= errors)
        of_judges.append(np.abs(found.discriminations - truth / unit) <= 1.968 * found.errors)
    # 400 samples of 5 dependent ones: standard error about 0.006
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)
    assert np.mean(of_judges) == pytest.approx(0.95, abs=0.025)


def test_errors_are_those_of_one_sandwich_of_all_parameters():
    """All 12 parameters at once: the inverse of the bordered information, segment by segment."""
    made = drawn(2, np.array([1.6, 0.9, 0.6]), 400, biases=[0.5, 0.0, -0.4], n_segments=90)
    segment, i, j, outcome, judge, x = made
    data = data_of(made, 3)
    fitted = fit_judges(data)
    found, rows = judge_estimates(data, fitted), np.arange(400)
    difference, g = fitted.common[i] - fitted.common[j], fitted.own[judge, 0]
    jacobian = np.zeros((400, 12))
    jacobian[rows, i], jacobian[rows, j], jacobian[:, 5] = g, -g, x[:, 0]
    jacobian[rows, 6 + 2 * judge], jacobian[rows, 7 + 2 * judge] = difference, x[:, 0]
    eta = g * difference + (fitted.common[5] + fitted.own[judge, 1]) * x[:, 0]
    chance = 1 / (1 + np.exp(-eta))
    residual = (outcome + 1) / 2 - chance
    information = (jacobian.T * (chance * (1 - chance))) @ jacobian
    for k in range(400):  # the log-odds are products of strengths and discriminations
        for end, sign in ((i[k], 1), (j[k], -1)):
            information[end, 6 + 2 * judge[k]] -= sign * residual[k]
            information[6 + 2 * judge[k], end] -= sign * residual[k]
    spread = fitted.variances / fitted.dependence
    information[:5, :5] += np.eye(5) / FARTHEST**2 + 1 / 5
    information[6:, 6:] += np.diag(np.tile(1 / spread, 3))
    held = np.zeros(12)
    held[6::2] = fitted.shares
    bread = np.linalg.inv(np.block([[information, held[:, None]], [held, np.zeros(1)]]))[:12, :12]
    slopes = np.zeros((90, 12))
    np.add.at(slopes, segment, residual[:, None] * jacobian)
    shares = np.bincount(segment) / 400  # a large segment draws the estimates to itself
    slopes *= np.sqrt(90 / 89) * ((1 - 1 / 90) / (1 - shares))[:, None]
    priors = np.zeros((11, 12))  # what was drawn besides: strengths, and judges' deviations
    priors[:5, :5] = (np.eye(5) - 1 / 5) / FARTHEST
    priors[5:, 6:] = np.diag(np.tile(fitted.dependence / np.sqrt(fitted.variances), 3))
    moved = np.vstack([slopes, priors]) @ bread
    slope = fitted.own[:, 0]
    unit = np.exp(np.log(slope).mean())
    assert (slope > 1 / 3).all()  # else a judge would not count in the unit
    of_unit = (moved[:, 6::2] / slope).mean(axis=1, keepdims=True)
    of_slopes = (moved[:, 6::2] - slope * of_unit) / unit
    assert found.discriminations == pytest.approx(slope / unit)
    assert found.errors == pytest.approx(np.sqrt((of_slopes**2).sum(axis=0)))
    of_biases = moved[:, 5:6] + moved[:, 7::2]
    assert found.bias_errors[:, 0] == pytest.approx(np.sqrt((of_biases**2).sum(axis=0)))
    of_common = moved[:, :6].copy()
    of_common[:, :5] = unit * (of_common[:, :5] + of_unit * fitted.common[:5])
    assert found.covariance == pytest.approx(of_common.T @ of_common, abs=1e-9)


def test_variances_of_judges_who_are_known_well():
    """Of many comparisons all deviations are decided, but for the one that is held."""
    made = drawn(2, np.array([1.6, 0.9, 0.6]), 20_000, n_segments=20_000)
    found = fit_judges(data_of(made, 3, covariates=False))
    squares, decided = ((found.own[:, 0] - 1) ** 2).sum(), 3 - 1
    expected = (squares + _USUAL_DEVIATION**2) / (decided + 1)
    assert found.variances[0] == pytest.approx(expected, rel=0.02)
