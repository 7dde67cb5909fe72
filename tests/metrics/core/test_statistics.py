"""Each registered statistic against its definition, written out by hand, or against scipy.

A new statistic that counts pairs needs one column in ``CELLS`` here; every other test that
iterates over ``STATISTICS`` picks it up.
"""

import dataclasses
import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_mteval.metrics
from sklearn_mteval.metrics import kendall_tau
from sklearn_mteval.metrics.core.statistics import AVERAGES, STATISTICS

# What a pair of each kind adds to the numerator; None: it is left out of the denominator as well.
# In WMT's own words: docs/glossary.md, "Variants of Kendall's tau".
KINDS = ("agree", "oppose", "metric tie", "human tie", "both tie")
CELLS = {
    "wmt12": (1, -1, -1, None, None),
    "wmt13": (1, -1, None, None, None),
    "wmt14": (1, -1, 0, None, None),
    "darr": (1, -1, -1, None, None),
    "eq": (1, -1, -1, -1, 1),
    "acc_eq": (1, 0, 0, 0, 1),
    "tau-a": (1, -1, 0, 0, 0),
    "somers-d": (1, -1, None, 0, None),
}
SCIPY = {
    "tau-b": lambda h, m: stats.kendalltau(-h, m, variant="b").statistic,
    "tau-c": lambda h, m: stats.kendalltau(-h, m, variant="c").statistic,
    "somers-d": lambda h, m: stats.somersd(m, -h).statistic,  # the second one is dependent
    "wmt14": lambda h, m: stats.somersd(-h, m).statistic,
    "pearson": lambda h, m: stats.pearsonr(-h, m).statistic,
    "spearman": lambda h, m: stats.spearmanr(-h, m).statistic,
    "pdp": lambda h, m: stats.pearsonr(-differences(h), differences(m)).statistic,
}


def differences(values):
    """All ordered pairs of rows."""
    return np.subtract.outer(values, values).ravel()


RANKED = ("ndcg", "mrr", "err", "best_system_rate")  # test_ranking_quality.py has their oracles


def test_every_statistic_has_an_oracle():
    assert set(STATISTICS) == {*CELLS, *SCIPY, *RANKED}


def ours(name, human, metric, groups, average="groups"):
    """The value by the public function."""
    if STATISTICS[name].is_tau:
        options = {"statistic": name, "average": average, "threshold": 2}
        return kendall_tau(human, metric, groups=groups, **options)
    if name == "acc_eq":
        return sklearn_mteval.metrics.pairwise_accuracy(
            human, metric, groups=groups, average=average
        )
    if name == "pdp":
        return sklearn_mteval.metrics.pearson(human, metric, groups=groups, average="pairs")
    return getattr(sklearn_mteval.metrics, name)(human, metric, groups=groups)


def kind_of(h1, h2, m1, m2, threshold):
    if h1 == h2 or abs(h1 - h2) < threshold:
        return "both tie" if m1 == m2 else "human tie"
    if m1 == m2:
        return "metric tie"
    return "agree" if (h1 < h2) == (m1 > m2) else "oppose"


def by_loop(name, human, metric, groups, average):
    """The mean of what the pairs add, over all of them or over the means of groups."""
    cells = dict(zip(KINDS, CELLS[name], strict=True))
    added = {}
    for i, j in itertools.combinations(range(len(human)), 2):
        if groups[i] == groups[j]:
            threshold = 2 if name == "darr" else 0
            cell = cells[kind_of(human[i], human[j], metric[i], metric[j], threshold)]
            if cell is not None:
                added.setdefault(None if average == "pairs" else groups[i], []).append(cell)
    return np.mean([np.mean(pairs) for pairs in added.values()]) if added else np.nan


rows = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 3), st.sampled_from("abc")), min_size=2, max_size=14
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", CELLS)
@settings(max_examples=40, deadline=None)
@given(rows=rows)
def test_counts_of_pairs_by_a_double_loop(name, average, rows):
    human, metric, groups = map(list, zip(*rows, strict=True))
    expected = by_loop(name, human, metric, groups, average)
    found = ours(name, human, metric, groups, average)
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy's, of constants
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", SCIPY)
@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(1, 5), st.integers(-3, 3)), min_size=2, max_size=20).filter(
        lambda rows: len(set(rows)) > 1
    )
)
def test_one_group_is_scipys(name, rows):
    human, metric = np.array(rows, dtype=float).T
    if name in ("somers-d", "wmt14") and min(len(set(human)), len(set(metric))) == 1:
        return  # scipy's refuses constants; the double loop has them
    with np.errstate(all="ignore"):
        expected = SCIPY[name](human, metric)
    assert ours(name, human, metric, None) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in SCIPY if name != "pdp"])
