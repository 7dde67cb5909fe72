"""Williams' test against published values, and on data where both metrics are equally good."""

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.metrics import williams_test
from sklearn_mteval.metrics.significance.williams import williams_comparison


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "two_sided"),
    [
        (
            0.80,
            0.72,
            0.89,
            26,
            0.187,
        ),  # Howell, "Statistical methods for psychology", 6th ed., p. 262
        (0.4, 0.3, 0.5, 100, 0.2843),  # Silver, Hittner and May 2006
    ],
)
def test_published_values(r12, r13, r23, n, two_sided):
    digits = len(str(two_sided)) - 2
    assert round(williams_test(r12, r13, r23, n), digits) == two_sided
    assert williams_test(r12, r13, r23, n) == pytest.approx(williams_test(r13, r12, r23, n))


def test_the_bounds():
    assert williams_test(0.5, 0.5, 0.2, 20) == 1
    assert williams_test(0.5, 0.5, 1.0, 20) == 1
    assert williams_test(1.0, 0.5, 0.5, 20) < 1e-6
    assert williams_test(1.0, -1.0, -1.0, 20) == 1  # 1 + r23 is 0: no evidence left


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0.4, 0.3, 3), "n must be an integer >= 4"),
        ((0.5, 0.4, 0.3, 10.5), "n must be an integer >= 4"),
        ((1.2, 0, 0, 9), "No three"),
        ((0.9, -0.9, 0.9, 9), "No three"),
    ],
)
def test_impossible_correlations(arguments, message):
    with pytest.raises(ValueError, match=message):
        williams_test(*arguments)


@pytest.mark.slow
def test_p_is_uniform_where_metrics_are_equally_good():
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(300):
        human = rng.normal(size=20)
        scores = -human[:, None] + rng.normal(size=(20, 1)) + rng.normal(size=(20, 2))
        p_values.append(williams_comparison(human, scores).p_values[0, 1])
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_vectors():
    rng = np.random.default_rng(1)
    human, scores = rng.normal(size=30), rng.normal(size=(30, 3))
    found = williams_comparison(human, scores)
    r = np.corrcoef(np.column_stack([-human, scores]).T)
    np.testing.assert_allclose(found.values, r[0, 1:])
    expected = williams_test(r[0, 3], r[0, 2], r[2, 3], 30)
    assert found.p_values[2, 1] == pytest.approx(expected)
    assert found.p_values[1, 2] == found.p_values[2, 1]


def test_constants_and_short_vectors():
    with pytest.warns(UndefinedMetricWarning, match="p of 1 pairs"):
        found = williams_comparison([1, 2, 3, 4], {"A": [4, 2, 3, 1], "B": [0.1] * 4})
    assert np.isnan(found.p_values).all()
    assert np.isnan(found.values[1])
    with pytest.raises(ValueError, match="four rows"):
        williams_comparison([1, 2, 3], np.eye(3))


@pytest.mark.parametrize("wrong", [float("nan"), "0.5", None, 2.0, float("inf"), 1j])
@pytest.mark.parametrize("place", range(3))
def test_what_is_no_correlation_is_refused(wrong, place):
    r = [0.5, 0.4, 0.3]
    r[place] = wrong
    with pytest.raises(ValueError, match="No three variables have"):
        williams_test(*r, 26)


def test_any_number_of_values():
    assert williams_test(-1.0, 0.5, -0.5, 10**30) == 0.0
    assert williams_test(0.5, 0.4, 0.3, 10**30) == 0.0
