"""Curves of agreement against scikit-learn, a general optimiser, and their properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from sklearn_mteval.evaluation.decisions.curves import CURVES, AgreementCurve, CurveLikelihood


def counts(seed, n_cells=12, n=1, largest=40):
    """Draw differences, and how many of how many pairs agree, in several resamples."""
    rng = np.random.default_rng(seed)
    differences = np.sort(rng.gamma(1.0, 3.0, n_cells)) + 0.01
    total = rng.integers(1, largest, (n, n_cells)).astype(float)
    agreeing = rng.binomial(total.astype(int), 0.5 + 0.35 * np.tanh(differences / 4))
    return differences, agreeing.astype(float), total


def fit_curves(name, differences, agreeing, total):
    """Fit a curve to each row of counts."""
    rows = zip(agreeing, total, strict=True)
    found = [CurveLikelihood(name, differences, *row).fit() for row in rows]
    steepness, plateau = np.array([[curve.steepness, curve.plateau] for curve in found]).T
    return AgreementCurve(name, steepness, plateau)


def with_the_middle_pair(differences, agreeing, total):
    """Add what the fit adds: one pair of the median difference that half agrees."""
    middle = differences[np.searchsorted(np.cumsum(total[0]), total[0].sum() / 2)]
    ones = np.ones((len(total), 1))
    return (
        np.append(differences, middle),
        np.hstack([agreeing, ones / 2]),
        np.hstack([total, ones]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_logistic_is_that_of_scikit_learn(seed):
    data = counts(seed)
    found = fit_curves("logistic", *data)
    d, agreeing, total = with_the_middle_pair(*data)
    for k in range(len(total)):
        model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10)
        weights = np.concatenate([agreeing[k], total[k] - agreeing[k]])
        X, y = np.concatenate([d, d])[:, None], np.repeat([1, 0], len(d))
        # So that scikit-learn sees two classes whatever agrees: the mirrored pairs, too.
        model.fit(np.vstack([X, -X]), np.concatenate([y, 1 - y]), np.concatenate([weights] * 2))
        assert found.steepness[k] == pytest.approx(model.coef_[0, 0], rel=1e-4)
    assert found.plateau.tolist() == [1.0] * len(total)


@pytest.mark.parametrize("seed", range(8))
def test_plateau_is_the_maximum_of_the_likelihood(seed):
    data = counts(seed, largest=200)
    found = fit_curves("plateau", *data)
    d, agreeing, total = with_the_middle_pair(*data)

    def loss(parameters, k):
        p = 0.5 + parameters[1] / 2 * np.tanh(np.exp(parameters[0]) * d / 2)
        p = np.clip(p, 1e-12, 1 - 1e-12)
        return -(agreeing[k] * np.log(p) + (total[k] - agreeing[k]) * np.log(1 - p)).sum()

    for k in range(len(total)):
        own = loss([np.log(found.steepness[k]), found.plateau[k]], k)
        tried = [
            minimize(loss, [log, g], (k,), "Nelder-Mead", bounds=[(-8, 8), (-1, 1)]).fun
            for log in (-2, 0, 2)
            for g in (0.3, 0.9)
        ]
        assert own <= min(tried) + 1e-6


def test_who_agrees_less_than_half_the_time_has_a_falling_curve():
    d, agreeing, total = counts(0, largest=200)
    found, mirrored = (
        fit_curves("plateau", d, agreeing, total),
        fit_curves("plateau", d, total - agreeing, total),
    )
    np.testing.assert_allclose(found.plateau, -mirrored.plateau, rtol=1e-5)
    np.testing.assert_allclose(found.steepness, mirrored.steepness, rtol=1e-4)
    assert (mirrored.difference(0.8) == np.inf).all()


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 999), factor=st.sampled_from([1e-9, 0.25, 64.0, 1e9]))
@pytest.mark.parametrize("name", CURVES)
def test_the_unit_of_differences_does_not_matter(name, seed, factor):
    d, agreeing, total = counts(seed)
    one, other = fit_curves(name, d, agreeing, total), fit_curves(name, d * factor, agreeing, total)
    for k in range(len(total)):
        values = [
            curve._replace(steepness=curve.steepness[k], plateau=curve.plateau[k]).agreement(at)
            for curve, at in ((one, d), (other, d * factor))
        ]
        np.testing.assert_allclose(*values, atol=1e-5)


@pytest.mark.parametrize("name", CURVES)
def test_extremes_stay_finite(name):
    d = np.array([0.1, 1.0, 2.0])
    total = np.array([[4.0, 4, 4], [0, 0, 0], [1, 0, 0]])
    for agreeing in (total, 0 * total, total / 2):
        found = fit_curves(name, d, agreeing, total)
        assert np.isfinite(found.steepness).all() and (found.steepness > 0).all()
        assert (np.abs(found.plateau) <= 1).all()
    always = fit_curves(name, d, total, total)
    agreement = always._replace(steepness=always.steepness[0], plateau=always.plateau[0])
    assert 0.5 < agreement.agreement(1.0) < 1  # few pairs are no certainty


@given(
    steepness=st.floats(0.01, 10),
    plateau=st.floats(0.05, 1),
    agreement=st.floats(0.5, 0.999),
)
def test_agreement_and_difference_are_inverse(steepness, plateau, agreement):
    curve = AgreementCurve("plateau", steepness, plateau)
    difference = curve.difference(agreement)
    if agreement < (1 + plateau) / 2 - 1e-9:
        assert curve.agreement(difference) == pytest.approx(agreement, abs=1e-6)
    elif agreement > (1 + plateau) / 2 + 1e-9:
        assert difference == np.inf
    assert curve.agreement(0.0) == 0.5
    assert curve.agreement(-2.0) == pytest.approx(1 - curve.agreement(2.0))
