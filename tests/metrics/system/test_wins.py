"""System scores from rankings by hand, by double loops, and against a logistic regression."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval._helpers import memory
from sklearn_mteval.datasets import load_wmt, make_rankings
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import human_system_scores, system_agreement, trueskill_scores
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.metrics.system.wins import (
    bradley_terry_scores,
    expected_wins,
    human_scores_of_weights,
    win_counts,
)


@pytest.fixture
def rankings():
    """Twenty segments with one to three rankings of two to four of five systems, with ties."""
    rng = np.random.default_rng(0)
    rows = [
        (segment, f"{segment}-{ranking}", "edcba"[system])
        for segment in range(20)
        for ranking in range(rng.integers(1, 4))
        for system in rng.choice(5, rng.integers(2, 5), replace=False)
    ]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "ranking", "system"])
    X = pd.DataFrame(index=index)
    return X, pd.Series(rng.integers(1, 4, len(X)), index=index)


def test_counts_are_those_of_a_double_loop(rankings):
    X, y = rankings
    counts = win_counts(X, y)
    assert list(counts.systems) == list("abcde")
    wins, ties = np.zeros((2, 20, 5, 5))
    for (segment, _), group in y.groupby(level=["segment", "ranking"]):
        for (row, rank), (other, other_rank) in itertools.permutations(group.items(), 2):
            cell = segment, "abcde".index(row[-1]), "abcde".index(other[-1])
            wins[cell] += rank < other_rank
            ties[cell] += rank == other_rank
    np.testing.assert_array_equal(counts.wins, wins)
    np.testing.assert_array_equal(counts.ties, ties)
    assert list(counts.segments) == list(range(20))


def test_order_of_rows_changes_nothing(rankings):
    X, y = rankings
    shuffled = y.sample(frac=1, random_state=1)
    ours, theirs = win_counts(X, y), win_counts(X.loc[shuffled.index], shuffled)
    for field in ("wins", "ties", "segments", "systems"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))


def test_expected_wins_by_hand():
    # a: 3 of 4 against b, 1 of 2 against c; d was never compared.
    wins = [[0, 3, 1, 0], [1, 0, 0, 0], [1, 2, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(expected_wins(np.array(wins)), [5 / 8, 1 / 8, 3 / 4, np.nan])
    assert np.isnan(expected_wins(np.zeros((1, 1)))).all()
    many = np.random.default_rng(0).integers(0, 3, (6, 2, 4, 4))
    found = expected_wins(many)
    for index in np.ndindex(6, 2):
        w = many[index]
        for i in range(4):
            shares = [
                w[i, j] / (w[i, j] + w[j, i]) for j in range(4) if j != i and w[i, j] + w[j, i]
            ]
            assert found[(*index, i)] == pytest.approx(
                np.mean(shares) if shares else np.nan, nan_ok=True
            )


def test_bradley_terry_is_a_logistic_regression():
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(1)
    wins = rng.integers(1, 30, (5, 5))
    ties = rng.integers(0, 9, (5, 5))
    wins, ties = wins - np.diag(np.diag(wins)), np.triu(ties, 1)
    pairs = list(itertools.combinations(range(5), 2))
    design = np.array([[(k == i) - (k == j) for k in range(5)] for i, j in pairs], dtype=float)
    outcomes = [(wins[i, j] + ties[i, j] / 2, wins[j, i] + ties[i, j] / 2) for i, j in pairs]
    model = sm.GLM(outcomes, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12)
    expected = np.append(0, model.params)
    found = bradley_terry_scores(wins, ties + ties.T)
    np.testing.assert_allclose(found, expected - expected.mean(), atol=1e-5)
    without = bradley_terry_scores(wins, 0)
    assert np.abs(without - found).max() > 1e-3


@settings(max_examples=100, deadline=None)
@given(
    cells=st.integers(1, 5).flatmap(
        lambda n: st.lists(st.sampled_from([0, 0, 1, 2, 9, 1000]), min_size=n * n, max_size=n * n)
    )
)
def test_bradley_terry_is_where_the_slope_is_zero(cells):
    n = round(len(cells) ** 0.5)
    wins = np.array(cells, dtype=float).reshape(n, n) * ~np.eye(n, dtype=bool)
    found = bradley_terry_scores(wins, 0)
    assert np.isfinite(found).all()
    assert found.mean() == pytest.approx(0, abs=1e-9)
    slope = -1e-4 * found  # of the prior of standard deviation 100
    for i, j in itertools.permutations(range(n), 2):
        p = 1 / (1 + np.exp(found[j] - found[i]))
        slope[i] += wins[i, j] * (1 - p) - wins[j, i] * p
    np.testing.assert_allclose(slope, 0, atol=1e-8)


def test_bradley_terry_without_defeat_or_judgement():
    strengths = bradley_terry_scores(np.array([[0, 5, 0], [0, 0, 0], [0, 0, 0]]), 0)
    assert strengths[0] > 3
    assert strengths[1] == pytest.approx(-strengths[0])
    assert strengths[2] == pytest.approx(0)
    np.testing.assert_allclose(bradley_terry_scores(np.zeros((3, 3)), np.ones((3, 3))), 0)


@pytest.mark.parametrize("method", ["expected-wins", "bradley-terry"])
def test_weights_are_copies_of_segments(rankings, method):
    X, y = rankings
    counts = win_counts(X, y)
    score = human_scores_of_weights(counts, method)
    weights = np.random.default_rng(2).multinomial(20, np.full(20, 0.05), size=5)
    for drawn, scores in zip(weights, score(weights), strict=True):
        copies = [
            y.loc[[segment]].rename(index=lambda r, c=copy: f"{r}x{c}", level="ranking")
            for segment, times in enumerate(drawn)
            for copy in range(times)
        ]
        table = pd.concat(copies)
        expected = human_system_scores(table.to_frame(), table, method=method)
        pd.testing.assert_series_equal(
            expected, pd.Series(scores, index=counts.systems), check_names=False, atol=1e-9
        )


def test_human_side_of_a_statistic(rankings):
    X, y = rankings
    counts = win_counts(X, y)
    metric = np.random.default_rng(3).normal(size=(20, 5))
    human = human_scores_of_weights(counts)(np.ones((1, 20)))
    found = SYSTEM_STATISTICS["kendall"].of_scores(human, metric.mean(axis=0))
    expected = system_agreement(
        human_system_scores(X, y),
        pd.Series(metric.mean(axis=0), index=counts.systems),
        statistic="kendall",
    )
    assert found == pytest.approx([expected])


def test_names_change_nothing(rankings):
    X, y = rankings
    names = dict(zip("abcde", "cebad", strict=True))
    other = y.rename(index=names, level="system").rename(index=lambda s: -s, level="segment")
    for method in ("expected-wins", "bradley-terry"):
        expected = human_system_scores(X, y, method=method).rename(names).sort_index()
        found = human_system_scores(other.to_frame(), other, method=method)
        pd.testing.assert_series_equal(found, expected, atol=1e-12, check_names=False)


def test_strengths_of_simulated_judges_come_back():
    X, _ = make_rankings(4000, 4, random_state=0)
    rng = np.random.default_rng(0)
    truth = dict(
        zip(sorted(set(X.index.get_level_values("system"))), [1.0, 0.3, -0.2, -1.1], strict=True)
    )
    skill = X.index.get_level_values("system").map(truth).to_numpy()
    found = human_system_scores(X, -(skill + rng.gumbel(size=len(X))), method="bradley-terry")
    np.testing.assert_allclose(found, list(truth.values()), atol=0.05)


def test_bad_input(rankings):
    X, y = rankings
    with pytest.raises(ValueError, match=r"method .*found "):
        human_system_scores(X, y, method="trueskill")
    with pytest.raises(CandidateError):
        win_counts(X, y.iloc[1:])
    with pytest.raises(CandidateError, match="segment"):
        win_counts(X.droplevel("segment"), y.to_numpy())


def test_scores_of_the_campaign(data_dir):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    # Callison-Burch et al. 2012, the official ranking of Czech–English.
    scores = human_system_scores(X, y).sort_values(ascending=False)
    assert list(scores.index[:2]) == ["onlineB", "uedin-wmt12"]
    assert set(scores.index[2:4]) == {"cu-bojar", "onlineA"}
    assert list(scores.index[4:]) == ["uk-dan-moses", "jhu-heiro"]


@pytest.mark.parametrize("method", ["expected-wins", "bradley-terry"])
def test_no_bit_depends_on_names(method):
    rng = np.random.default_rng(5)
    index = pd.MultiIndex.from_product([range(40), range(6)], names=["segment", "system"])
    y = pd.Series(rng.integers(1, 5, len(index)) + index.get_level_values("system"), index=index)
    scores = human_system_scores(y.to_frame(), y, method=method)
    for _ in range(5):
        systems, segments = rng.permutation(6), rng.permutation(40)
        index = pd.MultiIndex.from_product([segments, systems], names=["segment", "system"])
        other = human_system_scores(y.to_frame().set_axis(index), y.set_axis(index), method=method)
        assert other.index.tolist() == list(range(6))
        np.testing.assert_array_equal(other[systems].to_numpy(), scores.to_numpy())


def test_systems_of_different_types():
    index = pd.MultiIndex.from_product([range(4), ["a", 1]], names=["segment", "system"])
    y = pd.Series([1, 2] * 4, index=index)
    assert trueskill_scores(y.to_frame(), y).loc["a", "mean"] > 25
    assert human_system_scores(y.to_frame(), y)["a"] == 1


def test_what_does_not_fit_into_memory_is_refused(rankings, monkeypatch):
    X, y = rankings
    counts = win_counts(X, y)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    with pytest.raises(CandidateError, match=r"Wins of 20 segments .* would take .* are free"):
        _ = counts.wins
    with pytest.raises(CandidateError, match="pairs of rows that are compared"):
        win_counts(X, y)
    with pytest.raises(CandidateError, match="Tables of segments and systems"):
        next(counts.by_segment())


def test_memory_grows_with_the_comparisons():
    # 300 systems in 5,000 segments of two: 1.8 GB as whole arrays, times two.
    rng = np.random.default_rng(0)
    names = np.column_stack([np.arange(5000) % 300, (np.arange(5000) * 7 + 1) % 300]).ravel()
    index = pd.MultiIndex.from_arrays([np.repeat(np.arange(5000), 2), names])
    y = pd.Series(rng.integers(1, 3, 10_000), index.set_names(["segment", "system"]))
    counts = win_counts(y.to_frame(), y)
    assert counts.won.nnz + counts.tied.nnz / 2 == 5000
    assert counts.won.shape == (5000, 90_000)
    assert trueskill_scores(y.to_frame(), y).shape == (300, 2)


def test_ranks_whose_difference_overflows():
    index = pd.MultiIndex.from_product([[1], ["A", "B"]], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": ["a", "b"]}, index=index)
    assert win_counts(X, [-1e308, 1e308]).wins.tolist() == [[[0, 1], [0, 0]]]
