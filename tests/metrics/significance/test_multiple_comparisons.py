"""Holm's correction against statsmodels; clusters by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_mteval.metrics import corrected_p_values, holm, significance_clusters
from sklearn_mteval.metrics.significance.comparison import MetricComparison

probabilities = hnp.arrays(
    np.float64, st.integers(1, 12), elements=st.sampled_from([0, 0.001, 0.01, 0.02, 0.04, 0.5, 1])
)


@given(p_values=probabilities)
def test_holm_is_that_of_statsmodels(p_values):
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    with pytest.MonkeyPatch.context() as patch:
        # It collects garbage at every call: a second, with all that a test run has loaded.
        patch.setattr("gc.collect", lambda: 0)
        expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(holm(p_values), expected, rtol=1e-12)


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.5]), [0.04, 0.09, 0.09, 0.5])
    np.testing.assert_allclose(
        holm([[np.nan, 0.01], [0.04, np.nan]]), [[np.nan, 0.02], [0.04, np.nan]]
    )
    assert holm(np.nan).shape == ()
    assert len(holm([])) == 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, 1.5])


def comparison(values, p_of_better):
    """p of the higher value against the lower; the other direction has 1 - p."""
    values = np.array(values, dtype=float)
    names = tuple("ABCDEFG"[: len(values)])
    p_values = np.full((len(values), len(values)), np.nan)
    for pair, p in p_of_better.items():
        i, j = (names.index(name) for name in pair)
        p_values[i, j], p_values[j, i] = p, 1 - p
    return MetricComparison(names, values, values[:, None] - values, p_values)


def test_the_family_is_each_pair_once():
    found = corrected_p_values(comparison([1, 3, 2], {"BC": 0.02, "BA": 0.01, "CA": 0.2}))
    nan = np.nan
    np.testing.assert_allclose(found, [[nan] * 3, [0.03, nan, 0.04], [0.2, nan, nan]])
    equal = corrected_p_values(comparison([1, 1], {"AB": 1.0}))
    np.testing.assert_array_equal(equal, [[nan, 1], [nan, nan]])


def test_clusters_by_hand():
    p_of_better = {"AB": 0.2, "AC": 0.001, "BC": 0.001, "AD": 0.001, "BD": 0.001, "CD": 0.5}
    found = comparison([9, 8, 5, 4], p_of_better)
    assert significance_clusters(found) == [["A", "B"], ["C", "D"]]
    # B is not better than C: all one, though A is better than both of the last.
    chain = comparison([9, 8, 5, 4], {**p_of_better, "BC": 0.3})
    assert significance_clusters(chain, ranks="clusters") == [["A", "B", "C", "D"]]
    # A is better than C, which the metrics tasks' rule asks for.
    assert significance_clusters(chain) == [["A", "B"], ["C", "D"]]
    assert significance_clusters(found, alpha=1.0) == [["A"], ["B"], ["C"], ["D"]]


def test_correction_joins_clusters():
    found = comparison([3, 2, 1], {"AB": 0.02, "AC": 0.03, "BC": 0.04})
    assert significance_clusters(found, correction=None) == [["A"], ["B"], ["C"]]
    assert significance_clusters(found, ranks="clusters") == [["A", "B", "C"]]
    assert significance_clusters(found) == [["A", "B", "C"]]
    with pytest.raises(ValueError, match="correction must be"):
        significance_clusters(found, correction="bonferroni")
    with pytest.raises(ValueError, match=r"ranks .*found "):
        significance_clusters(found, ranks="wmt22")
    with pytest.raises(ValueError, match="alpha must be"):
        significance_clusters(found, alpha=0)


def test_metrics_without_a_value_are_in_no_cluster():
    found = comparison([2, np.nan, 1], {"AC": 0.001})
    assert significance_clusters(found) == [["A"], ["C"]]
