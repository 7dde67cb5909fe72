"""Means corrected by automatic scores: closed forms, brute force, and simulated coverage."""

import numpy as np
import pytest
from scipy import stats

from sklearn_mteval.metrics.core.assisted_means import assisted_means

N_SEGMENTS, N_SYSTEMS = 60, 4


def units(n_segments=N_SEGMENTS, n_systems=N_SYSTEMS):
    """Return targets and clusters of a full table, row by row."""
    return (
        np.tile(np.arange(n_systems), n_segments),
        np.repeat(np.arange(n_segments), n_systems),
    )


@pytest.fixture
def table():
    """Return people's values and an automatic judge's, (n_segments, n_systems) each."""
    rng = np.random.default_rng(0)
    difficulty = rng.gamma(2, 10, (N_SEGMENTS, 1))
    values = 90 - difficulty - rng.gamma(1, 5, (N_SEGMENTS, N_SYSTEMS))
    return values, 0.01 * values + rng.normal(0, 0.1, values.shape)


def estimate(values, automatic=None, **options):
    """Estimate means of a full table."""
    target, cluster = units(*values.shape)
    scores = None if automatic is None else automatic.reshape(values.size, -1)
    sizes = {"n_clusters": values.shape[0], "n_targets": values.shape[1]}
    return assisted_means(target, cluster, values.ravel(), scores, **sizes, **options)


def test_plain_means_are_those_of_a_t_test(table):
    values = table[0]
    found = estimate(values)
    np.testing.assert_allclose(found.estimates, values.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(values.T) / N_SEGMENTS)
    assert found.degrees.tolist() == [N_SEGMENTS - 1] * N_SYSTEMS
    difference = values[:, 0] - values[:, 1]
    spread = found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1]
    t = (found.estimates[0] - found.estimates[1]) / np.sqrt(spread)
    assert t == pytest.approx(stats.ttest_1samp(difference, 0).statistic)


def test_simple_random_sample_has_the_correction_of_a_finite_population(table):
    values = table[0].copy()
    values[20:] = np.nan
    found = estimate(values, finite=True)
    kept = values[:20]
    np.testing.assert_allclose(found.estimates, kept.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(kept.T) / 20 * (1 - 20 / N_SEGMENTS))


def test_all_judged_leaves_no_doubt_about_a_finite_number(table):
    found = estimate(*table, finite=True)
    np.testing.assert_allclose(found.estimates, table[0].mean(axis=0))
    np.testing.assert_allclose(found.covariance, 0, atol=1e-20)


def test_one_automatic_judge_of_one_target_is_prediction_powered(table):
    """PPI++, Angelopoulos et al. 2023, with the judged among all: λ = Cov / Var."""
    (values, scores), n = table, 25
    values, scores = values[:, :1].copy(), scores[:, :1]
    values[n:] = np.nan
    found = estimate(values, scores, finite=True)
    v, a = values[:n, 0], scores[:n, 0]
    slope = np.cov(v, a)[0, 1] / np.var(a, ddof=1)
    assert found.coefficients == pytest.approx([slope])
    assert found.estimates == pytest.approx([v.mean() - slope * (a.mean() - scores.mean())])
    residual = v - slope * a
    variance = residual.var() / (n - 2) * (1 - n / N_SEGMENTS)
    assert found.covariance[0, 0] == pytest.approx(variance)
    # Of a population, what automatic scores say of all is uncertain, too.
    found = estimate(values, scores)
    pull = np.zeros(N_SEGMENTS)
    pull[:n] = (v - v.mean() - found.coefficients[0] * (a - a.mean())) / n
    pull += found.coefficients[0] * (scores[:, 0] - scores.mean()) / N_SEGMENTS
    assert found.covariance[0, 0] == pytest.approx((pull**2).sum() * n / (n - 2))


def test_probabilities_weight_what_was_chosen(table):
    values = table[0].copy()
    probability = np.linspace(0.2, 1, N_SEGMENTS)
    chosen = np.random.default_rng(1).random(N_SEGMENTS) < probability
    values[~chosen] = np.nan
    found = estimate(values, probability=probability, finite=True)
    weights = 1 / probability[chosen]
    mean = np.average(values[chosen], axis=0, weights=weights)
    np.testing.assert_allclose(found.estimates, mean)
    pulls = weights[:, None] * (values[chosen] - mean) / weights.sum()
    counted = 1 - probability[chosen]
    centred = pulls - np.average(pulls, axis=0, weights=counted)
    n = (counted > 0).sum()  # what is certain varies no more
    expected = (centred.T * counted) @ centred * n / (n - 1)
    np.testing.assert_allclose(found.covariance, expected)


