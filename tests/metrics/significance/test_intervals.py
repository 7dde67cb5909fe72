import numpy as np
import pytest
from scipy import stats
from scipy.stats import bootstrap
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval import kendall_tau
from sklearn_mteval.metrics import (
    agreement_interval,
    paired_bootstrap,
    permutation_test,
    system_agreement_interval,
)


@pytest.fixture
def judged():
    """200 groups of two rows: each is concordant (numerator +1) or not (−1)."""
    rng = np.random.default_rng(0)
    concordant = rng.random(200) < 0.7
    human = np.tile([1, 2], 200)
    metric = np.where(np.repeat(concordant, 2), -human, human)
    return human, metric, np.repeat(np.arange(200), 2), concordant


def test_agrees_with_scipys_percentile_bootstrap(judged):
    human, metric, groups, concordant = judged
    values = np.where(concordant, 1.0, -1.0)
    theirs = bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20000
    ).confidence_interval
    ours = agreement_interval(human, metric, groups=groups, n_resamples=20000)
    np.testing.assert_allclose(ours, theirs, atol=0.02)


def test_contains_tau_and_narrows_with_confidence(judged):
    human, metric, groups, _ = judged
    tau = kendall_tau(human, metric, groups=groups)
    wide = agreement_interval(human, metric, groups=groups, confidence=0.99)
    narrow = agreement_interval(human, metric, groups=groups, confidence=0.5)
    assert wide[0] < narrow[0] < tau < narrow[1] < wide[1]


def test_resampling_segments_widens_the_interval(judged):
    human, metric, groups, concordant = judged
    # Segments of 20 groups that agree among themselves: 10 observations instead of 200.
    order = np.argsort(concordant, kind="stable")
    segment_of_group = np.empty(200, dtype=int)
    segment_of_group[order] = np.arange(200) // 20
    by_group = np.subtract(*agreement_interval(human, metric, groups=groups))
    by_segment = np.subtract(
        *agreement_interval(human, metric, groups=groups, documents=segment_of_group[groups])
    )
    assert by_segment < 2 * by_group  # both negative: low minus high


def test_seeded(judged):
    human, metric, groups, _ = judged

    def interval(seed):
        return agreement_interval(human, metric, groups=groups, n_resamples=99, random_state=seed)

    assert interval(1) == interval(1) != interval(2)


def test_certainty_has_no_width():
    assert agreement_interval([1, 2] * 9, [2, 1] * 9, groups=np.arange(18) // 2) == (1, 1)


def test_average_of_segments(judged):
    human, metric, groups, _ = judged
    pooled = agreement_interval(human, metric, groups=groups)
    averaged = agreement_interval(human, metric, groups=groups, average="groups")
    assert pooled == averaged  # one pair in each group


def test_no_pair_is_nan_with_a_warning():
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(agreement_interval([1, 1], [1, 2], groups=[0, 0])).all()


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_bad_confidence(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        agreement_interval([1, 2], [2, 1], groups=[0, 0], confidence=confidence)


def test_one_segment_says_nothing_of_others():
    human, metric, one = [1, 2, 3, 4], [4, 3, 1, 2], [7] * 4
    for options in ({"groups": one}, {"groups": None, "documents": one}):
        with pytest.warns(UndefinedMetricWarning, match="one document or segment does not vary"):
            assert np.isnan(agreement_interval(human, metric, **options)).all()
        with pytest.warns(UndefinedMetricWarning, match="one segment"):
            found = paired_bootstrap(human, {"a": metric, "b": [1, 2, 4, 3]}, **options)
        assert np.isnan(found.p_values).all()
        assert np.isnan([found.low, found.high]).all()
    with pytest.warns(UndefinedMetricWarning, match="fewer than 10 documents"):
        assert np.isnan(system_agreement_interval([[1, 2, 3]], [[1, 3, 2]])).all()


def test_intervals_of_few_documents_are_students_by_the_jackknife():
    rng = np.random.default_rng(4)
    groups = np.arange(60) // 3
    human, metric = rng.permutation(60), rng.normal(size=60)
    documents = groups // 4  # five
    options = {"statistic": "tau-a", "average": "groups"}
    value = kendall_tau(human, metric, groups=groups, **options)
    left_out = [
        kendall_tau(human[kept], metric[kept], groups=groups[kept], **options)
        for kept in (documents != k for k in range(5))
    ]
    error = np.sqrt(4 / 5 * np.sum((left_out - np.mean(left_out)) ** 2))
    reach = stats.t.ppf(0.975, 4) * error
    found = agreement_interval(human, metric, groups=groups, documents=documents, **options)
    assert found == pytest.approx((max(value - reach, -1), min(value + reach, 1)))
    other = {"one": metric, "other": rng.normal(size=60)}
    compared = paired_bootstrap(human, other, groups=groups, documents=documents, **options)
    values = [
        np.subtract(*(kendall_tau(human[k], m[k], groups=groups[k], **options)
                      for m in other.values()))
        for k in [slice(None), *(np.flatnonzero(documents != k) for k in range(5))]
    ]  # fmt: skip
    error = np.sqrt(4 / 5 * np.sum((values[1:] - np.mean(values[1:])) ** 2))
    p = 2 * stats.t.sf(abs(values[0]) / error, 4)
    assert compared.p_values[0, 1] == pytest.approx(max(p, 2**-4))
    assert compared.low[0, 1] == pytest.approx(values[0] - stats.t.ppf(0.975, 4) * error)


@pytest.mark.parametrize("confidence", [None, "95", 0, 1, 95, np.nan])
def test_a_confidence_lies_between_0_and_1(confidence):
    human, metric, groups = [1, 2] * 2, [2, 1] * 2, [0, 0, 1, 1]
    for use in (
        lambda: agreement_interval(human, metric, groups=groups, confidence=confidence),
        lambda: paired_bootstrap(
            human, {"a": metric, "b": human}, groups=groups, confidence=confidence
        ),
        lambda: system_agreement_interval([[1, 2]], [[1, 2]], confidence=confidence),
    ):
        with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
            use()


@pytest.mark.parametrize("draws", [10**7 + 1, 10**30, 0, True, 1.5, "9"])
def test_draws_are_as_many_as_memory_holds(draws):
    rows = [1, 2, 1, 2], [2, 1, 1, 2]
    with pytest.raises(ValueError, match="n_resamples must be an integer >= 1 and <= 10000000"):
        agreement_interval(*rows, groups=[0, 0, 1, 1], n_resamples=draws)
    with pytest.raises(ValueError, match="n_permutations must be an integer >= 1 and <= 10000000"):
        permutation_test(rows[0], list(zip(*rows, strict=True)), groups=None, n_permutations=draws)
