"""Which pairs are trained on, and in how much memory."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import PairDifference, RankRecomposer
from sklearn_mteval._helpers.memory import free_memory
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise import fitting
from sklearn_mteval.pairwise.pairs import decompose


class Noting(LogisticRegression):
    """Remembers what it was trained on."""

    antisymmetric = False

    def fit(self, X, y):
        self.seen_ = X, y
        return super().fit(X, y)


class OneDirection(Noting):
    antisymmetric = True


def pairs_of(ranker):
    """Return segment and systems of each training pair."""
    return set(ranker.estimator_.seen_[0].index)


def decided(y):
    return {
        (s, a, b)
        for (s, a), rank in y.items()
        for (t, b), other in y.items()
        if s == t and a != b and rank != other
    }


@pytest.mark.parametrize("make", [Noting, OneDirection])
@pytest.mark.parametrize("max_pairs", [None, 12, 30, 10**6])
def test_whole_segments_are_sampled(numbers, max_pairs, make):
    X, y = numbers
    ranker = RankRecomposer(make(), max_pairs=max_pairs).fit(X, y)
    found, every = pairs_of(ranker), decided(y)
    halves = 2 if make is OneDirection else 1
    segments = {s for s, _, _ in found}
    assert len(found) == ranker.n_pairs_ == len([p for p in every if p[0] in segments]) // halves
    assert found <= every
    left_out = {s for s, _, _ in every} - segments
    if max_pairs is None or max_pairs == 10**6:
        assert not left_out
    else:
        assert 0 < len(found) <= max_pairs
        # No room was left for one of the others, on average.
        assert len(found) + max(len([p for p in every if p[0] == s]) for s in left_out) > max_pairs


def test_the_sample_depends_on_seed_and_content_only(numbers):
    X, y = numbers
    options = {"max_pairs": 40}
    first = RankRecomposer(Noting(), **options).fit(X, y)
    chosen = {s for s, _, _ in pairs_of(first)}
    others = [RankRecomposer(Noting(), random_state=seed, **options).fit(X, y) for seed in range(8)]
    assert len({frozenset(s for s, _, _ in pairs_of(other)) for other in others}) > 3
    order = np.random.default_rng(0).permutation(len(X))
    renamed = X.iloc[order].rename(index=lambda s: f"s{-s}", level="segment")
    again = RankRecomposer(Noting(), **options).fit(renamed, y.to_numpy()[order])
    assert {s for s, _, _ in pairs_of(again)} == {f"s{-s}" for s in chosen}
    np.testing.assert_array_equal(again.estimator_.coef_, first.estimator_.coef_)


def test_a_segment_that_is_too_large(numbers):
    X, y = numbers
    with pytest.raises(CandidateError, match=r"max_pairs=1 is less .* pairs on average, 18 at"):
        RankRecomposer(max_pairs=1).fit(X, y)
    with pytest.raises(CandidateError, match="max_pairs=5 is less"):
        RankRecomposer(max_pairs=5, item_level=None).fit(X.to_numpy(), y)
    for bad in (0, -1, 2.5, "many", True):
        with pytest.raises(ValueError, match="max_pairs must be an integer >= 1"):
            RankRecomposer(max_pairs=bad).fit(X, y)


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "bool"])
@pytest.mark.parametrize("as_array", [False, True])
def test_differences_are_those_of_the_pair_table_to_the_bit(numbers, kind, as_array):
    X, y = numbers
    X = (X * 10).round(3).astype(kind) if kind != "bool" else X > 0
    table, labels = decompose(X, y)
    expected = make_pipeline(PairDifference(), StandardScaler(), LogisticRegression())
    if as_array:
        expected.fit(table.to_numpy(), labels)
        rows = X.index.get_level_values("segment").to_numpy()
        flat = pd.DataFrame(X.to_numpy(), index=X.index)
        ranker = RankRecomposer(expected).fit(flat, y)
        assert rows.shape == (len(X),)
    else:
        expected.fit(table, labels)
        ranker = RankRecomposer(expected).fit(X, y)
    found = ranker.estimator_
    assert found[-1].coef_.tobytes() == expected[-1].coef_.tobytes()
    assert found[1].mean_.tobytes() == expected[1].mean_.tobytes()
    assert found[0].n_features_in_ == 6
    if not as_array:
        assert found[0].feature_names_in_.tolist() == table.columns.tolist()
        assert found[:1].get_feature_names_out().tolist() == ["a", "b", "c"]


def test_no_pair_table_where_differences_do(numbers, monkeypatch):
    made = []
    original = fitting.pair_table

    def noting(X, i, j, **options):
        made.append(len(i))
        return original(X, i, j, **options)

    monkeypatch.setattr(fitting, "pair_table", noting)
    X, y = numbers
    RankRecomposer().fit(X, y)
    assert max(made) == 1
    named = make_pipeline(PairDifference(), LogisticRegression()).set_output(transform="pandas")
    expected = RankRecomposer(named).fit(X, y)
    assert max(made) == expected.n_pairs_
    assert expected.estimator_[-1].feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_type_of_numbers_on_request(numbers, dtype):
    X, y = numbers
    ranker = RankRecomposer(Noting(), dtype=dtype).fit(X, y)
    assert {str(kind) for kind in ranker.estimator_.seen_[0].dtypes} == {dtype}
    expected = RankRecomposer(Noting()).fit(X, y).decision_function(X)
    np.testing.assert_allclose(ranker.decision_function(X), expected, rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match=r"dtype .*found "):
        RankRecomposer(dtype="int8").fit(X, y)


def test_what_does_not_fit_is_refused_before_it_is_tried(numbers, monkeypatch):
    X, y = numbers
    n_pairs = RankRecomposer().fit(X, y).n_pairs_
    classifiers = {3: None, 6: Noting()}
    for width, classifier in classifiers.items():
        needed = n_pairs * (8 * width + 40)
        monkeypatch.setattr(fitting, "free_memory", lambda needed=needed: needed)
        RankRecomposer(classifier).fit(X, y)
        monkeypatch.setattr(fitting, "free_memory", lambda needed=needed: needed - 1)
        words = rf"{n_pairs} pairs of {width} numbers need .* GiB.*max_pairs.*float32.*PairDiff"
        with pytest.raises(CandidateError, match=words):
            RankRecomposer(classifier).fit(X, y)
        RankRecomposer(classifier, dtype="float32").fit(X, y)
        RankRecomposer(classifier, max_pairs=n_pairs - 1).fit(X, y)


class Hungry(LogisticRegression):
    def fit(self, X, y):
        raise MemoryError("Unable to allocate 3 TiB")


@pytest.mark.parametrize(
    "classifier", [Hungry(), Pipeline([("d", PairDifference()), ("h", Hungry())])]
)
def test_a_classifier_that_runs_out_of_memory(numbers, classifier):
    with pytest.raises(CandidateError, match=r"Unable to allocate 3 TiB.*max_pairs"):
        RankRecomposer(classifier).fit(*numbers)


LIMITED = """
import resource, sys
import numpy as np
import pandas as pd
from sklearn_mteval import RankRecomposer
from sklearn_mteval._helpers.memory import free_memory

index = pd.MultiIndex.from_product([range(100_000), list("abcde")], names=["segment", "system"])
X = pd.DataFrame(np.random.default_rng(0).normal(size=(500_000, 16)), index=index)
y = np.tile([1, 2, 3, 4, 5], 100_000)
RankRecomposer().fit(X[:50], y[:50])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 250_000_000,) * 2)
assert 0 < free_memory() < 250_000_001
try:
    RankRecomposer().fit(X, y)
except ValueError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
@pytest.mark.slow
def test_a_limit_of_the_process_is_seen():
    found = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )
    assert "do not fit into memory" in found.stdout and "max_pairs" in found.stdout


def test_free_memory_is_a_number_of_bytes():
    assert free_memory() > 2**20