def test_scale_and_copies_of_automatic_scores_change_nothing(table):
    values, scores = table[0].copy(), table[1]
    values[20:] = np.nan
    once = estimate(values, scores)
    twice = estimate(values, np.stack([1e6 * scores - 3, scores], axis=2))
    np.testing.assert_allclose(once.estimates, twice.estimates)
    constant = estimate(values, np.full_like(scores, 7.0))
    np.testing.assert_allclose(constant.estimates, estimate(values).estimates)


def test_too_few_judged_for_a_coefficient_are_left_as_they_are(table):
    values, scores = table[0].copy(), table[1]
    values[3:] = np.nan
    found = estimate(values, scores)
    assert found.coefficients.tolist() == [0]
    np.testing.assert_allclose(found.estimates, values[:3].mean(axis=0))


def test_never_judged_and_judged_once_are_undefined(table):
    values = table[0].copy()
    values[:, 1] = np.nan
    values[1:, 2] = np.nan
    found = estimate(values)
    assert np.isnan(found.estimates).tolist() == [False, True, False, False]
    assert np.isnan(np.diag(found.covariance)).tolist() == [False, True, True, False]


def test_sums_give_the_means_of_resamples(table):
    values, scores = table[0].copy(), table[1]
    values[30:] = np.nan
    found = estimate(values, scores)
    draws = np.random.default_rng(0).integers(N_SEGMENTS, size=(5, N_SEGMENTS))
    counts = np.array([np.bincount(draw, minlength=N_SEGMENTS) for draw in draws])
    means = found.sums.means(counts, found.coefficients)
    for draw, mean in zip(draws, means, strict=True):
        there = draw[draw < 30]
        centre = scores - scores.mean()
        corrected = (values - found.coefficients * centre)[there].mean(axis=0)
        np.testing.assert_allclose(mean, corrected + found.coefficients * centre[draw].mean(axis=0))


def test_strata_by_loops(table):
    """Deville and Tillé 2005: squares about the mean of each stratum, with its own n / (n - 1)."""
    rng = np.random.default_rng(4)
    values, scores = table[0].copy(), table[1]
    stratum = rng.integers(0, 4, N_SEGMENTS)
    probability = rng.uniform(0.3, 0.9, N_SEGMENTS)
    chosen = rng.random(N_SEGMENTS) < probability
    values[~chosen] = np.nan
    given = {"probability": probability, "stratum": stratum, "finite": True}
    found = estimate(values, scores, **given)
    w, c = 1 / probability[chosen], 1 - probability[chosen]

    def pulls(table):
        return w[:, None] * (table - np.average(table, axis=0, weights=w)) / w.sum()

    def products(a, b):
        total = 0
        for k in np.unique(stratum):
            rows = stratum[chosen] == k
            n = rows.sum()
            x, y = (z[rows] - np.average(z[rows], axis=0, weights=c[rows]) for z in (a, b))
            total = total + (x.T * c[rows]) @ y * n / (n - 1)
        return total

    human, metric = pulls(values[chosen]), pulls(scores[chosen])
    slope = np.trace(products(human, metric)) / np.trace(products(metric, metric))
    assert found.coefficients == pytest.approx([slope])
    n_left = chosen.sum() - 4
    expected = products(human - slope * metric, human - slope * metric) * n_left / (n_left - 1)
    np.testing.assert_allclose(found.covariance, expected)
    assert (found.degrees <= n_left - 1).all() and (found.degrees > 5).all()
    assert not np.allclose(
        estimate(values, scores, **given | {"stratum": None}).covariance, expected
    )


def test_strata_of_one_judged_cluster_are_joined(table):
    values = table[0].copy()
    values[8:] = np.nan
    found = estimate(values, stratum=np.arange(N_SEGMENTS), finite=True)
    np.testing.assert_allclose(found.covariance, estimate(values, finite=True).covariance)
    alone = estimate(values, stratum=np.minimum(np.arange(N_SEGMENTS), 1), finite=True)
    np.testing.assert_allclose(alone.covariance, found.covariance)


@pytest.mark.parametrize(("name", "kurtosis"), [("normal", 3), ("laplace", 6), ("uniform", 1.8)])
def test_heavy_tails_leave_fewer_degrees_of_freedom(name, kurtosis):
    values = getattr(np.random.default_rng(0), name)(size=(8000, 3))
    values[4000:] = np.nan
    degrees = estimate(values, finite=True).degrees
    assert degrees == pytest.approx([3999 * min(1, 2 / (kurtosis - 1))] * 3, rel=0.1)
    assert estimate(values).degrees.tolist() == [3999] * 3


