"""Lists of comparisons: against win counts, and what must not change anything."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.paired_comparisons.comparisons import comparisons_of
from sklearn_mteval.metrics.system.wins import win_counts


def rankings(seed=0, n_segments=20):
    rng = np.random.default_rng(seed)
    rows = [
        (segment, f"{segment}:{task}", system)
        for segment in range(n_segments)
        for task in range(rng.integers(1, 4))
        for system in rng.choice(list("ABCDE"), 3, replace=False)
    ]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "ranking", "system"])
    return pd.DataFrame(index=index), pd.Series(rng.integers(1, 4, len(rows)), index)


def shuffled(X, y, seed=1):
    """The same with rows in another order, and other names of segments and systems."""
    rows = np.random.default_rng(seed).permutation(len(X))
    systems = dict(zip("ABCDE", "qxbza", strict=True))
    other = [
        (f"s{-segment}", f"r{ranking}", systems[system])
        for segment, ranking, system in X.index[rows]
    ]
    index = pd.MultiIndex.from_tuples(other, names=X.index.names)
    return pd.DataFrame(X.to_numpy()[rows], index, X.columns), y.iloc[rows].set_axis(index)


def test_the_counts_are_those_of_win_counts():
    X, y = rankings()
    found, counts = comparisons_of(X, y), win_counts(X, y)
    place = counts.systems.get_indexer(found.systems)
    of_segment = counts.segments.get_indexer(found.segments)
    wins, ties = np.zeros((2, *counts.wins.shape))
    for segment, i, j, outcome in zip(*found[:4], strict=True):
        assert i < j
        cell = (of_segment[segment], place[i], place[j])
        if outcome > 0:
            wins[cell] += 1
        elif outcome < 0:
            wins[cell[0], cell[2], cell[1]] += 1
        else:
            ties[cell] += 1
            ties[cell[0], cell[2], cell[1]] += 1
    assert (wins == counts.wins).all() and (ties == counts.ties).all()


def test_neither_order_nor_names_change_anything():
    X, y = rankings()
    values = np.random.default_rng(2).normal(size=(len(X), 2))
    X = pd.DataFrame(values, X.index, ["a", "b"])
    both_bad = pd.Series(np.random.default_rng(3).random(len(X)) < 0.3, X.index) & (y == 2)
    found = comparisons_of(X, y, both_bad, X.to_numpy())
    there = both_bad.to_numpy()
    for seed in range(5):
        other, ranks = shuffled(X.assign(bad=there), y, seed)
        bad = other.pop("bad").astype(bool)
        same = comparisons_of(other, ranks, bad, other.to_numpy(dtype=float))
        for k in (0, 1, 2, 3, 4, 7):
            np.testing.assert_array_equal(found[k], same[k])


def test_systems_that_mirror_each_other():
    # A beats B, C beats D, and so on in a ring: every system looks the same.
    rows = [(k, s) for k in range(5) for s in ("ABCDE"[k], "ABCDE"[(k + 1) % 5])]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    X, y = pd.DataFrame(index=index), pd.Series([1, 2] * 5, index)
    found = comparisons_of(X, y)
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(10)
        same = comparisons_of(X.iloc[rows], y.iloc[rows])
        for k in range(5):
            np.testing.assert_array_equal(found[k], same[k])


def test_both_bad_is_neither_tie_nor_comparison():
    index = pd.MultiIndex.from_product([[1, 2, 3], ["A", "B"]], names=["segment", "system"])
    X, y = pd.DataFrame(index=index), pd.Series([1, 2, 1, 1, 1, 1], index)
    both_bad = pd.Series([False, False, True, True, False, False], index)
    found = comparisons_of(X, y, both_bad)
    assert sorted(np.abs(found.outcome)) == [0, 1]
    assert found.both_bad.tolist() == [[0, 1], [1, 0]]
    assert sorted(found.segments) == [1, 3]
    # One row alone that is bad is compared as ever.
    one = comparisons_of(X, y, pd.Series([False, True, False, False, False, False], index))
    assert len(one.outcome) == 3


def test_some_segments():
    X, y = rankings()
    found = comparisons_of(X, y).of_segments([3, 5, 99])
    own = comparisons_of(X[X.index.isin([3, 5], level=0)], y[y.index.isin([3, 5], level=0)])
    assert sorted(found.segments) == [3, 5]
    assert found.segment.min() == 0 and found.segment.max() == 1
    ours = sorted(zip(found.systems[found.first], found.systems[found.second], strict=True))
    theirs = sorted(zip(own.systems[own.first], own.systems[own.second], strict=True))
    assert sorted(map(sorted, ours)) == sorted(map(sorted, theirs))


def test_bad_input():
    X, y = rankings()
    with pytest.raises(CandidateError, match="no comparison"):
        comparisons_of(X.iloc[:1], y.iloc[:1])
    with pytest.raises(CandidateError, match="found int64 of shape"):
        comparisons_of(X, y, np.zeros(len(X), dtype=int))
    with pytest.raises(CandidateError, match="found bool of shape"):
        comparisons_of(X, y, np.zeros(3, dtype=bool))
    with pytest.raises(CandidateError, match=r"both_bad\.loc\[X.index\]"):
        comparisons_of(X, y, pd.Series(False, X.index[::-1]))
    apart = np.flatnonzero(X.index.get_level_values("ranking") == "0:0")
    both_bad = np.zeros(len(X), dtype=bool)
    both_bad[apart] = True
    y.iloc[apart] = [1, 2, 2]
    with pytest.raises(CandidateError, match="row 0 and another row that y ranks apart"):
        comparisons_of(X, y, both_bad)


def test_parts_without_a_common_scale_are_named():
    rows = [(1, "A"), (1, "B"), (2, "C"), (2, "D"), (4, "F"), (4, "A")]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    X, y = pd.DataFrame(index=index), pd.Series([1, 2] * 3, index)
    with pytest.raises(CandidateError, match=r"2 parts .* scale: 'C', 'D' and the other 3"):
        comparisons_of(X, y)
    # A system all of whose comparisons are "both bad" was not compared.
    y.iloc[4:] = 1
    kept = ~X.index.isin(["C", "D"], level="system")
    both_bad = np.array([False] * 4 + [True] * 2)[kept]
    with pytest.raises(CandidateError, match="'F' and the other 2 systems were never compared"):
        comparisons_of(X[kept], y[kept], both_bad)