def test_groups_are_the_mean_of_scipys(name):
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 12, 80)
    human, metric = rng.integers(1, 5, 80), rng.normal(size=80).round(1)
    by_group = [SCIPY[name](human[groups == g], metric[groups == g]) for g in range(12)]
    if name in ("pearson", "spearman", "tau-b", "tau-c"):
        human[groups == 4] = 2  # this one is undefined
        assert np.isnan(SCIPY[name](human[groups == 4], metric[groups == 4]))
        del by_group[4]
    assert ours(name, human, metric, groups) == pytest.approx(np.mean(by_group))


@pytest.mark.parametrize(
    "name", [n for n, statistic in STATISTICS.items() if statistic.denominators]
)
def test_bounds_are_reached_and_not_exceeded(name):
    statistic = STATISTICS[name]
    counts = np.array(list(itertools.product(range(3), repeat=5)))
    values = statistic.of_counts(counts)
    assert (np.nanmin(values), np.nanmax(values)) == pytest.approx(statistic.bounds)


@pytest.mark.parametrize("name", [n for n in STATISTICS if n not in CELLS])
def test_a_perfect_and_a_reversed_metric_are_within_bounds(name):
    human, low_high = np.array([1, 2, 3, 4.0]), STATISTICS[name].bounds
    values = [ours(name, human, metric, None) for metric in (human, -human)]
    assert low_high[0] <= values[0] < values[1] <= low_high[1]
    assert values[1] == pytest.approx(1) or name == "err"


def test_a_denominator_is_fixed_if_no_scores_change_it():
    human = [1, 2, 2]  # two pairs that are decided, one tie
    by_scores = []
    for metric in itertools.product(range(3), repeat=3):
        kinds = [
            kind_of(human[i], human[j], metric[i], metric[j], 0)
            for i, j in itertools.combinations(range(3), 2)
        ]
        by_scores.append([kinds.count(kind) for kind in KINDS])
    for name, cells in CELLS.items():
        sums = {
            sum(n for n, cell in zip(counts, cells, strict=True) if cell is not None)
            for counts in by_scores
        }
        assert STATISTICS[name].fixed_denominator == (len(sums) == 1), name
    assert not STATISTICS["tau-b"].fixed_denominator  # the pairs that the metric decides


def test_what_else_is_said_of_them():
    for name, statistic in STATISTICS.items():
        assert statistic.name == name
        assert statistic.average in AVERAGES
        assert statistic.pooled or statistic.average == "groups"
    for attribute in ("label", "heading"):
        assert len({getattr(s, attribute) for s in STATISTICS.values()}) == len(STATISTICS)
    takes_epsilon = {name for name, statistic in STATISTICS.items() if statistic.epsilon}
    assert takes_epsilon == {"eq", "acc_eq"}
    assert [name for name, statistic in STATISTICS.items() if statistic.threshold] == ["darr"]


@pytest.mark.parametrize("name", STATISTICS)
def test_a_warning_says_what_is_undefined_and_where(name):
    with pytest.warns(UndefinedMetricWarning) as found:
        assert np.isnan(ours(name, [1], [2.0], None))
    statistic = STATISTICS[name]
    assert str(found[0].message) == f"{statistic.label} is undefined: {statistic.undefined}."
    assert found[0].filename == __file__


@pytest.mark.parametrize("weights", [(1, 0.5, 0, 0, 0), (1, 1, 1, 1), (0, 0, 0, 0, 101)])
def test_weights_are_whole_numbers(weights):
    good = STATISTICS["wmt12"]
    for change in ({"numerator": weights}, {"denominators": (good.numerator, weights)}):
        with pytest.raises(ValueError, match="five whole numbers"):
            dataclasses.replace(good, **change)
    with pytest.raises(ValueError, match="no negative weights"):
        dataclasses.replace(good, denominators=((1, -1, 0, 0, 0),))


def test_the_registry_needs_only_numpy():
    code = (
        "import sys, sklearn_mteval.metrics.core.statistics\n"
        "print([m for m in ('pandas', 'sklearn', 'scipy', 'numba') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