def test_degrees_of_freedom_by_hand():
    """Of squared pulls with kurtosis k, 2 n / (k - 1) normal ones vary as much (Satterthwaite)."""
    values = np.full((20, 2), np.nan)
    values[:10] = np.transpose([[9] + [-1] * 9, [-1, 1] * 5])
    heavy = 10 * (9 + 9**4) / (9 + 9**2) ** 2  # of squares that add up to 90
    assert estimate(values[:, :1], finite=True).degrees == pytest.approx([9 * 2 / (heavy - 1)])
    # Light tails leave n - 1 and no more; so does a population.
    assert estimate(values[:, 1:], finite=True).degrees == pytest.approx([9])
    assert estimate(values).degrees.tolist() == [9, 9]
    # The kurtosis is the mean of the targets'.
    shared = 9 * 2 / ((heavy + 1) / 2 - 1)
    assert estimate(values, finite=True).degrees == pytest.approx([shared] * 2)
    # Each stratum takes one, and has a mean of its own.
    strata = np.arange(20) % 2
    values[:12, 0] = np.ravel([[5, 95]] + [[-1, 101]] * 5)
    found = estimate(values[:, :1], stratum=strata, finite=True)
    heavy = 12 * 2 * (5 + 5**4) / (2 * (5 + 5**2)) ** 2
    assert found.degrees == pytest.approx([10 * 2 / (heavy - 1)])


def test_coefficients_take_degrees_of_freedom_and_what_is_sure_does_not_vary(table):
    values, scores = table[0].copy(), table[1]
    values[30:] = np.nan
    assert estimate(values, scores).degrees.tolist() == [28] * N_SYSTEMS
    other = table[0] + np.random.default_rng(1).normal(0, 9, values.shape)
    two = estimate(values, np.stack([scores, other], axis=2))
    assert two.coefficients.all() and two.degrees.tolist() == [27] * N_SYSTEMS
    sure = estimate(values, probability=np.ones(N_SEGMENTS), finite=True)
    assert sure.degrees.tolist() == [29] * N_SYSTEMS
    np.testing.assert_allclose(sure.covariance, 0, atol=1e-20)


@pytest.mark.parametrize("finite", [True, False])
def test_coefficients_are_used_where_those_of_other_clusters_help(finite):
    """Brute force, cluster by cluster: λ of the others must lessen the squared pulls it has."""
    rng, used = np.random.default_rng(7), []
    for _ in range(60):
        n, m = 12, 30
        values = np.full((m, 1), np.nan)
        values[:n, 0] = rng.normal(size=n)
        scores = rng.normal(size=(m, 1)) + 0.7 * rng.random() * np.nan_to_num(values)
        found = estimate(values, scores, finite=finite)
        pull, taken = np.zeros((2, m))
        pull[:n] = (values[:n, 0] - values[:n, 0].mean()) / n
        taken[:n] = (scores[:n, 0] - scores[:n, 0].mean()) / n
        if not finite:
            taken -= (scores[:, 0] - scores.mean()) / m
        squares = 0.0
        for k in range(n if finite else m):
            others = np.arange(m) != k
            if k >= n:  # nothing judged: the coefficient of all
                others[:] = True
            slope = (pull * taken)[others].sum() / (taken[others] ** 2).sum()
            squares += (pull[k] - slope * taken[k]) ** 2
        helps = squares < (pull**2).sum()
        used.append(helps)
        assert (found.coefficients[0] != 0) == helps
    assert 15 < np.sum(used) < 45


@pytest.mark.slow
@pytest.mark.parametrize("finite", [True, False])
def test_intervals_cover_what_they_should(finite):
    """1,000 samples, each of 60 of 200 segments; three standard errors are 2 %."""
    rng = np.random.default_rng(3)
    n, truth = 200, np.array([0.0, 0.5, 1.0])

    def drawn():
        values = rng.gamma(1, 1, (n, 1)) - 1 + truth + rng.normal(0, 0.5, (n, 3))
        return values, values + rng.normal(0, 0.5, (n, 3))

    values, scores = drawn()
    covered = []
    for _ in range(1000):
        if not finite:
            values, scores = drawn()
        judged = values.copy()
        judged[rng.permutation(n)[60:]] = np.nan
        found = estimate(judged, scores, finite=finite)
        errors = np.sqrt(np.diag(found.covariance)) * stats.t.ppf(0.975, found.degrees)
        aim = values.mean(axis=0) if finite else truth
        covered.append(np.abs(found.estimates - aim) <= errors)
    assert 0.93 <= np.mean(covered) <= 0.97
